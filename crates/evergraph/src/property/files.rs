//! Formats of files, told from names and first lines.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use evergraph_io::interchange::csv::{LdbcName, LdbcReader, Naming, Neo4jOptions, Neo4jReader};
use evergraph_io::interchange::graphml::{GraphMlOptions, GraphMlReader};
use evergraph_io::interchange::json_lines::JsonLinesReader;
use evergraph_io::interchange::tables::{TableFile, TableReader};
use evergraph_io::interchange::{Contents, RowReader};

use super::ignored::{IgnoredFile, why_unknown};
use super::import_options::{PropertyImport, TypedFiles};
use super::plain::{PlainTable, check_given, tell_types};
use super::spaces::{Table, tell_spaces};
use super::tables::{self, open};
use super::typed::{self, Given, first_line};
use super::{ImportKey, PropertyGraph, columnar};
use crate::formats::{extension, open_bytes};
use crate::{Cancellation, Error};

/// The formats of nodes and relationships.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// CSV with a header as Neo4j's import reads it.
    Neo4j,
    /// CSV of LDBC's social network, whose file names tell the kinds of rows.
    Ldbc,
    /// A JSON object a line.
    JsonLines,
    /// GraphML.
    GraphMl,
    /// Parquet, if this program was built with it (feature `columnar`).
    Parquet,
    /// Arrow, as a file (also called Feather) or as a stream; as Parquet.
    Arrow,
    /// A mapping, which names plain tables and the roles of their columns. Only read.
    Tables,
}

impl FileKind {
    /// All, with the names that the command line uses.
    pub const ALL: &[(&'static str, FileKind)] = &[
        ("neo4j", FileKind::Neo4j),
        ("ldbc", FileKind::Ldbc),
        ("jsonl", FileKind::JsonLines),
        ("graphml", FileKind::GraphMl),
        ("parquet", FileKind::Parquet),
        ("arrow", FileKind::Arrow),
        ("tables", FileKind::Tables),
    ];

    /// See [`Source::identity`].
    fn identity(self) -> &'static str {
        match self {
            FileKind::Neo4j => "Neo4j",
            FileKind::Ldbc => "Ldbc",
            FileKind::JsonLines => "JsonLines",
            FileKind::GraphMl => "GraphMl",
            FileKind::Parquet => "Parquet",
            FileKind::Arrow => "Arrow",
            FileKind::Tables => "Tables",
        }
    }

    /// Its name, as the command line has it.
    fn name(self) -> &'static str {
        let mut all = FileKind::ALL.iter();
        all.find(|(_, other)| *other == self)
            .map_or("", |(name, _)| *name)
    }

    /// Kind of a file by its name, compression aside; `None` if the name does not tell.
    pub fn of_name(path: &Path) -> Option<Self> {
        match extension(path)?.as_str() {
            "jsonl" | "ndjson" | "json" => Some(FileKind::JsonLines),
            "graphml" => Some(FileKind::GraphMl),
            "parquet" => Some(FileKind::Parquet),
            "arrow" | "arrows" | "feather" => Some(FileKind::Arrow),
            _ => None,
        }
    }

    /// Kind of a file by its name and first line; `None` if it is not recognized.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn of(path: &Path) -> Result<Option<Self>, Error> {
        if let Some(kind) = Self::of_name(path) {
            return Ok(Some(kind));
        }
        if extension(path).as_deref() == Some("toml") {
            return Ok(Some(FileKind::Tables));
        }
        let mut first = Vec::new();
        let mut beginning = BufReader::new(open_bytes(path)?.take(1 << 16));
        let read = beginning.read_until(b'\n', &mut first);
        let is_nameless = path.extension().is_none();
        match &first[..] {
            [b'P', b'A', b'R', b'1', ..] if is_nameless => return Ok(Some(FileKind::Parquet)),
            [b'A', b'R', b'R', b'O', b'W', b'1', ..] if is_nameless => {
                return Ok(Some(FileKind::Arrow));
            }
            _ => {}
        }
        // A file that is not text has no header either.
        let Some(first) = read.ok().and_then(|_| String::from_utf8(first).ok()) else {
            return Ok(None);
        };
        let is_neo4j = [":ID", ":START_ID", ":LABEL"];
        if is_neo4j.iter().any(|column| first.contains(column)) {
            return Ok(Some(FileKind::Neo4j));
        }
        // Of nodes the first column is their id, of relationships an id of each end.
        let header: Vec<&str> = first
            .trim_start_matches('\u{feff}')
            .trim_end()
            .split('|')
            .collect();
        let is_header = match (ldbc_name(path), &header[..]) {
            (Some(LdbcName::Nodes(_)), ["id", ..]) => true,
            (Some(LdbcName::Relationships { .. }), [source, target, ..]) => {
                source.ends_with(".id") && target.ends_with(".id")
            }
            _ => false,
        };
        if is_header {
            return Ok(Some(FileKind::Ldbc));
        }
        // A name that says nothing, as that of a pipe.
        Ok(match path.extension() {
            None => Self::of_beginning(&first),
            Some(_) => None,
        })
    }

    fn of_beginning(text: &str) -> Option<Self> {
        let text = text.trim_start_matches('\u{feff}').trim_start();
        match text.chars().next()? {
            '{' => Some(FileKind::JsonLines),
            '<' => Some(FileKind::GraphMl),
            _ => None,
        }
    }
}

