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

use evergraph_persistence::mutant::{Mutant, active};
use evergraph_persistence::{Extent, PersistenceError, Uuid, Words};

use super::DirectParameters;
use crate::entry::{GAP, PIVOT, is_tombstone, neighbor};
use crate::lengths::LengthPage;
use crate::list::tombstones_cancel;
use crate::section_format::Base;

const MAGIC: u32 = 0x5249_4445; // "EDIR"
const HEADER_WORDS: usize = 16;
const FLAG_WEIGHTS: u32 = 1;
const FILE: &str = "extents";
/// Marks a used log entry. Two bits, so that no single flipped bit makes an
/// entry of an unused slot.
const LOG_USED: u64 = 1 << 63 | 1 << 47;
/// Bits of the list's number in a log entry.
const LOG_LIST_BITS: u32 = 15;
/// Sections in direct mode hold at most `1 << MAX_SECTION_SHIFT` lists.
pub const MAX_SECTION_SHIFT: u32 = LOG_LIST_BITS;

/// A list in direct mode: its slots in place, and how many of them are used.
/// Whoever holds the section's lock changes it; anybody may look at it to fetch
/// memory early.
#[derive(Debug, Default)]
pub struct ListPlace {
    /// First slot.
    pub start: AtomicU32,
    /// Behind the last slot: the pivot of the next list.
    pub end: AtomicU32,
    /// Entries in place.
    pub filled: AtomicU32,
    /// Entries, those in the edge log among them.
    pub len: AtomicU32,
}

