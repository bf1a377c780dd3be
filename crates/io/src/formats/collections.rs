//! Heads of edge lists of well-known collections of graphs.

use std::path::Path;

use super::error::{Endpoint, FormatError};
use super::options::{EndpointKind, Options};
use super::values::{id, is_blank};

/// The first two comments of a KONECT file: `% sym|asym|bip …` and `% edges left right`.
#[derive(Default)]
pub(super) struct Konect {
    pub symmetric: bool,
    bipartite: bool,
    left_count: Option<u64>,
}

impl Konect {
    pub(super) fn comment(&mut self, number: u64, line: &[u8]) {
        let mut words = line
            .split(|&byte| is_blank(byte))
            .filter(|word| !word.is_empty());
        if number > 2 || words.next() != Some(b"%") {
            return;
        }
        match words.next() {
            Some(b"sym") if number == 1 => self.symmetric = true,
            Some(b"bip") if number == 1 => self.bipartite = true,
            _ if number == 2 && self.bipartite => {
                let left = words
                    .next()
                    .and_then(|word| id(word, Endpoint::Source).ok());
                self.left_count = left;
            }
            _ => {}
        }
    }

    /// How many vertices the left side has, if the file is to be read as one
    /// of two sides.
    pub(super) fn left_count(
        &self,
        path: &Path,
        options: &Options,
    ) -> Result<Option<u64>, FormatError> {
        let file = path.to_owned();
        if self.bipartite && !options.bipartite {
            return Err(FormatError::Unsupported {
                file,
                problem:
                    "the file is bipartite: the same number stands for a vertex on either side"
                        .to_owned(),
                hint: "add the number of vertices of the left side to each number of the right \
                       side, and leave the comment that says `bip` out"
                    .to_owned(),
            });
        }
        if options.bipartite {
            if options.ids == EndpointKind::Text || self.left_count.is_none() {
                return Err(FormatError::Options {
                    file,
                    problem: "cannot be read as bipartite: that needs numbers for ids, and a file that says how many vertices its left side has".to_owned(),
                    hint: "make the ids of both sides distinct, and read it as it is".to_owned(),
                });
            }
            return Ok(self.left_count);
        }
        Ok(None)
    }
}

/// The first line `vertices,edges,u|d,name…` of a JuliaGraphs file: the next
/// line, an edge, has but two fields. Gives vertices, edges, undirectedness.
pub(super) fn julia_head(line: &[u8], next: &[u8]) -> Option<((u64, u64), bool)> {
    let mut fields = line.split(|&byte| byte == b',');
    let vertices = id(fields.next()?, Endpoint::Source).ok()?;
    let edges = id(fields.next()?, Endpoint::Target).ok()?;
    let undirected = match fields.next()? {
        b"u" => true,
        b"d" => false,
        _ => return None,
    };
    fields.next()?;
    let next = next.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let commas = next.iter().filter(|&&byte| byte == b',').count();
    (commas == 1 || next.is_empty()).then_some(((vertices, edges), undirected))
}
