//! One section: the lists of consecutive vertices, merged and not yet merged.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, OnceLock};

use evergraph_persistence::{Entry, Extent, PersistenceError, Region, Uuid};
use parking_lot::{Mutex, MutexGuard};

use crate::direct::{DirectState, ListPlace, open_extent};
use crate::entry::{is_tombstone, neighbor};
use crate::lengths::LengthPage;
use crate::list::LiveCount;
use crate::plane::SectionView;
use crate::section_format::{Base, SectionImage};
use crate::tail::{Tail, TailWriter};

/// What every section of a store needs to read its extent.
#[derive(Clone)]
pub struct Context {
    /// Where extents live.
    pub region: Region,
    /// Identity of the database.
    pub uuid: Uuid,
    /// Direct mode: what is stored names only vertices below this.
    pub vertex_limit: u64,
}

/// Where the entries of a section are: the merged part and the tail behind it.
/// A merge replaces the body; readers of the old one keep it alive.
#[derive(Debug)]
pub struct Body {
    /// Counts rewrites that dropped entries: prefixes of another generation
    /// mean other entries.
    pub generation: u32,
    /// Merged entries.
    pub base: Base,
    /// Entries behind them, from the first on.
    pub tail: OnceLock<Tail>,
}

/// One entry on its way into a section.
#[derive(Clone, Copy, Debug)]
pub struct Arc1 {
    /// List within the section.
    pub list: u32,
    /// Neighbor word.
    pub word: u32,
    /// Weight bits.
    pub weight: u32,
    /// Which commit of the group it belongs to.
    pub origin: u32,
}

/// The lists of `lists` consecutive vertices.
pub struct Section {
    pub(crate) first_vertex: u32,
    pub(crate) lists: usize,
    columns: usize,
    pub(crate) state: Mutex<State>,
    /// Direct mode: where each list is.
    pub(crate) places: OnceLock<Arc<[ListPlace]>>,
    /// Direct mode: address of the words, for fetching them early. It may be
    /// out of date; nothing is read or written through it.
    pub(crate) words_hint: AtomicPtr<u8>,
}

pub(crate) enum State {
    /// On the medium, nothing of it read yet.
    Stored(Entry, Arc<Extent>),
    /// As `Stored`, in direct mode.
    StoredDirect(Arc<Extent>),
    Loaded(Loaded),
}

pub(crate) struct Loaded {
    pub body: Arc<Body>,
    pub writer: Option<TailWriter>,
    pub page: Arc<LengthPage>,
    /// Pages before `page` that a view may still ask for, ascending.
    pub older: Vec<Arc<LengthPage>>,
    /// The writer's place in direct mode.
    pub direct: Option<DirectState>,
}

/// What a merge works on: a section as of one commit.
pub struct Frozen {
    body: Arc<Body>,
    page: Arc<LengthPage>,
}

impl Frozen {
    /// The extent that the merge will replace.
    pub fn extent(&self) -> Option<&Arc<Extent>> {
        self.body.base.extent()
    }
}

impl Section {
    /// A section that has never been stored.
    pub fn empty(first_vertex: u32, lists: usize, columns: usize) -> Self {
        let loaded = Loaded {
            body: Arc::new(Body {
                generation: 0,
                base: Base::empty(lists),
                tail: OnceLock::new(),
            }),
            writer: None,
            page: Arc::new(LengthPage::empty(lists)),
            older: Vec::new(),
            direct: None,
        };
        Section {
            first_vertex,
            lists,
            columns,
            state: Mutex::new(State::Loaded(loaded)),
            places: OnceLock::new(),
            words_hint: AtomicPtr::default(),
        }
    }

    /// A section that the directory names; read at first touch.
    pub fn stored(
        first_vertex: u32,
        lists: usize,
        columns: usize,
        entry: Entry,
        extent: Extent,
    ) -> Self {
        Section {
            first_vertex,
            lists,
            columns,
            state: Mutex::new(State::Stored(entry, Arc::new(extent))),
            places: OnceLock::new(),
            words_hint: AtomicPtr::default(),
        }
    }

    /// As [`Section::stored`], in direct mode.
    pub fn stored_direct(first_vertex: u32, lists: usize, extent: Extent) -> Self {
        Section {
            first_vertex,
            lists,
            columns: 1,
            state: Mutex::new(State::StoredDirect(Arc::new(extent))),
            places: OnceLock::new(),
            words_hint: AtomicPtr::default(),
        }
    }

