//! The history of one section: the lengths that its lists had at kept commits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use evergraph_storage::failpoint;
use evergraph_storage::{Needed, StorageError, Uuid};

use super::cache::PageCache;
use super::chain::{Chain, Points, Weight};
use super::segment::Chunk;
use crate::lengths::LengthPage;

/// Number of histories since the process began.
static HISTORIES: AtomicU64 = AtomicU64::new(0);

/// Points of one section, ascending. A point holds for all commits from its own up to the
/// next point's, as far as snapshots and views ask for them.
#[derive(Debug)]
pub(crate) struct History {
    /// Its pages are in the cache by this number.
    number: u64,
    lists: usize,
    /// Points in segments, ascending.
    stored: Vec<Chunk>,
    /// Points after those, which no segment holds: the log can rebuild them.
    unmerged: Option<Box<Chain>>,
}

/// Calls what it is given with pages, one after another.
pub(crate) type EachPage<'a> = dyn Fn(&mut dyn FnMut(&LengthPage)) + 'a;

/// Points of a section that a merge stores.
#[derive(Clone, Debug)]
pub(crate) struct NewPoints {
    /// Commit of the point before.
    pub after: u64,
    /// Commit of the last.
    pub last: u64,
    pub points: u32,
    pub bytes: Vec<u8>,
}

/// The part of a section's history that a root published.
#[derive(Clone, Debug)]
pub(crate) struct Published {
    /// Chunks of this segment and of newer ones are in the new one now.
    pub absorbed_from: u32,
    /// The section's points in the new segment.
    pub chunk: Option<Chunk>,
    /// All points of before are gone: their lengths are of another generation.
    pub replaces: bool,
    /// The stored points are not those of before; what follows them is told by
    /// its differences to the last, so it has to be told anew.
    pub rewritten: bool,
}

/// A merge of a section whose root is published.
pub(crate) struct Merged<'a> {
    /// The lengths as of its commit, entries that it dropped not counted.
    pub page: &'a LengthPage,
    /// Commit of the newest lengths in DRAM.
    pub newest: u64,
    /// CSNs that may be asked for.
    pub needed: &'a Needed,
}

/// A point with its page.
struct Walk<'a> {
    history: &'a History,
    uuid: &'a Uuid,
}

impl Walk<'_> {
    /// Calls `visit` with all points up to commit `csn`, and for each an error in
    /// its place.
    fn points<'a>(
        &'a self,
        csn: u64,
        mut visit: impl FnMut(
            super::chain::Point<'a>,
            &dyn Fn(&str) -> StorageError,
        ) -> Result<(), StorageError>,
    ) -> Result<(), StorageError> {
        for chunk in &self.history.stored {
            if chunk.entry.after >= csn {
                return Ok(());
            }
            let bytes = chunk.bytes(self.uuid)?;
            let damaged = |what: &str| chunk.damaged(&format!("lengths of the past: {what}"));
            let mut count = 0;
            let mut last = chunk.entry.after;
            for point in Points::new(bytes, chunk.entry.after) {
                let point = point.map_err(damaged)?;
                (count, last) = (count + 1, point.csn);
                if point.csn <= csn {
                    visit(point, &damaged)?;
                }
            }
            if (count, last) != (chunk.entry.points, chunk.entry.last) {
                return Err(damaged("the index counts other moments"));
            }
        }
        if let Some(unmerged) = &self.history.unmerged {
            let after = self.history.stored_until();
            let damaged = |_: &str| unreachable!("what was not stored is what was recorded");
            for point in Points::new(unmerged.bytes(), after) {
                let point = point.expect("it is what was recorded");
                if point.csn <= csn {
                    visit(point, &damaged)?;
                }
            }
        }
        Ok(())
    }
}

impl History {
    /// Creates a history without points.
    pub(crate) fn new(lists: usize) -> Self {
        History {
            number: HISTORIES.fetch_add(1, Ordering::Relaxed),
            lists,
            stored: Vec::new(),
            unmerged: None,
        }
    }

    /// Takes in the next chunk that the section directory names, of a section
    /// that is merged up to commit `merged`.
    pub(crate) fn load(&mut self, chunk: Chunk, merged: u64) -> Result<(), StorageError> {
        if chunk.entry.after != self.stored_until() || chunk.entry.last >= merged {
            return Err(chunk.damaged("lengths of the past do not follow one another"));
        }
        self.stored.push(chunk);
        Ok(())
    }

    /// Commit of the last stored point; 0 if there is none.
    fn stored_until(&self) -> u64 {
        self.stored.last().map_or(0, |chunk| chunk.entry.last)
    }

