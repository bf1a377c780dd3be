//! A database with a network in it, made as `evergraph import` makes one, with the
//! time that each step took.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use evergraph::property::{FileKind, PropertyGraph, PropertyImport, import};
use evergraph::{Cancellation, Database, MediumKind, Options};
use evergraph_generators::snb::{Network, csv};
use serde_json::json;

use super::{schema, text};
use crate::meter::{Measured, Meter};
use crate::place::Place;
use crate::settings::Settings;
use crate::table::{Table, number};

/// A network in a database.
pub struct Loaded {
    db: Database,
    pub place: Place,
    steps: Vec<Step>,
}

/// A step of the load, and its rows.
struct Step {
    name: &'static str,
    rows: u64,
    took: Measured,
}

impl Loaded {
    /// The part of a network before its updates.
    pub fn network(settings: &Settings<'_>, network: &Network) -> Result<Self, String> {
        let place = place(settings)?;
        let files = place.join("files");
        write_files(network, csv::Part::Initial, &files).map_err(text)?;
        let loaded = Self::load(settings, place, &files)?;
        std::fs::remove_dir_all(&files).map_err(text)?;
        Ok(loaded)
    }

    /// Files of LDBC's generator.
    pub fn files(settings: &Settings<'_>, files: &Path) -> Result<Self, String> {
        Self::load(settings, place(settings)?, files)
    }

    fn load(settings: &Settings<'_>, place: Place, files: &Path) -> Result<Self, String> {
        let mut steps = Vec::new();
        let mut step = |name, meter: Meter, rows| {
            let took = meter.stop();
            steps.push(Step { name, rows, took });
        };
        let meter = Meter::start();
        read_all(files).map_err(text)?;
        step("the files are read, and nothing else", meter, 0);
        let options = Options {
            medium: medium(settings),
            assume_persistent: settings.assume_persistent,
            property_graph: true,
            ..Options::default()
        };
        let db = Database::create(place.join("db"), &options).map_err(text)?;
        let graph = db.property_graph().map_err(text)?;
        let meter = Meter::start();
        let rows = import_files(graph, files, settings.parameter("skip-bad", 0)?)?;
        step("imported", meter, rows);
        let meter = Meter::start();
        schema::define(graph).map_err(text)?;
        step("ids unique and found fast", meter, rows);
        let meter = Meter::start();
        graph.checkpoint().map_err(text)?;
        step("merged", meter, rows);
        Ok(Loaded { db, place, steps })
    }

    pub fn graph(&self) -> Result<&PropertyGraph, String> {
        self.db.property_graph().map_err(text)
    }

    /// The steps, and all but the first together.
    pub fn table(&self) -> Table {
        let columns = [
            "step",
            "rows",
            "seconds",
            "rows_per_second",
            "over_reading",
            "others",
        ];
        let mut table = Table::new("import of CSV", &columns);
        let reading = self.steps[0].took.seconds;
        let mut row = |name: &str, rows: u64, seconds: f64, others| {
            table.row(vec![
                json!(name),
                json!(rows),
                number(seconds),
                number(rows as f64 / seconds),
                number(seconds / reading),
                others,
            ]);
        };
        for step in &self.steps {
            let others = number(step.took.others);
            row(step.name, step.rows, step.took.seconds, others);
        }
        let own = &self.steps[1..];
        let seconds = own.iter().map(|step| step.took.seconds).sum();
        row("together", own[0].rows, seconds, json!(null));
        table
    }
}

fn medium(settings: &Settings<'_>) -> MediumKind {
    settings.medium.unwrap_or(MediumKind::File)
}

fn place(settings: &Settings<'_>) -> Result<Place, String> {
    Place::new(settings, medium(settings))
}

/// Writes the files of a part of a network into a directory.
pub fn write_files(network: &Network, part: csv::Part, directory: &Path) -> io::Result<()> {
    for inside in ["dynamic", "static"] {
        std::fs::create_dir_all(directory.join(inside))?;
    }
    let create = |name: &str| File::create(directory.join(name)).map(BufWriter::new);
    csv::write(network, part, create).map(drop)
}

/// Imports all files of a directory, and gives the number of nodes and relationships.
pub fn import_files(graph: &PropertyGraph, directory: &Path, skip_bad: u64) -> Result<u64, String> {
    let options = PropertyImport {
        files: vec![directory.to_path_buf()],
        kind: Some(FileKind::Ldbc),
        skip_bad,
        ..PropertyImport::default()
    };
    let done = import(graph, &options, &Cancellation::default(), &|_| {}).map_err(text)?;
    Ok(done.nodes + done.relationships)
}

/// Reads every file: no import can be faster. From the page cache, mostly.
fn read_all(directory: &Path) -> io::Result<()> {
    let mut inside: Vec<PathBuf> = vec![directory.to_path_buf()];
    while let Some(path) = inside.pop() {
        if path.is_dir() {
            for entry in std::fs::read_dir(path)? {
                inside.push(entry?.path());
            }
        } else {
            io::copy(&mut File::open(path)?, &mut io::sink())?;
        }
    }
    Ok(())
}
