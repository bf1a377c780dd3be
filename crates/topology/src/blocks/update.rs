//! Flushes: new entries go behind the old ones, and the index is written anew.

use std::sync::{Arc, OnceLock};

use evergraph_storage::order::Flushed;
use evergraph_storage::{Entry, Extent, StorageError, failpoint};

use super::format::{
    BLOCK_HEADER_WORDS, End, IndexImage, Place, Range, Tail, extend_crc, list_seed,
};
use super::index::Index;
use super::lineage::Attempt;
use super::pieces::Pieces;
use super::read::Base;
use super::slabs::{Slab, Slabs};
use super::source::{Gathered, ListSource};
use super::space::{BlockSize, LINE_WORDS, Space};
use crate::volume::Volume;

/// A version of a section that is written and not published.
///
/// Dropped without [`Written::publishing`], it gives back what it took, and the
/// version before can be updated again.
pub struct Written {
    /// The section's row of the directory.
    pub entry: Entry,
    pub(super) base: Base,
    /// Made for this version: free again unless it is published.
    pub(super) fresh: Vec<Arc<Extent>>,
    /// Not reached by this version.
    pub(super) replaced: Vec<Arc<Extent>>,
}

impl Written {
    /// Before durability step 4: a root may name this version from now on, so
    /// nothing of it is free, and no other update of the version before can
    /// begin, even if the publication fails.
    pub fn publishing(&self) {
        self.base.version.publishing();
        self.fresh.iter().for_each(|extent| extent.published());
    }

    /// Durability step 6, after [`Written::publishing`]: the root that names
    /// this version is durable. Readers may have it, and what only the version
    /// before named is free when its readers let go.
    ///
    /// # Panics
    /// If the version before was updated again since.
    pub fn publish(self) -> Base {
        self.base.version.publish();
        self.replaced.iter().for_each(|extent| extent.retire());
        self.base.invariants();
        self.base
    }
}

/// New entries of one list: some into its last block, the rest into a new one.
struct Change {
    list: usize,
    fill: u32,
    block: Option<(BlockSize, u32)>,
}

impl Base {
    /// Writes a version with more entries: `source` gives those that come
    /// behind what each list has, up to commit `csn`. Reads no block.
    ///
    /// The token stands for all that was written; after its fence the entry may
    /// be published.
    ///
    /// # Panics
    /// If this is not the newest version.
    pub fn append(
        &self,
        volume: &Volume,
        csn: u64,
        source: &dyn ListSource,
    ) -> Result<(Written, Flushed<()>), StorageError> {
        self.update(volume, csn, self.generation(), source, &[])
    }

    /// As [`Base::append`], and compacts some lists on the way: for those in
    /// `replaced` (ascending) `source` gives all live entries, which become one
    /// block. The blocks they had are used again by a later flush, when no
    /// reader of an older version is left. If that drops entries, the generation
    /// is another one.
    pub fn update(
        &self,
        volume: &Volume,
        csn: u64,
        generation: u32,
        source: &dyn ListSource,
        replaced: &[usize],
    ) -> Result<(Written, Flushed<()>), StorageError> {
        debug_assert!(replaced.is_sorted());
        let attempt = self.version.begin();
        let mut image = self.image(csn);
        image.generation = generation;
        // Versions are counted by this process; another may read one of before.
        let is_read_behind =
            volume.region.is_read_behind() && !failpoint!("readers.older-blocks-reused");
        let oldest_read = match is_read_behind {
            true => 0,
            false => attempt.oldest_read,
        };
        let mut space = Space::new(&self.free, oldest_read);
        if !replaced.is_empty() {
            // The headers say where the old blocks are.
            self.verify(&volume.uuid)?;
        }
        for &list in replaced {
            self.free_list(list, &mut space, attempt.number);
            image.places[list] = Place::default();
            image.ends[list] = End {
                crc: list_seed(&volume.uuid, image.first_vertex + list as u32),
                ..End::default()
            };
            if let Some(count) = image.tombstones.get_mut(list) {
                *count = 0;
            }
        }
        let columns = self.index.columns();
        let mut changes = plan(&image, source, replaced, columns)?;
        let mut slabs = self.slabs.clone();
        let fresh = place_blocks(volume, &mut changes, &mut space, &mut slabs)?
            .ok_or_else(|| too_large(image.first_vertex))?;
        let mut pieces = Pieces::default();
        let mut list = Gathered::default();
        for change in &changes {
            list.fetch(source, change.list, columns);
            write_list(&mut image, change, &list, columns, &mut pieces);
            add_tombstones(&mut image, change.list, source.tombstones(change.list));
        }
        let stored = pieces.store(&slabs)?;
        let (written, index) = self.finish(volume, &attempt, image, slabs, space, fresh)?;
        Ok((written, stored.and(index).map(|_| ())))
    }

