//! The library's index, with what it asks of its callers: room reserved before
//! anything is added, and no more threads at once than it was told of.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex as StdMutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use parking_lot::{Condvar, Mutex};
use usearch::{Index, IndexOptions, MetricKind, ScalarKind};

use crate::vector::definition::{Metric, VectorDefinition};
use crate::vector::error::VectorError;
use crate::vector::items::Key;

/// Neighbors of each vector on the lowest level are twice as many.
const CONNECTIVITY: usize = 16;
/// Candidates while a vector is added, and while one is looked for: what recall costs.
const EXPANSION_ADD: usize = 128;
const EXPANSION_SEARCH: usize = 128;

/// Vectors that may take all the places of neighbors that one has.
const EQUALS: usize = 2 * CONNECTIVITY;

/// Vectors that are not worth a thread.
const ALONE: usize = 8;

fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Vectors by key.
pub(crate) struct Library {
    index: Index,
    dimensions: usize,
    /// Threads that may still call the library.
    free: Mutex<usize>,
    freed: Condvar,
    threads: usize,
}

fn failed(error: impl std::fmt::Display) -> VectorError {
    VectorError::Library(error.to_string())
}

impl Library {
    /// An index without vectors.
    pub(crate) fn new(definition: &VectorDefinition) -> Result<Self, VectorError> {
        let options = IndexOptions {
            dimensions: definition.dimensions,
            metric: match definition.metric {
                Metric::Cosine => MetricKind::Cos,
                Metric::Euclidean => MetricKind::L2sq,
                Metric::InnerProduct => MetricKind::IP,
            },
            quantization: ScalarKind::F32,
            connectivity: CONNECTIVITY,
            expansion_add: EXPANSION_ADD,
            expansion_search: EXPANSION_SEARCH,
            multi: false,
        };
        let threads = cores().max(16);
        let library = Library {
            index: Index::new(&options).map_err(failed)?,
            dimensions: definition.dimensions,
            free: Mutex::new(threads),
            freed: Condvar::new(),
            threads,
        };
        library.reserve(1024)?;
        Ok(library)
    }

    /// An index as [`Library::write`] gave it.
    pub(crate) fn of_bytes(
        definition: &VectorDefinition,
        bytes: &[u8],
    ) -> Result<Self, VectorError> {
        let library = Self::new(definition)?;
        library.index.load_from_buffer(bytes).map_err(failed)?;
        if library.index.dimensions() != definition.dimensions {
            return Err(failed("the stored index has other dimensions"));
        }
        library.reserve(library.index.capacity())?;
        Ok(library)
    }

    /// Appends all of it to some bytes, behind its length in eight of them.
    pub(crate) fn write(&self, bytes: &mut Vec<u8>) -> Result<(), VectorError> {
        let length = self.index.serialized_length();
        bytes.extend((length as u64).to_le_bytes());
        let start = bytes.len();
        bytes.resize(start + length, 0);
        self.index
            .save_to_buffer(&mut bytes[start..])
            .map_err(failed)
    }

    fn reserve(&self, capacity: usize) -> Result<(), VectorError> {
        let reserved = self
            .index
            .reserve_capacity_and_threads(capacity, self.threads);
        reserved.map_err(failed)
    }

    /// Vectors in it.
    pub(crate) fn len(&self) -> usize {
        self.index.size()
    }

