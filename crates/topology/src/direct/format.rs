//! How a section lies in its extent in direct mode.
//!
//! | bytes | what |
//! |---|---|
//! | 64 | header |
//! | 4·(lists + 1) | first slot of each list; one past the last pivot-to-be |
//! | 4·lists | entries of each list when the extent was written |
//! | 4·capacity | lists: pivot, entries, gap |
//! | 8·slots | edge log |
//!
//! All but gaps, later entries and the log is under the header's checksum. A
//! later entry is one word of four bytes, valid because it is no gap; a log
//! entry of eight carries its own check.
//!
//! With weights a slot is a pair, the word and behind it the weight's bits, in
//! eight aligned bytes: so one store is still the commit. A log entry is two
//! checked words then, one for the word and one for the weight, and counts only
//! if both are there.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use evergraph_storage::layout::{Field, WALKED_AT_MOST, tiles};
use evergraph_storage::{Extent, Uuid, Words};

use super::DirectParameters;
use crate::entry::{GAP, PIVOT};
use crate::section_format::Base;

pub(super) const MAGIC: u32 = 0x5249_4445; // "EDIR"
pub(super) const HEADER_WORDS: usize = 16;

// Fields of the header, in words; the others are zero.
pub(super) const MAGIC_AT: Field = (0, 1);
pub(super) const FLAGS: Field = (1, 1);
pub(super) const FIRST_VERTEX: Field = (2, 1);
pub(super) const LISTS: Field = (3, 1);
pub(super) const CAPACITY: Field = (4, 1);
pub(super) const LOG_SLOTS: Field = (5, 1);
pub(super) const CRC: Field = (9, 1);
const _: () = assert!(tiles(
    &[
        MAGIC_AT,
        FLAGS,
        FIRST_VERTEX,
        LISTS,
        CAPACITY,
        LOG_SLOTS,
        (6, 3),
        CRC,
        (10, 6)
    ],
    HEADER_WORDS
));
/// Bytes of the checksum, which does not cover itself.
const CRC_BYTES: std::ops::Range<usize> = 4 * CRC.0..4 * (CRC.0 + CRC.1);

pub(super) const FLAG_WEIGHTS: u32 = 1;
pub(super) const FILE: &str = "extents";
/// Marks a used log entry. Two bits, so that no single flipped bit makes an
/// entry of an unused slot.
pub(super) const LOG_USED: u64 = 1 << 63 | 1 << 47;
/// Bits of the list's number in a log entry.
const LOG_LIST_BITS: u32 = 15;
/// Bits of the check in a log entry, behind value, list and the lower mark.
const LOG_CHECK_BITS: u32 = 15;
const _: () = assert!(
    32 + LOG_LIST_BITS + 1 + LOG_CHECK_BITS + 1 == u64::BITS
        && LOG_USED == 1 << (32 + LOG_LIST_BITS) | 1 << 63,
    "value, list, mark, check, mark"
);
/// Sections in direct mode hold at most `1 << MAX_SECTION_SHIFT` lists.
pub(crate) const MAX_SECTION_SHIFT: u32 = LOG_LIST_BITS;

/// A list in direct mode: its slots in place, and how many of them are used. It changes
/// under the section's lock; it may be read without the lock to fetch memory early.
#[derive(Debug, Default)]
pub(crate) struct ListPlace {
    /// First slot.
    pub start: AtomicU32,
    /// Behind the last slot: the pivot of the next list.
    pub end: AtomicU32,
    /// Entries in place.
    pub filled: AtomicU32,
    /// Entries, those in the edge log among them.
    pub len: AtomicU32,
}

/// State that the writer of a section keeps in DRAM.
#[derive(Debug)]
pub(crate) struct DirectState {
    /// The extent.
    pub extent: Arc<Extent>,
    /// The lists in it; the section's for as long as it lives.
    pub places: Arc<[ListPlace]>,
    /// Tombstones of each list, if there are any.
    pub tombstones: Option<Box<[u32]>>,
    /// Entries counted since are newer than every view before this.
    pub epoch: u64,
    /// Entries were counted since the section's page was made.
    pub page_is_stale: bool,
    /// Byte of the extent where the words start.
    pub words_at: u64,
    /// Byte of the extent where the edge log starts.
    pub log_at: u64,
    /// Entries that the log holds at most.
    pub log_slots: usize,
    /// Entries in the log; all of them if the last is torn, because a slot is
    /// written only once in the life of an extent.
    pub log_used: usize,
}

/// Content of a section on its way to a new extent.
pub(crate) struct DirectImage {
    starts: Vec<u32>,
    initial: Vec<u32>,
    words: Vec<u32>,
    /// Words of a slot: 2 with weights.
    columns: usize,
    log_slots: usize,
}

