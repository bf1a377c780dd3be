//! Options of reading a file; everything else is detected.

use std::fmt;
use std::str::FromStr;

use super::column_choice::ColumnChoice;
use super::time::TimeUnit;

/// How a text file lays out its edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// `u v [weight] [time]` with blanks, commas or semicolons between;
    /// comments start with `#`, `%` or `//`.
    EdgeList,
    /// The same with one separator, double quotes and an optional header line.
    Csv,
    /// Matrix Market, `coordinate`.
    MatrixMarket,
    /// DIMACS shortest paths, `p sp n m`.
    Dimacs,
    /// METIS adjacency, as in the tenth DIMACS challenge.
    Metis,
    /// Edges that come and go: a table with `+` (added) or `-` (deleted) in a
    /// column of its own, `± u v [weight] [time]` or `time ± u v [weight]`.
    Events,
}

impl Format {
    /// Every format, in the order in which help texts list them.
    pub const ALL: [Format; 6] = [
        Format::EdgeList,
        Format::Csv,
        Format::MatrixMarket,
        Format::Dimacs,
        Format::Metis,
        Format::Events,
    ];

    /// The name that [`Format::from_str`] accepts.
    pub fn name(self) -> &'static str {
        match self {
            Format::EdgeList => "edgelist",
            Format::Csv => "csv",
            Format::MatrixMarket => "mtx",
            Format::Dimacs => "gr",
            Format::Metis => "metis",
            Format::Events => "events",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A format name that is none of [`Format::ALL`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown format {0:?}; give one of edgelist, csv, mtx, gr, metis, events")]
pub struct UnknownFormat(pub String);

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Format, UnknownFormat> {
        Format::ALL
            .into_iter()
            .find(|format| format.name() == name)
            .ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}

/// How the ends of an edge are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EndpointKind {
    /// As numbers, `0..=u64::MAX`. In the formats that count from 1 they are
    /// shifted to count from 0, unless [`Options::keep_base`] is set.
    #[default]
    Number,
    /// As UTF-8 text, exactly as written (formats that count from 1 keep that).
    Text,
}

/// Whether the first line that is no comment names the columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Header {
    /// Found out: in `csv` a first line whose endpoint columns are both no
    /// numbers (for text ids: whose names are well known, such as
    /// `source,target`); in `edgelist` well-known names where numbers should
    /// be, and never with text ids.
    #[default]
    Auto,
    /// There is a header line.
    Present,
    /// The first line is an edge.
    Absent,
}

/// Meaning of the lines of an `edgelist` or `csv` file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Contents {
    /// Vertices if the file is named `….v` (Graphalytics), edges otherwise.
    #[default]
    ByName,
    /// One edge a line.
    Edges,
    /// One vertex a line, in the source column; further columns are ignored.
    /// Batches then fill the source column only.
    Vertices,
}

/// How to read a file. The default suits most files without weights.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Overrides the format guessed from the name and the first lines.
    pub format: Option<Format>,
    /// Numbers or text.
    pub ids: EndpointKind,
    /// Reads a weight with each edge; a file without weights is then an error.
    pub weighted: bool,
    /// Reads a time with each edge; a file without times is then an error.
    pub timestamps: bool,
    /// Unit of times that are numbers.
    pub time_unit: TimeUnit,
    /// Roles of the columns, if they are not in the usual order (`edgelist` and `csv`).
    pub columns: ColumnChoice,
    /// Whether there is a header line (`edgelist` and `csv`).
    pub header: Header,
    /// The only separator. `None`: blanks, comma and semicolon for `edgelist`,
    /// found out from the first line for `csv`.
    pub separator: Option<u8>,
    /// Whether lines that start with `#`, `%` or `//` are comments. `None`:
    /// yes, except in `csv` with text ids, where `#tag` may be an id: there only lines of
    /// one column before the first edge.
    pub comments: Option<bool>,
    /// Accepts lines that have another number of columns than the first, as
    /// long as the columns that are read are there.
    pub allow_uneven: bool,
    /// Edges or vertices.
    pub contents: Contents,
    /// Numbers the columns of a rectangular matrix (or the right side of a
    /// KONECT `% bip` file) after its rows, so that both sides fit one graph.
    pub bipartite: bool,
    /// Keeps numeric ids of the formats that count from 1 as written.
    pub keep_base: bool,
    /// Tolerates up to this many malformed lines, and reports them.
    pub skip_bad: u64,
}

impl Options {
    /// Whether a weight is read, by flag or by a chosen column.
    pub(super) fn reads_weight(&self) -> bool {
        self.weighted || self.columns.weight.is_some()
    }

    /// Whether a time is read, by flag or by a chosen column.
    pub fn reads_time(&self) -> bool {
        self.timestamps || self.columns.timestamp.is_some()
    }

    /// Number subtracted from the ids of a format that counts from 1.
    pub(super) fn base_shift(&self) -> u64 {
        u64::from(self.ids == EndpointKind::Number && !self.keep_base)
    }
}