    /// Adds vectors with new keys, on a thread for each core. They are threads of its
    /// own: a thread of a pool, which the caller's may be, takes up other work while it
    /// waits for a share of its own, for example a search that waits for the index.
    /// `&mut` keeps other users out meanwhile.
    pub(crate) fn add(&mut self, vectors: &[(Key, Vec<f32>)]) -> Result<(), VectorError> {
        let wanted = self.len() + vectors.len();
        if wanted > self.index.capacity() {
            self.reserve(wanted.next_power_of_two())?;
        }
        let index = &self.index;
        let add = |(key, vector): &(Key, Vec<f32>)| index.add(*key, vector).map_err(failed);
        let threads = cores().min(self.threads).min(vectors.len() / ALONE);
        if threads < 2 {
            return vectors.iter().try_for_each(add);
        }
        let next = AtomicUsize::new(0);
        let share = || {
            let taken = || vectors.get(next.fetch_add(1, Ordering::Relaxed));
            std::iter::from_fn(taken).try_for_each(add)
        };
        thread::scope(|scope| {
            // Threads that the system does not start leave more to the others.
            let start = || thread::Builder::new().spawn_scoped(scope, share).ok();
            let shares: Vec<_> = (1..threads).map_while(|_| start()).collect();
            let joined = shares.into_iter().map(|share| match share.join() {
                Ok(added) => added,
                Err(panic) => resume_unwind(panic),
            });
            share().and(joined.collect())
        })
    }

    /// Removes vectors; of keys that it has not, nothing.
    pub(crate) fn remove(&mut self, keys: &[Key]) -> Result<(), VectorError> {
        for &key in keys {
            self.index.remove(key).map_err(failed)?;
        }
        Ok(())
    }

    /// The vector of a key.
    pub(crate) fn get(&self, key: Key) -> Result<Option<Vec<f32>>, VectorError> {
        let mut vector = vec![0.0; self.dimensions];
        let found = self.index.get(key, &mut vector).map_err(failed)?;
        Ok((found > 0).then_some(vector))
    }

    /// Keys of the vectors nearest to another, the nearest first: each is measured.
    pub(crate) fn nearest(&self, query: &[f32], count: usize) -> Result<Vec<Key>, VectorError> {
        let _permit = self.permit();
        let found = self.index.exact_search(query, count).map_err(failed)?;
        Ok(found.keys)
    }

    /// Keys of vectors near to another, the nearest first, of those that `keep` takes;
    /// `None` if so many are equally far that the walk may have found no way from them to
    /// others: all neighbors of a vector may be its equals.
    pub(crate) fn near(
        &self,
        query: &[f32],
        count: usize,
        keep: Option<&dyn Fn(Key) -> bool>,
    ) -> Result<Option<Vec<Key>>, VectorError> {
        let _permit = self.permit();
        let count = count.max(2 * EQUALS);
        let matches = match keep {
            None => self.index.search(query, count).map_err(failed)?,
            Some(keep) => self.near_of(query, count, keep)?,
        };
        let mut runs = matches.distances.chunk_by(|one, other| one == other);
        let is_crowded = runs.any(|run| run.len() >= EQUALS);
        Ok((!is_crowded).then_some(matches.keys))
    }

    /// The library is of another language, through which nothing may unwind.
    fn near_of(
        &self,
        query: &[f32],
        count: usize,
        keep: &dyn Fn(Key) -> bool,
    ) -> Result<usearch::ffi::Matches, VectorError> {
        let panicked = StdMutex::new(None);
        let caught = |key| match catch_unwind(AssertUnwindSafe(|| keep(key))) {
            Ok(keeps) => keeps,
            Err(panic) => {
                if let Ok(mut panicked) = panicked.lock() {
                    *panicked = Some(panic);
                }
                false
            }
        };
        let found = self.index.filtered_search(query, count, caught);
        match panicked.into_inner() {
            Ok(Some(panic)) => resume_unwind(panic),
            _ => found.map_err(failed),
        }
    }

    /// Waits until one thread less calls the library than it was told of.
    fn permit(&self) -> Permit<'_> {
        let mut free = self.free.lock();
        while *free == 0 {
            self.freed.wait(&mut free);
        }
        *free -= 1;
        Permit(self)
    }
}

/// The right to call the library.
struct Permit<'a>(&'a Library);

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        *self.0.free.lock() += 1;
        self.0.freed.notify_one();
    }
}