/// An entry on its way to a list, or in an edge log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DirectEntry {
    /// List within the section.
    pub list: usize,
    /// Neighbor word.
    pub word: u32,
    /// Weight bits, 0 without weights.
    pub weight: u32,
}

impl DirectState {
    /// Panics in debug builds if places, lengths and edge log contradict each other.
    pub(crate) fn invariants(&self) {
        if !cfg!(debug_assertions) {
            return;
        }
        assert!(
            self.log_used <= self.log_slots,
            "{} entries in an edge log of {}",
            self.log_used,
            self.log_slots
        );
        assert!(
            self.words_at < self.log_at && self.log_at <= self.extent.len(),
            "the lists at {} and the edge log at {} of {} bytes",
            self.words_at,
            self.log_at,
            self.extent.len()
        );
        if self.places.len() <= WALKED_AT_MOST {
            let logged: usize = self.places.iter().map(ListPlace::logged).sum();
            assert!(
                logged <= self.log_used,
                "lists count {logged} entries in an edge log that has {}",
                self.log_used
            );
        }
    }
}

impl ListPlace {
    /// Entries in the edge log. Panics in debug builds if the list has more entries in
    /// place than slots, or than entries.
    pub(super) fn logged(&self) -> usize {
        let get = |number: &AtomicU32| number.load(Ordering::Relaxed);
        let (start, end) = (get(&self.start), get(&self.end));
        let (filled, len) = (get(&self.filled), get(&self.len));
        debug_assert!(
            start + filled <= end && filled <= len,
            "{filled} of {len} entries in slots {start} to {end}"
        );
        (len - filled) as usize
    }
}

impl DirectImage {
    /// Lays lists out with weighted gaps (`gap_weight`), so that each fills at
    /// about the same time if edges keep arriving as they did.
    ///
    /// `lists` are slots of `columns` words. Each mention of a list in `wanted`
    /// gets it a gap in any case (there are at most `LEAST_GAPS`).
    /// `old_capacity` is kept if the density that results is within bounds.
    pub(crate) fn new(
        first_vertex: u32,
        lists: &[Vec<u32>],
        columns: usize,
        wanted: &[usize],
        old_capacity: usize,
        parameters: &DirectParameters,
    ) -> Self {
        let entries: usize = lists.iter().map(|list| list.len() / columns).sum();
        let needed = entries + lists.len();
        let capacity = choose_capacity(needed, old_capacity, parameters);
        let gaps = (capacity - needed - wanted.len()) as u64;
        let gap_weight = |list: &Vec<u32>| gap_weight(list.len() / columns);
        let weight_sum: u64 = lists.iter().map(gap_weight).sum();
        let (mut starts, mut initial) = (Vec::new(), Vec::new());
        let mut words = Vec::with_capacity(columns * capacity);
        let mut weight_before = 0u64;
        for (i, list) in lists.iter().enumerate() {
            words.extend_from_slice(&[PIVOT | (first_vertex + i as u32), 0][..columns]);
            starts.push((words.len() / columns) as u32);
            initial.push((list.len() / columns) as u32);
            words.extend_from_slice(list);
            // Differences of a running share hand out every gap exactly once.
            let weight_after = weight_before + gap_weight(list);
            let share = |weight: u64| gaps as u128 * weight as u128 / weight_sum as u128;
            let mut gap = (share(weight_after) - share(weight_before)) as usize;
            gap += wanted.iter().filter(|&&list| list == i).count();
            words.resize(words.len() + columns * gap, GAP);
            weight_before = weight_after;
        }
        debug_assert_eq!(words.len(), columns * capacity);
        starts.push(capacity as u32 + 1);
        debug_assert!(
            starts
                .windows(2)
                .zip(&initial)
                .all(|(pair, &len)| pair[0] + len < pair[1]),
            "each list has its entries, and behind its gaps the next one's pivot"
        );
        DirectImage {
            starts,
            initial,
            words,
            columns,
            log_slots: parameters.log_slots(columns),
        }
    }

    fn lists(&self) -> usize {
        self.initial.len()
    }

    /// Slots for pivots, entries and gaps.
    pub(crate) fn capacity(&self) -> usize {
        self.words.len() / self.columns
    }

    fn layout(&self) -> Layout {
        Layout::new(self.lists(), self.capacity(), self.columns, self.log_slots)
    }

    /// Bytes of the extent, a multiple of 64.
    pub(crate) fn encoded_len(&self) -> u64 {
        self.layout().len as u64
    }

