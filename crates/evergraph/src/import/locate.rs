//! The line of an id that no vertex can have: found by reading again, so that
//! the usual case pays nothing for it.

use std::path::Path;

use evergraph_topology::MAX_VERTICES;

use super::ids::NoVertex;
use crate::Error;
use crate::formats::{EdgeBatch, EdgeReader, FormatError, Options};

const SEARCHED_AT_ONCE: usize = 1 << 16;

/// Error of an id in `file`, with its line if it can be found.
pub(super) fn out_of_range(file: &Path, reading: &Options, bad: &NoVertex) -> Error {
    match bad {
        NoVertex::OutOfRange(id) => {
            let line = match line_of(file, reading, *id) {
                Ok(Some(line)) => format!(":{line}"),
                _ => String::new(),
            };
            Error::usage(
                format!(
                    "{}{line}: vertex id {id} is out of range: dense ids go up to {}",
                    file.display(),
                    MAX_VERTICES - 1
                ),
                "use `--ids map`, which takes any id",
            )
        }
        NoVertex::Full => Error::usage(
            format!(
                "{}: the graph is full: it holds {MAX_VERTICES} vertices",
                file.display()
            ),
            "import fewer vertices",
        ),
    }
}

fn line_of(file: &Path, reading: &Options, id: u64) -> Result<Option<u64>, FormatError> {
    let holds_it = |batch: &EdgeBatch| batch.sources.contains(&id) || batch.targets.contains(&id);
    let mut batch = EdgeBatch::default();
    let mut reader = EdgeReader::open(file, reading)?;
    loop {
        let before = reader.position().lines;
        if reader.next_batch(&mut batch, SEARCHED_AT_ONCE)? == 0 {
            return Ok(None);
        }
        if holds_it(&batch) {
            reader = EdgeReader::open(file, reading)?;
            reader.skip_lines(before)?;
            break;
        }
    }
    while reader.next_batch(&mut batch, 1)? > 0 {
        if holds_it(&batch) {
            return Ok(Some(reader.position().lines));
        }
    }
    Ok(None)
}