/// Defaults for what files do not say.
#[derive(Clone, Debug, Default)]
pub(super) struct Defaults {
    /// Between columns of CSV with Neo4j's header.
    pub separator: Option<u8>,
    /// The label of nodes that have none.
    pub label: Option<Arc<str>>,
    /// The type of relationships that have none.
    pub kind: Option<Arc<str>>,
}

impl Defaults {
    /// A part of the identity of an import, as [`Source::identity`].
    pub fn identity(&self) -> String {
        let Defaults {
            separator,
            label,
            kind,
        } = self;
        if separator.is_none() && label.is_none() && kind.is_none() {
            return String::new();
        }
        // As the standard library writes numbers and texts: this does not depend on our
        // names.
        format!("Defaults {{ separator: {separator:?}, label: {label:?}, kind: {kind:?} }}")
    }
}

/// A file, its kind, and what the caller says of it.
pub(super) struct Source {
    pub path: PathBuf,
    holds: Holds,
    pub given: Given,
}

enum Holds {
    Kind(FileKind),
    Table(TableFile),
}

impl Source {
    /// How its rows are read, as a text. Databases hold its hash, as
    /// [`import::identity`](crate::import) says: it does not follow the names of types.
    pub fn identity(&self) -> String {
        match &self.holds {
            Holds::Kind(kind) => kind.identity().to_string() + &self.given.identity(),
            Holds::Table(table) => table.identity(),
        }
    }

    /// Name of its format, as the command line has it.
    pub fn format(&self) -> &'static str {
        let kind = match &self.holds {
            Holds::Kind(kind) => *kind,
            Holds::Table(_) => FileKind::Tables,
        };
        kind.name()
    }

    /// Whether it is CSV with Neo4j's header, or a plain one.
    pub fn is_neo4j(&self) -> bool {
        matches!(self.holds, Holds::Kind(FileKind::Neo4j))
    }

    /// Opens CSV with Neo4j's header, or a plain one.
    pub fn open_neo4j(
        &self,
        defaults: &Defaults,
    ) -> Result<Neo4jReader<impl BufRead + use<>>, Error> {
        self.neo4j(open(&self.path)?, self.given.header.clone(), defaults)
    }

    /// Reads `input`, which is of such a file; `header` if it begins behind it.
    pub fn neo4j<R: BufRead>(
        &self,
        input: R,
        header: Option<String>,
        defaults: &Defaults,
    ) -> Result<Neo4jReader<R>, Error> {
        let file = self.path.display().to_string();
        let usual = Neo4jOptions::default();
        let is_tsv = extension(&self.path).as_deref() == Some("tsv");
        let of_name = match is_tsv && first_line(&self.path)?.contains('\t') {
            true => b'\t',
            false => usual.delimiter,
        };
        let options = Neo4jOptions {
            delimiter: defaults.separator.unwrap_or(of_name),
            kind: self.given.kind.clone().or_else(|| defaults.kind.clone()),
            header,
            assumed: self.given.contents,
            types: self.given.types.clone(),
            spaces: self.given.spaces.clone(),
            ..usual
        };
        Ok(Neo4jReader::new(&file, input, options)?)
    }

    /// Whether the file says, before its first row, that its relationships have no direction.
    fn is_undirected(&self) -> Result<bool, Error> {
        if !matches!(self.holds, Holds::Kind(FileKind::GraphMl)) {
            return Ok(false);
        }
        let file = self.path.display().to_string();
        let mut reader = GraphMlReader::new(&file, open(&self.path)?, GraphMlOptions::default());
        // An error is told by the import.
        let _ = reader.next();
        Ok(reader.is_undirected())
    }

    /// Opens the file for its rows.
    pub fn open(&self, defaults: &Defaults) -> Result<Box<dyn RowReader>, Error> {
        let file = self.path.display().to_string();
        let without_type = || self.given.kind.clone().or_else(|| defaults.kind.clone());
        let kind = match &self.holds {
            Holds::Kind(kind) => *kind,
            Holds::Table(table) => {
                return Ok(Box::new(TableReader::new(&file, open(&self.path)?, table)?));
            }
        };
        Ok(match kind {
            FileKind::Neo4j => Box::new(self.open_neo4j(defaults)?),
            FileKind::Ldbc => {
                let name = LdbcName::of(&file).ok_or_else(|| {
                    Error::usage(
                        format!("{file}: the name does not say what the file holds"),
                        "LDBC's files are called like person_0_0.csv or \
                         person_knows_person_0_0.csv",
                    )
                })?;
                let naming = Naming::default();
                Box::new(LdbcReader::new(&file, open(&self.path)?, &name, naming)?)
            }
            FileKind::JsonLines => {
                let reader = JsonLinesReader::new(&file, open(&self.path)?);
                Box::new(reader.with_type(without_type()))
            }
            FileKind::GraphMl => {
                let options = GraphMlOptions {
                    kind: without_type(),
                    ..GraphMlOptions::default()
                };
                Box::new(GraphMlReader::new(&file, open(&self.path)?, options))
            }
            FileKind::Parquet | FileKind::Arrow => {
                columnar::open(kind, &self.path, without_type())?
            }
            FileKind::Tables => unreachable!("a mapping is read before its files"),
        })
    }
}

