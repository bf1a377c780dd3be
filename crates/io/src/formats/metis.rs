//! METIS adjacency: after `vertices edges [format [constraints]]`, a line for
//! each vertex with its neighbors, so that each edge stands at both its ends.
//!
//! The edge is given where it stands first, at its smaller end. Whether it
//! stands at the other end too is checked by sums of hashes when the file ends.
//! Format: Karypis, "METIS 5.1.0 manual", section 4.1.1.

use std::ops::Range;
use std::path::Path;

use super::batch::EdgeBatch;
use super::error::{BadLine, Endpoint, Flaw, FormatError};
use super::fields::is_idle;
use super::lines::METIS_LINE_LIMIT;
use super::options::{EndpointKind, Options};
use super::parser::{LineParser, Text, head_line, no_times};
use super::shape::{FileColumn, of_entries};
use super::values::{Tokens, id, is_blank};

pub(super) struct MetisParser {
    ids: EndpointKind,
    vertices: u64,
    edges: u64,
    /// Tokens before the neighbors: vertex size and vertex weights.
    leading: usize,
    has_weights: bool,
    weighted: bool,
    base_shift: u64,
    /// Lines of vertices so far.
    seen: u64,
    /// Some lines were not read, so that the sums below are not complete.
    partial: bool,
    sums: Sums,
}

#[derive(Clone, Copy, Default)]
struct Sums {
    /// Edges at their smaller end, and at their larger end.
    count: [u64; 2],
    hash: [u64; 2],
    loops: u64,
}

