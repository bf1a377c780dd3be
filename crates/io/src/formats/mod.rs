//! Reading and writing edge lists as they are found in the wild.
//!
//! [`EdgeReader`] streams one file or many, plain or under gzip or zstd, as
//! batches of columns; [`EdgeWriter`] writes what it reads. Useful for getting
//! edges in and out; not useful for data that is not edges (properties,
//! GraphML, Parquet).
//!
//! Invariants:
//! - Nothing here opens a database or knows how large a graph may be: ids are
//!   what the file says, as 64-bit numbers or as text, and the caller judges.
//! - No line is dropped in silence. A line is an edge, a comment, blank, or an
//!   error that names it; only `skip_bad` turns errors into a counted report.
//! - A file that ends too early is an error wherever the format or the
//!   compression can tell. (A plain edge list that was cut at the end of a
//!   line cannot be told from a shorter one.)
//!
//! | Format | Looks like | Ids | Undirected when |
//! |---|---|---|---|
//! | [`Format::EdgeList`] | `u v [weight] [time]`, any separators | as written | a KONECT `% sym` or SNAP `# Undirected graph` comment says so |
//! | [`Format::Csv`] | the same with one separator, quotes and a header | as written | a JuliaGraphs `n,m,u,…` first line says so |
//! | [`Format::MatrixMarket`] | `%%MatrixMarket matrix coordinate …` | from 1 | `symmetric` |
//! | [`Format::Dimacs`] | `p sp n m`, `a u v w` | from 1 | never |
//! | [`Format::Events`] | `+ u v [time]` and `- u v [time]`, or the time first | as written | as for an edge list |
//! | [`Format::Metis`] | `n m [fmt]`, then a line of neighbors per vertex | from 1 | always |

mod announced;
mod batch;
mod collections;
mod column_choice;
mod columns;
mod compressed;
mod compression;
mod dimacs;
mod error;
mod fields;
mod file;
mod guess;
mod input;
mod lines;
mod matrix_market;
mod metis;
mod options;
mod parser;
mod reader;
mod shape;
mod table;
mod time;
mod values;
mod write;

pub use batch::{EdgeBatch, TextColumn};
pub use column_choice::{Column, ColumnChoice};
pub use compressed::Compressed;
pub use compression::Compression;
pub use error::{BadLine, Endpoint, FormatError, ParseError, SkippedLines};
pub use guess::extension;
pub use input::open_bytes;
pub use lines::{LINE_LIMIT, METIS_LINE_LIMIT};
pub use options::{Contents, EndpointKind, Format, Header, Options, UnknownFormat};
pub use reader::{EdgeReader, Position};
pub use shape::{ColumnRole, FileColumn};
pub use time::{TimeUnit, UnknownTimeUnit, days_since_1970, seconds_since_1970};
pub use write::{EdgeWriter, Exact, WriteFormat, is_plain_id, write_edges};
