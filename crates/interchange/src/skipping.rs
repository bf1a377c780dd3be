//! Leaving out a few bad rows, and remembering which.

use crate::{BadRow, InterchangeError, Row, RowReader};

/// Bad rows that are remembered with their reasons.
const REMEMBERED: usize = 100;

/// Gives the good rows of a reader, as long as there are not too many bad ones.
#[derive(Debug)]
pub struct Skipping<R> {
    reader: R,
    most: u64,
    count: u64,
    bad: Vec<BadRow>,
}

impl<R: RowReader> Skipping<R> {
    /// Leaves out at most `most` bad rows; with 0 the first is an error.
    pub fn new(reader: R, most: u64) -> Self {
        Skipping {
            reader,
            most,
            count: 0,
            bad: Vec::new(),
        }
    }

    /// Bad rows so far.
    pub fn bad_count(&self) -> u64 {
        self.count
    }

    /// The first hundred of them.
    pub fn bad_rows(&self) -> &[BadRow] {
        &self.bad
    }

    /// Counts the last row as bad, too, for what only its user can see: an end of a
    /// relationship that is nowhere, say.
    ///
    /// # Errors
    /// [`InterchangeError::TooManyBad`].
    pub fn reject(&mut self, problem: impl Into<String>) -> Result<(), InterchangeError> {
        self.skip(BadRow {
            file: self.reader.file().clone(),
            line: self.reader.line(),
            column: None,
            problem: problem.into(),
        })
    }

    fn skip(&mut self, bad: BadRow) -> Result<(), InterchangeError> {
        self.count += 1;
        if self.count > self.most {
            let (count, most) = (self.count, self.most);
            return Err(match most {
                0 => InterchangeError::BadRow(bad),
                _ => InterchangeError::TooManyBad { bad, count, most },
            });
        }
        if self.bad.len() < REMEMBERED {
            self.bad.push(bad);
        }
        Ok(())
    }
}

impl<R: RowReader> Iterator for Skipping<R> {
    type Item = Result<Row, InterchangeError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.reader.next()? {
                Err(InterchangeError::BadRow(bad)) => {
                    if let Err(error) = self.skip(bad) {
                        return Some(Err(error));
                    }
                }
                other => return Some(other),
            }
        }
    }
}
