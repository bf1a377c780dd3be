//! The persistence model: what is durable, and what may be.
//!
//! A ledger replays the recorded calls of a program up to a crash point. It
//! holds one durable image of each file and, for each *unit* (a cache line of
//! 64 bytes or a sector of 512), the stores that no fence has made durable. From
//! these follow the versions of the unit that a power cut can leave:
//!
//! - ordinary stores persist in program order, so any prefix of them;
//! - non-temporal stores sit in write-combining buffers, so any subset of them.

mod versions;

use std::sync::Arc;

pub(super) use versions::mix;
use versions::{push_distinct, unit_digest};

/// One recorded call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    Store {
        file: u32,
        offset: u32,
        len: u32,
        /// Offset in the journal's bytes.
        bytes: u32,
        /// Largest piece that persists at once.
        grain: u16,
        non_temporal: bool,
    },
    Flush {
        file: u32,
        offset: u32,
        len: u32,
    },
    /// A crash point lies before it. `done` is false if it failed or was dropped.
    Fence {
        file: u32,
        done: bool,
    },
    /// Bytes of the file that are not durable yet never will be.
    Lose {
        file: u32,
    },
    Grow {
        file: u32,
        len: u32,
    },
    Create {
        name: u32,
        file: u32,
    },
    Remove {
        name: u32,
    },
    /// A crash point lies before it.
    SyncNames {
        done: bool,
    },
}

/// The recorded calls of one run.
#[derive(Default)]
pub(super) struct Journal {
    pub events: Vec<Event>,
    pub bytes: Vec<u8>,
    /// Positions in `events` before which the power may fail.
    pub points: Vec<u32>,
}

impl Journal {
    pub fn clear(&mut self) {
        self.events.clear();
        self.bytes.clear();
        self.points.clear();
    }

    /// Crash points: before each fence, and at the end.
    pub fn point_count(&self) -> usize {
        self.points.len() + 1
    }

    /// Position in `events` of a crash point.
    pub fn point(&self, number: usize) -> usize {
        self.points
            .get(number)
            .map_or(self.events.len(), |&p| p as usize)
    }
}

/// A store that no fence has made durable, cut to its unit.
#[derive(Clone, Copy)]
struct Record {
    at: u16,
    len: u16,
    bytes: u32,
    /// Number of the store since the last fence, over all files.
    sequence: u32,
    non_temporal: bool,
}

impl Record {
    fn apply(&self, unit: &mut [u8], bytes: &[u8]) {
        let (at, len) = (usize::from(self.at), usize::from(self.len));
        unit[at..at + len].copy_from_slice(&bytes[self.bytes as usize..][..len]);
    }
}

/// A unit that a power cut may leave in more than one version.
#[derive(Default)]
pub(super) struct Pending {
    pub unit: u32,
    /// Versions that an earlier power cut may have left, one unit after the other; empty
    /// if the version is known, and in the image.
    pub alternatives: Vec<u8>,
    records: Vec<Record>,
    /// How many of `records` were flushed.
    flushed: usize,
}

/// Knowledge about one file.
pub(super) struct FileLedger {
    pub name: Arc<str>,
    /// Durable content; zeros beyond the largest size.
    pub image: Vec<u8>,
    /// Sizes that a power cut may leave, the durable one first.
    pub sizes: Vec<u64>,
    pub pending: Vec<Pending>,
    /// By unit: 1 + position in `pending`, or 0.
    index: Vec<u32>,
    /// Units whose image changed since it was last cleared.
    pub changed: Vec<u32>,
}

/// Knowledge about one name: the files it may stand for, the durable one first.
pub(super) struct NameLedger {
    pub name: Arc<str>,
    pub versions: Vec<Option<u32>>,
}

/// See the module.
pub(super) struct Ledger {
    pub unit_bytes: usize,
    /// Fences make durable only what was flushed (cache lines, without eADR).
    pub needs_flush: bool,
    /// Caches are in the persistence domain: a fence makes every file durable.
    pub eadr: bool,
    pub files: Vec<FileLedger>,
    pub names: Vec<NameLedger>,
    /// Stores since the last fence (eADR: the options of the cut).
    pub sequence: u32,
    /// XOR of the differences of all units from zeros: equal ledgers agree.
    pub digest: u64,
    spare: Vec<Pending>,
}

impl Ledger {
    pub fn new(unit_bytes: usize, needs_flush: bool, eadr: bool) -> Self {
        Self {
            unit_bytes,
            needs_flush,
            eadr,
            files: Vec::new(),
            names: Vec::new(),
            sequence: 0,
            digest: 0,
            spare: Vec::new(),
        }
    }

