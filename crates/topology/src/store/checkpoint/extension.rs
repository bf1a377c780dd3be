//! Calls of the extension around a checkpoint.

use evergraph_storage::failpoint;
use evergraph_storage::order::Flushed;
use evergraph_storage::{Entry, Medium, Needed, SectionKey};

use crate::error::TopologyError;
use crate::extension::{EXTENSION_OWNERS, Place};
use crate::store::checkpoint::RootState;
use crate::store::live::LiveGraph;

impl LiveGraph {
    /// Durability steps 1 and 2 for the extension, up to commit `csn`.
    pub(in crate::store) fn write_extension(
        &self,
        roots: &mut RootState,
        csn: u64,
        needed: &Needed,
        written: &mut Vec<Flushed<()>>,
    ) -> Result<(), TopologyError> {
        let Some(extension) = &self.extension else {
            return Ok(());
        };
        let mut old: Vec<(SectionKey, Entry)> = Vec::new();
        if failpoint!("extension.freed-first") {
            let entries = roots.directory.entries();
            old.extend(entries.filter(|(key, _)| key.owner >= EXTENSION_OWNERS));
        }
        let mut place = Place {
            region: &self.resources.volume.region,
            uuid: &self.resources.volume.uuid,
            directory: &mut roots.directory,
        };
        written.extend(extension.write(csn, needed, &mut place)?);
        for (key, old) in old {
            if roots.directory.entry(key) != Some(old) {
                let medium = self.resources.volume.region.medium();
                medium.write(old.offset, &vec![0xEE; old.len as usize])?;
                medium.flush(old.offset, old.len)?;
            }
        }
        Ok(())
    }

    /// Before Durability step 4.
    pub(in crate::store) fn extension_publishing(&self) {
        if let Some(extension) = &self.extension {
            extension.publishing();
        }
    }

    /// Durability step 6 for the extension.
    pub(in crate::store) fn extension_published(&self) {
        if let Some(extension) = &self.extension {
            extension.published(&|| self.registry.needed());
        }
    }

    /// No root names what it wrote.
    pub(in crate::store) fn extension_abandoned(&self) {
        if let Some(extension) = &self.extension {
            extension.abandoned();
        }
    }
}
