//! Whole lines in one reused buffer.

use std::io::{self, Read};

use super::error::excerpt;

/// Longest line of a format with one edge a line, in bytes.
pub const LINE_LIMIT: usize = 1 << 20;

/// Longest line of METIS, which holds all neighbors of a vertex, in bytes.
pub const METIS_LINE_LIMIT: usize = 1 << 28;

/// How much is read at once. Small enough to stay in the second-level cache.
const CHUNK: usize = 1 << 18;

/// Reads lines, which borrow its buffer.
pub(super) struct Lines {
    input: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    /// First byte that was not consumed.
    start: usize,
    /// `start..whole` are whole lines, each with its `\n`.
    whole: usize,
    /// `whole..end` is the beginning of the next line.
    end: usize,
    /// The input has ended.
    ended: bool,
    /// Whole lines consumed.
    consumed: u64,
    /// Start of the last line of [`Lines::next`].
    previous: usize,
    limit: usize,
    /// A failed input stays failed: a decompressor asked again may claim that
    /// all is well and over.
    failed: Option<(io::ErrorKind, String)>,
}

/// One line, without its end.
pub(super) struct Line<'a> {
    /// From 1.
    pub number: u64,
    pub content: Content<'a>,
}

pub(super) enum Content<'a> {
    Text(&'a [u8]),
    /// Longer than the limit; this is how it starts.
    TooLong(String),
}

impl Lines {
    pub(super) fn new(input: Box<dyn Read + Send>) -> Lines {
        Lines {
            input,
            buffer: vec![0; CHUNK],
            start: 0,
            whole: 0,
            end: 0,
            ended: false,
            consumed: 0,
            previous: 0,
            limit: LINE_LIMIT,
            failed: None,
        }
    }

    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    pub(super) fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// Whole lines consumed.
    pub(super) fn consumed(&self) -> u64 {
        self.consumed
    }

    /// The first bytes of the file, as many as one read gives; to be asked
    /// before anything is consumed.
    pub(super) fn head(&mut self) -> io::Result<&[u8]> {
        self.fill()?;
        Ok(&self.buffer[self.start..self.end])
    }

    /// Leaves out bytes that precede the first line.
    pub(super) fn drop_prefix(&mut self, prefix: &[u8]) {
        if self.buffer[self.start..self.whole].starts_with(prefix) {
            self.start += prefix.len();
        }
    }

    /// The whole lines at hand, for a parser that takes many at once; empty at
    /// the end, and before a line that is too long.
    #[inline]
    pub(super) fn window(&mut self) -> io::Result<&[u8]> {
        if self.start == self.whole {
            self.fill()?;
        }
        Ok(&self.buffer[self.start..self.whole])
    }

    /// Consumes the first `bytes` of [`Lines::window`], which are `lines` lines.
    #[inline]
    pub(super) fn consume(&mut self, bytes: usize, lines: u64) {
        self.start += bytes;
        self.consumed += lines;
        debug_assert!(self.start <= self.whole);
    }

