//! State of a section once it has been read: its entries, and the lengths of its lists as
//! of the commits that are still read.

use std::sync::Arc;

use evergraph_storage::layout::WALKED_AT_MOST;
use evergraph_storage::{Needed, StorageError};

use super::{Body, Parts, Resources};
use crate::direct::DirectState;
use crate::front::append_buffer::AppendBuffer;
use crate::front::buffers::{BufferWriter, VertexBuffers};
use crate::lengths::LengthPage;

pub(crate) struct Loaded {
    pub body: Arc<Body>,
    pub writer: Option<Box<BufferWriter>>,
    /// Lengths as of the newest commit that is in the vertex buffers.
    pub page: Arc<LengthPage>,
    /// Versions before `page` that a view may still ask for, ascending.
    pub older: Vec<Version>,
    /// The writer's place in direct mode.
    pub direct: Option<Box<DirectState>>,
}

/// A section as of an earlier commit.
pub(crate) struct Version {
    pub page: Arc<LengthPage>,
    /// The entries, if they have been compacted since; else they are those of the newest
    /// version.
    pub body: Option<Arc<Body>>,
}

impl Loaded {
    /// The vertex buffers behind the merged part and their writer, made if need
    /// be.
    #[inline(always)]
    pub(crate) fn buffers(
        &mut self,
        resources: &Resources,
        lists: usize,
        columns: usize,
    ) -> (&VertexBuffers, &mut BufferWriter) {
        let Loaded { body, writer, .. } = self;
        let writer = writer.get_or_insert_with(|| {
            let (buffers, writer) = resources.buffers.new_for(lists, columns);
            let _ = body.buffers.set(Box::new(buffers));
            Box::new(writer)
        });
        let buffers = body.buffers.get().expect("made with the writer");
        (&**buffers, &mut **writer)
    }

    /// Panics in debug builds if lengths, versions and entries contradict each other.
    /// Content that was only read from the medium is not asserted: `lists` is the section's.
    pub(crate) fn invariants(&self, lists: usize) {
        if !cfg!(debug_assertions) {
            return;
        }
        assert!(
            self.body.csn <= self.page.csn,
            "merged up to commit {}, but sorted up to {}",
            self.body.csn,
            self.page.csn
        );
        self.page.invariants(lists);
        let mut newer = &self.page;
        for version in self.older.iter().rev() {
            match version.body {
                None => newer.follows(&version.page),
                // The lengths since then are of another generation.
                Some(_) => assert!(version.page.csn <= newer.csn),
            }
            newer = &version.page;
        }
        assert!(
            self.writer.is_none() || self.body.buffers.get().is_some(),
            "a writer of vertex buffers that are not there"
        );
        if let Some(direct) = &self.direct {
            direct.invariants();
        }
        self.lengths_are_those_of_entries(lists);
    }

    /// The newest page counts what is merged and what is in the vertex buffers; of a
    /// small section.
    fn lengths_are_those_of_entries(&self, lists: usize) {
        let entries = || self.page.len.iter().map(|len| len as usize).sum::<usize>();
        if self.direct.is_some() || lists > WALKED_AT_MOST || lists + entries() > WALKED_AT_MOST {
            return;
        }
        let buffered = |list| match (&self.writer, self.body.buffers.get()) {
            (Some(writer), Some(buffers)) => buffers.count(writer, list),
            _ => 0,
        };
        for list in 0..lists {
            assert_eq!(
                self.page.len.of(list) as usize,
                self.body.base.list_len(list) + buffered(list),
                "list {list} of commit {}: its length, and the entries there are",
                self.page.csn
            );
        }
    }

    fn sort_group(
        &mut self,
        resources: &Resources,
        appended: &mut AppendBuffer,
        csn: u64,
        needed: &Needed,
    ) {
        debug_assert!(
            self.page.csn <= csn,
            "an append buffer holds what the lengths do not count: commit {csn} after {}",
            self.page.csn
        );
        let (count, stride) = (appended.len_at(csn), appended.stride());
        if needed.is_watched(self.page.csn, csn) {
            self.older.push(Version {
                page: kept(&self.page),
                body: None,
            });
        }
        let mut page = std::mem::replace(&mut self.page, Arc::new(LengthPage::empty(0)));
        let lengths = Arc::make_mut(&mut page);
        lengths.csn = csn;
        let lens = lengths.len.own();
        // The number of entries that a list will get decides how large its next chunk is.
        let mut coming = vec![0u32; lens.len()];
        appended.for_each_slice(count, |words| {
            for entry in words.chunks_exact(stride) {
                coming[entry[0] as usize] += 1;
            }
        });
        let (buffers, writer) = self.buffers(resources, coming.len(), stride - 1);
        // Chunks are taken list by list, which is the order of readers.
        for (list, &coming) in coming.iter().enumerate() {
            if coming > 0 {
                let expected = coming.max(lens[list] / 16);
                buffers.prepare(writer, list, expected as usize);
            }
        }
        appended.for_each_slice(count, |words| {
            for entry in words.chunks_exact(stride) {
                let list = entry[0] as usize;
                let expected = coming[list].max(lens[list] / 16);
                let weight = entry.get(2).copied().unwrap_or(0);
                buffers.append(writer, list, entry[1], weight, expected as usize);
                coming[list] -= 1;
                lens[list] += 1;
            }
        });
        self.page = page;
        appended.drop_until(csn);
        self.prune(needed);
    }

