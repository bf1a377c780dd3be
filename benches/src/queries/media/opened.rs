//! A network in a database on a medium that is opened anew at will.

use std::fs::File;
use std::path::{Path, PathBuf};

use evergraph::property::PropertyGraph;
use evergraph::{CountersSnapshot, Database, LatencyProfile, MediumKind, Options};
use evergraph_generators::snb::{Network, csv};
use rustix::fs::{Advice, fadvise};

use crate::place::Place;
use crate::queries::{files, text};
use crate::settings::Settings;
use crate::snb::load::{import_files, write_files};
use crate::snb::schema;

/// Names of the media: DRAM, mapped memory emulated with the latencies of Optane DC, files.
pub const MEDIA: [&str; 3] = ["dram", "emulated", "file"];

/// A database on one of the [`MEDIA`].
pub struct Opened {
    options: Options,
    /// `None` only while it is opened anew.
    db: Option<Database>,
    path: PathBuf,
    pub place: Place,
}

impl Opened {
    /// The part of a network before its updates, merged.
    pub fn network(
        settings: &Settings<'_>,
        medium: &str,
        network: &Network,
    ) -> Result<Self, String> {
        let kind = match medium {
            "dram" => MediumKind::Dram,
            "emulated" => MediumKind::Dax,
            _ => MediumKind::File,
        };
        let options = Options {
            medium: kind,
            assume_persistent: settings.assume_persistent,
            emulated: (medium == "emulated").then_some(Some(LatencyProfile::OPTANE)),
            property_graph: true,
            // A merge would be counted with the update that it begins beside.
            background: false,
            ..Options::default()
        };
        let place = Place::new(settings, kind)?;
        let (rows, path) = (place.join("files"), place.join("db"));
        write_files(network, csv::Part::Initial, &rows).map_err(text)?;
        let db = Database::create(&path, &options).map_err(text)?;
        let graph = db.property_graph().map_err(text)?;
        import_files(graph, &rows, 0)?;
        std::fs::remove_dir_all(&rows).map_err(text)?;
        let opened = Opened {
            options,
            db: Some(db),
            // As the system names it.
            path: path.canonicalize().unwrap_or(path),
            place,
        };
        opened.define()?;
        Ok(opened)
    }

    fn db(&self) -> &Database {
        self.db.as_ref().expect("it is open")
    }

    pub fn graph(&self) -> Result<&PropertyGraph, String> {
        self.db().property_graph().map_err(text)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes all indexes, and merges them.
    pub fn define(&self) -> Result<(), String> {
        let graph = self.graph()?;
        schema::define(graph).map_err(text)?;
        files::define_names(graph)?;
        graph.checkpoint().map_err(text)
    }

    /// Drops all indexes: nodes are found by scans then.
    pub fn drop_indexes(&self) -> Result<(), String> {
        let graph = self.graph()?;
        for definition in graph.definitions() {
            graph.drop_definition(&definition.name).map_err(text)?;
        }
        graph.checkpoint().map_err(text)
    }

    /// Whether the database outlives its closing.
    pub fn can_reopen(&self) -> bool {
        self.options.medium != MediumKind::Dram
    }

    /// Opens the database anew, its files dropped from the system's cache; does nothing on
    /// DRAM.
    pub fn reopen(&mut self) -> Result<(), String> {
        if !self.can_reopen() {
            return Ok(());
        }
        if let Some(db) = self.db.take() {
            db.close().map_err(text)?;
        }
        for entry in std::fs::read_dir(&self.path).map_err(text)? {
            let path = entry.map_err(text)?.path();
            if path.is_file() {
                let file = File::open(&path).map_err(text)?;
                file.sync_all().map_err(text)?;
                fadvise(&file, 0, None, Advice::DontNeed).map_err(text)?;
            }
        }
        self.db = Some(Database::open(&self.path, &self.options).map_err(text)?);
        Ok(())
    }

    /// Counts of the emulated device since the opening; zeros on other media.
    pub fn counters(&self) -> CountersSnapshot {
        self.db().counters().unwrap_or_default()
    }

    /// Bytes that the log has ever got.
    pub fn log_bytes(&self) -> Result<u64, String> {
        Ok(self.graph()?.store().log_positions().head)
    }
}