    /// The next line.
    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        if self.start == self.whole {
            self.fill()?;
        }
        self.previous = self.start;
        if self.start == self.whole {
            if self.end == self.whole {
                return Ok(None);
            }
            let text = excerpt(&self.buffer[self.start..self.end]);
            self.discard_line()?;
            self.consumed += 1;
            return Ok(Some(Line {
                number: self.consumed,
                content: Content::TooLong(text),
            }));
        }
        let rest = &self.buffer[self.start..self.whole];
        let len = find_newline(rest).expect("whole lines end with a newline");
        let line = &rest[..len];
        self.start += len + 1;
        self.consumed += 1;
        let content = match len > self.limit {
            true => Content::TooLong(excerpt(line)),
            false => Content::Text(line),
        };
        Ok(Some(Line {
            number: self.consumed,
            content,
        }))
    }

    /// Gives back the line that [`Lines::next`] gave last, if it was whole.
    pub(super) fn unread(&mut self) {
        debug_assert!(self.previous < self.start);
        self.start = self.previous;
        self.consumed -= 1;
    }

    /// The whole lines after the one that [`Lines::next`] gave last, which can
    /// still be given back.
    pub(super) fn following(&mut self) -> io::Result<&[u8]> {
        if self.start == self.whole {
            self.fill_keeping(self.previous)?;
        }
        Ok(&self.buffer[self.start..self.whole])
    }

    fn fill(&mut self) -> io::Result<()> {
        self.fill_keeping(self.start)
    }

    /// Makes `start..whole` hold at least one line, unless the input has ended
    /// or the next line is longer than the limit. Keeps the bytes from `first` on.
    fn fill_keeping(&mut self, mut first: usize) -> io::Result<()> {
        if let Some((kind, message)) = &self.failed {
            return Err(io::Error::new(*kind, message.clone()));
        }
        while self.start == self.whole {
            let pending = self.end - self.whole;
            if self.ended || pending > self.limit {
                return Ok(());
            }
            if first > 0 {
                self.buffer.copy_within(first..self.end, 0);
                self.start -= first;
                self.whole -= first;
                self.end -= first;
                self.previous = self.previous.saturating_sub(first);
                first = 0;
            }
            if self.buffer.len() - self.end < CHUNK / 2 {
                self.buffer.resize(self.buffer.len() * 2, 0);
            }
            let count = self.read()?;
            let fresh = &self.buffer[self.end..self.end + count];
            if let Some(last) = fresh.iter().rposition(|&byte| byte == b'\n') {
                self.whole = self.end + last + 1;
            }
            self.end += count;
            if count == 0 && self.end > self.whole {
                // The last line lacks its end. There is room: half a chunk.
                self.buffer[self.end] = b'\n';
                self.end += 1;
                self.whole = self.end;
            }
        }
        Ok(())
    }

    /// Reads more to `end..`, and keeps in mind how that went.
    fn read(&mut self) -> io::Result<usize> {
        loop {
            match self.input.read(&mut self.buffer[self.end..]) {
                Ok(count) => {
                    self.ended = count == 0;
                    return Ok(count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.failed = Some((error.kind(), error.to_string()));
                    return Err(error);
                }
            }
        }
    }

    /// Drops the line that starts in `whole..end`, up to and with its end.
    fn discard_line(&mut self) -> io::Result<()> {
        loop {
            (self.start, self.whole, self.end) = (0, 0, 0);
            let count = self.read()?;
            if count == 0 {
                return Ok(());
            }
            self.end = count;
            if let Some(first) = find_newline(&self.buffer[..count]) {
                self.start = first + 1;
                let last = self.buffer[..count].iter().rposition(|&b| b == b'\n');
                self.whole = last.map_or(self.start, |last| last + 1);
                return Ok(());
            }
        }
    }
}

/// Position of the first `
/// `, searched eight bytes at a time.
#[inline]
fn find_newline(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
    const TOPS: u64 = u64::from_ne_bytes([0x80; 8]);
    const NEWLINES: u64 = u64::from_ne_bytes([b'\n'; 8]);
    let (words, rest) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        // A byte that equals `\n` becomes 0; the lowest top bit that is set
        // afterwards marks the first such byte.
        let word = u64::from_le_bytes(*word) ^ NEWLINES;
        let found = word.wrapping_sub(ONES) & !word & TOPS;
        if found != 0 {
            return Some(index * 8 + (found.trailing_zeros() / 8) as usize);
        }
    }
    let at = rest.iter().position(|&byte| byte == b'\n')?;
    Some(words.len() * 8 + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives its bytes `step` at a time.
    struct Trickle(Vec<u8>, usize);

    impl Read for Trickle {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(self.0.len()).min(buffer.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0.drain(..count);
            Ok(count)
        }
    }

    #[test]
    fn lines_do_not_depend_on_how_the_bytes_arrive() {
        let text = b"a\n\nbb\r\nccccccccccccccccccccccccccccccccccc\nlast";
        for step in 1..=text.len() {
            let mut lines = Lines::new(Box::new(Trickle(text.to_vec(), step)));
            let mut seen = Vec::new();
            while let Some(line) = lines.next().unwrap() {
                let Content::Text(text) = line.content else {
                    panic!("no line is too long");
                };
                seen.push(String::from_utf8(text.to_vec()).unwrap());
                assert_eq!(line.number, seen.len() as u64);
            }
            let long = "c".repeat(35);
            assert_eq!(seen, ["a", "", "bb\r", &long, "last"]);
        }
    }

    #[test]
    fn long_lines_are_told_and_passed() {
        for extra in [0, 1, CHUNK, 3 * CHUNK] {
            let mut text = b"first\n".to_vec();
            text.resize(text.len() + LINE_LIMIT + extra, b'x');
            text.extend(b"\nlast");
            let mut lines = Lines::new(Box::new(io::Cursor::new(text)));
            let mut seen = Vec::new();
            while let Some(line) = lines.next().unwrap() {
                seen.push(match line.content {
                    Content::Text(text) => text.len(),
                    Content::TooLong(start) => {
                        assert!(start.starts_with("xxxx"));
                        0
                    }
                });
            }
            let middle = if extra == 0 { LINE_LIMIT } else { 0 };
            assert_eq!(seen, [5, middle, 4], "{extra}");
        }
    }

    #[test]
    fn newlines_are_found() {
        for len in 0..40 {
            for at in 0..len {
                let mut bytes = vec![b'\x0b'; len];
                bytes[at] = b'\n';
                assert_eq!(find_newline(&bytes), Some(at));
            }
            assert_eq!(find_newline(&vec![0x8a; len]), None);
        }
    }
}
