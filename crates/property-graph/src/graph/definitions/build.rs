//! Building indexes, and holding records to constraints: any number of them in one
//! pass over the nodes and one over the relationships, chunks in parallel.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use crate::graph::core::Core;
use crate::graph::error::GraphError;
use crate::graph::read::records::Records;
use crate::graph::read::tabled::Tabled;
use crate::graph::schema::{Broken, Entry};
use crate::graph::view::View;
use crate::index::{Collector, KeyRange, Sorted, key};
use crate::record::{Found, NodeRecord, RelationshipRecord};
use crate::transaction::Interrupt;
use crate::value::Value;

/// Parts of a table for each thread: those that are read faster leave more to the
/// others.
const PARTS_A_THREAD: usize = 4;

/// Looks at all records that some entries are about, and builds their indexes. After
/// an error some of them may have been built; an interrupt is one.
pub(in crate::graph) fn build(
    core: &Arc<Core>,
    entries: &[Arc<Entry>],
    interrupt: Option<&dyn Interrupt>,
) -> Result<(), GraphError> {
    let view = View::latest(core);
    Pass::<NodeRecord>::new(&view, entries).build(interrupt)?;
    Pass::<RelationshipRecord>::new(&view, entries).build(interrupt)
}

/// Checks writes since [`build`], as far as they are visible, against the entries whose
/// values have to be unique, and returns the number of keys. Costs one lookup for each;
/// for an entry whose index cannot answer, one pass over the records.
pub(in crate::graph) fn check_written(
    core: &Arc<Core>,
    entries: &[Arc<Entry>],
) -> Result<usize, GraphError> {
    let view = View::latest(core);
    let nodes = Pass::<NodeRecord>::new(&view, entries).check_written()?;
    let relationships = Pass::<RelationshipRecord>::new(&view, entries).check_written()?;
    Ok(nodes + relationships)
}

/// A pass over one kind of records.
struct Pass<'a, R> {
    view: &'a View,
    entries: Vec<&'a Entry>,
    of: std::marker::PhantomData<fn(R)>,
}

/// Entries gathered for each index; `None` for a definition that has no index.
type Gathered = Vec<Option<Collector>>;

impl<'a, R: Tabled> Pass<'a, R> {
    fn new(view: &'a View, entries: &'a [Arc<Entry>]) -> Self {
        let entries = entries.iter().map(|entry| &**entry);
        Pass {
            view,
            entries: entries.filter(|entry| entry.is_about_any::<R>()).collect(),
            of: std::marker::PhantomData,
        }
    }

    fn build(&self, interrupt: Option<&dyn Interrupt>) -> Result<(), GraphError> {
        if self.entries.is_empty() {
            return Ok(());
        }
        for (entry, collector) in self.entries.iter().zip(self.gather_all(interrupt)?) {
            if let Some(collector) = collector {
                self.build_one(entry, &collector.sorted())?;
            }
        }
        Ok(())
    }

    fn gather_all(&self, interrupt: Option<&dyn Interrupt>) -> Result<Gathered, GraphError> {
        let chunks = R::table(self.view.core()).chunk_count();
        let parts = rayon::current_num_threads() * PARTS_A_THREAD;
        let size = chunks.div_ceil(parts as u32).max(1);
        let parts: Vec<Range<u32>> = (0..chunks)
            .step_by(size as usize)
            .map(|first| first..chunks.min(first.saturating_add(size)))
            .collect();
        let parts: Vec<Gathered> = parts
            .into_par_iter()
            .map(|chunks| self.gather(chunks, interrupt))
            .collect::<Result<_, GraphError>>()?;
        let mut parts = parts.into_iter();
        let mut all = parts.next().unwrap_or_else(|| self.nothing());
        for part in parts {
            for (all, part) in all.iter_mut().zip(part) {
                if let (Some(all), Some(part)) = (all, part) {
                    all.append(part);
                }
            }
        }
        Ok(all)
    }

    fn nothing(&self) -> Gathered {
        let collector = |entry: &&Entry| Some(entry.index.as_ref()?.collector());
        self.entries.iter().map(collector).collect()
    }

