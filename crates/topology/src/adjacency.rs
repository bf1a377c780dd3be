//! An adjacency: the lists of one relationship type in one direction, cut into sections.

use std::sync::Arc;

use evergraph_storage::{Needed, SectionKey, StorageError, prefetch_for_write};
use parking_lot::{Mutex, RwLock, RwLockReadGuard};
use rayon::prelude::*;

use crate::front::sharding::{ArcColumns, DEFAULT_BIAS, RangeSorter, Sharded, deal};
use crate::front::shards::Shards;
use crate::presence::Presence;
use crate::section::resources::Resources;
use crate::section::{Commits, Section};
use crate::section_view::SectionView;

/// Groups of fewer entries are applied one by one.
const SHARD_AT_LEAST: usize = 16;
/// Groups of fewer entries are applied by one thread.
const PARALLEL_AT_LEAST: usize = 1 << 14;
/// Entries for which an adjacency keeps the memory of its sharding.
const KEEP_SHARDED: usize = 1 << 20;
/// The same, of adjacencies of which there may be many.
const KEEP_SHARDED_OF_MANY: usize = 1 << 14;

/// Sections that are fetched while one is pinned, itself included, where the graph
/// is larger than memory.
const ANNOUNCED_SECTIONS: usize = 3;

/// The lists of one relationship type in one direction; a graph of edges
/// has one type. A section has a fixed number of vertices and is created with its first
/// edge.
pub struct Adjacency {
    number: u32,
    section_shift: u32,
    columns: usize,
    shared: Arc<Shared>,
    sections: RwLock<Vec<Option<Arc<Section>>>>,
    /// Memory for cutting up batches.
    sharded: Mutex<Sharded>,
}

/// State that the adjacencies of a store share.
pub struct Shared {
    /// Assignment of sections to threads.
    pub shards: Shards,
    /// Adjacencies that may have a list of a vertex.
    pub(crate) presence: Presence,
}

/// Result of applying a group to one adjacency.
#[derive(Debug, Default)]
pub struct Applied {
    /// Live edges added less those removed.
    pub balance: i64,
    /// Deletions without effect, by commit of the group.
    pub missed: Vec<u32>,
}

impl Adjacency {
    /// An empty adjacency; sections hold `1 << section_shift` vertices.
    pub fn new(number: u32, section_shift: u32, columns: usize, shared: Arc<Shared>) -> Self {
        Adjacency {
            number,
            section_shift,
            columns,
            shared,
            sections: RwLock::new(Vec::new()),
            sharded: Mutex::default(),
        }
    }

    /// The adjacency's number in the section directory.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Vertices in a section.
    pub fn section_lists(&self) -> usize {
        1 << self.section_shift
    }

    /// Puts a stored section into its place.
    pub fn insert_section(&self, number: u32, section: Section) {
        let mut sections = self.sections.write();
        if sections.len() <= number as usize {
            sections.resize_with(number as usize + 1, || None);
        }
        sections[number as usize] = Some(Arc::new(section));
    }

    /// First vertex of a section.
    pub fn first_vertex(&self, section: u32) -> u32 {
        section << self.section_shift
    }

    /// A section by number, if it exists.
    pub fn section(&self, number: usize) -> Option<Arc<Section>> {
        self.sections.read().get(number).cloned().flatten()
    }

    /// All sections that exist.
    pub fn sections(&self) -> Vec<(SectionKey, Arc<Section>)> {
        let sections = self.sections.read();
        let numbered = sections.iter().enumerate();
        numbered
            .filter_map(|(number, section)| {
                let key = SectionKey {
                    owner: self.number,
                    section: number as u32,
                };
                section.as_ref().map(|section| (key, Arc::clone(section)))
            })
            .collect()
    }

    /// Makes every section that one of the vertices needs.
    pub fn reach(&self, vertices: impl Iterator<Item = u32> + Clone) {
        let number = |vertex: u32| (vertex >> self.section_shift) as usize;
        let complete = {
            let sections = self.sections.read();
            let mut numbers = vertices.clone().map(number);
            numbers.all(|n| sections.get(n).is_some_and(Option::is_some))
        };
        if !complete {
            self.create_missing(vertices.map(number));
        }
    }

