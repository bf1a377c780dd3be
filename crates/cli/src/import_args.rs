//! The arguments of `evergraph import`.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use evergraph::import::Every;
use evergraph::{Layout, formats};

use crate::import_growing::GrowingArgs;
use crate::reading::InputArgs;
use crate::relayout;
use crate::tuning::TuningArgs;

/// Arguments of `import`.
#[derive(Clone, clap::Args)]
#[command(mut_arg("files", |files| files
    .required(false)
    .required_unless_present_any(["nodes", "relationships"])))]
pub struct Args {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub growing: GrowingArgs,
    /// Every edge goes both ways
    #[arg(long, conflicts_with = "directions")]
    pub undirected: bool,
    /// Keep lists of out-neighbors, or of in-neighbors as well [default: out]
    #[arg(long, value_enum)]
    pub directions: Option<Directions>,
    /// Read and keep a weight with each edge
    #[arg(long)]
    pub weighted: bool,
    /// Read a time with each edge; commits get the times of their edges
    #[arg(long)]
    pub timestamps: bool,
    /// What times that are numbers count: s, ms, us, or date (YYYYMMDD) [default:
    /// what the first edges look like]
    #[arg(long, value_name = "U")]
    pub time_unit: Option<formats::TimeUnit>,
    /// Name a snapshot after every N edges, or at the end of each step of time (1h,
    /// 1d, 7d, 1mo, 1y), which reads times
    #[arg(long, value_name = "N|TIME")]
    pub snapshot_every: Option<Every>,
    /// What the names of these snapshots begin with; a date follows, or `edges-N`
    #[arg(
        long,
        value_name = "P",
        default_value = "",
        requires = "snapshot_every"
    )]
    pub snapshot_prefix: String,
    /// Layout of the adjacency: packed lists, or chains of blocks (merged mode
    /// only) [default: pma]
    #[arg(long, value_name = "L", value_parser = relayout::layouts())]
    pub layout: Option<Layout>,
    /// How edges reach the medium: through the log, or each in place at once
    /// (byte-addressed media only; such an import cannot be resumed)
    #[arg(long, value_enum, default_value_t = ImportMode::Merged, conflicts_with = "resume")]
    pub mode: ImportMode,
    /// What vertices are called: numbers from 0, all of which are vertices, or what the
    /// files have, mapped [default: map, unless the files have every number from 0 on]
    #[arg(long, value_enum)]
    pub ids: Option<Ids>,
    /// Directory of the tables that a mapping names [default: where the mapping is]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Label of nodes that have none in their file
    #[arg(long, value_name = "L", value_parser = NonEmptyStringValueParser::new())]
    pub label: Option<String>,
    /// Type of relationships that have none in their file
    #[arg(long = "type", value_name = "T", value_parser = NonEmptyStringValueParser::new())]
    pub relationship_type: Option<String>,
    /// Add to a database that has edges, or nodes, already; with --resume, go on with an
    /// import that was interrupted, or begin it
    #[arg(long)]
    pub append: bool,
    /// Edges of one commit at most
    #[arg(long, value_name = "N", default_value_t = 1 << 20,
          value_parser = clap::value_parser!(u64).range(1..=1 << 30))]
    pub batch_edges: u64,
    /// What the commit log may hold, in MiB or with a unit, and so what recovery replays
    /// at most
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = log_mib)]
    pub log_mib: u64,
    #[command(flatten)]
    pub tuning: TuningArgs,
}

fn log_mib(text: &str) -> Result<u64, String> {
    crate::sizes::mebibytes(text, 1..=1 << 16)
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
pub enum Directions {
    Out,
    Both,
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
pub enum ImportMode {
    Merged,
    Direct,
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
pub enum Ids {
    /// Numbers from 0, as they are
    Dense,
    /// Any: 64-bit numbers if the first ids are numbers, texts otherwise
    Map,
    /// Texts, even where they look like numbers
    Text,
}

impl Args {
    /// A flag that says something of plain edges, if one was given.
    pub fn flag_of_edges(&self) -> Option<&'static str> {
        let reading = &self.input.reading;
        let given = [
            ("--undirected", self.undirected),
            ("--directions", self.directions.is_some()),
            ("--weighted", self.weighted),
            ("--timestamps", self.timestamps),
            ("--snapshot-every", self.snapshot_every.is_some()),
            ("--mode direct", self.mode == ImportMode::Direct),
            ("--ids", self.ids.is_some()),
            ("--time-unit", self.time_unit.is_some()),
            ("--allow-uneven", reading.allow_uneven),
            ("--header", reading.header.is_some()),
            ("--source-column", reading.source_column.is_some()),
            ("--target-column", reading.target_column.is_some()),
            ("--weight-column", reading.weight_column.is_some()),
            ("--time-column", reading.time_column.is_some()),
        ];
        first_given(&given)
    }

    /// A flag that says something of property graphs, if one was given.
    pub fn flag_of_graphs(&self) -> Option<&'static str> {
        first_given(&[
            ("--data", self.data.is_some()),
            ("--label", self.label.is_some()),
            ("--type", self.relationship_type.is_some()),
            ("--nodes", !self.growing.nodes.is_empty()),
            ("--relationships", !self.growing.relationships.is_empty()),
            ("--types", !self.growing.types.is_empty()),
            ("--key", !self.growing.keys.is_empty()),
            ("--on-conflict", self.growing.on_conflict.is_some()),
            ("--duplicates", self.growing.duplicates.is_some()),
            ("--dangling", self.growing.dangling.is_some()),
        ])
    }
}

fn first_given(flags: &[(&'static str, bool)]) -> Option<&'static str> {
    let mut flags = flags.iter();
    flags.find(|(_, given)| *given).map(|(flag, _)| *flag)
}