/// Files to be read.
#[derive(Default)]
pub(super) struct Chosen {
    pub files: Vec<Source>,
    /// Files of directories that hold neither nodes nor relationships.
    pub ignored: Vec<IgnoredFile>,
    /// Tables of plain CSV.
    pub tables: Vec<PlainTable>,
}

impl Chosen {
    /// Files that say that their relationships have no direction.
    ///
    /// # Errors
    /// A file that cannot be opened.
    pub fn undirected(&self) -> Result<Vec<PathBuf>, Error> {
        let mut undirected = Vec::new();
        for file in &self.files {
            if file.is_undirected()? {
                undirected.push(file.path.clone());
            }
        }
        Ok(undirected)
    }

    /// The files themselves, those of mappings, and those in directories, in the order
    /// of their names; then those whose labels or type are given. Files of mappings are in
    /// the directory of data, or beside the mapping.
    ///
    /// # Errors
    /// A directory that cannot be read; a file of no known kind that was named
    /// itself; a mapping that is wrong.
    pub fn new(
        graph: &PropertyGraph,
        options: &PropertyImport,
        defaults: &Defaults,
        stop: &Cancellation,
    ) -> Result<Self, Error> {
        let (data, kind) = (options.data.as_deref(), options.kind);
        let mut chosen = Chosen::default();
        let mut plain = Vec::new();
        chosen.add_all(&options.files, kind, data, stop)?;
        for (typed, contents) in [
            (&options.nodes, Contents::Nodes),
            (&options.relationships, Contents::Relationships),
        ] {
            for typed in typed {
                let first = chosen.files.len();
                chosen.add_typed(typed, contents, kind)?;
                let parts = &mut chosen.files[first..];
                let table = tell_types(graph, parts, &options.types, defaults, stop)?;
                if let Some(table) = &table {
                    let names = table.columns.iter().map(|(name, _)| Arc::clone(name));
                    plain.push(Table {
                        files: first..chosen.files.len(),
                        contents,
                        label: typed.names.first().map(|name| name.as_str().into()),
                        columns: names.collect(),
                    });
                }
                chosen.tables.extend(table);
            }
        }
        let mut keys = options.keys.clone();
        keys.extend(ImportKey::all_of(graph));
        tell_spaces(&mut chosen.files, &plain, &keys);
        check_given(&options.types, &chosen.tables)?;
        if data.is_some() && !chosen.has(|holds| matches!(holds, Holds::Table(_))) {
            return Err(Error::argument(
                "a directory of tables is given, and no mapping that says what they hold",
                "name the mapping, a file that ends in .toml; docs/property-files.md describes it",
            ));
        }
        chosen.check_separator(options.separator)?;
        Ok(chosen)
    }

    fn add_all(
        &mut self,
        paths: &[PathBuf],
        kind: Option<FileKind>,
        data: Option<&Path>,
        stop: &Cancellation,
    ) -> Result<(), Error> {
        let chosen = self;
        for path in paths {
            if path.is_dir() {
                match chosen.add_directory(path, kind)? {
                    0 => return Err(without_files(path, &chosen.ignored)),
                    _ => continue,
                }
            }
            let kind = match kind {
                Some(kind) => kind,
                None => FileKind::of(path)?.ok_or_else(|| unknown(path))?,
            };
            if kind != FileKind::Tables {
                chosen.add_once(path.clone(), kind);
                continue;
            }
            for (path, table) in tables::files(path, data, stop)? {
                chosen.add(path, Holds::Table(table));
            }
        }
        Ok(())
    }

    fn add_typed(
        &mut self,
        typed: &TypedFiles,
        contents: Contents,
        kind: Option<FileKind>,
    ) -> Result<(), Error> {
        for (path, kind, given) in typed::sources(typed, contents, kind)? {
            let holds = Holds::Kind(kind);
            self.files.push(Source { path, holds, given });
        }
        Ok(())
    }