    /// Takes another ledger's durable images, sizes and names, and nothing that
    /// was pending there.
    pub fn copy_durable(&mut self, from: &Ledger) {
        self.digest = from.digest;
        self.sequence = 0;
        self.files.truncate(from.files.len());
        for (i, theirs) in from.files.iter().enumerate() {
            if i == self.files.len() {
                self.files.push(FileLedger::new(theirs.name.clone()));
            }
            let mine = &mut self.files[i];
            mine.name = theirs.name.clone();
            mine.image.clear();
            mine.image.extend_from_slice(&theirs.image);
            mine.sizes.clear();
            mine.sizes.extend_from_slice(&theirs.sizes);
            for mut pending in mine.pending.drain(..) {
                mine.index[pending.unit as usize] = 0;
                pending.clear();
                self.spare.push(pending);
            }
            mine.changed.clear();
        }
        self.names.truncate(from.names.len());
        for (i, theirs) in from.names.iter().enumerate() {
            if i == self.names.len() {
                self.names.push(NameLedger {
                    name: theirs.name.clone(),
                    versions: Vec::new(),
                });
            }
            self.names[i].name = theirs.name.clone();
            self.names[i].versions.clone_from(&theirs.versions);
        }
    }

    /// The image's unit becomes `content`.
    pub fn persist(&mut self, file: usize, unit: u32, content: &[u8]) {
        let from = unit as usize * self.unit_bytes;
        let FileLedger { image, changed, .. } = &mut self.files[file];
        if image.len() < from + self.unit_bytes {
            image.resize(from + self.unit_bytes, 0);
        }
        let old = &mut image[from..from + self.unit_bytes];
        if old != content {
            self.digest ^= unit_digest(file, unit, old) ^ unit_digest(file, unit, content);
            old.copy_from_slice(content);
            changed.push(unit);
        }
    }

    /// The unit is one of `alternatives`, of which the file's size keeps the
    /// first `kept` bytes.
    pub fn leave_open(&mut self, file: usize, unit: u32, alternatives: &[u8], kept: usize) {
        let unit_bytes = self.unit_bytes;
        let open = &mut self.pending_of(file, unit).alternatives;
        open.extend_from_slice(alternatives);
        for content in open.chunks_exact_mut(unit_bytes) {
            content[kept..].fill(0);
        }
    }

    /// The size of a file is known; what lay beyond is gone.
    pub fn persist_size(&mut self, file: usize, size: u64) {
        self.files[file].sizes.clear();
        self.files[file].sizes.push(size);
        let unit_bytes = self.unit_bytes;
        let zeros = [0u8; 512];
        let image_len = self.files[file].image.len();
        let mut unit = (size as usize) / unit_bytes;
        while unit * unit_bytes < image_len {
            let from = unit * unit_bytes;
            let keep = (size as usize).saturating_sub(from).min(unit_bytes);
            let mut content = [0u8; 512];
            content[..keep].copy_from_slice(&self.files[file].image[from..from + keep]);
            let content = if keep == 0 {
                &zeros[..unit_bytes]
            } else {
                &content[..unit_bytes]
            };
            self.persist(file, unit as u32, content);
            unit += 1;
        }
    }

    fn pending_of(&mut self, file: usize, unit: u32) -> &mut Pending {
        let FileLedger { index, pending, .. } = &mut self.files[file];
        if index.len() <= unit as usize {
            index.resize(unit as usize + 1, 0);
        }
        if index[unit as usize] == 0 {
            let mut new = self.spare.pop().unwrap_or_default();
            new.unit = unit;
            pending.push(new);
            index[unit as usize] = pending.len() as u32;
        }
        &mut pending[index[unit as usize] as usize - 1]
    }

    /// Replays one call.
    pub fn apply(&mut self, event: Event, bytes: &[u8], name_of: impl Fn(u32) -> Arc<str>) {
        match event {
            Event::Store {
                file,
                offset,
                len,
                bytes,
                grain,
                non_temporal,
            } => {
                let (grain, unit_bytes) = (u32::from(grain), self.unit_bytes as u32);
                let end = offset + len;
                let mut at = offset;
                while at < end {
                    let stop = end.min((at / grain + 1) * grain);
                    let unit = at / unit_bytes;
                    let sequence = self.sequence;
                    self.sequence += 1;
                    self.pending_of(file as usize, unit).records.push(Record {
                        at: (at - unit * unit_bytes) as u16,
                        len: (stop - at) as u16,
                        bytes: bytes + (at - offset),
                        sequence,
                        non_temporal,
                    });
                    at = stop;
                }
            }
            Event::Flush { file, offset, len } => {
                if !self.needs_flush || len == 0 {
                    return;
                }
                let FileLedger { index, pending, .. } = &mut self.files[file as usize];
                let unit_bytes = self.unit_bytes as u32;
                let last = ((offset + len - 1) / unit_bytes) as usize;
                for &slot in index
                    .iter()
                    .take(last + 1)
                    .skip((offset / unit_bytes) as usize)
                {
                    if slot != 0 {
                        let pending = &mut pending[slot as usize - 1];
                        pending.flushed = pending.records.len();
                    }
                }
            }
            Event::Fence { done: false, .. } | Event::SyncNames { done: false } => {}
            Event::Fence { file, done: true } => {
                let sizes = &mut self.files[file as usize].sizes;
                sizes.drain(..sizes.len() - 1);
                if self.eadr {
                    (0..self.files.len()).for_each(|file| self.fence(file, bytes));
                    self.sequence = 0;
                } else {
                    self.fence(file as usize, bytes);
                }
            }
            // Caches in the persistence domain lose nothing.
            Event::Lose { .. } if self.eadr => {}
            Event::Lose { file } => self.lose(file as usize),
            Event::Grow { file, len } => {
                let file = &mut self.files[file as usize];
                file.sizes.push(u64::from(len));
                let units = (len as usize).div_ceil(self.unit_bytes);
                if file.image.len() < units * self.unit_bytes {
                    file.image.resize(units * self.unit_bytes, 0);
                }
            }
            Event::Create { name, file } => {
                let text = name_of(name);
                debug_assert_eq!(file as usize, self.files.len());
                self.files.push(FileLedger::new(text.clone()));
                if name as usize == self.names.len() {
                    self.names.push(NameLedger {
                        name: text,
                        versions: vec![None],
                    });
                }
                self.names[name as usize].versions.push(Some(file));
            }
            Event::Remove { name } => self.names[name as usize].versions.push(None),
            Event::SyncNames { done: true } => {
                for name in &mut self.names {
                    let last = name.versions.len() - 1;
                    name.versions.drain(..last);
                }
            }
        }
    }

