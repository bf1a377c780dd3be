//! External ids that the root names and that were not asked for yet.

use evergraph_storage::{Blob, StorageError, Uuid};

use super::IdTable;
use crate::error::TopologyError;
use crate::record::{self, Op};

/// Tables of external ids on the medium, in their order. Opening a database looks at
/// their heads alone.
#[derive(Debug)]
pub(crate) struct StoredIds {
    blobs: Vec<Blob>,
    uuid: Uuid,
    len: usize,
}

impl StoredIds {
    /// `None` if the heads do not say how many ids there are: then the ids have to be
    /// read to find out what is wrong.
    pub(super) fn new(blobs: &[Blob], uuid: &Uuid) -> Result<Option<Self>, TopologyError> {
        let mut len = 0;
        for blob in blobs {
            let bytes = blob.extent.len() as usize;
            let read = |at: usize, into: &mut [u8]| blob.extent.read(at as u64, into);
            match record::ids_in(bytes, read)?.filter(|ids| ids.start == len) {
                Some(ids) => len = ids.end,
                None => return Ok(None),
            }
        }
        Ok(Some(StoredIds {
            blobs: blobs.to_vec(),
            uuid: *uuid,
            len,
        }))
    }

    /// Number of ids.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Adds them to an empty table.
    pub(super) fn read(&self, into: &mut IdTable) -> Result<(), TopologyError> {
        read(&self.blobs, &self.uuid, into)?;
        if into.len() != self.len {
            let at = self.blobs.first().map_or(0, |blob| blob.extent.offset());
            let what = "external ids are not as many as their head says";
            return Err(StorageError::damaged("extents", at, what).into());
        }
        Ok(())
    }
}

/// Adds the ids of some tables.
pub(super) fn read(blobs: &[Blob], uuid: &Uuid, into: &mut IdTable) -> Result<(), TopologyError> {
    for blob in blobs {
        let at = blob.extent.offset();
        for op in record::decode(blob.read(uuid)?, at)? {
            if let Op::Ids(assigned) = op {
                let fits = into.assign(&assigned);
                fits.map_err(|what| StorageError::damaged("extents", at, what))?;
            }
        }
    }
    Ok(())
}
