//! Sealed graphs that are stored: publishing, listing, dropping.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use evergraph_storage::failpoint;
use evergraph_storage::order::Flushed;
use evergraph_storage::{Directory, StorageError};
use parking_lot::Mutex;

use super::{BLOB_SEALED, CheckReport, RootState, Store};
use crate::error::TopologyError;
use crate::sealed::{SealedGraph, SealedInfo, SealedName, Stored, Written, write};
use crate::section::Context;

/// The sealed graphs that the published root names, by the number of their table.
pub(super) struct SealedGraphs(Mutex<BTreeMap<u32, Arc<Stored>>>);

impl SealedGraphs {
    /// Recovery step R3 for sealed graphs: reads their headers and claims what they
    /// name.
    pub fn claim(context: &Context, directory: &Directory) -> Result<Self, StorageError> {
        let mut stored = BTreeMap::new();
        if failpoint!("sealed.not-claimed") {
            return Ok(SealedGraphs(Mutex::new(stored)));
        }
        for (number, blob) in directory.numbered_blobs(BLOB_SEALED) {
            let header = blob.read(&context.uuid)?;
            let graph = Stored::claim(context, header, blob.extent.offset())?;
            stored.insert(number, Arc::new(graph));
        }
        Ok(SealedGraphs(Mutex::new(stored)))
    }

    /// A graph is sealed only of commits that are durable: a log that ends before
    /// one has lost it, and would give its number to another.
    pub fn refuse_if_newer_than(&self, csn: u64) -> Result<(), StorageError> {
        let graphs = self.0.lock();
        match graphs.values().find(|graph| graph.info().csn > csn) {
            None => Ok(()),
            Some(graph) => Err(StorageError::damaged(
                "log",
                0,
                format!(
                    "the log ends with commit {csn}, but the {} is of commit {}",
                    graph.info().name,
                    graph.info().csn
                ),
            )),
        }
    }

    fn number_of(&self, name: &SealedName) -> Option<u32> {
        let graphs = self.0.lock();
        let mut numbered = graphs.iter();
        let found = numbered.find(|(_, graph)| graph.info().name == *name);
        found.map(|(&number, _)| number)
    }

    fn find(&self, name: &SealedName) -> Option<Arc<Stored>> {
        let graphs = self.0.lock();
        let mut graphs = graphs.values();
        graphs.find(|graph| graph.info().name == *name).cloned()
    }

    fn all(&self) -> Vec<Arc<Stored>> {
        self.0.lock().values().cloned().collect()
    }

    fn numbered(&self) -> Vec<(u32, Arc<Stored>)> {
        let graphs = self.0.lock();
        let numbered = graphs.iter();
        numbered.map(|(&n, graph)| (n, Arc::clone(graph))).collect()
    }
}

