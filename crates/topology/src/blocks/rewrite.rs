//! Writing a section whole: compaction, and the change from another layout.

use std::sync::{Arc, OnceLock};

use evergraph_storage::StorageError;
use evergraph_storage::order::Flushed;

use super::format::{BLOCK_HEADER_WORDS, End, IndexImage, Place, Tail, extend_crc};
use super::lineage::Version;
use super::read::Base;
use super::slabs::{Slab, Slabs};
use super::source::{Gathered, ListSource};
use super::update::{Written, too_large, write_index};
use crate::volume::Volume;

/// Identity of the section that is written, and its commit.
#[derive(Clone, Copy, Debug)]
pub struct Identity {
    /// Its first vertex.
    pub first_vertex: u32,
    /// Number of its lists.
    pub lists: usize,
    /// 2 with weights, else 1.
    pub columns: usize,
    /// Commits up to this one are in it.
    pub csn: u64,
    /// Counts rewrites that dropped entries.
    pub generation: u32,
}

impl Base {
    /// Writes all lists anew, each as one block of exactly its size, one after
    /// another in one slab. `source` gives all that is to be there; if that is
    /// less than before, the generation is another one. Nothing of the old slabs
    /// is touched: they are free when the new version is published and the last
    /// reader of the old ones is gone.
    pub fn rewrite(
        &self,
        volume: &Volume,
        csn: u64,
        generation: u32,
        source: &dyn ListSource,
    ) -> Result<(Written, Flushed<()>), StorageError> {
        let identity = Identity {
            first_vertex: self.index.first_vertex(),
            lists: self.lists(),
            columns: self.index.columns(),
            csn,
            generation,
        };
        let (mut written, flushed) = Self::write(volume, identity, source)?;
        let slabs = self.slabs.iter().map(|slab| Arc::clone(slab.extent()));
        written.replaced = slabs.chain(self.extent().cloned()).collect();
        Ok((written, flushed))
    }

    /// Writes a section that was not in this layout before. What it replaces
    /// the caller retires.
    pub fn write(
        volume: &Volume,
        identity: Identity,
        source: &dyn ListSource,
    ) -> Result<(Written, Flushed<()>), StorageError> {
        let Identity { lists, columns, .. } = identity;
        let mut image = IndexImage::empty(&volume.uuid, identity.first_vertex, lists, columns);
        image.csn = identity.csn;
        image.generation = identity.generation;
        let words = chain_lists(&mut image, source, columns)?;
        let mut fresh = Vec::new();
        let mut slabs = Slabs::default();
        let mut tokens = Vec::new();
        if !words.is_empty() {
            let draft = volume.region.allocate(4 * words.len() as u64)?;
            let (extent, flushed) = draft.finish(bytemuck::cast_slice(&words))?.split();
            tokens.push(flushed);
            fresh.push(Arc::new(extent));
            slabs.push(Slab::new(0, Arc::clone(&fresh[0])));
        }
        drop(words);
        image.slabs = slabs.iter().map(Slab::place).collect();
        let (index, entry, flushed) = write_index(volume, &image)?;
        fresh.extend(index.extent().cloned());
        let written = Written {
            entry,
            base: Base {
                index,
                slabs,
                free: Vec::new(),
                verified: OnceLock::from(()),
                version: Version::first(),
            },
            fresh,
            replaced: Vec::new(),
        };
        Ok((written, Flushed::all(tokens).and(flushed).map(|_| ())))
    }
}

/// The words of a slab with one full block a list.
fn chain_lists(
    image: &mut IndexImage,
    source: &dyn ListSource,
    columns: usize,
) -> Result<Vec<u32>, StorageError> {
    let lists = image.places.len();
    let total: u64 = (0..lists)
        .map(|list| source.len(list) as u64)
        .filter(|&len| len > 0)
        .map(|len| u64::from(BLOCK_HEADER_WORDS) + columns as u64 * len)
        .sum();
    if total >= 1 << 32 {
        return Err(too_large(image.first_vertex));
    }
    let mut words = Vec::with_capacity(total as usize);
    let mut content = Gathered::default();
    for list in 0..lists {
        let len = source.len(list);
        if len == 0 {
            continue;
        }
        content.fetch(source, list, columns);
        let address = words.len() as u32;
        words.extend([0, len as u32]);
        words.extend_from_slice(&content.words);
        words.extend_from_slice(&content.weights);
        image.places[list] = Place {
            len: len as u32,
            first: address,
        };
        let end = &mut image.ends[list];
        *end = End {
            last: address,
            tail: Tail::Full,
            crc: extend_crc(end.crc, &content.words, &content.weights),
        };
        let tombstones = source.tombstones(list);
        if tombstones > 0 {
            image.tombstones.resize(lists, 0);
            image.tombstones[list] = tombstones;
        }
    }
    Ok(words)
}
