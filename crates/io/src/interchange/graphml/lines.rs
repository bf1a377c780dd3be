//! Counting the lines of what a parser reads.

use std::io::{self, BufRead, Read};

/// An input that counts line ends.
pub(super) struct Lines<R> {
    input: R,
    ends: u64,
}

impl<R> Lines<R> {
    pub(super) fn new(input: R) -> Self {
        Lines { input, ends: 0 }
    }

    /// The line of the next byte, from 1.
    pub(super) fn line(&self) -> u64 {
        self.ends + 1
    }
}

impl<R: BufRead> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

impl<R: BufRead> BufRead for Lines<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.input.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        // The consumed bytes lie in the buffer, so this reads nothing.
        if let Ok(buffer) = self.input.fill_buf() {
            let consumed = &buffer[..count.min(buffer.len())];
            self.ends += consumed.iter().filter(|&&byte| byte == b'\n').count() as u64;
        }
        self.input.consume(count);
    }
}