    pub(crate) fn load<'a>(
        &self,
        context: &Context,
        state: &'a mut MutexGuard<'_, State>,
    ) -> Result<&'a mut Loaded, PersistenceError> {
        if let State::Stored(entry, extent) = &**state {
            let base = Base::open(
                &context.uuid,
                Arc::clone(extent),
                entry,
                self.first_vertex,
                self.lists,
            )?;
            let page = base.lengths(entry.csn);
            if page.totals().1 != entry.tombstones {
                return Err(PersistenceError::damaged(
                    "extents",
                    entry.offset,
                    "the section directory counts other tombstones",
                ));
            }
            **state = State::Loaded(Loaded {
                page: Arc::new(page),
                body: Arc::new(Body {
                    generation: entry.generation,
                    base,
                    tail: OnceLock::new(),
                }),
                writer: None,
                older: Vec::new(),
                direct: None,
            });
        }
        if let State::StoredDirect(extent) = &**state {
            **state = State::Loaded(self.load_direct(context, extent)?);
        }
        match &mut **state {
            State::Loaded(loaded) => Ok(loaded),
            State::Stored(..) | State::StoredDirect(_) => unreachable!("loaded above"),
        }
    }

    fn load_direct(
        &self,
        context: &Context,
        extent: &Arc<Extent>,
    ) -> Result<Loaded, PersistenceError> {
        let opened = open_extent(
            &context.uuid,
            extent,
            self.first_vertex,
            self.lists,
            context.vertex_limit,
            self.direct_places(),
        )?;
        let words = extent.address(opened.state.words_at);
        self.words_hint.store(words.cast_mut(), Ordering::Relaxed);
        let mut writer = None;
        let tail = OnceLock::new();
        if !opened.logged.is_empty() {
            let (logged, mut its_writer) = Tail::new(self.lists, self.columns);
            for &(list, word) in &opened.logged {
                logged.append(&mut its_writer, list, word, 0);
            }
            let _ = tail.set(logged);
            writer = Some(its_writer);
        }
        Ok(Loaded {
            page: Arc::new(opened.page),
            body: Arc::new(Body {
                generation: 0,
                base: opened.base,
                tail,
            }),
            writer,
            older: Vec::new(),
            direct: Some(opened.state),
        })
    }

    /// Applies entries in order as part of commit `csn` (the last of a group).
    /// Pages that a CSN in `needed` reads are preserved first. Calls `missed`
    /// with the origin of each deletion that found no live edge; that one has
    /// no effect. Returns the number of live edges added less those removed.
    pub fn apply(
        &self,
        context: &Context,
        csn: u64,
        needed: &[u64],
        entries: &[Arc1],
        mut missed: impl FnMut(u32),
    ) -> Result<i64, PersistenceError> {
        let mut guard = self.state.lock();
        let loaded = self.load(context, &mut guard)?;
        let deletes = entries.iter().any(|entry| is_tombstone(entry.word));
        if deletes {
            // Whether there is an edge to delete is read from the merged part.
            loaded.body.base.verify(&context.uuid)?;
        }
        let mut page = LengthPage::clone(&loaded.page);
        page.csn = csn;
        let body = &loaded.body;
        let (lists, columns) = (self.lists, self.columns);
        if loaded.writer.is_none() {
            let (tail, writer) = Tail::new(lists, columns);
            let _ = body.tail.set(tail);
            loaded.writer = Some(writer);
        }
        let tail = body.tail.get().expect("set with the writer");
        let writer = loaded.writer.as_mut().expect("set above");
        let mut balance = 0;
        for entry in entries {
            let list = entry.list as usize;
            if is_tombstone(entry.word) {
                let len = page.len[list] as usize;
                let merged = body.base.list_len(list);
                let live = count_live(body, list, merged, len, neighbor(entry.word));
                if live == 0 {
                    missed(entry.origin);
                    continue;
                }
                page.add_tombstone(list);
                balance -= 1;
            } else {
                balance += 1;
            }
            tail.append(writer, list, entry.word, entry.weight);
            page.len[list] += 1;
        }
        let old = std::mem::replace(&mut loaded.page, Arc::new(page));
        loaded.older.push(old);
        loaded.prune(needed);
        Ok(balance)
    }

    /// The section as of commit `csn`, for reading.
    pub fn view(&self, context: &Context, csn: u64) -> Result<SectionView, PersistenceError> {
        let mut guard = self.state.lock();
        let loaded = self.load(context, &mut guard)?;
        loaded.refresh_direct_page();
        Ok(SectionView::new(
            Arc::clone(&loaded.body),
            loaded.page_at(csn),
            loaded.in_place(),
        ))
    }

    /// The section as of commit `csn` if entries up to it wait to be merged.
    pub fn freeze(&self, csn: u64) -> Option<Frozen> {
        let guard = self.state.lock();
        let State::Loaded(loaded) = &*guard else {
            return None;
        };
        if loaded.direct.is_some() {
            return None;
        }
        loaded.writer.as_ref()?;
        let page = loaded.page_at(csn);
        let merged = loaded.body.base.words.count() as u64;
        (page.totals().0 > merged).then(|| Frozen {
            body: Arc::clone(&loaded.body),
            page,
        })
    }

    /// The merged content of a frozen section: the same lists in the same
    /// order, so that every prefix means what it meant.
    pub fn merged_image(
        &self,
        context: &Context,
        frozen: &Frozen,
    ) -> Result<SectionImage, PersistenceError> {
        frozen.body.base.verify(&context.uuid)?;
        let view = SectionView::new(Arc::clone(&frozen.body), Arc::clone(&frozen.page), None);
        let mut image = SectionImage::new();
        for list in 0..self.lists {
            let _ = view.for_each_raw_segment::<()>(list, |words, weights| {
                image.extend(words, weights);
                ControlFlow::Continue(())
            });
            image.end_list(frozen.page.tombstones(list));
        }
        Ok(image)
    }

    /// First vertex of the section.
    pub fn first_vertex(&self) -> u32 {
        self.first_vertex
    }

    /// Generation that a merge of the frozen section keeps.
    pub fn generation(frozen: &Frozen) -> u32 {
        frozen.body.generation
    }

    /// Puts a merged extent in the place of what was frozen. Entries that came
    /// since move to a new tail. Returns the extent replaced.
    pub fn replace_base(
        &self,
        context: &Context,
        frozen: Frozen,
        entry: Entry,
        extent: Arc<Extent>,
    ) -> Result<Option<Arc<Extent>>, PersistenceError> {
        let base = Base::open(&context.uuid, extent, &entry, self.first_vertex, self.lists)?;
        base.trust();
        let mut guard = self.state.lock();
        let State::Loaded(loaded) = &mut *guard else {
            unreachable!("a frozen section is loaded");
        };
        let old = Arc::clone(&loaded.body);
        let body = Body {
            generation: frozen.body.generation,
            base,
            tail: OnceLock::new(),
        };
        let newer = loaded.page.totals().0 > frozen.page.totals().0;
        loaded.writer = None;
        if newer {
            let (tail, mut writer) = Tail::new(self.lists, self.columns);
            for list in 0..self.lists {
                move_newer(&old, &frozen.page, &loaded.page, list, &tail, &mut writer);
            }
            let _ = body.tail.set(tail);
            loaded.writer = Some(writer);
        }
        loaded.body = Arc::new(body);
        Ok(old.base.extent().cloned())
    }

    /// DRAM of the section beyond its fixed part: (pages, tail).
    pub fn dram_bytes(&self) -> (usize, usize) {
        let guard = self.state.lock();
        let State::Loaded(loaded) = &*guard else {
            return (0, 0);
        };
        let page_bytes =
            |page: &LengthPage| 4 * page.len.len() * (1 + usize::from(page.tombstones.is_some()));
        let pages = page_bytes(&loaded.page)
            + loaded
                .older
                .iter()
                .map(|page| page_bytes(page))
                .sum::<usize>();
        let cursors = loaded.writer.as_ref().map_or(0, |_| 8 * self.lists);
        let tail = loaded.body.tail.get().map_or(0, Tail::bytes) + cursors;
        (pages, tail)
    }
}