    /// Bytes in DRAM.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.stored.capacity() * size_of::<Chunk>()
            + self
                .unmerged
                .as_ref()
                .map_or(0, |unmerged| unmerged.heap_bytes())
    }

    /// The page as of commit `csn`: that of the last point up to it; of none, and
    /// empty lists, if there is no such point. What is read for it has to lie within
    /// the newest lengths.
    pub(crate) fn page_at(
        &self,
        pages: &PageCache,
        uuid: &Uuid,
        csn: u64,
        newest: &LengthPage,
    ) -> Result<Arc<LengthPage>, StorageError> {
        if let Some(unmerged) = &self.unmerged
            && unmerged.last() <= csn
        {
            return Ok(Arc::new(unmerged.tip().clone()));
        }
        if let Some(page) = pages.get(self.number, csn) {
            return Ok(page);
        }
        let (page, _) = self.rebuild(uuid, csn)?;
        if let Some(chunk) = self.stored.last()
            && !page.lies_within(newest)
        {
            return Err(chunk.damaged("lengths of the past are not within those of today"));
        }
        let page = Arc::new(page);
        pages.put(self.number, csn, &page);
        Ok(page)
    }

    /// Decodes the last point up to a commit, and what the points up to it weigh.
    fn rebuild(&self, uuid: &Uuid, csn: u64) -> Result<(LengthPage, Weight), StorageError> {
        let walk = Walk {
            history: self,
            uuid,
        };
        // Only the last whole point and what comes after it count.
        let mut begin = 0;
        walk.points(csn, |point, _| {
            if point.whole {
                begin = point.csn;
            }
            Ok(())
        })?;
        let mut page = LengthPage::empty(self.lists);
        let mut weight = Weight::default();
        walk.points(csn, |point, damaged| {
            if point.csn < begin {
                return Ok(());
            }
            weight = weight.and(&point);
            point.apply(&mut page).map_err(damaged)
        })?;
        Ok((page, weight))
    }

    /// Commit of the last point; 0 if there is none.
    pub(crate) fn last(&self) -> u64 {
        (self.unmerged.as_ref()).map_or(self.stored_until(), |unmerged| unmerged.last())
    }

    /// Calls `visit` with the pages of all points after commit `after`, up to and
    /// with `until`.
    pub(crate) fn for_each_page(
        &self,
        uuid: &Uuid,
        after: u64,
        until: u64,
        mut visit: impl FnMut(&LengthPage),
    ) -> Result<(), StorageError> {
        let walk = Walk {
            history: self,
            uuid,
        };
        let mut page = LengthPage::empty(self.lists);
        walk.points(until, |point, damaged| {
            point.apply(&mut page).map_err(damaged)?;
            if point.csn > after {
                visit(&page);
            }
            Ok(())
        })
    }

    /// Calls `visit` with commit and bytes of all points.
    pub(crate) fn for_each_size(
        &self,
        uuid: &Uuid,
        mut visit: impl FnMut(u64, usize),
    ) -> Result<(), StorageError> {
        let walk = Walk {
            history: self,
            uuid,
        };
        walk.points(u64::MAX, |point, _| {
            visit(point.csn, point.bytes);
            Ok(())
        })
    }

    /// Adds a point, unless it is the last already.
    pub(crate) fn record(&mut self, uuid: &Uuid, page: &LengthPage) -> Result<(), StorageError> {
        let mut unmerged = match self.unmerged.take() {
            Some(unmerged) => unmerged,
            None => Box::new(self.after_stored(uuid)?),
        };
        debug_assert_eq!(page.len.count(), self.lists, "lengths of another section");
        unmerged.push(page);
        if !unmerged.bytes().is_empty() {
            self.unmerged = Some(unmerged);
        }
        self.invariants();
        Ok(())
    }

    /// Panics in debug builds if the points do not follow one another.
    fn invariants(&self) {
        if !cfg!(debug_assertions) {
            return;
        }
        let mut after = 0;
        for chunk in &self.stored {
            assert_eq!(
                chunk.entry.after, after,
                "stored points of commits between {after} and {} are missing",
                chunk.entry.last
            );
            after = chunk.entry.last;
        }
        if let Some(unmerged) = &self.unmerged {
            assert_eq!(
                unmerged.begins_after(),
                after,
                "the points that are not stored continue those that are"
            );
        }
    }

    /// A chain that continues the stored points.
    fn after_stored(&self, uuid: &Uuid) -> Result<Chain, StorageError> {
        self.chain_after(uuid, self.stored_until())
    }

    /// A chain that continues the points up to commit `csn`.
    pub(crate) fn chain_after(&self, uuid: &Uuid, csn: u64) -> Result<Chain, StorageError> {
        let (page, weight) = self.rebuild(uuid, csn)?;
        Ok(Chain::after(page, weight))
    }

    /// Points that a merge up to commit `csn` has to store: those before it that no
    /// segment holds, and those of `jumped`, of commits that the merge itself jumps over.
    pub(crate) fn unstored(
        &self,
        uuid: &Uuid,
        csn: u64,
        jumped: Option<&EachPage<'_>>,
    ) -> Result<Option<NewPoints>, StorageError> {
        let mut chain = match &self.unmerged {
            Some(unmerged) => Chain::clone(unmerged),
            None if jumped.is_none() => return Ok(None),
            None => self.after_stored(uuid)?,
        };
        if let Some(each) = jumped {
            each(&mut |page| chain.push(page));
        }
        Ok(chain.until(csn.saturating_sub(1)))
    }

    /// Pages of the points before commit `csn` that are needed.
    pub(crate) fn needed_pages(
        &self,
        uuid: &Uuid,
        csn: u64,
        needed: &Needed,
    ) -> Result<Vec<LengthPage>, StorageError> {
        let mut pages: Vec<LengthPage> = Vec::new();
        self.for_each_page(uuid, 0, csn.saturating_sub(1), |page| {
            // A point that is not needed up to the next one is replaced by it.
            let before = pages.last().map(|before| before.csn);
            if before.is_some_and(|before| !needed.is_kept(before, page.csn)) {
                pages.pop();
            }
            pages.push(page.clone());
        })?;
        let is_last_needed = |page: &mut LengthPage| needed.is_kept(page.csn, u64::MAX);
        let _ = pages.pop_if(|page| !is_last_needed(page));
        Ok(pages)
    }

    /// Takes in what a root published. Of a section that was merged up to a
    /// commit, points before it are in the segment now; those since then stay,
    /// with the lengths that `since` gives them.
    ///
    /// A snapshot may have come while the merge was written. If the section had
    /// nothing new then, and was sorted further since, its point is one before the
    /// merge's commit, which the segment does not have: the merge's own lengths
    /// take its place.
    ///
    /// # Errors
    /// If what is stored cannot be read; then nothing has changed.
    pub(crate) fn publish(
        &mut self,
        uuid: &Uuid,
        published: Published,
        merge: Option<Merged<'_>>,
        since: impl Fn(&LengthPage) -> LengthPage,
    ) -> Result<(), StorageError> {
        let merged = merge.as_ref().map(|merge| merge.page.csn);
        let retells = merged.is_some() || published.rewritten || published.replaces;
        let mut newer = Vec::new();
        if retells
            && let Some(unmerged) = &self.unmerged
            && unmerged.last() >= merged.unwrap_or(0)
        {
            let after = self
                .stored_until()
                .max(merged.unwrap_or(0).saturating_sub(1));
            self.for_each_page(uuid, after, u64::MAX, |page| newer.push(since(page)))?;
        }
        if let Some(Merged {
            page,
            newest,
            needed,
        }) = merge
        {
            let next = newer.first().map_or(newest, |page| page.csn);
            if needed.is_kept(page.csn, next) {
                newer.insert(0, page.clone());
            }
        }
        let mut next = match published.replaces {
            // Pages that were rebuilt are of another generation.
            true => History::new(self.lists),
            false => History {
                stored: self.stored.clone(),
                unmerged: None,
                ..*self
            },
        };
        next.stored
            .retain(|chunk| chunk.segment.number < published.absorbed_from);
        next.stored.extend(published.chunk);
        if !retells || failpoint!("history.stored-twice") {
            next.unmerged = self.unmerged.take();
        } else {
            for page in &newer {
                next.record(uuid, page)?;
            }
        }
        next.invariants();
        *self = next;
        Ok(())
    }
}