    /// Makes `page` the newest; the one before is kept if it is needed.
    pub(super) fn advance(&mut self, page: Arc<LengthPage>, needed: &Needed) {
        page.follows(&self.page);
        let old = std::mem::replace(&mut self.page, page);
        self.older.push(Version {
            page: kept(&old),
            body: None,
        });
        self.prune(needed);
    }

    /// Lengths as of a commit, and where the entries are, if a view had them
    /// kept.
    fn watched_version_at(&self, csn: u64) -> Option<(Arc<LengthPage>, Arc<Body>)> {
        if self.page.csn <= csn {
            return Some((Arc::clone(&self.page), Arc::clone(&self.body)));
        }
        let version = self.older.iter().rev().find(|v| v.page.csn <= csn)?;
        let body = version.body.as_ref().unwrap_or(&self.body);
        Some((Arc::clone(&version.page), Arc::clone(body)))
    }

    /// Keeps an older version only if the CSN of a view falls between it and the
    /// next. `needed` may have been gathered a while ago: of what is newer than
    /// the watermark of that time it says nothing.
    pub(crate) fn prune(&mut self, needed: &Needed) {
        if self.older.is_empty() {
            return;
        }
        let known = needed.watermark().unwrap_or(u64::MAX);
        let mut until = self.page.csn;
        let mut kept = Vec::with_capacity(self.older.len());
        for version in self.older.drain(..).rev() {
            let from = version.page.csn;
            if until > known || needed.is_watched(from, until) {
                kept.push(version);
            }
            until = from;
        }
        kept.reverse();
        self.older = kept;
    }
}

/// Lengths that outlive what they were merged with: they keep no extent.
pub(super) fn kept(page: &Arc<LengthPage>) -> Arc<LengthPage> {
    match page.len.keep_an_extent() {
        true => Arc::new(LengthPage::clone(page)),
        false => Arc::clone(page),
    }
}

impl Parts<'_> {
    /// Moves the append buffer's entries up to commit `csn` to the vertex buffers. The
    /// lengths before a commit are kept if a CSN in `needed` reads them.
    pub(super) fn sort_into_buffers(
        &mut self,
        resources: &Resources,
        csn: u64,
        needed: &Needed,
    ) -> Result<(), StorageError> {
        while let Some(end) = self.appended.first_group_end().filter(|end| end.csn <= csn) {
            if needed.is_kept(self.loaded.page.csn, end.csn) {
                self.history
                    .record(&resources.volume.uuid, &self.loaded.page)?;
            }
            self.loaded
                .sort_group(resources, self.appended, end.csn, needed);
        }
        self.loaded.invariants(self.loaded.page.len.count());
        Ok(())
    }

    /// Live entries as of commits that are kept, which ascend.
    pub(super) fn live_at(
        &self,
        resources: &Resources,
        csns: &[u64],
    ) -> Result<Vec<u64>, StorageError> {
        let mut points = vec![(0, 0)];
        let mut visit = |page: &LengthPage| {
            let (entries, tombstones) = page.totals();
            points.push((page.csn, entries - 2 * tombstones));
        };
        self.history
            .for_each_page(&resources.volume.uuid, 0, u64::MAX, &mut visit)?;
        visit(&self.loaded.page);
        let live = |&csn: &u64| {
            let point = points.partition_point(|point| point.0 <= csn);
            points[point.saturating_sub(1)].1
        };
        Ok(csns.iter().map(live).collect())
    }

    /// Lengths as of a commit that is needed, and the entries.
    pub(super) fn version_at(
        &self,
        resources: &Resources,
        csn: u64,
    ) -> Result<(Arc<LengthPage>, Arc<Body>), StorageError> {
        let watched = self.loaded.watched_version_at(csn);
        // The one that is newer is the one that was asked for.
        if let Some((page, _)) = &watched
            && page.csn >= self.history.last().min(csn)
        {
            return Ok(watched.expect("just seen"));
        }
        let past = self.history.page_at(
            &resources.pages,
            &resources.volume.uuid,
            csn,
            &self.loaded.page,
        )?;
        match watched {
            Some((page, body)) if page.csn >= past.csn => Ok((page, body)),
            _ => Ok((past, Arc::clone(&self.loaded.body))),
        }
    }
}