    fn gather(
        &self,
        chunks: Range<u32>,
        interrupt: Option<&dyn Interrupt>,
    ) -> Result<Gathered, GraphError> {
        let mut gathered = self.nothing();
        let table = R::table(self.view.core());
        for chunk in chunks {
            if interrupt.is_some_and(Interrupt::is_wanted) {
                return Err(GraphError::Cancelled);
            }
            table.try_for_each_in_chunk(chunk, self.view.csn(), |id, found| {
                self.take(id, found, &mut gathered)
            })?;
        }
        Ok(gathered)
    }

    /// Holds a record to the entries that are about it.
    fn take(
        &self,
        id: u32,
        found: &Found<'_, R>,
        gathered: &mut Gathered,
    ) -> Result<(), GraphError> {
        let marks = R::marks(found)?;
        for (entry, collector) in self.entries.iter().zip(gathered) {
            if !R::is_marked(&marks, entry.stored.subject) {
                continue;
            }
            let values = entry.stored.keys.iter().map(|&key| found.property(key));
            let values: Vec<Option<Value>> = values.collect::<Result<_, _>>()?;
            let all = values.iter().map(Option::as_ref);
            if let Some(what) = entry.wrong_values(all.clone()) {
                let dictionary = self.view.dictionary();
                return Err(entry.violated::<R>(dictionary, id, all, what));
            }
            let all: Option<Vec<&Value>> = values.iter().map(Option::as_ref).collect();
            if let (Some(collector), Some(key)) = (collector, all.and_then(key::encode)) {
                collector.push(&key, id);
            }
        }
        Ok(())
    }

    fn build_one(&self, entry: &Entry, entries: &Sorted) -> Result<(), GraphError> {
        if entry.stored.rule.is_unique() {
            self.check_unique(entry, entries)?;
        }
        let place = self.view.core().state.schema.place();
        if let (Some(index), Some((region, uuid))) = (&entry.index, place) {
            index.build(self.view.csn(), &region, &uuid, entries)?;
        }
        Ok(())
    }

    fn check_unique(&self, entry: &Entry, entries: &Sorted) -> Result<(), GraphError> {
        let mut shared = entries.ids_of_shared_keys();
        shared.try_for_each(|ids| self.check_different(entry, ids))
    }

    /// Whether no two of some records have the same key: keys that were cut may differ
    /// behind the cut.
    fn check_different(
        &self,
        entry: &Entry,
        ids: impl IntoIterator<Item = u32>,
    ) -> Result<(), GraphError> {
        let mut seen = HashMap::new();
        for id in ids {
            let Some(record) = R::of_view(self.view, id)? else {
                continue;
            };
            let key = entry.key_of(&*record);
            if let Some(first) = key.and_then(|key| seen.insert(key, id)) {
                let what = Broken::SameValues(R::entity(first));
                let (dictionary, values) = (self.view.dictionary(), entry.values_of(&*record));
                return Err(entry.violated::<R>(dictionary, id, values, what));
            }
        }
        Ok(())
    }

    fn check_written(&self) -> Result<usize, GraphError> {
        let mut checked = 0;
        for entry in &self.entries {
            let keys = entry.take_unchecked(self.view.csn());
            checked += keys.len();
            if !self.check_by_index(entry, &keys)? {
                self.check_by_scan(entry, keys)?;
            }
        }
        Ok(checked)
    }

    /// `false` if the index cannot answer: it was damaged, or a checkpoint that began
    /// before it was built goes on.
    fn check_by_index(&self, entry: &Entry, keys: &[Vec<u8>]) -> Result<bool, GraphError> {
        for key in keys {
            let Some(ids) = self.view.candidates(entry, &KeyRange::exactly(key))? else {
                return Ok(false);
            };
            self.check_different(entry, ids)?;
        }
        Ok(true)
    }

    fn check_by_scan(&self, entry: &Entry, keys: Vec<Vec<u8>>) -> Result<(), GraphError> {
        let keys: HashSet<Vec<u8>> = keys.into_iter().collect();
        let mut ids = Vec::new();
        for found in Records::<R>::of_view(self.view, Some(entry.stored.subject)) {
            let (id, record) = found?;
            let key = entry.key_of(&*record);
            ids.extend(key.filter(|key| keys.contains(key)).map(|_| id));
        }
        self.check_different(entry, ids)
    }
}
