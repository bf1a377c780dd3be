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
    /// Entries in the log.
    pub log_used: usize,
}

/// Content of a section on its way to a new extent.
pub struct DirectImage {
    starts: Vec<u32>,
    initial: Vec<u32>,
    words: Vec<u32>,
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
    /// The edge log in order: list and word.
    pub logged: Vec<(usize, u32)>,
}

impl DirectImage {
    /// Lays lists out with weighted gaps ([`gap_weight`]), so that each fills at
    /// about the same time if edges keep arriving as they did.
    ///
    /// The list `wanted` gets a gap in any case. `old_capacity` is kept if the
    /// density that results is within bounds.
    pub fn new(
        first_vertex: u32,
        lists: &[Vec<u32>],
        wanted: usize,
        old_capacity: usize,
        parameters: &DirectParameters,
    ) -> Self {
        let entries: usize = lists.iter().map(Vec::len).sum();
        let needed = entries + lists.len();
        let capacity = choose_capacity(needed, old_capacity, parameters);
        let gaps = (capacity - needed - 1) as u64;
        let weight_sum: u64 = lists.iter().map(|list| gap_weight(list.len())).sum();
        let (mut starts, mut initial) = (Vec::new(), Vec::new());
        let mut words = Vec::with_capacity(capacity);
        let mut weight_before = 0u64;
        for (i, list) in lists.iter().enumerate() {
            words.push(PIVOT | (first_vertex + i as u32));
            starts.push(words.len() as u32);
            initial.push(list.len() as u32);
            words.extend_from_slice(list);
            // Differences of a running share hand out every gap exactly once.
            let weight_after = weight_before + gap_weight(list.len());
            let share = |weight: u64| gaps as u128 * weight as u128 / weight_sum as u128;
            let mut gap = (share(weight_after) - share(weight_before)) as usize;
            if i == wanted {
                gap += 1;
            }
            words.resize(words.len() + gap, GAP);
            weight_before = weight_after;
        }
        debug_assert_eq!(words.len(), capacity);
        starts.push(words.len() as u32 + 1);
        DirectImage {
            starts,
            initial,
            words,
            log_slots: parameters.log_slots(),
        }
    }

    fn lists(&self) -> usize {
        self.initial.len()
    }

    fn words_at(&self) -> usize {
        4 * (HEADER_WORDS + 2 * self.lists() + 1)
    }

    fn log_at(&self) -> usize {
        (self.words_at() + 4 * self.words.len()).next_multiple_of(8)
    }

    /// Bytes of the extent, a multiple of 64.
    pub fn encoded_len(&self) -> u64 {
        (self.log_at() + 8 * self.log_slots).next_multiple_of(64) as u64
    }

    /// The bytes to store at `offset`.
    pub fn encode(&self, uuid: &Uuid, offset: u64, first_vertex: u32) -> Vec<u8> {
        let mut header = [0u32; HEADER_WORDS];
        header[0] = MAGIC;
        header[2] = first_vertex;
        header[3] = self.lists() as u32;
        header[4] = self.words.len() as u32;
        header[5] = self.log_slots as u32;
        let mut bytes = Vec::with_capacity(self.encoded_len() as usize);
        bytes.extend_from_slice(bytemuck::cast_slice(&header));
        bytes.extend_from_slice(bytemuck::cast_slice(&self.starts));
        bytes.extend_from_slice(bytemuck::cast_slice(&self.initial));
        let crc = checksum(
            uuid,
            offset,
            &bytes,
            &self.starts,
            &self.initial,
            |from, n| &self.words[from..from + n],
        );
        bytes[36..40].copy_from_slice(&crc.to_le_bytes());
        bytes.extend_from_slice(bytemuck::cast_slice(&self.words));
        bytes.resize(self.encoded_len() as usize, 0);
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
        let (words_at, log_at) = (self.words_at(), self.log_at());
        // SAFETY: readers take ranges below the lengths of a page published
        // under the section's lock; appends store only behind those.
        let words = unsafe { Words::live(extent, words_at, self.words.len()) };
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
            words_at: words_at as u64,
            log_at: log_at as u64,
            log_slots: self.log_slots,
            log_used: 0,
        };
        (Base::direct(self.starts, words), state)
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

fn choose_capacity(needed: usize, old: usize, parameters: &DirectParameters) -> usize {
    let density = |capacity: usize| needed as f64 / capacity as f64;
    let fits = old > needed
        && density(old) <= parameters.upper_density
        && density(old) >= parameters.lower_density;
    // A list always finds a gap after a rewrite: one a list on average.
    let least = needed + needed.div_ceil(8).max(8);
    if fits && old >= least {
        return old;
    }
    ((needed as f64 / parameters.target_density) as usize).max(least)
}

/// Over the header (its checksum zero), both arrays, and each list's pivot and
/// first entries.
fn checksum<'a>(
    uuid: &Uuid,
    offset: u64,
    index: &[u8],
    starts: &[u32],
    initial: &[u32],
    words: impl Fn(usize, usize) -> &'a [u32],
) -> u32 {
    let mut crc = crc32c::crc32c_append(crc32c::crc32c(uuid), &offset.to_le_bytes());
    crc = crc32c::crc32c_append(crc, &index[..36]);
    crc = crc32c::crc32c_append(crc, &[0; 4]);
    crc = crc32c::crc32c_append(crc, &index[40..]);
    for (&start, &len) in starts.iter().zip(initial) {
        let list = words(start as usize - 1, len as usize + 1);
        crc = crc32c::crc32c_append(crc, bytemuck::cast_slice(list));
    }
    crc
}

/// A log entry: word, list, check, and the mark that it is used.
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

