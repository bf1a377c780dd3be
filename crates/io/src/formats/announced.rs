//! Counts that the head of a file announces.

use std::path::Path;

use super::error::{BadLine, Flaw, FormatError};

/// A number in the head, and how many lines of the kind were met.
pub(super) struct Announced {
    what: &'static str,
    count: u64,
    pub seen: u64,
}

impl Announced {
    pub(super) fn new(what: &'static str, count: u64) -> Self {
        let seen = 0;
        Announced { what, count, seen }
    }

    /// Refuses a line behind the last one that was announced.
    pub(super) fn expect_more(&self) -> Result<(), Flaw> {
        if self.seen >= self.count {
            return Err(BadLine::MoreThanAnnounced {
                what: self.what,
                announced: self.count,
            }
            .into());
        }
        Ok(())
    }

    /// Takes note of a line that is not read; one behind the last was no part
    /// of the count.
    pub(super) fn pass(&mut self) {
        self.seen += u64::from(self.seen < self.count);
    }

    /// Refuses a file that ends too early.
    pub(super) fn finish(&self, file: &Path) -> Result<(), FormatError> {
        if self.seen < self.count {
            return Err(FormatError::WrongCount {
                file: file.to_owned(),
                what: self.what,
                announced: self.count,
                found: self.seen,
            });
        }
        Ok(())
    }
}