    /// Notes the blocks of a list as free.
    fn free_list(&self, list: usize, space: &mut Space, since: u64) {
        let columns = self.index.columns();
        let place = self.index.place(list);
        let (mut address, mut left) = (place.first, place.len as usize);
        while left > 0 {
            let block = self.slabs.block(address);
            let capacity = block.capacity();
            let range = Range {
                start: address,
                words: BLOCK_HEADER_WORDS + (capacity * columns) as u32,
            };
            space.free(range, since);
            left -= left.min(capacity);
            if left > 0 {
                address = block.next();
            }
        }
    }

    /// Writes the index of the new version.
    fn finish(
        &self,
        volume: &Volume,
        attempt: &Attempt<'_>,
        mut image: IndexImage,
        slabs: Slabs,
        space: Space,
        mut fresh: Vec<Arc<Extent>>,
    ) -> Result<(Written, Flushed<()>), StorageError> {
        let free = space.into_free();
        image.slabs = slabs.iter().map(Slab::place).collect();
        image.free = free.iter().map(|free| free.range).collect();
        let (index, entry, flushed) = write_index(volume, &image)?;
        fresh.extend(index.extent().cloned());
        let verified = if self.is_verified() {
            OnceLock::from(())
        } else {
            OnceLock::new()
        };
        let written = Written {
            entry,
            base: Base {
                index,
                slabs,
                free,
                verified,
                version: attempt.version(),
            },
            fresh,
            replaced: self.extent().cloned().into_iter().collect(),
        };
        Ok((written, flushed))
    }
}

/// Writes an index and opens it.
pub(super) fn write_index(
    volume: &Volume,
    image: &IndexImage,
) -> Result<(Index, Entry, Flushed<()>), StorageError> {
    let draft = volume.region.allocate(image.encoded_len())?;
    let (words, entry) = image.encode(&volume.uuid, draft.offset());
    let (extent, flushed) = draft.finish(bytemuck::cast_slice(&words))?.split();
    let index = Index::open(
        &volume.uuid,
        &Arc::new(extent),
        &entry,
        image.first_vertex,
        image.places.len(),
        image.weighted,
    )?;
    Ok((index, entry, flushed))
}

/// A section has outgrown what its addresses or lengths can say.
pub(super) fn too_large(first_vertex: u32) -> StorageError {
    StorageError::TooLarge(format!(
        "the lists of the section at vertex {first_vertex} are too large for the layout blocks; \
         compact the database, or use the layout pma"
    ))
}

/// Changes that each list with new entries needs.
fn plan(
    image: &IndexImage,
    source: &dyn ListSource,
    replaced: &[usize],
    columns: usize,
) -> Result<Vec<Change>, StorageError> {
    let too_large = || too_large(image.first_vertex);
    let mut changes = Vec::new();
    for list in 0..image.places.len() {
        let new = u32::try_from(source.len(list)).map_err(|_| too_large())?;
        if new == 0 {
            continue;
        }
        let len = image.places[list].len.checked_add(new);
        let len = len.ok_or_else(too_large)?;
        let fill = new.min(image.ends[list].tail.room());
        let more = new - fill;
        let compacts = replaced.binary_search(&list).is_ok();
        let size = match more {
            0 => None,
            // No room ahead, but whole classes: lines stay whole.
            _ if compacts => Some(BlockSize::at_least(more, columns).ok_or_else(too_large)?),
            _ => Some(BlockSize::growing(len, more, columns).ok_or_else(too_large)?),
        };
        let block = size.map(|size| (size, 0));
        changes.push(Change { list, fill, block });
    }
    Ok(changes)
}

