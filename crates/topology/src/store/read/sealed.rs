//! Sealed graphs that are stored: publishing, listing, dropping.

use std::sync::Arc;

use evergraph_storage::failpoint;
use evergraph_storage::order::Flushed;

use crate::error::TopologyError;
use crate::sealed::{SealedGraph, SealedInfo, SealedName, Stored, Written, write};
use crate::store::checkpoint::sealed_graphs::BLOB_SEALED;
use crate::store::checkpoint::{Checkpointer, RootState};
use crate::store::read::check::CheckReport;

impl Checkpointer {
    pub(in crate::store) fn store_sealed(
        &self,
        name: SealedName,
        csn: u64,
        graph: &SealedGraph,
        go_on: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<SealedInfo, TopologyError> {
        self.refuse_sealing(&name, csn)?;
        let Written {
            header,
            extents,
            flushed,
        } = write(&self.live.resources.volume, name, csn, graph, go_on)?;
        let info = header.info.clone();
        let roots = &mut *self.roots.lock();
        // Its snapshot may have been dropped meanwhile, or the store closed.
        self.refuse_sealing(&info.name, csn)?;
        let replaced: Vec<u32> = self.sealed.number_of(&info.name).into_iter().collect();
        let numbers = roots.directory.numbered_blobs(BLOB_SEALED);
        let number = numbers.last().map_or(0, |(last, _)| last + 1);
        let stored = Arc::new(Stored::new(header, extents));
        let (region, uuid) = (
            &self.live.resources.volume.region,
            &self.live.resources.volume.uuid,
        );
        let bytes = stored.header_bytes();
        self.live.status.poisoning(|| {
            let blob = roots
                .directory
                .set_blob(region, uuid, BLOB_SEALED, number, &bytes)?;
            let flushed = flushed.and(blob).map(|_| ());
            self.publish_sealed(roots, flushed, Some((number, stored)), &replaced)
        })?;
        Ok(info)
    }

    pub(in crate::store) fn drop_sealed(&self, names: &[SealedName]) -> Result<(), TopologyError> {
        let roots = &mut *self.roots.lock();
        let mut numbers = Vec::new();
        for name in names {
            let number = self.sealed.number_of(name);
            let number = number.ok_or_else(|| TopologyError::UnknownSealed(name.clone()))?;
            numbers.push(number);
        }
        self.publish_dropped(roots, &numbers)
    }

    pub(in crate::store) fn sealed_graphs(&self) -> Vec<SealedInfo> {
        let all = self.sealed.all();
        let infos = all.iter().map(|graph| graph.info());
        infos
            .filter(|info| !self.is_orphan(info))
            .cloned()
            .collect()
    }

    /// Drops the sealed graphs of snapshots that do not exist any more. They are
    /// not shown from the commit on that dropped the snapshot, and their space is
    /// given back here.
    pub(in crate::store) fn drop_orphans(&self) -> Result<(), TopologyError> {
        if failpoint!("sealed.orphans-kept") {
            return Ok(());
        }
        let roots = &mut *self.roots.lock();
        let mut numbers = self.sealed.numbered();
        numbers.retain(|(_, graph)| self.is_orphan(graph.info()));
        let numbers: Vec<u32> = numbers.into_iter().map(|(number, _)| number).collect();
        self.publish_dropped(roots, &numbers)
    }

    /// Whether its snapshot was dropped; one that has its name now is another.
    fn is_orphan(&self, info: &SealedInfo) -> bool {
        match &info.name {
            SealedName::Own(_) => false,
            SealedName::Snapshot(name) => {
                self.live
                    .snapshots
                    .snapshot(name)
                    .map(|snapshot| snapshot.csn)
                    .ok()
                    != Some(info.csn)
            }
        }
    }

    pub(in crate::store) fn sealed_graph(
        &self,
        name: &SealedName,
        go_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<SealedGraph>, TopologyError> {
        let stored = self.sealed.find(name);
        stored
            .filter(|stored| !self.is_orphan(stored.info()))
            .map(|stored| stored.open(&self.live.resources.volume, go_on))
            .transpose()
    }

    /// Bytes of space that sealed graphs occupy.
    pub(in crate::store) fn sealed_bytes(&self) -> u64 {
        let all = self.sealed.all();
        all.iter().map(|graph| graph.reserved_bytes()).sum()
    }

    pub(in crate::store) fn check_sealed(&self, report: &mut CheckReport) {
        for graph in self.sealed.all() {
            report.sealed_graphs += 1;
            if let Err(error) = graph.verify(&self.live.resources.volume, &|| true) {
                report.problems.push(error.to_string());
            }
        }
    }

    pub(in crate::store) fn refuse_sealing(
        &self,
        name: &SealedName,
        csn: u64,
    ) -> Result<(), TopologyError> {
        self.live.status.refuse_if_not_writable()?;
        if self.live.direct.is_some() {
            return Err(TopologyError::WrongMode(
                "direct mode numbers no commits, so no stored graph can be of one; import into a \
                 database in merged mode",
            ));
        }
        if csn > self.live.registry.csn() {
            return Err(TopologyError::UnknownCommit(csn));
        }
        if let SealedName::Snapshot(name) = name
            && self.live.snapshots.snapshot(name)?.csn != csn
        {
            let name = name.clone();
            return Err(TopologyError::NotOfSnapshot { name, csn });
        }
        let text = name.text();
        if text.is_empty() || text.len() > 255 || text.chars().any(char::is_control) {
            return Err(TopologyError::BadSealedName(text.to_string()));
        }
        Ok(())
    }

    fn publish_dropped(&self, roots: &mut RootState, numbers: &[u32]) -> Result<(), TopologyError> {
        match numbers {
            [] => Ok(()),
            numbers => {
                self.live.status.refuse_if_not_writable()?;
                let nothing = Flushed::all([]).map(|_: Vec<()>| ());
                let _borrowed = self.live.resources.volume.region.borrow_reserve();
                self.live
                    .status
                    .poisoning(|| self.publish_sealed(roots, nothing, None, numbers))
            }
        }
    }

    /// Durability steps S2 to S4: publishes a root over the same commits whose
    /// directory has one table more, and those that are `dropped` not any more.
    fn publish_sealed(
        &self,
        roots: &mut RootState,
        flushed: Flushed<()>,
        added: Option<(u32, Arc<Stored>)>,
        dropped: &[u32],
    ) -> Result<(), TopologyError> {
        for &number in dropped {
            roots.directory.remove_blob(BLOB_SEALED, number);
        }
        let RootState {
            pool,
            file,
            directory,
            ..
        } = roots;
        let region = &self.live.resources.volume.region;
        let durable = directory
            .store(region, &self.live.resources.volume.uuid, flushed)
            .map_err(TopologyError::from)
            .and_then(|stored| Ok(stored.fence(region.medium())?));
        let durable = match durable {
            Ok(durable) => durable,
            Err(error) => {
                directory.roll_back();
                return Err(error);
            }
        };
        let mut root = pool.root().clone();
        let place = *durable.get();
        root.directory_offset = place.offset;
        root.directory_len = place.len;
        root.directory_crc = place.crc;
        root.log_durable = self.log.lock().log.durable();
        let mut graphs = self.sealed.0.lock();
        let gone: Vec<Arc<Stored>> = (dropped.iter())
            .filter_map(|number| graphs.get(number).cloned())
            .collect();
        let freed = gone.iter().flat_map(|graph| graph.extents());
        failpoint!("sealed.freed-first" => {
            for extent in freed.clone() {
                region.scribble(extent)?;
            }
        });
        // From here on the new root may be on the medium, whatever is reported.
        directory.publishing();
        let added_extents = added.iter().flat_map(|(_, graph)| graph.extents());
        added_extents.for_each(|extent| extent.published());
        failpoint!("sealed.publishing");
        if let Err(error) = pool.publish(file, &durable.map(|_| ()), root) {
            self.live.status.fail();
            return Err(error.into());
        }
        // Durability step S4: only now is anything given back.
        directory.published();
        freed.for_each(|extent| extent.retire());
        for number in dropped {
            graphs.remove(number);
        }
        graphs.extend(added);
        drop((graphs, gone));
        region.root_published(pool.root().sequence);
        if !dropped.is_empty() {
            // Merges want some room; what was a whole graph goes back to the system.
            region.trim(region.used_bytes() / 4 + self.live.config.growth_step);
        }
        Ok(())
    }
}