    /// Forgets the stores of one file that are not durable.
    fn lose(&mut self, file: usize) {
        let FileLedger { pending, index, .. } = &mut self.files[file];
        for mut unit in std::mem::take(pending) {
            index[unit.unit as usize] = 0;
            unit.records.clear();
            unit.flushed = 0;
            if unit.alternatives.is_empty() {
                self.spare.push(unit);
            } else {
                pending.push(unit);
                index[pending[pending.len() - 1].unit as usize] = pending.len() as u32;
            }
        }
    }

    /// A successful fence of one file.
    fn fence(&mut self, file: usize, bytes: &[u8]) {
        let unit_bytes = self.unit_bytes;
        let mut i = 0;
        while i < self.files[file].pending.len() {
            let mut pending = std::mem::take(&mut self.files[file].pending[i]);
            let durable = if self.needs_flush {
                // `sfence` also drains write-combining buffers, and a
                // non-temporal store pushes the line's earlier stores out first.
                let streamed = pending.records.iter().rposition(|r| r.non_temporal);
                pending.flushed.max(streamed.map_or(0, |last| last + 1))
            } else {
                pending.records.len()
            };
            if durable > 0 {
                self.persist_records(file, &mut pending, durable, bytes);
            }
            if pending.records.is_empty() && pending.alternatives.len() <= unit_bytes {
                let FileLedger {
                    pending: list,
                    index,
                    ..
                } = &mut self.files[file];
                index[pending.unit as usize] = 0;
                pending.clear();
                self.spare.push(pending);
                list.swap_remove(i);
                if let Some(moved) = list.get(i) {
                    index[moved.unit as usize] = i as u32 + 1;
                }
            } else {
                self.files[file].pending[i] = pending;
                i += 1;
            }
        }
    }

    /// The first `count` stores of a unit are durable.
    fn persist_records(&mut self, file: usize, pending: &mut Pending, count: usize, bytes: &[u8]) {
        let unit_bytes = self.unit_bytes;
        if pending.alternatives.is_empty() {
            let from = pending.unit as usize * unit_bytes;
            let mut content = [0u8; 512];
            let content = &mut content[..unit_bytes];
            content.copy_from_slice(&self.files[file].image[from..from + unit_bytes]);
            for record in &pending.records[..count] {
                record.apply(content, bytes);
            }
            self.persist(file, pending.unit, content);
        } else {
            let before = std::mem::take(&mut pending.alternatives);
            for content in before.chunks_exact(unit_bytes) {
                let mut content = content.to_vec();
                for record in &pending.records[..count] {
                    record.apply(&mut content, bytes);
                }
                push_distinct(&mut pending.alternatives, 0, unit_bytes, &content);
            }
            if pending.alternatives.len() == unit_bytes {
                let content = std::mem::take(&mut pending.alternatives);
                self.persist(file, pending.unit, &content);
            }
        }
        pending.records.drain(..count);
        pending.flushed = pending.flushed.saturating_sub(count);
    }
}

impl Pending {
    fn clear(&mut self) {
        self.alternatives.clear();
        self.records.clear();
        self.flushed = 0;
    }

    /// Whether no two pending stores overlap.
    fn is_disjoint(&self) -> bool {
        let mut taken = [false; 512];
        self.records.iter().all(|r| {
            let range = usize::from(r.at)..usize::from(r.at + r.len);
            let free = taken[range.clone()].iter().all(|&t| !t);
            taken[range].fill(true);
            free
        })
    }

    /// Whether a non-temporal store is among the pending ones.
    pub fn has_streamed(&self) -> bool {
        self.records.iter().any(|r| r.non_temporal)
    }
}

impl FileLedger {
    pub fn new(name: Arc<str>) -> Self {
        Self {
            name,
            image: Vec::new(),
            sizes: vec![0],
            pending: Vec::new(),
            index: Vec::new(),
            changed: Vec::new(),
        }
    }
}
