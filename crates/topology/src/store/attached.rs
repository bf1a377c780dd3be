//! Calls of the attachment around a checkpoint.

use evergraph_storage::failpoint;
use evergraph_storage::order::Flushed;
use evergraph_storage::{Entry, Medium, Needed, SectionKey};

use super::{RootState, Store};
use crate::attachment::{ATTACHED_OWNERS, Place};
use crate::error::TopologyError;

impl Store {
    /// Durability steps 1 and 2 for the attachment, up to commit `csn`.
    pub(super) fn write_attached(
        &self,
        roots: &mut RootState,
        csn: u64,
        needed: &Needed,
        written: &mut Vec<Flushed<()>>,
    ) -> Result<(), TopologyError> {
        let Some(attachment) = &self.attached else {
            return Ok(());
        };
        let mut old: Vec<(SectionKey, Entry)> = Vec::new();
        if failpoint!("extension.freed-first") {
            let entries = roots.directory.entries();
            old.extend(entries.filter(|(key, _)| key.owner >= ATTACHED_OWNERS));
        }
        let mut place = Place {
            region: &self.context.region,
            uuid: &self.context.uuid,
            directory: &mut roots.directory,
        };
        written.extend(attachment.write(csn, needed, &mut place)?);
        for (key, old) in old {
            if roots.directory.entry(key) != Some(old) {
                let medium = self.context.region.medium();
                medium.write(old.offset, &vec![0xEE; old.len as usize])?;
                medium.flush(old.offset, old.len)?;
            }
        }
        Ok(())
    }

    /// Before Durability step 4.
    pub(super) fn attached_publishing(&self) {
        if let Some(attachment) = &self.attached {
            attachment.publishing();
        }
    }

    /// Durability step 6 for the attachment.
    pub(super) fn attached_published(&self) {
        if let Some(attachment) = &self.attached {
            attachment.published(&|| self.registry.needed());
        }
    }

    /// No root names what it wrote.
    pub(super) fn attached_abandoned(&self) {
        if let Some(attachment) = &self.attached {
            attachment.abandoned();
        }
    }
}
