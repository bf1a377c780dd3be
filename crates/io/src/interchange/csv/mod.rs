//! CSV of nodes and of relationships, one kind a file, with the headers of Neo4j or
//! of LDBC; and the fields of any CSV.

pub(crate) mod header;
mod ldbc;
mod neo4j;
mod neo4j_batch;
mod plain;
pub(crate) mod records;
mod write;
mod write_ldbc;

pub use ldbc::{LdbcName, LdbcReader, Naming};
pub use neo4j::{Neo4jOptions, Neo4jReader};
pub(crate) use neo4j::{integer_id, value};
pub use plain::CsvReader;
pub use write::Neo4jWriter;
#[cfg(feature = "columnar")]
pub(crate) use write::fields_of;
pub use write_ldbc::LdbcWriter;