/// List and word of a log entry; `None` if it does not hold.
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
    lists: usize,
    vertex_count: u64,
    places: Arc<[ListPlace]>,
) -> Result<Opened, PersistenceError> {
    let damaged = |what: &str| PersistenceError::damaged(FILE, extent.offset(), what);
    let words_at = 4 * (HEADER_WORDS + 2 * lists + 1);
    if (extent.len() as usize) < words_at {
        return Err(damaged("a section is shorter than its index"));
    }
    let mut index = vec![0u8; words_at];
    extent.read(0, &mut index)?;
    let header: Vec<u32> = bytemuck::pod_collect_to_vec(&index[..HEADER_WORDS * 4]);
    if header[0] != MAGIC || header[2] != first_vertex || header[3] as usize != lists {
        return Err(damaged("this is not the section it should be"));
    }
    let (capacity, log_slots) = (header[4] as usize, header[5] as usize);
    let log_at = (words_at + 4 * capacity).next_multiple_of(8);
    if (log_at + 8 * log_slots).next_multiple_of(64) as u64 != extent.len() {
        return Err(damaged("a section's counts do not fit its length"));
    }
    let starts_at = HEADER_WORDS * 4;
    let initial_at = starts_at + 4 * (lists + 1);
    let starts: Vec<u32> = bytemuck::pod_collect_to_vec(&index[starts_at..initial_at]);
    let initial: Vec<u32> = bytemuck::pod_collect_to_vec(&index[initial_at..]);
    let ordered = starts[0] == 1
        && starts[lists] as usize == capacity + 1
        && (0..lists)
            .all(|i| u64::from(starts[i]) + u64::from(initial[i]) < u64::from(starts[i + 1]));
    if !ordered {
        return Err(damaged("the lists of a section do not fit it"));
    }
    let mut words = vec![0u32; capacity];
    extent.read(words_at as u64, bytemuck::cast_slice_mut(&mut words))?;
    let stored = header[9];
    let crc = checksum(
        uuid,
        extent.offset(),
        &index,
        &starts,
        &initial,
        |from, n| &words[from..from + n],
    );
    if crc != stored {
        return Err(damaged("a section has a wrong checksum"));
    }
    let mut page = LengthPage::empty(lists);
    let filled = count_lists(
        extent,
        first_vertex,
        vertex_count,
        &starts,
        &initial,
        &words,
        &mut page,
    )?;
    let logged = read_log(extent, log_at, log_slots, lists)?;
    for &(list, word) in &logged {
        page.len[list] += 1;
        if is_tombstone(word) {
            page.add_tombstone(list);
        }
    }
    for list in (0..lists).filter(|&list| page.tombstones(list) > 0) {
        let start = starts[list] as usize;
        let in_place = &words[start..start + filled[list] as usize];
        let in_log = logged.iter().filter(|entry| entry.0 == list);
        if !tombstones_cancel(in_place.iter().copied().chain(in_log.map(|entry| entry.1))) {
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
        log_at: log_at as u64,
        log_slots,
        log_used: logged.len(),
    };
    // SAFETY: as in `DirectImage::open`.
    let live = unsafe { Words::live(extent, words_at, capacity) };
    Ok(Opened {
        base: Base::direct(starts, live),
        page,
        state,
        logged,
    })
}

/// Entries of each list in place: those written with the extent, and the words
/// behind them up to the first gap.
fn count_lists(
    extent: &Extent,
    first_vertex: u32,
    vertex_count: u64,
    starts: &[u32],
    initial: &[u32],
    words: &[u32],
    page: &mut LengthPage,
) -> Result<Vec<u32>, PersistenceError> {
    let damaged = |what: &str| PersistenceError::damaged(FILE, extent.offset(), what);
    let mut filled = Vec::with_capacity(initial.len());
    for (list, &len) in initial.iter().enumerate() {
        let start = starts[list] as usize;
        let slots = &words[start..starts[list + 1] as usize - 1];
        if words[start - 1] != PIVOT | (first_vertex + list as u32) {
            return Err(damaged("a list does not begin with its pivot"));
        }
        let appended = slots[len as usize..]
            .iter()
            .take_while(|&&word| word != GAP);
        let count = len as usize + appended.count();
        if slots[count..].iter().any(|&word| word != GAP) {
            return Err(damaged("an entry lies behind a gap"));
        }
        for &word in &slots[..count] {
            if word & PIVOT != 0 || u64::from(neighbor(word)) >= vertex_count {
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

fn read_log(
    extent: &Extent,
    log_at: usize,
    log_slots: usize,
    lists: usize,
) -> Result<Vec<(usize, u32)>, PersistenceError> {
    if active(Mutant::DirectEdgeLogIgnored) {
        return Ok(Vec::new());
    }
    let mut raw = vec![0u64; log_slots];
    extent.read(log_at as u64, bytemuck::cast_slice_mut(&mut raw))?;
    let used = raw.iter().take_while(|&&entry| entry != 0).count();
    let damaged = |slot: usize, what: &str| {
        PersistenceError::damaged(FILE, extent.offset() + (log_at + 8 * slot) as u64, what)
    };
    if let Some(behind) = raw[used..].iter().position(|&entry| entry != 0) {
        return Err(damaged(
            used + behind,
            "an entry of the edge log lies behind its end",
        ));
    }
    let first = usize::from(active(Mutant::DirectEdgeLogOffByOne)).min(used);
    let mut logged = Vec::with_capacity(used);
    for (slot, &entry) in raw[..used].iter().enumerate().skip(first) {
        match decode_log_entry(extent.offset(), slot, entry) {
            Some((list, word)) if list < lists => logged.push((list, word)),
            _ => return Err(damaged(slot, "an entry of the edge log does not hold")),
        }
    }
    Ok(logged)
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
        let image = DirectImage::new(0, &lists, 1, 0, &parameters);
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