impl Loaded {
    fn page_at(&self, csn: u64) -> Arc<LengthPage> {
        if self.page.csn <= csn {
            return Arc::clone(&self.page);
        }
        let older = self.older.iter().rev().find(|page| page.csn <= csn);
        Arc::clone(older.expect("pages that a registered view needs are preserved"))
    }

    /// Keeps an older page only if a needed CSN falls between it and the next.
    pub(crate) fn prune(&mut self, needed: &[u64]) {
        let mut until = self.page.csn;
        let mut kept = Vec::with_capacity(self.older.len());
        for page in self.older.drain(..).rev() {
            let from = page.csn;
            let first = needed.partition_point(|&csn| csn < from);
            if needed.get(first).is_some_and(|&csn| csn < until) {
                kept.push(page);
            }
            until = from;
        }
        kept.reverse();
        self.older = kept;
    }
}

/// Live edges to `target` in the first `len` entries of a list, of which
/// `in_place` are in the extent.
pub(crate) fn count_live(
    body: &Body,
    list: usize,
    in_place: usize,
    len: usize,
    target: u32,
) -> u64 {
    let mut count = LiveCount::default();
    let start = body.base.starts[list] as usize;
    let merged = in_place.min(len);
    count.add(body.base.words.range(start, merged), target);
    if let Some(tail) = body.tail.get() {
        let _ = tail.for_each_segment::<()>(list, len - merged, |words, _| {
            count.add(words, target);
            ControlFlow::Continue(())
        });
    }
    count.live()
}

fn move_newer(
    old: &Body,
    frozen: &LengthPage,
    now: &LengthPage,
    list: usize,
    tail: &Tail,
    writer: &mut TailWriter,
) {
    let merged = old.base.list_len(list);
    let in_tail = now.len[list] as usize - merged;
    let mut skip = frozen.len[list] as usize - merged;
    if in_tail == skip {
        return;
    }
    let old_tail = old.tail.get().expect("it holds entries");
    let _ = old_tail.for_each_segment::<()>(list, in_tail, |words, weights| {
        for (i, &word) in words.iter().enumerate().skip(skip) {
            tail.append(writer, list, word, weights.get(i).copied().unwrap_or(0));
        }
        skip = skip.saturating_sub(words.len());
        ControlFlow::Continue(())
    });
}
