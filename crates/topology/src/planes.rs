//! The planes of a store, by number.
//!
//! A graph of edges has one or two. A graph of relationships has two for each
//! type: `2t` holds the out-lists of type `t` and `2t + 1` its in-lists; they come
//! into being when a commit first names the type, and stay. Readers never wait for
//! that.

use std::ops::Index;
use std::sync::OnceLock;

use crate::plane::Plane;

/// Bucket `k` holds `2^k` planes, so that all have a place.
const BUCKETS: usize = 18;

/// Planes of relationship types are below this.
pub(crate) const MAX_TYPED_PLANES: u32 = 2 << 16;

/// Number of the plane of out-lists of a relationship type.
pub fn out_plane(kind: u16) -> usize {
    2 * usize::from(kind)
}

/// Number of the plane of in-lists of a relationship type.
pub fn in_plane(kind: u16) -> usize {
    2 * usize::from(kind) + 1
}

type Bucket = Box<[OnceLock<Box<Plane>>]>;

/// Planes by number; there may be gaps.
pub struct Planes {
    section_shift: u32,
    columns: usize,
    buckets: [OnceLock<Bucket>; BUCKETS],
}

/// Bucket of a number, and the place there.
#[inline(always)]
fn locate(number: usize) -> (usize, usize) {
    let bucket = (number + 1).ilog2() as usize;
    (bucket, number + 1 - (1 << bucket))
}

impl Planes {
    /// No planes yet; their sections will hold `1 << section_shift` vertices.
    pub(crate) fn new(section_shift: u32, columns: usize) -> Self {
        Planes {
            section_shift,
            columns,
            buckets: [const { OnceLock::new() }; BUCKETS],
        }
    }

    /// The plane of a number, if it exists.
    #[inline(always)]
    pub fn get(&self, number: usize) -> Option<&Plane> {
        let (bucket, place) = locate(number);
        let bucket = self.buckets.get(bucket)?.get()?;
        bucket[place].get().map(|plane| &**plane)
    }

    /// The plane of a number, made if need be.
    ///
    /// # Panics
    /// If no relationship type can have it.
    pub(crate) fn reach(&self, number: usize) -> &Plane {
        let (bucket, place) = locate(number);
        let places = || (0..1usize << bucket).map(|_| OnceLock::new()).collect();
        let bucket = self.buckets[bucket].get_or_init(places);
        bucket[place].get_or_init(|| {
            let plane = Plane::new(number as u32, self.section_shift, self.columns);
            Box::new(plane)
        })
    }

    /// All that exist, ascending.
    pub fn iter(&self) -> impl Iterator<Item = &Plane> + '_ {
        let buckets = self.buckets.iter().filter_map(OnceLock::get);
        buckets.flat_map(|bucket| bucket.iter().filter_map(OnceLock::get).map(|p| &**p))
    }

    /// How many exist.
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Whether none exists.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }
}

impl Index<usize> for Planes {
    type Output = Plane;

    /// # Panics
    /// If it does not exist: for graphs of edges, whose planes always do.
    #[inline(always)]
    fn index(&self, number: usize) -> &Plane {
        self.get(number).expect("the plane exists")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_have_gaps_and_places_up_to_the_last_type() {
        let planes = Planes::new(2, 2);
        assert!(planes.is_empty() && planes.get(0).is_none());
        let last = in_plane(u16::MAX);
        assert_eq!(last, MAX_TYPED_PLANES as usize - 1);
        for number in [6, last, 0, 6] {
            assert_eq!(planes.reach(number).number() as usize, number);
        }
        let numbers: Vec<u32> = planes.iter().map(Plane::number).collect();
        assert_eq!(numbers, [0, 6, last as u32]);
        assert_eq!(planes.len(), 3);
        assert!(planes.get(7).is_none() && planes.get(usize::MAX - 1).is_none());
        assert_eq!(planes[6].number(), 6);
    }
}
