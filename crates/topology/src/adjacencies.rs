//! The adjacencies of a store, by number.
//!
//! A graph of edges has one or two. A graph of relationships has two for each
//! type: `2t` holds the out-lists of type `t` and `2t + 1` its in-lists; they come
//! into being when a commit first names the type, and stay. Readers never wait for
//! that.

use std::ops::Index;
use std::sync::{Arc, OnceLock};

use evergraph_storage::SectionKey;

use crate::adjacency::{Adjacency, Shared};
use crate::front::shards::Shards;
use crate::presence::{AdjacencySet, Presence};
use crate::section::Section;
use crate::section::resources::Resources;

/// Bucket `k` holds `2^k` adjacencies, so that all have a place.
const BUCKETS: usize = 18;

/// Adjacencies of relationship types are below this.
pub(crate) const MAX_TYPED_ADJACENCIES: u32 = 2 << 16;

/// Number of the adjacency of out-lists of a relationship type.
pub fn out_adjacency(kind: u16) -> usize {
    2 * usize::from(kind)
}

/// Number of the adjacency of in-lists of a relationship type.
pub fn in_adjacency(kind: u16) -> usize {
    2 * usize::from(kind) + 1
}

type Bucket = Box<[OnceLock<Box<Adjacency>>]>;

/// Adjacencies by number; there may be gaps.
pub struct Adjacencies {
    section_shift: u32,
    columns: usize,
    shared: Arc<Shared>,
    buckets: [OnceLock<Bucket>; BUCKETS],
}

/// Bucket of a number, and the place there.
#[inline(always)]
fn locate(number: usize) -> (usize, usize) {
    let bucket = (number + 1).ilog2() as usize;
    (bucket, number + 1 - (1 << bucket))
}

impl Adjacencies {
    /// No adjacencies yet; their sections will hold `1 << section_shift` vertices.
    pub(crate) fn new(section_shift: u32, columns: usize, shards: Shards) -> Self {
        Adjacencies {
            section_shift,
            columns,
            shared: Arc::new(Shared {
                shards,
                presence: Presence::default(),
            }),
            buckets: [const { OnceLock::new() }; BUCKETS],
        }
    }

    /// The adjacency of a number, if it exists.
    #[inline(always)]
    pub fn get(&self, number: usize) -> Option<&Adjacency> {
        let (bucket, place) = locate(number);
        let bucket = self.buckets.get(bucket)?.get()?;
        bucket[place].get().map(|adjacency| &**adjacency)
    }

    /// The adjacency of a number, made if need be.
    ///
    /// # Panics
    /// If no relationship type can have it.
    pub(crate) fn reach(&self, number: usize) -> &Adjacency {
        let (bucket, place) = locate(number);
        let places = || (0..1usize << bucket).map(|_| OnceLock::new()).collect();
        let bucket = self.buckets[bucket].get_or_init(places);
        bucket[place].get_or_init(|| {
            let (shift, shared) = (self.section_shift, Arc::clone(&self.shared));
            Box::new(Adjacency::new(number as u32, shift, self.columns, shared))
        })
    }

    /// A section, if it exists.
    pub(crate) fn section(&self, key: SectionKey) -> Option<Arc<Section>> {
        self.get(key.owner as usize)?.section(key.section as usize)
    }

    /// Assignment of sections to threads.
    pub(crate) fn shards(&self) -> &Shards {
        &self.shared.shards
    }

    /// DRAM of what is known of the adjacencies that vertices have.
    pub(crate) fn presence_bytes(&self) -> usize {
        self.shared.presence.heap_bytes()
    }

    /// Returns the adjacencies that may have a list of a vertex, in any view.
    #[inline]
    pub(crate) fn of_vertex(&self, resources: &Resources, vertex: u32) -> AdjacencySet {
        let number = (vertex >> self.section_shift) as usize;
        let sections = || {
            self.iter()
                .filter_map(|a| Some((a.number(), a.section(number)?)))
        };
        let read = |note: &dyn Fn(u32, usize)| {
            for (adjacency, section) in sections() {
                let found = section.for_each_list(resources, |list| note(adjacency, list));
                if found.is_err() {
                    // Of damage those hear who read the lists.
                    (0..1 << self.section_shift).for_each(|list| note(adjacency, list));
                }
            }
        };
        let exists = || sections().next().is_some();
        (self.shared.presence).of(vertex, self.section_shift, exists, read)
    }

    /// All that exist, ascending.
    pub fn iter(&self) -> impl Iterator<Item = &Adjacency> + '_ {
        let buckets = self.buckets.iter().filter_map(OnceLock::get);
        buckets.flat_map(|bucket| bucket.iter().filter_map(OnceLock::get).map(|p| &**p))
    }

    /// Number of adjacencies that exist.
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Whether none exists.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }
}

impl Index<usize> for Adjacencies {
    type Output = Adjacency;

    /// # Panics
    /// If it does not exist: for graphs of edges, whose adjacencies always do.
    #[inline(always)]
    fn index(&self, number: usize) -> &Adjacency {
        self.get(number).expect("the adjacency exists")
    }
}

#[cfg(test)]
mod tests {
    use evergraph_storage::machine::Nodes;

    use super::*;

    #[test]
    fn adjacencies_have_gaps_and_places_up_to_the_last_type() {
        let shards = Shards::new(Some(1), Nodes::of_this_machine());
        let adjacencies = Adjacencies::new(2, 2, shards);
        assert!(adjacencies.is_empty() && adjacencies.get(0).is_none());
        let last = in_adjacency(u16::MAX);
        assert_eq!(last, MAX_TYPED_ADJACENCIES as usize - 1);
        for number in [6, last, 0, 6] {
            assert_eq!(adjacencies.reach(number).number() as usize, number);
        }
        let numbers: Vec<u32> = adjacencies.iter().map(Adjacency::number).collect();
        assert_eq!(numbers, [0, 6, last as u32]);
        assert_eq!(adjacencies.len(), 3);
        assert!(adjacencies.get(7).is_none() && adjacencies.get(usize::MAX - 1).is_none());
        assert_eq!(adjacencies[6].number(), 6);
    }
}
