//! DRAM for edges that are committed and not merged yet.
//!
//! A buddy allocator with merging over bulks of memory (XPGraph's section 3.2). Each
//! thread allocates from bulks of its own shard, so that threads do not wait for each
//! other; a piece goes back to the shard it came from. Bytes in use are counted: the
//! committer that fills the pool compares them with a budget and merges.

#![allow(unsafe_code)]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use evergraph_storage::Memory;
use parking_lot::Mutex;

/// Words of the smallest piece: 256 bytes, one line of the medium.
pub(crate) const MIN_PIECE_WORDS: usize = 64;
/// Words of the first bulk of a shard; each next one is twice as large...
const FIRST_BULK_WORDS: usize = 16 << 10;
/// ...up to this, four megabytes.
const MAX_BULK_WORDS: usize = 1 << 20;
const ORDERS: usize = (MAX_BULK_WORDS / MIN_PIECE_WORDS).ilog2() as usize + 1;
const SHARDS: usize = 8;

const _: () = assert!(
    MIN_PIECE_WORDS.is_power_of_two()
        && FIRST_BULK_WORDS.is_power_of_two()
        && MAX_BULK_WORDS.is_power_of_two(),
    "a piece has one buddy, and a bulk is a piece"
);
/// Free pieces up to which each step is checked.
const WALKED_AT_MOST: usize = 32;

/// Buffers of a database.
#[derive(Debug, Default)]
pub struct BufferPool {
    shards: [Mutex<Shard>; SHARDS],
    /// Words handed out.
    used: AtomicUsize,
    /// Words of all bulks.
    held: AtomicUsize,
}

#[derive(Debug, Default)]
struct Shard {
    bulks: Vec<Option<Bulk>>,
    /// Free pieces of each order: bulk, first word. Low ones are used first, so
    /// that later bulks drain and go back to the system.
    free: [BTreeSet<(u32, u32)>; ORDERS],
    next_bulk_words: usize,
}

#[derive(Debug)]
struct Bulk {
    memory: Arc<Memory>,
    used_words: usize,
}

/// Words of the pool that belong to one owner, and go back when it drops them.
#[derive(Debug)]
pub struct Piece {
    pool: Arc<BufferPool>,
    memory: Arc<Memory>,
    first: u32,
    words: u32,
    shard: u8,
    /// Bulk in the shard; [`OWN_MEMORY`] for a piece larger than a bulk.
    bulk: u32,
}

const OWN_MEMORY: u32 = u32::MAX;

/// A piece that one thread stores to while others read what it has published.
#[derive(Debug)]
pub struct SharedPiece {
    /// The words of `piece`, found without going through its memory.
    start: *const AtomicU32,
    count: usize,
    _piece: Piece,
}

// SAFETY: a `SharedPiece` is a shared slice of atomics and the piece that keeps
// them; `&[AtomicU32]` and `Piece` are `Send`.
unsafe impl Send for SharedPiece {}
// SAFETY: as above; `&[AtomicU32]` is `Sync`.
unsafe impl Sync for SharedPiece {}

fn order_of(words: usize) -> usize {
    (words / MIN_PIECE_WORDS).ilog2() as usize
}

/// The shard of this thread.
fn own_shard() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static SHARD: usize = NEXT.fetch_add(1, Ordering::Relaxed) % SHARDS;
    }
    SHARD.with(|shard| *shard)
}

impl BufferPool {
    /// An empty pool.
    pub fn new() -> Arc<Self> {
        Arc::new(BufferPool::default())
    }

    /// Bytes handed out.
    pub fn used_bytes(&self) -> usize {
        4 * self.used.load(Ordering::Relaxed)
    }

    /// Bytes that the pool has from the system.
    pub fn held_bytes(&self) -> usize {
        4 * self.held.load(Ordering::Relaxed)
    }

    /// At least `words` words, rounded up to a power of two. Their content is
    /// whatever was there before.
    ///
    /// # Panics
    /// If the process has no address space left.
    pub fn take(self: &Arc<Self>, words: usize) -> Piece {
        let words = words.max(MIN_PIECE_WORDS).next_power_of_two();
        self.used.fetch_add(words, Ordering::Relaxed);
        if words > MAX_BULK_WORDS {
            return self.own_memory(words);
        }
        let number = own_shard();
        let mut shard = self.shards[number].lock();
        let (bulk, first) = match shard.take(order_of(words)) {
            Some(found) => found,
            None => {
                let added = shard.add_bulk(words);
                self.held.fetch_add(added, Ordering::Relaxed);
                shard.take(order_of(words)).expect("a bulk was added")
            }
        };
        let home = shard.bulks[bulk as usize]
            .as_ref()
            .expect("it has free words");
        Piece {
            pool: Arc::clone(self),
            memory: Arc::clone(&home.memory),
            first,
            words: words as u32,
            shard: number as u8,
            bulk,
        }
    }