    /// Refuses a separator between columns where no file is read by it.
    ///
    /// # Errors
    /// If there is one.
    fn check_separator(&self, separator: Option<u8>) -> Result<(), Error> {
        let is_read_by_it = |holds: &Holds| matches!(holds, Holds::Kind(FileKind::Neo4j));
        match separator {
            Some(_) if !self.has(is_read_by_it) => Err(Error::argument(
                "--separator is about CSV with Neo4j's header, and no file is such",
                "leave it out; a mapping of tables says `delimiter` itself",
            )),
            _ => Ok(()),
        }
    }

    fn has(&self, what: impl Fn(&Holds) -> bool) -> bool {
        self.files.iter().any(|file| what(&file.holds))
    }

    fn add(&mut self, path: PathBuf, holds: Holds) {
        let given = Given::default();
        self.files.push(Source { path, holds, given });
    }

    /// A file is read once, however often it is named.
    fn add_once(&mut self, path: PathBuf, kind: FileKind) {
        let whole = path.canonicalize().ok();
        let is_same = |source: &Source| {
            let is_whole = matches!(source.holds, Holds::Kind(_));
            is_whole && whole.is_some() && source.path.canonicalize().ok() == whole
        };
        if !self.files.iter().any(is_same) {
            self.add(path, Holds::Kind(kind));
        }
    }

    /// Adds the files of a directory. Returns how many files of a known kind there are.
    fn add_directory(&mut self, path: &Path, kind: Option<FileKind>) -> Result<usize, Error> {
        let mut count = 0;
        let unreadable = |source| Error::Io {
            path: path.display().to_string(),
            source,
        };
        let mut inside = Vec::new();
        for entry in std::fs::read_dir(path).map_err(unreadable)? {
            inside.push(entry.map_err(unreadable)?.path());
        }
        inside.sort();
        for path in inside {
            if path.is_dir() {
                count += self.add_directory(&path, kind)?;
                continue;
            }
            let why = match FileKind::of(&path)? {
                _ if is_partial(&path) => "an export was cut off".to_string(),
                // Other things than mappings are TOML, too: a mapping is named itself.
                Some(FileKind::Tables) => "a mapping of tables is named itself".to_string(),
                Some(found) => match kind.filter(|kind| *kind != found) {
                    Some(kind) => format!("its format is {}, not {}", found.name(), kind.name()),
                    None => {
                        count += 1;
                        self.add_once(path, found);
                        continue;
                    }
                },
                None => why_unknown(&path)?,
            };
            self.ignored.push(IgnoredFile { path, why });
        }
        Ok(count)
    }
}

/// Content of a file of LDBC's benchmark, by its name.
pub(super) fn ldbc_name(path: &Path) -> Option<LdbcName> {
    let is_csv = extension(path).as_deref() == Some("csv");
    LdbcName::of(&path.to_string_lossy()).filter(|_| is_csv)
}

fn is_partial(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "partial")
}

fn without_files(path: &Path, ignored: &[IgnoredFile]) -> Error {
    let of_it = ignored.iter().find(|file| file.path.starts_with(path));
    let first = of_it.map(|IgnoredFile { path, why }| format!("; {}: {why}", path.display()));
    Error::usage(
        format!(
            "{}: a directory without files of nodes or relationships{}",
            path.display(),
            first.unwrap_or_default()
        ),
        "name files, or a directory of CSV with headers of Neo4j or LDBC, JSON lines, \
         GraphML, Parquet or Arrow; plain tables need a mapping (docs/property-files.md)",
    )
}

fn unknown(path: &Path) -> Error {
    Error::usage(
        format!(
            "{}: neither nodes nor relationships of a known format",
            path.display()
        ),
        "say which it is with --format: neo4j, ldbc, jsonl, graphml, parquet or arrow; plain \
         tables need a mapping (docs/property-files.md)",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stored by imports of version 4 of the format.
    #[test]
    fn identities_are_pinned() {
        let words = FileKind::ALL.iter().map(|(_, kind)| kind.identity());
        let words: Vec<&str> = words.collect();
        let pinned = [
            "Neo4j",
            "Ldbc",
            "JsonLines",
            "GraphMl",
            "Parquet",
            "Arrow",
            "Tables",
        ];
        assert_eq!(words, pinned);
        assert_eq!(Defaults::default().identity(), "");
        let some = Defaults {
            separator: Some(b'|'),
            label: None,
            kind: Some("KN\"OWS".into()),
        };
        assert_eq!(
            some.identity(),
            r#"Defaults { separator: Some(124), label: None, kind: Some("KN\"OWS") }"#
        );
    }
}
