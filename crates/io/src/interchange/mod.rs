//! Files of property graphs: what other systems write, and what they read.
//!
//! Every reader gives the same [`Row`]s, nodes and relationships with an external
//! [`Id`], and every writer takes them, so a file of one format becomes a file of
//! another without a database between.
//!
//! | Module | Format |
//! |---|---|
//! | [`csv`] | CSV with the header of Neo4j (`:ID(Person),name:string,:LABEL`) or of LDBC (`id\|firstName`, `Person.id\|Person.id\|creationDate`); fields of any CSV |
//! | [`json_lines`] | a JSON object a line, as Neo4j's APOC exports |
//! | `columnar` (feature `columnar`) | Parquet and Arrow |
//! | [`tables`] | plain tables, with a mapping that says what they hold |
//! | [`graphml`] | GraphML, with labels where APOC, TinkerPop and NetworkX put them |
//!
//! Readers take any [`std::io::BufRead`]: opening and decompressing is up to the
//! caller, who also says what the input is called in messages. A row that cannot be
//! read is an [`InterchangeError::BadRow`] with file and line, and reading goes on
//! behind it. CSV with Neo4j's header also gives its rows by column ([`RowBatch`]). Nothing
//! is guessed silently: a number that does not fit, an unknown type in a header, a text
//! that is no date are errors.

mod batch;
mod cells;
#[cfg(feature = "columnar")]
pub mod columnar;
pub mod csv;
mod error;
pub mod graphml;
mod infer;
pub mod json_lines;
mod row;
mod schema;
pub mod tables;
mod types;

pub use batch::{IdColumn, IdList, RowBatch};
pub use error::{BadRow, InterchangeError};
pub use infer::Inference;
pub use row::{Contents, ExternalId, Id, Ids, NodeRow, RelationshipRow, Row, RowReader, Standing};
pub use schema::Columns;
pub use types::{PropertyType, Scalar};
