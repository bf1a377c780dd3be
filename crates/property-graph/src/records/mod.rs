//! Tables of nodes and of relationships: chunks on the medium, and the versions
//! that no checkpoint has merged yet.

mod record;

pub use record::{NodeRecord, RelationshipRecord};