    /// The bytes to store at `offset`.
    pub(crate) fn encode(&self, uuid: &Uuid, offset: u64, first_vertex: u32) -> Vec<u8> {
        let mut header = [0u32; HEADER_WORDS];
        header[MAGIC_AT.0] = MAGIC;
        if self.columns == 2 {
            header[FLAGS.0] = FLAG_WEIGHTS;
        }
        header[FIRST_VERTEX.0] = first_vertex;
        header[LISTS.0] = self.lists() as u32;
        header[CAPACITY.0] = self.capacity() as u32;
        header[LOG_SLOTS.0] = self.log_slots as u32;
        let layout = self.layout();
        let mut bytes = Vec::with_capacity(layout.len);
        bytes.extend_from_slice(bytemuck::cast_slice(&header));
        bytes.extend_from_slice(bytemuck::cast_slice(&self.starts));
        bytes.extend_from_slice(bytemuck::cast_slice(&self.initial));
        bytes.resize(layout.words_at, 0);
        let crc = checksum(
            uuid,
            offset,
            &bytes,
            &self.starts,
            &self.initial,
            &self.words,
            self.columns,
        );
        bytes[CRC_BYTES].copy_from_slice(&crc.to_le_bytes());
        bytes.extend_from_slice(bytemuck::cast_slice(&self.words));
        debug_assert!(
            bytes.len() <= layout.log_at && layout.len.is_multiple_of(64),
            "the lists end before the edge log begins"
        );
        bytes.resize(layout.len, 0);
        bytes
    }

    /// The section as readers see it once the bytes are in `extent`, and what
    /// its writer keeps. `before` is what it kept of the old extent, `places`
    /// the section's.
    #[allow(unsafe_code)]
    pub(crate) fn open(
        self,
        extent: &Arc<Extent>,
        before: Option<DirectState>,
        places: Arc<[ListPlace]>,
    ) -> (Base, DirectState) {
        let layout = self.layout();
        // SAFETY: readers take ranges below the lengths of a page published
        // under the section's lock; appends store only behind those.
        let words = unsafe { Words::live(extent, layout.words_at, self.words.len()) };
        set_places(&places, &self.starts, &self.initial, &self.initial);
        let (tombstones, epoch, page_is_stale) = before.map_or((None, 0, false), |b| {
            (b.tombstones, b.epoch, b.page_is_stale)
        });
        let state = DirectState {
            extent: Arc::clone(extent),
            places,
            tombstones,
            epoch,
            page_is_stale,
            words_at: layout.words_at as u64,
            log_at: layout.log_at as u64,
            log_slots: self.log_slots,
            log_used: 0,
        };
        state.invariants();
        (Base::direct(self.starts, words, self.columns), state)
    }
}

/// Offsets of the parts of an extent, in bytes.
pub(super) struct Layout {
    pub words_at: usize,
    pub log_at: usize,
    pub len: usize,
}

impl Layout {
    /// Slots and log entries with weights never cross a line: eight bytes and
    /// sixteen, aligned to as many.
    pub(super) fn new(lists: usize, capacity: usize, columns: usize, log_slots: usize) -> Self {
        let words_at = (4 * (HEADER_WORDS + 2 * lists + 1)).next_multiple_of(4 * columns);
        let log_at = (words_at + 4 * columns * capacity).next_multiple_of(8 * columns);
        Layout {
            words_at,
            log_at,
            len: (log_at + 8 * columns * log_slots).next_multiple_of(64),
        }
    }
}

pub(super) fn set_places(places: &[ListPlace], starts: &[u32], filled: &[u32], len: &[u32]) {
    for (list, place) in places.iter().enumerate() {
        place.start.store(starts[list], Ordering::Relaxed);
        place.end.store(starts[list + 1] - 1, Ordering::Relaxed);
        place.filled.store(filled[list], Ordering::Relaxed);
        place.len.store(len[list], Ordering::Relaxed);
    }
}

/// A list's share of the gaps. DGAP takes the length plus one; a list that has
/// received `n` edges will receive about as many again, give or take the square
/// root, and short lists would overflow into the edge log without that part.
fn gap_weight(len: usize) -> u64 {
    len as u64 + 2 * (len as u64).isqrt() + 1
}

/// Gaps of a section at least.
const LEAST_GAPS: usize = 8;

fn choose_capacity(needed: usize, old: usize, parameters: &DirectParameters) -> usize {
    let density = |capacity: usize| needed as f64 / capacity as f64;
    let fits = old > needed
        && density(old) <= parameters.upper_density
        && density(old) >= parameters.lower_density;
    // A list always finds a gap after a rewrite: one a list on average.
    let least = needed + needed.div_ceil(8).max(LEAST_GAPS);
    if fits && old >= least {
        return old;
    }
    ((needed as f64 / parameters.target_density) as usize).max(least)
}

