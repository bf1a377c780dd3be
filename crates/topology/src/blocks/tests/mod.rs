//! Tests of the layout.

mod crashes;
mod damage;
mod figures;
mod model;
mod space;

use std::sync::Arc;

use evergraph_storage::medium::DramStorage;
use evergraph_storage::order::Flushed;
use evergraph_storage::{Entry, Extent, Medium, MediumHandle, Region, Storage};

use super::{Base, ListSource, Written};
use crate::entry::is_tombstone;
use crate::section_format::SectionImage;
use crate::volume::Volume;

const FIRST_VERTEX: u32 = 100;

/// Lists in memory: words and weights.
type Lists = Vec<Vec<(u32, u32)>>;

/// Plain lists as a source; segments of at most a few entries.
struct Source<'a> {
    lists: &'a [Vec<(u32, u32)>],
    weighted: bool,
}

impl ListSource for Source<'_> {
    fn len(&self, list: usize) -> usize {
        self.lists[list].len()
    }

    fn tombstones(&self, list: usize) -> u32 {
        let entries = self.lists[list].iter();
        entries.filter(|entry| is_tombstone(entry.0)).count() as u32
    }

    fn visit(&self, list: usize, visit: &mut dyn FnMut(&[u32], &[u32])) {
        for part in self.lists[list].chunks(1000) {
            let (words, weights): (Vec<u32>, Vec<u32>) = part.iter().copied().unzip();
            visit(&words, if self.weighted { &weights } else { &[] });
        }
    }
}

pub(crate) fn dram() -> MediumHandle {
    DramStorage::new().open("extents", true).unwrap()
}

fn volume(medium: &MediumHandle) -> Volume {
    Volume {
        region: Region::new(medium.clone(), 512, 1 << 16),
        uuid: *b"blocks-of-a-test",
    }
}

/// A volume over an empty medium.
pub(crate) fn fresh(medium: &MediumHandle) -> Volume {
    let volume = volume(medium);
    volume.region.finish_adoption();
    volume
}

/// Makes a version durable and the newest, as a checkpoint does.
fn publish(volume: &Volume, written: (Written, Flushed<()>)) -> (Arc<Base>, Entry) {
    let (written, flushed) = written;
    let entry = written.entry;
    flushed.fence(volume.region.medium()).unwrap();
    written.publishing();
    (Arc::new(written.publish()), entry)
}

/// Opens what an entry names, and nothing else in the region.
fn open(
    volume: &Volume,
    entry: &Entry,
    lists: usize,
    columns: usize,
) -> Result<Base, evergraph_storage::StorageError> {
    let index: Extent = volume.region.adopt(entry.offset, entry.len)?;
    let base = Base::open(volume, index, entry, FIRST_VERTEX, lists, columns)?;
    volume.region.finish_adoption();
    Ok(base)
}

/// The first `count` entries of a list, read as segments; weights 0 without.
fn prefix(base: &Base, list: usize, count: usize) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    let _ = base.for_each_segment::<()>(list, count, |words, weights| {
        for (i, &word) in words.iter().enumerate() {
            found.push((word, weights.get(i).copied().unwrap_or(0)));
        }
        std::ops::ControlFlow::Continue(())
    });
    found
}

fn contents(base: &Base) -> Lists {
    (0..base.lists())
        .map(|list| prefix(base, list, base.list_len(list)))
        .collect()
}

/// A packed image with the lists of any source.
fn packed_image(source: &dyn ListSource, lists: usize, columns: usize) -> SectionImage {
    let mut image = SectionImage::default();
    let lens: Vec<u32> = (0..lists).map(|list| source.len(list) as u32).collect();
    let tombstones: Vec<u32> = (0..lists).map(|list| source.tombstones(list)).collect();
    image.begin(&lens, Some(&tombstones), columns == 2);
    let (starts, words, weights) = image.columns_mut();
    for (list, &start) in starts[..lists].iter().enumerate() {
        let mut at = start as usize;
        source.visit(list, &mut |from, their_weights| {
            words[at..at + from.len()].copy_from_slice(from);
            if !weights.is_empty() {
                weights[at..at + from.len()].copy_from_slice(their_weights);
            }
            at += from.len();
        });
    }
    image
}
