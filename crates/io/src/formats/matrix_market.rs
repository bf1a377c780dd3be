//! Matrix Market `coordinate` files: an entry is an edge from row to column.
//!
//! Format: Boisvert, Pozo and Remington, "The Matrix Market Exchange Formats",
//! NISTIR 5935, 1996.

use std::ops::Range;
use std::path::Path;

use super::announced::Announced;
use super::batch::EdgeBatch;
use super::error::{Endpoint, Flaw, FormatError};
use super::fields::is_idle;
use super::guess::starts_with_ignoring_case;
use super::options::{EndpointKind, Options};
use super::parser::{LineParser, Text, head_line, no_times};
use super::shape::{FileColumn, of_entries};
use super::values::{Tokens, id};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Symmetry {
    General,
    Symmetric,
    /// The entry at (j, i) is minus the one at (i, j): two different edges.
    Skew,
}

pub(super) struct MatrixMarketParser {
    ids: EndpointKind,
    symmetry: Symmetry,
    has_values: bool,
    weighted: bool,
    rows: u64,
    columns: u64,
    entries: Announced,
    base_shift: u64,
    /// Added to column numbers.
    right_shift: u64,
}

pub(super) fn open(text: &mut Text, options: &Options) -> Result<MatrixMarketParser, FormatError> {
    let (_, banner) = head_line(text, |_| false)?;
    let parsed = parse_banner(&banner);
    let (has_values, symmetry) = parsed.map_err(|flaw| text.bad_head(1, &banner, flaw))?;
    let weighted = options.reads_weight();
    if weighted && !has_values {
        let flaw = Flaw::head("a pattern matrix has no weights", "read it without weights");
        return Err(text.bad_head(1, &banner, flaw));
    }
    if options.reads_time() {
        return Err(no_times(text));
    }
    let (number, size) = head_line(text, |line| is_idle(line, true))?;
    let parsed = parse_size(&size, symmetry, options);
    let (rows, columns, entries) = parsed.map_err(|flaw| text.bad_head(number, &size, flaw))?;
    Ok(MatrixMarketParser {
        ids: options.ids,
        symmetry,
        has_values,
        weighted,
        rows,
        columns,
        entries: Announced::new("entries", entries),
        base_shift: options.base_shift(),
        right_shift: if options.bipartite { rows } else { 0 },
    })
}

/// Whether entries have values, and which of them are left out.
fn parse_banner(line: &[u8]) -> Result<(bool, Symmetry), Flaw> {
    const BANNER: &[u8] = b"%%MatrixMarket";
    const FORM: &str = "write `%%MatrixMarket matrix coordinate pattern|real|integer general|symmetric|skew-symmetric`";
    if !starts_with_ignoring_case(line, BANNER) {
        return Err(Flaw::head(
            "a Matrix Market file starts with %%MatrixMarket",
            "give the format of the file if it is another",
        ));
    }
    let rest = String::from_utf8_lossy(&line[BANNER.len()..]).to_ascii_lowercase();
    let words: Vec<&str> = rest.split_ascii_whitespace().collect();
    let [object, layout, field, symmetry] = words[..] else {
        return Err(Flaw::head("the header needs four words", FORM));
    };
    if object != "matrix" {
        return Err(Flaw::head(format!("{object:?} is not a matrix"), FORM));
    }
    match layout {
        "coordinate" => {}
        "array" => {
            return Err(Flaw::head(
                "a dense (array) matrix is no list of edges",
                "write it as a coordinate matrix, with the entries that are edges",
            ));
        }
        _ => return Err(Flaw::head(format!("unknown layout {layout:?}"), FORM)),
    }
    let has_values = match field {
        "pattern" => false,
        "real" | "double" | "integer" | "unsigned-integer" => true,
        "complex" => {
            return Err(Flaw::head(
                "complex values are no weights",
                "write the matrix as real or pattern",
            ));
        }
        _ => return Err(Flaw::head(format!("unknown field {field:?}"), FORM)),
    };
    let symmetry = match symmetry {
        "general" => Symmetry::General,
        "symmetric" => Symmetry::Symmetric,
        "skew-symmetric" if has_values => Symmetry::Skew,
        "skew-symmetric" => {
            return Err(Flaw::head("a pattern has no signs to be skew", FORM));
        }
        "hermitian" => {
            return Err(Flaw::head(
                "hermitian matrices are complex, and complex values are no weights",
                "write the matrix as real symmetric",
            ));
        }
        _ => return Err(Flaw::head(format!("unknown symmetry {symmetry:?}"), FORM)),
    };
    Ok((has_values, symmetry))
}

/// Rows, columns, entries.
fn parse_size(line: &[u8], symmetry: Symmetry, options: &Options) -> Result<(u64, u64, u64), Flaw> {
    let words = line.split(|byte| byte.is_ascii_whitespace());
    let numbers: Vec<_> = words
        .filter(|word| !word.is_empty())
        .map(|word| id(word, Endpoint::Source))
        .collect();
    let [Ok(rows), Ok(columns), Ok(entries)] = numbers[..] else {
        return Err(Flaw::head(
            "the size line is not three numbers",
            "write `rows columns entries`",
        ));
    };
    if options.bipartite {
        if symmetry != Symmetry::General || rows.checked_add(columns).is_none() {
            return Err(Flaw::head(
                "this matrix has no two sides",
                "read it without asking for a bipartite graph",
            ));
        }
    } else if rows != columns {
        return Err(Flaw::head(
            format!("a {rows} by {columns} matrix is not the adjacency of a graph"),
            "write each entry as a line `row column [value]` of an edge list, with the number of \
             rows added to its column",
        ));
    }
    Ok((rows, columns, entries))
}

impl LineParser for MatrixMarketParser {
    fn line(&mut self, line: &[u8], out: &mut EdgeBatch) -> Result<(), Flaw> {
        if is_idle(line, true) {
            return Ok(());
        }
        self.entries.expect_more()?;
        let needed = 2 + usize::from(self.has_values);
        let mut tokens = Tokens::of(line);
        let row = tokens.id_within(Endpoint::Source, self.rows, needed)?;
        let column = tokens.id_within(Endpoint::Target, self.columns, needed)?;
        let mut weight = None;
        if self.weighted {
            weight = Some(tokens.weight(needed, &mut out.rounds_weights)?);
        } else if self.has_values {
            tokens.skip(needed)?;
        }
        tokens.finish()?;
        self.entries.seen += 1;
        let source = row - self.base_shift;
        let target = column - self.base_shift + self.right_shift;
        out.push_numbers(self.ids, source, target, weight);
        if self.symmetry == Symmetry::Skew && source != target {
            out.push_numbers(self.ids, target, source, weight.map(|weight| -weight));
        }
        Ok(())
    }

    fn pass(&mut self, line: &[u8]) {
        if !is_idle(line, true) {
            self.entries.pass();
        }
    }

    fn finish(&self, file: &Path) -> Result<(), FormatError> {
        self.entries.finish(file)
    }

    fn declared_ids(&self) -> Option<Range<u64>> {
        let first = 1 - self.base_shift;
        Some(first..(self.rows + self.right_shift.min(1) * self.columns).saturating_add(first))
    }

    fn columns(&self) -> Vec<FileColumn> {
        of_entries(self.has_values, self.weighted)
    }

    fn symmetric(&self) -> bool {
        self.symmetry == Symmetry::Symmetric
    }
}
