//! The extents of a store, and its identity.

use evergraph_storage::{Region, Uuid};

/// The file of extents of one database.
#[derive(Clone)]
pub struct Volume {
    /// Allocates and reads extents.
    pub region: Region,
    /// Identity of the database, part of every checksum.
    pub uuid: Uuid,
}