    /// The sections, for many accesses one after another.
    pub fn access(&self) -> AdjacencyAccess<'_> {
        AdjacencyAccess {
            sections: self.sections.read(),
            section_shift: self.section_shift,
        }
    }

    fn create_missing(&self, numbers: impl Iterator<Item = usize>) {
        let mut sections = self.sections.write();
        for number in numbers {
            if sections.len() <= number {
                sections.resize_with(number + 1, || None);
            }
            if sections[number].is_none() {
                let first = self.first_vertex(number as u32);
                let section = Section::empty(first, self.section_lists(), self.columns);
                sections[number] = Some(Arc::new(section));
            }
        }
    }

    /// Applies a group's entries in order (see `Section::apply`). With
    /// `reports`, some of them may be deletions whose failure is of interest.
    pub fn apply(
        &self,
        resources: &Resources,
        commits: Commits,
        needed: &Needed,
        batch: &[ArcColumns<'_>],
        reports: bool,
    ) -> Result<Applied, StorageError> {
        let edges: usize = batch.iter().map(|columns| columns.sources.len()).sum();
        if edges < SHARD_AT_LEAST {
            return self.apply_few(resources, commits, needed, batch);
        }
        let threads = if edges < PARALLEL_AT_LEAST {
            1
        } else {
            rayon::current_num_threads()
        };
        let mut sharded = self.sharded.lock();
        let extras = reports || self.columns == 2;
        sharded.scatter(batch, self.section_shift, extras, threads, DEFAULT_BIAS);
        self.create_missing_of(&sharded);
        let sections = self.sections.read();
        let shards = &self.shared.shards;
        let apply = |shard: usize, ranges: &[usize]| {
            let mut done = Applied::default();
            let mut sorter = RangeSorter::default();
            for &range in ranges {
                let range = sharded.range(range);
                sorter.for_each_section(range, self.section_shift, |number, arcs, extras| {
                    if shards.of_section(number) != shard {
                        return Ok(());
                    }
                    let section = sections[number].as_ref().expect("created above");
                    let missed = &mut done.missed;
                    done.balance +=
                        section.apply(resources, commits, needed, arcs, extras, missed)?;
                    self.shared.presence.note(self.number, number as u32, arcs);
                    Ok::<(), StorageError>(())
                })?;
            }
            Ok(done)
        };
        let shares = |shard| deal(&sharded.counts_of(shards, shard), threads);
        let lists: Vec<Vec<Vec<usize>>> = (0..shards.count()).map(shares).collect();
        let applied: Mutex<Vec<Result<Applied, StorageError>>> = Mutex::default();
        shards.drain(&lists, threads, |items| {
            let shard = items.shard();
            for ranges in items {
                let done = apply(shard, ranges);
                applied.lock().push(done);
            }
        });
        let mut all = Applied::default();
        for applied in applied.into_inner() {
            let applied = applied?;
            all.balance += applied.balance;
            all.missed.extend(applied.missed);
        }
        drop(sections);
        sharded.shrink(match self.number {
            0 | 1 => KEEP_SHARDED,
            _ => KEEP_SHARDED_OF_MANY,
        });
        Ok(all)
    }

    /// One entry after another: for groups that are not worth counting.
    fn apply_few(
        &self,
        resources: &Resources,
        commits: Commits,
        needed: &Needed,
        batch: &[ArcColumns<'_>],
    ) -> Result<Applied, StorageError> {
        let mut entries = Vec::new();
        for columns in batch {
            columns.for_each(|vertex, word, extra| entries.push((vertex, word, extra)));
        }
        self.reach(entries.iter().map(|entry| entry.0));
        let access = self.access();
        let mut done = Applied::default();
        for (vertex, word, extra) in entries {
            let (number, section, _) = access.section_of(vertex).expect("created above");
            let arc = u64::from(vertex) << 32 | u64::from(word);
            let missed = &mut done.missed;
            done.balance += section.apply(resources, commits, needed, &[arc], &[extra], missed)?;
            self.shared.presence.note(self.number, number, &[arc]);
        }
        Ok(done)
    }

    fn create_missing_of(&self, sharded: &Sharded) {
        let missing = |sections: &[Option<Arc<Section>>], number: usize| {
            sections.get(number).is_none_or(Option::is_none)
        };
        let mut numbers = Vec::new();
        {
            let sections = self.sections.read();
            sharded.for_each_section_number(self.section_shift, |number| {
                if missing(&sections, number) {
                    numbers.push(number);
                }
            });
        }
        if !numbers.is_empty() {
            self.create_missing(numbers.into_iter());
        }
    }

    /// All sections as of commit `csn`, empty where there is none; `needed` as
    /// the registry gives it after the view has registered. With `verify`, the
    /// entries are checked against their checksums first (once for each section
    /// since open), in parallel.
    pub fn views(
        &self,
        resources: &Resources,
        csn: u64,
        needed: &Needed,
        verify: bool,
    ) -> Result<Vec<SectionView>, StorageError> {
        let sections = self.sections.read().clone();
        let empty = SectionView::empty(self.section_lists());
        let fits = resources.volume.region.fits_in_memory();
        sections
            .par_iter()
            .enumerate()
            .with_min_len(64)
            .map(|(number, section)| {
                if !fits {
                    let coming = sections[number..].iter().take(ANNOUNCED_SECTIONS);
                    coming.flatten().for_each(|s| s.prefetch_for_view(verify));
                }
                let Some(section) = section else {
                    return Ok(empty.clone());
                };
                let view = section.view(resources, csn, needed)?;
                if verify {
                    view.verify(&resources.volume.uuid)?;
                }
                // A caller that takes all sections reads them more than once.
                if verify && view.is_in_pairs() {
                    return Ok(view.in_columns());
                }
                Ok(view)
            })
            .collect()
    }
}

/// The sections of an adjacency under one lock; new ones wait meanwhile.
pub struct AdjacencyAccess<'a> {
    sections: RwLockReadGuard<'a, Vec<Option<Arc<Section>>>>,
    section_shift: u32,
}

impl AdjacencyAccess<'_> {
    /// Number and section of a vertex, and its list there, if it exists.
    #[inline(always)]
    pub fn section_of(&self, vertex: u32) -> Option<(u32, &Section, usize)> {
        let number = vertex >> self.section_shift;
        let section = self.sections.get(number as usize)?.as_deref()?;
        let list = vertex & ((1 << self.section_shift) - 1);
        Some((number, section, list as usize))
    }

    /// Announces an insertion that comes some steps later: fetches the section.
    #[inline(always)]
    pub fn prefetch_section(&self, vertex: u32) {
        if let Some((_, section, _)) = self.section_of(vertex) {
            prefetch_for_write(std::ptr::from_ref(section).cast());
        }
    }
}
