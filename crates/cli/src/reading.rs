//! The arguments of the commands that read files of edges.

use std::path::PathBuf;

use std::str::FromStr;

use evergraph::formats::{Column, ColumnChoice, Format, Header, Options};
use evergraph::property::FileKind;

use crate::medium::MediumArgs;
use crate::report::Failure;

/// Arguments of the commands that change a database as files say.
#[derive(Clone, Debug, clap::Args)]
pub struct InputArgs {
    /// Directory of the database
    pub db: PathBuf,
    /// Files of edges, or of nodes and relationships, plain, gzip or zstd
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Go on with the same command on the same files after an interruption
    #[arg(long)]
    pub resume: bool,
    #[command(flatten)]
    pub medium: MediumArgs,
}

/// Flags that say how a file is read.
#[derive(Clone, Debug, clap::Args)]
pub struct ReadingArgs {
    /// Format: edgelist, csv, mtx, gr, metis, or events (`+ u v`, `- u v`); of a
    /// property graph (import only) neo4j, ldbc, jsonl, graphml, parquet, arrow, or
    /// tables (a mapping in TOML, and the tables that it names); found out by default
    #[arg(long, value_name = "F")]
    pub format: Option<InputFormat>,
    /// Tolerate up to N malformed lines, and report them
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub skip_bad: u64,
    /// Accept lines with another number of columns than the first
    #[arg(long)]
    pub allow_uneven: bool,
    /// The only separator between columns; `tab` is one
    #[arg(long, value_name = "C", value_parser = separator)]
    pub separator: Option<u8>,
    /// Whether the first line has titles of columns; told from its words by default
    #[arg(long, value_name = "yes|no", value_parser = header)]
    pub header: Option<Header>,
    /// Column of the source: its number from 1, or its name in the header
    #[arg(long, value_name = "C", value_parser = column)]
    pub source_column: Option<Column>,
    /// Column of the target
    #[arg(long, value_name = "C", value_parser = column)]
    pub target_column: Option<Column>,
    /// Column of the weight, with --weighted
    #[arg(long, value_name = "C", value_parser = column)]
    pub weight_column: Option<Column>,
    /// Column of the time, with --timestamps
    #[arg(long, value_name = "C", value_parser = column)]
    pub time_column: Option<Column>,
}

/// Content and format of a file.
#[derive(Clone, Copy, Debug)]
pub enum InputFormat {
    /// Edges.
    Edges(Format),
    /// Nodes and relationships.
    Property(FileKind),
}

impl FromStr for InputFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some((_, kind)) = FileKind::ALL.iter().find(|(name, _)| *name == text) {
            return Ok(InputFormat::Property(*kind));
        }
        let edges = text.parse().map(InputFormat::Edges);
        edges.map_err(|error: evergraph::formats::UnknownFormat| {
            let names: Vec<&str> = FileKind::ALL.iter().map(|(name, _)| *name).collect();
            format!("{error}, or of a property graph {}", names.join(", "))
        })
    }
}

impl ReadingArgs {
    /// As the readers of edges take them.
    ///
    /// # Errors
    /// If the format is one of a property graph.
    pub fn options(&self) -> Result<Options, Failure> {
        let format = match self.format {
            Some(InputFormat::Edges(format)) => Some(format),
            Some(InputFormat::Property(_)) => {
                return Err(Failure::usage(
                    "files of nodes and relationships are not files of edges",
                    "give a format of edges: edgelist, csv, mtx, gr, metis or events",
                ));
            }
            None => None,
        };
        Ok(Options {
            format,
            skip_bad: self.skip_bad,
            allow_uneven: self.allow_uneven,
            separator: self.separator,
            header: self.header.unwrap_or_default(),
            columns: ColumnChoice {
                source: self.source_column.clone(),
                target: self.target_column.clone(),
                weight: self.weight_column.clone(),
                timestamp: self.time_column.clone(),
            },
            ..Options::default()
        })
    }
}

fn header(text: &str) -> Result<Header, String> {
    match text {
        "yes" => Ok(Header::Present),
        "no" => Ok(Header::Absent),
        _ => Err("give yes or no".to_string()),
    }
}

fn separator(text: &str) -> Result<u8, String> {
    match (text, text.as_bytes()) {
        ("tab" | "\\t", _) => Ok(b'\t'),
        (_, &[byte]) => Ok(byte),
        _ => Err("give one character, or `tab`".to_string()),
    }
}

fn column(text: &str) -> Result<Column, String> {
    match text.parse::<usize>() {
        Ok(0) => Err("columns are counted from 1".to_string()),
        Ok(number) => Ok(Column::Index(number - 1)),
        Err(_) => Ok(Column::Name(text.to_string())),
    }
}