impl Store {
    /// Stores a graph that was sealed from a view of commit `csn` under a name, in
    /// place of another of that name. Commits, merges and readers go on meanwhile.
    ///
    /// `go_on` is called before each piece with the bytes that are written, and all
    /// of them. Durable when it returns: Durability steps S1 to S4.
    ///
    /// # Errors
    /// [`TopologyError::Cancelled`] if `go_on` says no; then, and if the disk is
    /// full, nothing has changed. [`TopologyError::Unsupported`] in direct mode,
    /// whose commits have no lasting numbers, for a name that is empty, longer than
    /// 255 bytes or has control characters, and for a commit that does not exist or
    /// is not that of the snapshot.
    pub fn store_sealed(
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
        } = write(&self.context, name, csn, graph, go_on)?;
        let info = header.info.clone();
        let roots = &mut *self.roots.lock();
        // Its snapshot may have been dropped meanwhile, or the store closed.
        self.refuse_sealing(&info.name, csn)?;
        let replaced: Vec<u32> = self.sealed.number_of(&info.name).into_iter().collect();
        let numbers = roots.directory.numbered_blobs(BLOB_SEALED);
        let number = numbers.last().map_or(0, |(last, _)| last + 1);
        let stored = Arc::new(Stored::new(header, extents));
        let (region, uuid) = (&self.context.region, &self.context.uuid);
        let bytes = stored.header_bytes();
        self.poisoning(|| {
            let blob = roots
                .directory
                .set_blob(region, uuid, BLOB_SEALED, number, &bytes)?;
            let flushed = flushed.and(blob).map(|_| ());
            self.publish_sealed(roots, flushed, Some((number, stored)), &replaced)
        })?;
        Ok(info)
    }

    /// Drops sealed graphs, all with one root. Their space is free when the last
    /// run that reads them has ended.
    ///
    /// # Errors
    /// [`TopologyError::Unsupported`] if one does not exist; then none is dropped.
    pub fn drop_sealed(&self, names: &[SealedName]) -> Result<(), TopologyError> {
        let roots = &mut *self.roots.lock();
        let mut numbers = Vec::new();
        for name in names {
            let number = self.sealed.number_of(name);
            let number = number.ok_or_else(|| unsupported(format!("there is no {name}")))?;
            numbers.push(number);
        }
        self.publish_dropped(roots, &numbers)
    }

    /// The sealed graphs, in the order in which they were stored. Those of
    /// snapshots that were dropped are not there any more.
    pub fn sealed_graphs(&self) -> Vec<SealedInfo> {
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
    pub(super) fn drop_orphans(&self) -> Result<(), TopologyError> {
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
                self.snapshot(name).map(|snapshot| snapshot.csn).ok() != Some(info.csn)
            }
        }
    }

    /// A sealed graph, read in place; `None` if there is none of that name. See
    /// [`crate::SealedGraph`]. It can be read after it was dropped.
    ///
    /// The first time since it was written or the database was opened, all of it is
    /// verified, in parallel. `go_on` is asked now and then meanwhile.
    ///
    /// # Errors
    /// Damage; [`TopologyError::Cancelled`] if `go_on` says no.
    pub fn sealed_graph(
        &self,
        name: &SealedName,
        go_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<SealedGraph>, TopologyError> {
        let stored = self.sealed.find(name);
        stored
            .filter(|stored| !self.is_orphan(stored.info()))
            .map(|stored| stored.open(&self.context, go_on))
            .transpose()
    }

    /// Bytes of space that sealed graphs occupy.
    pub(super) fn sealed_bytes(&self) -> u64 {
        let all = self.sealed.all();
        all.iter().map(|graph| graph.reserved_bytes()).sum()
    }

    pub(super) fn check_sealed(&self, report: &mut CheckReport) {
        for graph in self.sealed.all() {
            report.sealed_graphs += 1;
            if let Err(error) = graph.verify(&self.context, &|| true) {
                report.problems.push(error.to_string());
            }
        }
    }

    /// Whether a graph can be stored, before the work of sealing it.
    ///
    /// # Errors
    /// Those of [`Store::store_sealed`] that depend on no medium.
    pub fn refuse_sealing(&self, name: &SealedName, csn: u64) -> Result<(), TopologyError> {
        self.refuse_if_not_writable()?;
        if self.direct.is_some() {
            return Err(unsupported(
                "direct mode numbers no commits, so no stored graph can be of one; import into a \
                 database in merged mode",
            ));
        }
        if csn > self.registry.csn() {
            return Err(unsupported(format!("there is no commit {csn} yet")));
        }
        if let SealedName::Snapshot(name) = name
            && self.snapshot(name)?.csn != csn
        {
            return Err(unsupported(format!(
                "the snapshot {name:?} is not of commit {csn}"
            )));
        }
        let text = name.text();
        if text.is_empty() || text.len() > 255 || text.chars().any(char::is_control) {
            return Err(unsupported(format!(
                "{text:?} cannot be the name of a sealed graph; use up to 255 bytes without \
                 control characters"
            )));
        }
        Ok(())
    }

    fn publish_dropped(&self, roots: &mut RootState, numbers: &[u32]) -> Result<(), TopologyError> {
        match numbers {
            [] => Ok(()),
            numbers => {
                self.refuse_if_not_writable()?;
                let nothing = Flushed::all([]).map(|_: Vec<()>| ());
                let _borrowed = self.context.region.borrow_reserve();
                self.poisoning(|| self.publish_sealed(roots, nothing, None, numbers))
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
        let region = &self.context.region;
        let durable = directory
            .store(region, &self.context.uuid, flushed)
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
            self.failed.store(true, Ordering::Release);
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
        if !dropped.is_empty() {
            // Merges want some room; what was a whole graph goes back to the system.
            region.trim(region.used_bytes() / 4 + self.config.growth_step);
        }
        Ok(())
    }
}

fn unsupported(message: impl Into<String>) -> TopologyError {
    TopologyError::Unsupported(message.into())
}
