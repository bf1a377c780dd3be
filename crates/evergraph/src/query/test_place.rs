//! Tests of statements beside files.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use super::{Cell, Error, Statement};
use crate::{Database, MediumKind, Options};

/// A graph in DRAM and a directory.
pub(super) struct Place {
    directory: TempDir,
    pub(super) db: Database,
}

impl Place {
    pub(super) fn new() -> Self {
        let options = Options {
            medium: MediumKind::Dram,
            property_graph: true,
            ..Options::default()
        };
        Place {
            directory: tempfile::tempdir().unwrap(),
            db: Database::create("anywhere", &options).unwrap(),
        }
    }

    /// With a file.
    pub(super) fn with(name: &str, text: &str) -> Self {
        let place = Place::new();
        place.write(name, text);
        place
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub(super) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The statement with `DIR/` for the directory.
    pub(super) fn statement(&self, text: &str) -> Statement {
        let directory = self.directory.path().display().to_string();
        Statement::new(text.replace("DIR", &directory))
    }

    /// The rows, and the effects.
    pub(super) fn run(&self, text: &str) -> (Vec<String>, Vec<(&'static str, u64)>) {
        let rows = self.db.execute(&self.statement(text));
        let rows = rows.unwrap_or_else(|error| panic!("{text}: {error} ({})", error.hint()));
        let effects = rows.summary().effects();
        let shown = rows.map(|row| {
            let cells = row.unwrap().into_cells();
            let cells: Vec<String> = cells.iter().map(Cell::to_string).collect();
            cells.join(" ")
        });
        (shown.collect(), effects)
    }

    /// The rows.
    pub(super) fn rows(&self, text: &str) -> Vec<String> {
        self.run(text).0
    }

    pub(super) fn refused(&self, text: &str) -> Error {
        let done = self.db.execute(&self.statement(text));
        done.err()
            .unwrap_or_else(|| panic!("{text} is not refused"))
    }

    pub(super) fn count(&self, text: &str) -> i64 {
        let text = format!("MATCH {text} RETURN count(*)");
        self.db.query(&text, ()).unwrap().single().unwrap()
    }
}
