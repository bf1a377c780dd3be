//! How far an import is, as its commits record it.

use std::path::PathBuf;

use evergraph_storage::StorageError;

use super::Action;
use super::identity::action_word;
use crate::{Database, Error};

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

    /// Whether a part of it is in, and not all.
    pub fn is_cut_off(&self) -> bool {
        !self.done && (self.lines, self.past) != (0, 0)
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
        let action = action_word(*action);
        format!(
            "identity {identity}\naction {action}\nlines {lines}\npast {past}\n\
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
            action: {
                let mut actions = [Action::Insert, Action::Delete].into_iter();
                let word = value("action")?;
                actions.find(|&action| action_word(action) == word)?
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
            StorageError::damaged("extents", 0, "the record of an import cannot be read")
        })?;
        records.push(record);
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stored with every batch of an import.
    #[test]
    fn the_text_of_a_record_is_pinned() {
        let files = [PathBuf::from("a.txt"), PathBuf::from("b\nc")];
        let begun = Record::new(7, Action::Insert, &files);
        assert_eq!(
            String::from_utf8(begun.encode()).unwrap(),
            "identity 7\naction Insert\nlines 0\npast 0\nedges 0\nskipped 0\ndone false\n\
             files a.txt, b c\n"
        );
        let ended = Record {
            lines: 1,
            past: 2,
            edges: 3,
            skipped: 4,
            done: true,
            time: Some(-5),
            step_end: Some(6),
            ..Record::new(8, Action::Delete, &[])
        };
        assert_eq!(
            String::from_utf8(ended.encode()).unwrap(),
            "identity 8\naction Delete\nlines 1\npast 2\nedges 3\nskipped 4\ndone true\n\
             time -5\nstep-end 6\nfiles \n"
        );
        assert_eq!(key(12), b"import:12");
    }

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