/// A well-mixed number for an edge and its weight (the finalizer of SplitMix64).
fn mix(smaller: u64, larger: u64, weight: Option<f32>) -> u64 {
    // Adding zero makes -0.0 and 0.0 alike.
    let bits = weight.map_or(0, |weight| u64::from((weight + 0.0).to_bits()));
    let mut hash = smaller
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(larger.rotate_left(32))
        .wrapping_add(bits.wrapping_mul(0xd6e8_feb8_6659_fd93));
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

fn is_comment(line: &[u8]) -> bool {
    line.iter().find(|&&byte| !is_blank(byte)) == Some(&b'%')
}

pub(super) fn open(text: &mut Text, options: &Options) -> Result<MetisParser, FormatError> {
    text.lines.set_limit(METIS_LINE_LIMIT);
    if options.reads_time() {
        return Err(no_times(text));
    }
    let (number, line) = head_line(text, |line| is_comment(line) || is_idle(line, false))?;
    parse_head(&line, options).map_err(|flaw| text.bad_head(number, &line, flaw))
}

fn parse_head(line: &[u8], options: &Options) -> Result<MetisParser, Flaw> {
    const FORM: &str = "write `vertices edges [format [constraints]]`";
    let words: Vec<&[u8]> = line
        .split(|&byte| is_blank(byte))
        .filter(|word| !word.is_empty())
        .collect();
    if !(2..=4).contains(&words.len()) {
        return Err(Flaw::head(
            "the first line is not two to four numbers",
            FORM,
        ));
    }
    let number = |index: usize, default: u64| match words.get(index) {
        None => Ok(default),
        Some(word) => id(word, Endpoint::Source)
            .map_err(|_| Flaw::head("the first line is not two to four numbers", FORM)),
    };
    let (vertices, edges) = (number(0, 0)?, number(1, 0)?);
    let (code, constraints) = (number(2, 0)?, number(3, 1)?);
    let [sizes, vertex_weights, has_weights] = match code {
        0 | 1 | 10 | 11 | 100 | 101 | 110 | 111 => [code / 100, code / 10 % 10, code % 10],
        _ => {
            return Err(Flaw::head(
                format!("unknown format code {code}"),
                "write three digits 0 or 1: vertex sizes, vertex weights, edge weights",
            ));
        }
    };
    let leading = sizes + vertex_weights * constraints.min(1 << 16);
    let weighted = options.reads_weight();
    if weighted && has_weights == 0 {
        return Err(Flaw::head(
            "the format code says that edges have no weights",
            "read it without weights",
        ));
    }
    Ok(MetisParser {
        ids: options.ids,
        vertices,
        edges,
        leading: leading as usize,
        has_weights: has_weights == 1,
        weighted,
        base_shift: options.base_shift(),
        seen: 0,
        partial: false,
        sums: Sums::default(),
    })
}

impl MetisParser {
    /// Takes the neighbors of vertex `u`, counted from 1.
    fn neighbors(&self, u: u64, line: &[u8], out: &mut EdgeBatch) -> Result<Sums, Flaw> {
        let mut sums = self.sums;
        let mut tokens = Tokens::of(line);
        for _ in 0..self.leading {
            tokens.skip(self.leading)?;
        }
        while !tokens.is_done() {
            let v = tokens.id_within(Endpoint::Target, self.vertices, 0)?;
            let mut weight = None;
            if self.has_weights {
                if tokens.is_done() {
                    return Err(BadLine::MissingNeighborWeight.into());
                }
                match self.weighted {
                    true => weight = Some(tokens.weight(0, &mut out.rounds_weights)?),
                    false => tokens.skip(0)?,
                }
            }
            if u == v {
                sums.loops += 1;
            } else {
                let side = usize::from(u > v);
                let hash = mix(u.min(v), u.max(v), weight);
                sums.count[side] += 1;
                sums.hash[side] = sums.hash[side].wrapping_add(hash);
            }
            if u <= v {
                let shift = self.base_shift;
                out.push_numbers(self.ids, u - shift, v - shift, weight);
            }
        }
        Ok(sums)
    }
}

impl LineParser for MetisParser {
    fn line(&mut self, line: &[u8], out: &mut EdgeBatch) -> Result<(), Flaw> {
        if is_comment(line) {
            return Ok(());
        }
        if self.seen >= self.vertices {
            // A blank line may end the file.
            return match is_idle(line, false) {
                true => Ok(()),
                false => Err(BadLine::MoreThanAnnounced {
                    what: "lines of neighbors",
                    announced: self.vertices,
                }
                .into()),
            };
        }
        let before = out.len();
        match self.neighbors(self.seen + 1, line, out) {
            Ok(sums) => self.sums = sums,
            Err(flaw) => {
                out.truncate(before);
                return Err(flaw);
            }
        }
        self.seen += 1;
        Ok(())
    }

    fn pass(&mut self, line: &[u8]) {
        if self.seen < self.vertices && !is_comment(line) {
            self.seen += 1;
            self.partial = true;
        }
    }

    fn finish(&self, file: &Path) -> Result<(), FormatError> {
        let wrong = |what, announced, found| FormatError::WrongCount {
            file: file.to_owned(),
            what,
            announced,
            found,
        };
        if self.seen < self.vertices {
            return Err(wrong("lines of neighbors", self.vertices, self.seen));
        }
        if self.partial {
            return Ok(());
        }
        let Sums { count, hash, loops } = self.sums;
        if count[0] != count[1] || hash[0] != hash[1] {
            return Err(FormatError::NotSymmetric {
                file: file.to_owned(),
                problem: "some edges stand at one of their ends only, or with two weights"
                    .to_owned(),
            });
        }
        // Writers disagree whether a self-loop is listed once or twice.
        if count[0] + loops != self.edges && count[0] + loops / 2 != self.edges {
            return Err(wrong("edges", self.edges, count[0] + loops));
        }
        Ok(())
    }

    fn declared_ids(&self) -> Option<Range<u64>> {
        let first = 1 - self.base_shift;
        Some(first..self.vertices.saturating_add(first))
    }

    fn columns(&self) -> Vec<FileColumn> {
        of_entries(self.has_weights, self.weighted)
    }

    fn symmetric(&self) -> bool {
        true
    }
}
