//! Recovery of one section in direct mode: what its extent holds is checked and
//! counted when it is first touched.

use std::sync::Arc;

use evergraph_storage::failpoint;
use evergraph_storage::{Extent, StorageError, Uuid, Words};

use super::format::{
    CAPACITY, CRC, DirectEntry, DirectState, FILE, FIRST_VERTEX, FLAG_WEIGHTS, FLAGS, HEADER_WORDS,
    LISTS, LOG_SLOTS, Layout, ListPlace, MAGIC, MAGIC_AT, checksum, decode_log_entry, set_places,
};
use crate::entry::{GAP, PIVOT, is_tombstone, neighbor};
use crate::lengths::LengthPage;
use crate::list::tombstones_cancel;
use crate::section_format::Base;

/// Content of an extent.
pub(crate) struct Opened {
    /// Lists in place.
    pub base: Base,
    /// Lengths of lists, log included.
    pub page: LengthPage,
    /// The writer's place.
    pub state: DirectState,
    /// The edge log in order.
    pub logged: Vec<DirectEntry>,
}

/// Recovery of one section (D20, D21): checks what was written as a whole,
/// counts what was appended to each list, and reads the edge log. O(section);
/// runs when the section is first touched. Every vertex that it names must be
/// below `vertex_count`, which became durable before the first edge that
/// needed it.
#[allow(unsafe_code)]
pub(crate) fn open_extent(
    uuid: &Uuid,
    extent: &Arc<Extent>,
    first_vertex: u32,
    columns: usize,
    vertex_count: u64,
    places: Arc<[ListPlace]>,
) -> Result<Opened, StorageError> {
    let lists = places.len();
    let damaged = |what: &str| StorageError::damaged(FILE, extent.offset(), what);
    let words_at = Layout::new(lists, 0, columns, 0).words_at;
    if (extent.len() as usize) < words_at {
        return Err(damaged("a section is shorter than its index"));
    }
    let mut index = vec![0u8; words_at];
    extent.read(0, &mut index)?;
    let header: Vec<u32> = bytemuck::pod_collect_to_vec(&index[..HEADER_WORDS * 4]);
    if header[MAGIC_AT.0] != MAGIC
        || header[FIRST_VERTEX.0] != first_vertex
        || header[LISTS.0] as usize != lists
    {
        return Err(damaged("this is not the section it should be"));
    }
    let flags = if columns == 2 { FLAG_WEIGHTS } else { 0 };
    if header[FLAGS.0] != flags {
        return Err(damaged(
            "a section has weights where there are none, or none",
        ));
    }
    let (capacity, log_slots) = (header[CAPACITY.0] as usize, header[LOG_SLOTS.0] as usize);
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
    let stored = header[CRC.0];
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
        page.len.own()[entry.list] += 1;
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
    set_places(&places, &starts, &filled, page.len.own());
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
    fn count_lists(&self, page: &mut LengthPage) -> Result<Vec<u32>, StorageError> {
        let damaged = |what: &str| StorageError::damaged(FILE, self.extent.offset(), what);
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
            page.len.own()[list] = count as u32;
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
) -> Result<(Vec<DirectEntry>, usize), StorageError> {
    if failpoint!("direct.edge-log-ignored") {
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
        StorageError::damaged(FILE, extent.offset() + at as u64, what)
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
    let first = usize::from(failpoint!("direct.edge-log-off-by-one")).min(used);
    let mut logged = Vec::with_capacity(used);
    for (slot, entry) in entries.enumerate().take(used).skip(first) {
        match decode_entry(extent.offset(), slot, entry) {
            Found::Entry(entry) if entry.list < lists => logged.push(entry),
            // Of the last one only a half may have become durable; it was never
            // acknowledged.
            Found::Half(half) if slot + 1 == used => {
                if failpoint!("direct.torn-entry-counts") {
                    logged.push(half);
                }
                return Ok((logged, log_slots));
            }
            _ => return Err(damaged(slot, "an entry of the edge log does not hold")),
        }
    }
    Ok((logged, used))
}

/// Decoded words of a log entry.
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
    use crate::direct::format::log_entry;
    use crate::entry::TOMBSTONE;

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
}