impl NewPoints {
    /// The points of a history that begins with them.
    pub(crate) fn of(pages: &[LengthPage]) -> Option<Self> {
        let lists = pages.first()?.len.count();
        let mut chain = Chain::after(LengthPage::empty(lists), Weight::default());
        pages.iter().for_each(|page| chain.push(page));
        chain.into_points()
    }

    /// Points that follow each other, put together: commit before, last commit,
    /// number and bytes of each part.
    pub(crate) fn joined(parts: &[(u64, u64, u32, &[u8])]) -> Self {
        let mut bytes = Vec::new();
        parts
            .iter()
            .for_each(|part| bytes.extend_from_slice(part.3));
        NewPoints {
            after: parts.first().map_or(0, |part| part.0),
            last: parts.last().map_or(0, |part| part.1),
            points: parts.iter().map(|part| part.2).sum(),
            bytes,
        }
    }

    /// Whether each of the points is needed.
    pub(crate) fn all_needed(&self, needed: &Needed) -> Result<bool, &'static str> {
        let mut before: Option<u64> = None;
        for point in Points::new(&self.bytes, self.after) {
            let csn = point?.csn;
            if before.is_some_and(|before| !needed.is_kept(before, csn)) {
                return Ok(false);
            }
            before = Some(csn);
        }
        Ok(before.is_none_or(|last| needed.is_kept(last, u64::MAX)))
    }

    /// The same without points that are not needed; `chain` ends with the point before.
    pub(crate) fn without_unneeded(
        &self,
        mut chain: Chain,
        needed: &Needed,
    ) -> Result<Option<NewPoints>, &'static str> {
        let mut page = chain.tip().clone();
        let mut points = Points::new(&self.bytes, self.after).peekable();
        while let Some(point) = points.next() {
            let point = point?;
            point.apply(&mut page)?;
            let until = match points.peek() {
                Some(Ok(next)) => next.csn,
                _ => u64::MAX,
            };
            if needed.is_kept(point.csn, until) {
                chain.push(&page);
            }
        }
        Ok(chain.into_points())
    }
}

impl Published {
    /// Nothing was stored of a section's history with its merge.
    pub(crate) fn nothing(replaces: bool) -> Self {
        Published {
            absorbed_from: u32::MAX,
            chunk: None,
            replaces,
            rewritten: false,
        }
    }
}