    fn own_memory(self: &Arc<Self>, words: usize) -> Piece {
        self.held.fetch_add(words, Ordering::Relaxed);
        Piece {
            pool: Arc::clone(self),
            memory: Arc::new(memory(words)),
            first: 0,
            words: u32::try_from(words).expect("a piece is below 16 GiB"),
            shard: 0,
            bulk: OWN_MEMORY,
        }
    }

    fn give(&self, piece: &Piece) {
        let words = piece.words as usize;
        self.used.fetch_sub(words, Ordering::Relaxed);
        if piece.bulk == OWN_MEMORY {
            self.held.fetch_sub(words, Ordering::Relaxed);
            return;
        }
        let mut shard = self.shards[usize::from(piece.shard)].lock();
        let returned = shard.give(piece.bulk, piece.first, order_of(words));
        self.held.fetch_sub(returned, Ordering::Relaxed);
    }
}

fn memory(words: usize) -> Memory {
    Memory::zeroed(words).expect("address space for buffers")
}

impl Shard {
    /// The lowest free piece of an order, split off a larger one if need be.
    fn take(&mut self, order: usize) -> Option<(u32, u32)> {
        let found = (order..ORDERS).find(|&o| !self.free[o].is_empty())?;
        let (bulk, first) = self.free[found].pop_first()?;
        for half in (order..found).rev() {
            self.free[half].insert((bulk, first + piece_words(half)));
        }
        if let Some(home) = &mut self.bulks[bulk as usize] {
            home.used_words += piece_words(order) as usize;
        }
        self.invariants();
        Some((bulk, first))
    }

    /// Panics in debug builds if bulks and free pieces contradict each other, as
    /// far as it is cheap to see.
    fn invariants(&self) {
        let pieces: usize = self.free.iter().map(BTreeSet::len).sum();
        if !cfg!(debug_assertions) || pieces > WALKED_AT_MOST {
            return;
        }
        let mut free = vec![0; self.bulks.len()];
        for (order, pieces) in self.free.iter().enumerate() {
            let words = piece_words(order);
            for &(bulk, first) in pieces {
                free[bulk as usize] += words as usize;
                assert!(
                    first.is_multiple_of(words),
                    "a free piece of {words} words at {first}"
                );
                let is_whole = self.bulks[bulk as usize]
                    .as_ref()
                    .is_some_and(|home| home.memory.words().len() == words as usize);
                assert!(
                    is_whole || !pieces.contains(&(bulk, first ^ words)),
                    "two free buddies of {words} words at {first} are not one piece"
                );
            }
        }
        for (bulk, free) in self.bulks.iter().zip(free) {
            let words = bulk.as_ref().map_or(0, |bulk| bulk.memory.words().len());
            let used = bulk.as_ref().map_or(0, |bulk| bulk.used_words);
            assert_eq!(used + free, words, "used and free words make up a bulk");
        }
    }

    /// Adds a bulk that has room for `words`; returns its words.
    fn add_bulk(&mut self, words: usize) -> usize {
        let bulk_words = self.next_bulk_words.max(FIRST_BULK_WORDS).max(words);
        self.next_bulk_words = (2 * bulk_words).min(MAX_BULK_WORDS);
        let bulk = Bulk {
            memory: Arc::new(memory(bulk_words)),
            used_words: 0,
        };
        let number = match self.bulks.iter().position(Option::is_none) {
            Some(empty) => empty,
            None => {
                self.bulks.push(None);
                self.bulks.len() - 1
            }
        };
        self.bulks[number] = Some(bulk);
        self.free[order_of(bulk_words)].insert((number as u32, 0));
        bulk_words
    }

    /// Takes a piece back and merges it with its free buddies. A bulk that is
    /// free as a whole goes back to the system, unless it is the shard's last;
    /// returns its words then, else 0.
    fn give(&mut self, bulk: u32, first: u32, order: usize) -> usize {
        let home = self.bulks[bulk as usize].as_mut().expect("its piece is");
        home.used_words -= piece_words(order) as usize;
        let bulk_words = home.memory.words().len();
        let unused = home.used_words == 0;
        let (mut first, mut order) = (first, order);
        while (piece_words(order) as usize) < bulk_words {
            let buddy = first ^ piece_words(order);
            if !self.free[order].remove(&(bulk, buddy)) {
                break;
            }
            first = first.min(buddy);
            order += 1;
        }
        if unused && self.bulks.iter().flatten().count() > 1 {
            self.bulks[bulk as usize] = None;
            self.invariants();
            return bulk_words;
        }
        let is_new = self.free[order].insert((bulk, first));
        debug_assert!(is_new, "a piece is given back once");
        self.invariants();
        0
    }
}

