//! Property graphs in a database: nodes with labels, relationships with types,
//! properties of both, and transactions.
//!
//! ```
//! use evergraph::property::Direction;
//! use evergraph::{Database, MediumKind, Options};
//!
//! let options = Options {
//!     medium: MediumKind::Dram,
//!     property_graph: true,
//!     ..Options::default()
//! };
//! let db = Database::create("anywhere", &options)?;
//! let graph = db.property_graph()?;
//! let ann = graph.write(|tx| {
//!     let ann = tx.create_node(&["Person"], [("name", "Ann".into())])?;
//!     let bob = tx.create_node(&["Person"], [("name", "Bob".into())])?;
//!     tx.create_relationship(ann, "KNOWS", bob, [("since", 2019.into())])?;
//!     Ok(ann)
//! })?;
//! let friends = graph.view().neighbors(ann, Direction::Outgoing, &["KNOWS"])?;
//! assert_eq!(friends.len(), 1);
//! # Ok::<(), evergraph::Error>(())
//! ```

#[cfg(feature = "columnar")]
pub mod arrow;
mod batches;
mod census;
mod columnar;
mod drafting;
mod export;
mod fault;
mod files;
mod ids;
mod ignored;
mod import;
mod import_options;
mod inspection;
mod keys;
mod loading;
mod plain;
mod position;
mod reading;
mod rejects;
mod search;
mod spaces;
mod tables;
mod telling;
mod typed;
mod writing;

pub use census::Census;
pub use evergraph_analytics::{condition, known_properties};
pub use evergraph_io::interchange::{PropertyType, Scalar};
pub use evergraph_property_graph::expression::Expression;
pub use evergraph_property_graph::graph::*;
pub use evergraph_property_graph::index::KeyRange;
pub use evergraph_property_graph::vector::{Texts, Validity, Values, Vector};
pub use evergraph_property_graph::{KeyCode, LabelCode, TypeCode, transaction, value};
#[cfg(feature = "fulltext")]
pub use evergraph_search::fulltext;
#[cfg(feature = "vector")]
pub use evergraph_search::vector;
pub use export::{Exported, PropertyExport, export};
pub use files::FileKind;
pub use ignored::IgnoredFile;
pub use import::{import, inspect};
pub use import_options::{Dangling, Duplicates, Imported, OnConflict, PropertyImport, TypedFiles};
pub use inspection::{IdKinds, Inspection, RowGroup};
pub use plain::{ColumnTypes, PlainTable};
pub use search::{known_keys, known_label, known_types};
