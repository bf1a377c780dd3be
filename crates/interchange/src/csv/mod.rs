//! CSV of nodes and of relationships, one kind a file, with the headers of Neo4j or
//! of LDBC.

mod header;
mod ldbc;
mod neo4j;
mod records;
mod write;

pub use ldbc::{LdbcName, LdbcReader, Naming};
pub use neo4j::{Ids, Neo4jOptions, Neo4jReader};
pub use write::{LdbcWriter, Neo4jWriter};