/// Gives each new block its address; large ones first, so that all are aligned
/// without gaps between them. Returns the slab that was made, if one was, and
/// nothing if the section's addresses do not reach so far.
fn place_blocks(
    volume: &Volume,
    changes: &mut [Change],
    space: &mut Space,
    slabs: &mut Slabs,
) -> Result<Option<Vec<Arc<Extent>>>, StorageError> {
    let mut blocks: Vec<&mut (BlockSize, u32)> = changes
        .iter_mut()
        .filter_map(|change| change.block.as_mut())
        .collect();
    blocks.sort_by_key(|block| std::cmp::Reverse(block.0.words));
    blocks.retain_mut(|block| match space.take(block.0) {
        Some(address) => {
            block.1 = address;
            false
        }
        None => true,
    });
    if blocks.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let needed: u64 = blocks.iter().map(|block| u64::from(block.0.words)).sum();
    // Growing by a quarter keeps the slabs few.
    let words = needed.max(slabs.words() / 4);
    let words = words.next_multiple_of(LINE_WORDS.into());
    // Slabs do not touch each other, or a run of words could span two.
    let base = match slabs.end() {
        0 => 0,
        end => (end + 1).next_multiple_of(LINE_WORDS.into()),
    };
    const REACH: u64 = u32::MAX as u64;
    let words = words.min(REACH.saturating_sub(base));
    if words < needed {
        return Ok(None);
    }
    let extent = Arc::new(volume.region.allocate(4 * words)?.unfilled());
    slabs.push(Slab::new(base as u32, Arc::clone(&extent)));
    space.add_slab(Range {
        start: base as u32,
        words: words as u32,
    });
    for block in blocks {
        block.1 = space.take(block.0).expect("the slab was made for it");
    }
    Ok(Some(vec![extent]))
}

/// Notes what has to be stored for one list, and how its index changes.
fn write_list(
    image: &mut IndexImage,
    change: &Change,
    list: &Gathered,
    columns: usize,
    pieces: &mut Pieces,
) {
    let place = &mut image.places[change.list];
    let end = &mut image.ends[change.list];
    let fill = change.fill as usize;
    debug_assert!(
        change.fill <= end.tail.room() && fill <= list.words.len(),
        "{fill} entries into {:?}: what a list has no room for is in a new block",
        end.tail
    );
    debug_assert!(columns == 1 || list.weights.len() == list.words.len());
    if let Tail::Partial { filled, capacity } = end.tail
        && fill > 0
    {
        let at = end.last + BLOCK_HEADER_WORDS + filled;
        pieces.add(at, &list.words[..fill]);
        if columns == 2 {
            pieces.add(at + capacity, &list.weights[..fill]);
        }
        end.tail = Tail::new(filled + change.fill, capacity);
    }
    if let Some((size, address)) = change.block {
        if place.len == 0 {
            place.first = address;
        } else {
            pieces.add(end.last, &[address]);
        }
        let weights = list.weights.get(fill..).unwrap_or(&[]);
        pieces.add_block(size, address, &list.words[fill..], weights);
        end.last = address;
        end.tail = Tail::new((list.words.len() - fill) as u32, size.capacity);
    } else {
        debug_assert_eq!(fill, list.words.len(), "some entries have no block");
    }
    place.len += list.words.len() as u32;
    end.crc = extend_crc(end.crc, &list.words, &list.weights);
}

fn add_tombstones(image: &mut IndexImage, list: usize, count: u32) {
    if count > 0 {
        let lists = image.places.len();
        image.tombstones.resize(lists, 0);
        image.tombstones[list] += count;
        debug_assert!(
            image.tombstones[list] <= image.places[list].len / 2,
            "each tombstone of list {list} cancels an entry before it"
        );
    }
}