fn piece_words(order: usize) -> u32 {
    (MIN_PIECE_WORDS << order) as u32
}

impl Piece {
    fn atomics(&self) -> &[AtomicU32] {
        let first = self.first as usize;
        &self.memory.words()[first..first + self.words as usize]
    }

    /// The words.
    #[inline(always)]
    pub fn words(&self) -> &[u32] {
        let atomics = self.atomics();
        // SAFETY: `AtomicU32` has the layout of `u32`. The range belongs to this
        // piece alone: the pool hands no word out twice, and gives the memory
        // back only after the piece. The only way to store is `words_mut`, which
        // excludes this borrow; `share` takes the piece away.
        unsafe { std::slice::from_raw_parts(atomics.as_ptr().cast(), atomics.len()) }
    }

    /// The words, to store to.
    #[inline(always)]
    pub fn words_mut(&mut self) -> &mut [u32] {
        let atomics = self.atomics();
        // SAFETY: as in `words`; `&mut self` makes this the only borrow. The
        // words are in `UnsafeCell`s, so a shared reference to the atomics may
        // be the origin of the pointer.
        unsafe { std::slice::from_raw_parts_mut(atomics.as_ptr().cast_mut().cast(), atomics.len()) }
    }

    /// Lets others read while one thread stores.
    pub fn share(self) -> SharedPiece {
        let words = self.atomics();
        SharedPiece {
            start: words.as_ptr(),
            count: words.len(),
            _piece: self,
        }
    }
}

impl SharedPiece {
    /// The words.
    #[inline(always)]
    pub fn words(&self) -> &[AtomicU32] {
        // SAFETY: `share` took start and count from a slice of the piece's
        // memory, which does not move and lives as long as the piece.
        unsafe { std::slice::from_raw_parts(self.start, self.count) }
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        self.pool.give(self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn whole_bulks_come_back_together() {
        let pool = BufferPool::new();
        let pieces: Vec<Piece> = (0..1000).map(|_| pool.take(100)).collect();
        assert_eq!(pool.used_bytes(), 1000 * 128 * 4);
        drop(pieces);
        assert_eq!(pool.used_bytes(), 0);
        // Merged again: one piece takes what a thousand had.
        let held = pool.held_bytes();
        let whole = pool.take(held / 4);
        assert_eq!(pool.held_bytes(), held);
        drop(whole);
    }

    #[test]
    fn a_piece_larger_than_a_bulk_has_memory_of_its_own() {
        let pool = BufferPool::new();
        let mut piece = pool.take(MAX_BULK_WORDS + 1);
        assert_eq!(piece.words().len(), 2 * MAX_BULK_WORDS);
        piece.words_mut()[2 * MAX_BULK_WORDS - 1] = 7;
        assert_eq!(pool.held_bytes(), 8 * MAX_BULK_WORDS);
        drop(piece);
        assert_eq!((pool.held_bytes(), pool.used_bytes()), (0, 0));
    }

    proptest! {
        /// No word belongs to two pieces, whatever is taken and given back.
        #[test]
        fn pieces_never_overlap(steps in proptest::collection::vec((1usize..3000, any::<bool>(), any::<usize>()), 1..200)) {
            let pool = BufferPool::new();
            let mut pieces: Vec<(u32, Piece)> = Vec::new();
            for (stamp, (words, take, which)) in steps.into_iter().enumerate() {
                if take || pieces.is_empty() {
                    let mut piece = pool.take(words);
                    prop_assert!(piece.words().len() >= words);
                    piece.words_mut().fill(stamp as u32);
                    pieces.push((stamp as u32, piece));
                } else {
                    let at = which % pieces.len();
                    pieces.swap_remove(at);
                }
                for (stamp, piece) in &pieces {
                    prop_assert!(piece.words().iter().all(|word| word == stamp));
                }
                let used: usize = pieces.iter().map(|(_, piece)| 4 * piece.words().len()).sum();
                prop_assert_eq!(pool.used_bytes(), used);
            }
        }
    }

    fn shard() -> Shard {
        let mut shard = Shard::default();
        shard.add_bulk(MIN_PIECE_WORDS);
        shard.take(0).unwrap();
        shard
    }

    #[test]
    #[should_panic(expected = "make up a bulk")]
    fn a_lost_piece_is_noticed() {
        let mut shard = shard();
        shard.free[3].clear();
        shard.invariants();
    }

    #[test]
    #[should_panic(expected = "are not one piece")]
    fn buddies_apart_are_noticed() {
        let mut shard = shard();
        shard.free[0].insert((0, 0));
        shard.invariants();
    }

    #[test]
    #[should_panic(expected = "a free piece of")]
    fn pieces_begin_at_multiples_of_themselves() {
        let mut shard = shard();
        shard.free[1].insert((0, 64));
        shard.invariants();
    }
}