/// Over the header (its checksum zero), both arrays, and each list's pivot and
/// first entries.
pub(super) fn checksum(
    uuid: &Uuid,
    offset: u64,
    index: &[u8],
    starts: &[u32],
    initial: &[u32],
    words: &[u32],
    columns: usize,
) -> u32 {
    let mut crc = crc32c::crc32c_append(crc32c::crc32c(uuid), &offset.to_le_bytes());
    crc = crc32c::crc32c_append(crc, &index[..CRC_BYTES.start]);
    crc = crc32c::crc32c_append(crc, &[0; 4]);
    crc = crc32c::crc32c_append(crc, &index[CRC_BYTES.end..]);
    for (&start, &len) in starts.iter().zip(initial) {
        let pivot = columns * (start as usize - 1);
        let list = &words[pivot..pivot + columns * (len as usize + 1)];
        crc = crc32c::crc32c_append(crc, bytemuck::cast_slice(list));
    }
    crc
}

/// A checked word of the log: value, list, check, and the mark that it is used.
/// `slot` is its number among the log's words of eight bytes.
pub(super) fn log_entry(offset: u64, slot: usize, list: usize, word: u32) -> u64 {
    let value = u64::from(word) | (list as u64) << 32;
    value | u64::from(log_check(offset, slot, value)) << 48 | LOG_USED
}

/// 15 bits that notice every single flipped bit (tested) and a stale entry of
/// another extent or slot.
fn log_check(offset: u64, slot: usize, value: u64) -> u16 {
    let seed = crc32c::crc32c(&(offset ^ (slot as u64) << 48).to_le_bytes());
    let crc = crc32c::crc32c_append(seed, &value.to_le_bytes()[..6]);
    ((crc ^ (crc >> 15) ^ (crc >> 30)) & 0x7FFF) as u16
}

/// List and value of a word of the log; `None` if it does not hold.
pub(super) fn decode_log_entry(offset: u64, slot: usize, entry: u64) -> Option<(usize, u32)> {
    let value = entry & ((1 << (32 + LOG_LIST_BITS)) - 1);
    let check = ((entry >> 48) & 0x7FFF) as u16;
    let holds = entry & LOG_USED == LOG_USED && check == log_check(offset, slot, value);
    holds.then_some(((value >> 32) as usize, value as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::TOMBSTONE;

    #[test]
    fn a_flipped_bit_in_a_log_entry_is_noticed() {
        for (offset, slot, list, word) in [
            (0, 0, 0, 0),
            (64, 1, 255, TOMBSTONE | 77),
            (1 << 20, 200, 3, 5),
        ] {
            let entry = log_entry(offset, slot, list, word);
            assert_eq!(decode_log_entry(offset, slot, entry), Some((list, word)));
            assert_eq!(decode_log_entry(offset + 64, slot, entry), None);
            assert_eq!(decode_log_entry(offset, slot + 1, entry), None);
            for bit in 0..64 {
                assert_eq!(
                    decode_log_entry(offset, slot, entry ^ (1 << bit)),
                    None,
                    "bit {bit}"
                );
                assert_eq!(decode_log_entry(offset, slot, 1 << bit), None);
            }
        }
    }

    #[test]
    fn gaps_are_conserved_and_follow_the_degrees() {
        let lists = vec![vec![1; 90], vec![], vec![2; 9]];
        let parameters = DirectParameters::default();
        let image = DirectImage::new(0, &lists, 1, &[1], 0, &parameters);
        let capacity = image.words.len();
        let entries: usize = 99;
        assert_eq!(
            image.words.iter().filter(|&&w| w == GAP).count(),
            capacity - entries - 3
        );
        let gap =
            |i: usize| image.starts[i + 1] as usize - 1 - image.starts[i] as usize - lists[i].len();
        assert!(gap(0) > 5 * gap(2) && gap(2) > gap(1));
        let density = (entries + 3) as f64 / capacity as f64;
        assert!(density <= parameters.upper_density);
        assert!((0..3).all(|i| image.words[image.starts[i] as usize - 1] == PIVOT | i as u32));
    }

    #[test]
    #[should_panic(expected = "entries in slots")]
    fn a_list_stays_in_its_slots() {
        let place = ListPlace::default();
        set_places(std::slice::from_ref(&place), &[1, 5], &[3], &[7]);
        assert_eq!(place.logged(), 4);
        place.filled.store(4, Ordering::Relaxed);
        place.logged();
    }
}
