//! How far an import is, as its commits record it.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use evergraph_persistence::PersistenceError;

use super::{Action, Series};
use crate::{Database, Error, formats};

/// Bytes of a file that tell it from others, beside its name and length.
const COMPARED_BYTES: u64 = 64 << 10;

/// Stored under `import:<n>` with every batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    /// Of the files and of how they are read.
    pub identity: u64,
    pub action: Action,
    /// Names of the files, for messages.
    pub files: String,
    /// Lines consumed, of all files together.
    pub lines: u64,
    /// Edges of the following line that are in, too.
    pub past: u64,
    /// Edges so far.
    pub edges: u64,
    /// Malformed lines so far.
    pub skipped: u64,
    /// Nothing is left to read.
    pub done: bool,
    /// Time of the last edge, of an import that names snapshots.
    pub time: Option<i64>,
    /// The second behind the step whose snapshot is still to come.
    pub step_end: Option<i64>,
}

impl Record {
    pub fn new(identity: u64, action: Action, files: &[PathBuf]) -> Self {
        let names: Vec<String> = files
            .iter()
            .map(|file| file.display().to_string().replace('\n', " "))
            .collect();
        Record {
            identity,
            action,
            files: names.join(", "),
            lines: 0,
            past: 0,
            edges: 0,
            skipped: 0,
            done: false,
            time: None,
            step_end: None,
        }
    }

    /// One `name value` a line.
    pub fn encode(&self) -> Vec<u8> {
        let Record {
            identity,
            action,
            files,
            lines,
            past,
            edges,
            skipped,
            done,
            time,
            step_end,
        } = self;
        let optional = |name, value: &Option<i64>| match value {
            Some(value) => format!("{name} {value}\n"),
            None => String::new(),
        };
        format!(
            "identity {identity}\naction {action:?}\nlines {lines}\npast {past}\n\
             edges {edges}\nskipped {skipped}\ndone {done}\n{}{}files {files}\n",
            optional("time", time),
            optional("step-end", step_end),
        )
        .into_bytes()
    }

    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let value = |name: &str| {
            let mut pairs = text.lines().filter_map(|line| line.split_once(' '));
            Some(pairs.find(|(found, _)| *found == name)?.1)
        };
        let number = |name: &str| value(name)?.parse().ok();
        Some(Record {
            identity: number("identity")?,
            action: match value("action")? {
                "Insert" => Action::Insert,
                "Delete" => Action::Delete,
                _ => return None,
            },
            files: value("files")?.to_string(),
            lines: number("lines")?,
            past: number("past")?,
            edges: number("edges")?,
            skipped: number("skipped")?,
            done: value("done")?.parse().ok()?,
            time: value("time").and_then(|time| time.parse().ok()),
            step_end: value("step-end").and_then(|end| end.parse().ok()),
        })
    }
}

/// Name of the n-th import's record.
pub(super) fn key(n: usize) -> Vec<u8> {
    format!("import:{n}").into_bytes()
}

/// The records of all imports so far.
pub(super) fn stored(db: &Database) -> Result<Vec<Record>, Error> {
    let mut records = Vec::new();
    while let Some(bytes) = db.store().meta(&key(records.len())) {
        let record = Record::decode(&bytes).ok_or_else(|| {
            PersistenceError::damaged("extents", 0, "the record of an import cannot be read")
        })?;
        records.push(record);
    }
    Ok(records)
}

/// A number that is the same for the same files read in the same way.
pub(super) fn identity(
    files: &[PathBuf],
    reading: &formats::Options,
    action: Action,
    snapshots: Option<&Series>,
) -> Result<u64, Error> {
    let same_lines = formats::Options {
        skip_bad: 0,
        ..reading.clone()
    };
    let how = format!("{action:?} {same_lines:?}");
    let steps = snapshots.map(|series| format!("{series:?}"));
    let how: Vec<&[u8]> = [Some(&how), steps.as_ref()]
        .into_iter()
        .flatten()
        .map(|text| text.as_bytes())
        .collect();
    identity_of(&how, files)
}

/// A number that is the same for the same files and the same `how`.
pub(crate) fn identity_of(how: &[&[u8]], files: &[PathBuf]) -> Result<u64, Error> {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    how.iter().for_each(|part| hash.add(part));
    for path in files {
        let io = |error| Error::io(path.display().to_string(), error);
        // Asked before opening, because opening a pipe waits for its writer.
        let metadata = std::fs::metadata(path).map_err(io)?;
        let length = metadata.len();
        let mut start = Vec::new();
        if metadata.is_file() {
            let file = File::open(path).map_err(io)?;
            let mut beginning = file.take(COMPARED_BYTES);
            beginning.read_to_end(&mut start).map_err(io)?;
        }
        let name = path.file_name().unwrap_or_default();
        hash.add(name.as_encoded_bytes());
        hash.add(&length.to_le_bytes());
        hash.add(&start);
    }
    Ok(hash.0)
}

/// The FNV-1a hash: small, and the same for ever.
struct Fnv(u64);

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes.iter().chain(&(bytes.len() as u64).to_le_bytes()) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back() {
        let files = [PathBuf::from("a b.txt"), PathBuf::from("c\nd")];
        let record = Record {
            lines: 5,
            past: 6,
            edges: 7,
            skipped: 8,
            done: true,
            time: Some(-9),
            step_end: Some(10),
            ..Record::new(u64::MAX, Action::Delete, &files)
        };
        assert_eq!(Record::decode(&record.encode()), Some(record));
        assert_eq!(Record::decode(b"identity x"), None);
    }
}