/// What the writer of a section keeps at hand.
#[derive(Debug)]
pub struct DirectState {
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
pub struct DirectImage {
    starts: Vec<u32>,
    initial: Vec<u32>,
    words: Vec<u32>,
    /// Words of a slot: 2 with weights.
    columns: usize,
    log_slots: usize,
}

/// What is read from an extent.
pub struct Opened {
    /// Lists in place.
    pub base: Base,
    /// Lengths of lists, log included.
    pub page: LengthPage,
    /// The writer's place.
    pub state: DirectState,
    /// The edge log in order.
    pub logged: Vec<DirectEntry>,
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

impl DirectImage {
    /// Lays lists out with weighted gaps ([`gap_weight`]), so that each fills at
    /// about the same time if edges keep arriving as they did.
    ///
    /// `lists` are slots of `columns` words. Each mention of a list in `wanted`
    /// gets it a gap in any case (there are at most [`LEAST_GAPS`]).
    /// `old_capacity` is kept if the density that results is within bounds.
    pub fn new(
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
    pub fn capacity(&self) -> usize {
        self.words.len() / self.columns
    }

    fn layout(&self) -> Layout {
        Layout::new(self.lists(), self.capacity(), self.columns, self.log_slots)
    }

    /// Bytes of the extent, a multiple of 64.
    pub fn encoded_len(&self) -> u64 {
        self.layout().len as u64
    }

    /// The bytes to store at `offset`.
    pub fn encode(&self, uuid: &Uuid, offset: u64, first_vertex: u32) -> Vec<u8> {
        let mut header = [0u32; HEADER_WORDS];
        header[0] = MAGIC;
        if self.columns == 2 {
            header[1] = FLAG_WEIGHTS;
        }
        header[2] = first_vertex;
        header[3] = self.lists() as u32;
        header[4] = self.capacity() as u32;
        header[5] = self.log_slots as u32;
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
        bytes[36..40].copy_from_slice(&crc.to_le_bytes());
        bytes.extend_from_slice(bytemuck::cast_slice(&self.words));
        bytes.resize(layout.len, 0);
        bytes
    }

    /// The section as readers see it once the bytes are in `extent`, and what
    /// its writer keeps. `before` is what it kept of the old extent, `places`
    /// the section's.
    #[allow(unsafe_code)]
    pub fn open(
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
        (Base::direct(self.starts, words, self.columns), state)
    }
}

/// Where the parts of an extent are, in bytes.
struct Layout {
    words_at: usize,
    log_at: usize,
    len: usize,
}

impl Layout {
    /// Slots and log entries with weights never cross a line: eight bytes and
    /// sixteen, aligned to as many.
    fn new(lists: usize, capacity: usize, columns: usize, log_slots: usize) -> Self {
        let words_at = (4 * (HEADER_WORDS + 2 * lists + 1)).next_multiple_of(4 * columns);
        let log_at = (words_at + 4 * columns * capacity).next_multiple_of(8 * columns);
        Layout {
            words_at,
            log_at,
            len: (log_at + 8 * columns * log_slots).next_multiple_of(64),
        }
    }
}

fn set_places(places: &[ListPlace], starts: &[u32], filled: &[u32], len: &[u32]) {
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
fn checksum(
    uuid: &Uuid,
    offset: u64,
    index: &[u8],
    starts: &[u32],
    initial: &[u32],
    words: &[u32],
    columns: usize,
) -> u32 {
    let mut crc = crc32c::crc32c_append(crc32c::crc32c(uuid), &offset.to_le_bytes());
    crc = crc32c::crc32c_append(crc, &index[..36]);
    crc = crc32c::crc32c_append(crc, &[0; 4]);
    crc = crc32c::crc32c_append(crc, &index[40..]);
    for (&start, &len) in starts.iter().zip(initial) {
        let pivot = columns * (start as usize - 1);
        let list = &words[pivot..pivot + columns * (len as usize + 1)];
        crc = crc32c::crc32c_append(crc, bytemuck::cast_slice(list));
    }
    crc
}

/// A checked word of the log: value, list, check, and the mark that it is used.
/// `slot` is its number among the log's words of eight bytes.
pub fn log_entry(offset: u64, slot: usize, list: usize, word: u32) -> u64 {
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
pub fn decode_log_entry(offset: u64, slot: usize, entry: u64) -> Option<(usize, u32)> {
    let value = entry & ((1 << (32 + LOG_LIST_BITS)) - 1);
    let check = ((entry >> 48) & 0x7FFF) as u16;
    let holds = entry & LOG_USED == LOG_USED && check == log_check(offset, slot, value);
    holds.then_some(((value >> 32) as usize, value as u32))
}

/// Recovery of one section (D20, D21): checks what was written as a whole,
/// counts what was appended to each list, and reads the edge log. O(section);
/// runs when the section is first touched. Every vertex that it names must be
/// below `vertex_count`, which became durable before the first edge that
/// needed it.
#[allow(unsafe_code)]
pub fn open_extent(
    uuid: &Uuid,
    extent: &Arc<Extent>,
    first_vertex: u32,
    columns: usize,
    vertex_count: u64,
    places: Arc<[ListPlace]>,
) -> Result<Opened, PersistenceError> {
    let lists = places.len();
    let damaged = |what: &str| PersistenceError::damaged(FILE, extent.offset(), what);
    let words_at = Layout::new(lists, 0, columns, 0).words_at;
    if (extent.len() as usize) < words_at {
        return Err(damaged("a section is shorter than its index"));
    }
    let mut index = vec![0u8; words_at];
    extent.read(0, &mut index)?;
    let header: Vec<u32> = bytemuck::pod_collect_to_vec(&index[..HEADER_WORDS * 4]);
    if header[0] != MAGIC || header[2] != first_vertex || header[3] as usize != lists {
        return Err(damaged("this is not the section it should be"));
    }
    let flags = if columns == 2 { FLAG_WEIGHTS } else { 0 };
    if header[1] != flags {
        return Err(damaged(
            "a section has weights where there are none, or none",
        ));
    }
    let (capacity, log_slots) = (header[4] as usize, header[5] as usize);
    let layout = Layout::new(lists, capacity, columns, log_slots);
    if layout.len as u64 != extent.len() {
        return Err(damaged("a section's counts do not fit its length"));
    }
    let starts_at = HEADER_WORDS * 4;
    let initial_at = starts_at + 4 * (lists + 1);
    let starts: Vec<u32> = bytemuck::pod_collect_to_vec(&index[starts_at..initial_at]);
    let initial_end = initial_at + 4 * lists;
    let initial: Vec<u32> = bytemuck::pod_collect_to_vec(&index[initial_at..initial_end]);
    let ordered = starts[0] == 1
        && starts[lists] as usize == capacity + 1
        && (0..lists)
            .all(|i| u64::from(starts[i]) + u64::from(initial[i]) < u64::from(starts[i + 1]));
    if !ordered {
        return Err(damaged("the lists of a section do not fit it"));
    }
    let mut words = vec![0u32; columns * capacity];
    extent.read(words_at as u64, bytemuck::cast_slice_mut(&mut words))?;
    let stored = header[9];
    let offset = extent.offset();
    if checksum(uuid, offset, &index, &starts, &initial, &words, columns) != stored {
        return Err(damaged("a section has a wrong checksum"));
    }
    let mut page = LengthPage::empty(lists);
    let stored = Stored {
        extent,
        first_vertex,
        vertex_count,
        starts: &starts,
        initial: &initial,
        words: &words,
        columns,
    };
    let filled = stored.count_lists(&mut page)?;
    let (logged, log_used) = read_log(extent, layout.log_at, log_slots, columns, lists)?;
    for entry in &logged {
        page.len[entry.list] += 1;
        if is_tombstone(entry.word) {
            page.add_tombstone(entry.list);
        }
    }
    for list in (0..lists).filter(|&list| page.tombstones(list) > 0) {
        let from = columns * starts[list] as usize;
        let slots = &words[from..from + columns * filled[list] as usize];
        let in_place = slots.iter().step_by(columns).copied();
        let in_log = logged.iter().filter(|entry| entry.list == list);
        if !tombstones_cancel(in_place.chain(in_log.map(|entry| entry.word))) {
            return Err(damaged("a deletion names an edge that is not there"));
        }
    }
    set_places(&places, &starts, &filled, &page.len);
    let state = DirectState {
        extent: Arc::clone(extent),
        places,
        tombstones: page.tombstones.clone(),
        epoch: 0,
        page_is_stale: false,
        words_at: words_at as u64,
        log_at: layout.log_at as u64,
        log_slots,
        log_used,
    };
    // SAFETY: as in `DirectImage::open`.
    let live = unsafe { Words::live(extent, words_at, columns * capacity) };
    Ok(Opened {
        base: Base::direct(starts, live, columns),
        page,
        state,
        logged,
    })
}

/// The lists of an extent whose checksum holds.
struct Stored<'a> {
    extent: &'a Extent,
    first_vertex: u32,
    vertex_count: u64,
    starts: &'a [u32],
    initial: &'a [u32],
    words: &'a [u32],
    columns: usize,
}

impl Stored<'_> {
    /// Entries of each list in place: those written with the extent, and the
    /// slots behind them up to the first gap.
    fn count_lists(&self, page: &mut LengthPage) -> Result<Vec<u32>, PersistenceError> {
        let damaged = |what: &str| PersistenceError::damaged(FILE, self.extent.offset(), what);
        let columns = self.columns;
        let is_gap = |slot: &[u32]| slot.iter().all(|&word| word == GAP);
        let mut filled = Vec::with_capacity(self.initial.len());
        for (list, &len) in self.initial.iter().enumerate() {
            let start = self.starts[list] as usize;
            let end = self.starts[list + 1] as usize - 1;
            if self.words[columns * (start - 1)] != PIVOT | (self.first_vertex + list as u32) {
                return Err(damaged("a list does not begin with its pivot"));
            }
            let slots = self.words[columns * start..columns * end].chunks_exact(columns);
            let appended = slots.clone().skip(len as usize);
            let count = len as usize + appended.take_while(|slot| !is_gap(slot)).count();
            if !slots.clone().skip(count).all(is_gap) {
                return Err(damaged("an entry lies behind a gap"));
            }
            for slot in slots.take(count) {
                let word = slot[0];
                if word & PIVOT != 0 || u64::from(neighbor(word)) >= self.vertex_count {
                    return Err(damaged("an entry is not a neighbor"));
                }
                if is_tombstone(word) {
                    page.add_tombstone(list);
                }
            }
            page.len[list] = count as u32;
            filled.push(count as u32);
        }
        Ok(filled)
    }
}

/// The edge log, and how many of its slots cannot be written any more.
fn read_log(
    extent: &Extent,
    log_at: usize,
    log_slots: usize,
    columns: usize,
    lists: usize,
) -> Result<(Vec<DirectEntry>, usize), PersistenceError> {
    if active(Mutant::DirectEdgeLogIgnored) {
        return Ok((Vec::new(), 0));
    }
    let mut raw = vec![0u64; columns * log_slots];
    extent.read(log_at as u64, bytemuck::cast_slice_mut(&mut raw))?;
    let entries = raw.chunks_exact(columns);
    let is_unused = |entry: &[u64]| entry.iter().all(|&word| word == 0);
    let used = entries
        .clone()
        .take_while(|entry| !is_unused(entry))
        .count();
    let damaged = |slot: usize, what: &str| {
        let at = log_at + 8 * columns * slot;
        PersistenceError::damaged(FILE, extent.offset() + at as u64, what)
    };
    if let Some(behind) = entries
        .clone()
        .skip(used)
        .position(|entry| !is_unused(entry))
    {
        return Err(damaged(
            used + behind,
            "an entry of the edge log lies behind its end",
        ));
    }
    let first = usize::from(active(Mutant::DirectEdgeLogOffByOne)).min(used);
    let mut logged = Vec::with_capacity(used);
    for (slot, entry) in entries.enumerate().take(used).skip(first) {
        match decode_entry(extent.offset(), slot, entry) {
            Found::Entry(entry) if entry.list < lists => logged.push(entry),
            // Of the last one only a half may have become durable; nobody was
            // told that it is there.
            Found::Half(half) if slot + 1 == used => {
                if active(Mutant::DirectTornEntryCounts) {
                    logged.push(half);
                }
                return Ok((logged, log_slots));
            }
            _ => return Err(damaged(slot, "an entry of the edge log does not hold")),
        }
    }
    Ok((logged, used))
}

/// What the words of a log entry say.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    Entry(DirectEntry),
    /// With weights: one word holds, the other was never stored.
    Half(DirectEntry),
    Damage,
}

fn decode_entry(offset: u64, slot: usize, entry: &[u64]) -> Found {
    let decode = |i: usize| decode_log_entry(offset, entry.len() * slot + i, entry[i]);
    if entry.len() == 1 {
        return match decode(0) {
            Some((list, word)) => Found::Entry(DirectEntry {
                list,
                word,
                weight: 0,
            }),
            None => Found::Damage,
        };
    }
    let logged = |list, word, weight| DirectEntry { list, word, weight };
    match (decode(0), decode(1)) {
        (Some((list, word)), Some((its_list, weight))) if list == its_list => {
            Found::Entry(logged(list, word, weight))
        }
        (Some((list, word)), None) if entry[1] == 0 => Found::Half(logged(list, word, 0)),
        (None, Some((list, weight))) if entry[0] == 0 => Found::Half(logged(list, 0, weight)),
        _ => Found::Damage,
    }
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
    fn an_entry_with_weight_counts_whole_or_not_at_all() {
        let (offset, slot) = (4096, 5);
        let words = |list, word, weight| {
            [
                log_entry(offset, 2 * slot, list, word),
                log_entry(offset, 2 * slot + 1, list, weight),
            ]
        };
        for (list, word, weight) in [(0, 0, 0), (3, TOMBSTONE | 9, 0), (255, 77, 0x3F80_0000)] {
            let entry = words(list, word, weight);
            let whole = Found::Entry(DirectEntry { list, word, weight });
            assert_eq!(decode_entry(offset, slot, &entry), whole);
            for torn in [[entry[0], 0], [0, entry[1]]] {
                assert!(matches!(decode_entry(offset, slot, &torn), Found::Half(_)));
            }
            // Every flipped bit is noticed, in a whole entry, a torn one, and an
            // unused one.
            for torn in [entry, [entry[0], 0], [0, entry[1]], [0, 0]] {
                for bit in 0..128 {
                    let mut flipped = torn;
                    flipped[bit / 64] ^= 1 << (bit % 64);
                    let found = decode_entry(offset, slot, &flipped);
                    assert_eq!(found, Found::Damage, "bit {bit} of {torn:?}");
                }
            }
            // Halves of two entries are none.
            let other = words(list + 1, word, weight);
            let mixed = [entry[0], other[1]];
            assert_eq!(decode_entry(offset, slot, &mixed), Found::Damage);
            let moved = [entry[1], entry[0]];
            assert_eq!(decode_entry(offset, slot, &moved), Found::Damage);
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
}
