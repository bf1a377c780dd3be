//! Files of the ninth DIMACS challenge, shortest paths: `c` comments, one
//! `p sp vertices arcs`, and an `a source target weight` for each arc.

use std::ops::Range;
use std::path::Path;

use super::announced::Announced;
use super::batch::EdgeBatch;
use super::error::{BadLine, Endpoint, Flaw, FormatError};
use super::fields::is_idle;
use super::options::{EndpointKind, Options};
use super::parser::{LineParser, Text, head_line, no_times};
use super::shape::{FileColumn, of_entries};
use super::values::{Tokens, id, is_blank};

pub(super) struct DimacsParser {
    ids: EndpointKind,
    weighted: bool,
    vertices: u64,
    arcs: Announced,
    base_shift: u64,
}

/// Whether the line is blank or a comment.
fn is_comment(line: &[u8]) -> bool {
    match line {
        [b'c'] => true,
        [b'c', next, ..] => is_blank(*next),
        line => is_idle(line, false),
    }
}

pub(super) fn open(text: &mut Text, options: &Options) -> Result<DimacsParser, FormatError> {
    if options.reads_time() {
        return Err(no_times(text));
    }
    let (number, line) = head_line(text, is_comment)?;
    let words: Vec<&[u8]> = line
        .split(|&byte| is_blank(byte))
        .filter(|word| !word.is_empty())
        .collect();
    let counts = match words[..] {
        [b"p", b"sp", vertices, arcs] => [vertices, arcs].map(|word| id(word, Endpoint::Source)),
        _ => {
            let flaw = Flaw::head(
                "the problem line `p sp vertices arcs` is missing",
                "only shortest-path files are read as gr; give the format if it is another",
            );
            return Err(text.bad_head(number, &line, flaw));
        }
    };
    let [Ok(vertices), Ok(arcs)] = counts else {
        let flaw = Flaw::head("the counts are not numbers", "write `p sp vertices arcs`");
        return Err(text.bad_head(number, &line, flaw));
    };
    Ok(DimacsParser {
        ids: options.ids,
        weighted: options.reads_weight(),
        vertices,
        arcs: Announced::new("arcs", arcs),
        base_shift: options.base_shift(),
    })
}

impl LineParser for DimacsParser {
    fn line(&mut self, line: &[u8], out: &mut EdgeBatch) -> Result<(), Flaw> {
        if is_comment(line) {
            return Ok(());
        }
        const NEEDED: usize = 4;
        let mut tokens = Tokens::of(line);
        match tokens.next() {
            Some((_, b"a")) => {}
            Some((at, _)) => return Err(Flaw::at(at, BadLine::UnknownRecord)),
            None => return Ok(()),
        }
        self.arcs.expect_more()?;
        let source = tokens.id_within(Endpoint::Source, self.vertices, NEEDED)?;
        let target = tokens.id_within(Endpoint::Target, self.vertices, NEEDED)?;
        let weight = match self.weighted {
            true => Some(tokens.weight(NEEDED, &mut out.rounds_weights)?),
            false => {
                tokens.skip(NEEDED)?;
                None
            }
        };
        tokens.finish()?;
        self.arcs.seen += 1;
        out.push_numbers(
            self.ids,
            source - self.base_shift,
            target - self.base_shift,
            weight,
        );
        Ok(())
    }

    fn pass(&mut self, line: &[u8]) {
        if !is_comment(line) {
            self.arcs.pass();
        }
    }

    fn finish(&self, file: &Path) -> Result<(), FormatError> {
        self.arcs.finish(file)
    }

    fn declared_ids(&self) -> Option<Range<u64>> {
        let first = 1 - self.base_shift;
        Some(first..self.vertices.saturating_add(first))
    }

    fn columns(&self) -> Vec<FileColumn> {
        of_entries(true, self.weighted)
    }

    fn symmetric(&self) -> bool {
        false
    }
}
