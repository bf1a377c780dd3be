//! The live side: memory that a program reads and writes now, on top of the
//! ledger of what the last power cut may have left.

mod live;
mod names;
mod restart;

use live::{LiveFile, LiveName};

use crate::choices::{Chooser, What};
use crate::faults::{Calls, FaultKind, FaultPlan, PlannedFailure};
use crate::ledger::{Event, Journal, Ledger};
use crate::{Config, Persistence};
use evergraph_storage::MediumError;

/// Fills memory that no choice has decided yet, so that a read that bypasses
/// `touch` sees absurd lengths and wrong checksums.
pub const POISON: u8 = 0xE7;
/// Fills discarded ranges: on real media they read as anything.
pub const DISCARDED: u8 = 0xD5;

/// A unit whose content the power cut left open.
struct Undecided {
    file: u32,
    unit: u32,
    /// Start of its versions in `versions`.
    first: usize,
    count: u32,
    /// eADR: where its cuts start in `marks`.
    marks: Option<usize>,
}

/// Everything behind the mutex of a [`super::SimulatedStorage`].
pub(super) struct State {
    pub config: Config,
    pub base: Ledger,
    pub journal: Journal,
    pub recording: bool,
    pub chooser: Chooser,
    pub plan: FaultPlan,
    pub calls: Calls,
    /// Counts executions; a medium of an earlier one refuses to work.
    pub generation: u64,
    /// Whether the versions of some unit were thinned.
    pub thinned: bool,
    files: Vec<LiveFile>,
    names: Vec<LiveName>,
    undecided: Vec<Undecided>,
    versions: Vec<u8>,
    marks: Vec<u32>,
    /// Undecided entries that were decided, and how.
    resolved: Vec<(u32, u32)>,
    cut_decided: bool,
    /// The memory is not the base's yet.
    stale: bool,
    /// Files of the base; later ones were made by the execution.
    durable_files: usize,
    spare: Vec<LiveFile>,
}

fn damaged_bounds(name: &str, offset: u64, len: u64, file_len: u64) -> MediumError {
    MediumError::OutOfBounds {
        file: name.to_string(),
        offset,
        len,
        file_len,
    }
}

fn failure(name: &str, kind: FaultKind, doing: &'static str, wanted_bytes: u64) -> MediumError {
    match kind {
        FaultKind::NoSpace => MediumError::NoSpace {
            file: name.to_string(),
            wanted_bytes,
        },
        FaultKind::Io | FaultKind::Lost => MediumError::Io {
            file: name.to_string(),
            doing,
            source: std::io::Error::other("planned failure (EIO)"),
        },
    }
}

impl State {
    pub fn new(config: Config) -> Self {
        let (unit_bytes, needs_flush, eadr) = match config.persistence {
            Persistence::Lines => (64, true, false),
            Persistence::LinesEadr => (64, false, true),
            Persistence::Pages => (512, false, false),
        };
        Self {
            config,
            base: Ledger::new(unit_bytes, needs_flush, eadr),
            journal: Journal::default(),
            recording: true,
            chooser: Chooser::new(),
            plan: FaultPlan::default(),
            calls: Calls::default(),
            generation: 0,
            thinned: false,
            files: Vec::new(),
            names: Vec::new(),
            undecided: Vec::new(),
            versions: Vec::new(),
            marks: Vec::new(),
            resolved: Vec::new(),
            cut_decided: false,
            stale: false,
            durable_files: 0,
            spare: Vec::new(),
        }
    }

    // ---- Decisions ---------------------------------------------------------

    fn resolve(&mut self, entry: u32, version: Option<u32>) {
        let unit_bytes = self.base.unit_bytes;
        let Undecided {
            file,
            unit,
            first,
            count,
            ..
        } = self.undecided[entry as usize];
        let version =
            version.unwrap_or_else(|| self.chooser.choose(count, What::Unit { file, unit }));
        let live = &mut self.files[file as usize];
        let content = &self.versions[first + version as usize * unit_bytes..][..unit_bytes];
        let from = unit as usize * unit_bytes;
        live.block.put(from, content);
        // A size chosen in the middle of the unit cuts it.
        let end = live.size.map_or(usize::MAX, |size| size as usize);
        if end < from + unit_bytes {
            let end = end.max(from);
            live.block.fill(end, from + unit_bytes - end, 0);
        }
        live.decided(unit);
        self.resolved.push((entry, version));
    }

    /// eADR: how far all stores got is one choice, made before anything is seen.
    fn decide_cut(&mut self) {
        if !self.base.eadr || self.cut_decided {
            return;
        }
        self.cut_decided = true;
        if self.undecided.iter().all(|u| u.marks.is_none()) {
            return;
        }
        let cut = self.chooser.choose(self.base.sequence + 1, What::Cut);
        for entry in 0..self.undecided.len() {
            let undecided = &self.undecided[entry];
            if let Some(first) = undecided.marks {
                let marks = &self.marks[first..][..undecided.count as usize];
                let version = marks.iter().rposition(|&m| m <= cut).unwrap_or(0);
                self.resolve(entry as u32, Some(version as u32));
            }
        }
    }

    fn decide_units(&mut self, file: u32, first: usize, last: usize) {
        for unit in first..=last {
            let entry = self.files[file as usize].state[unit];
            if entry != 0 {
                self.resolve(entry - 1, None);
            }
        }
    }

    // ---- Bytes -------------------------------------------------------------

    pub fn touch(&mut self, file: u32, offset: u64, len: u64) -> Result<(), MediumError> {
        self.check_bounds(file, offset, len)?;
        if self.files[file as usize].undecided > 0 && len > 0 {
            let unit_bytes = self.base.unit_bytes;
            let (first, last) = (offset as usize, (offset + len) as usize - 1);
            self.decide_units(file, first / unit_bytes, last / unit_bytes);
        }
        Ok(())
    }

    fn check_bounds(&self, file: u32, offset: u64, len: u64) -> Result<(), MediumError> {
        let live = &self.files[file as usize];
        let file_len = live.block.len();
        if offset.checked_add(len).is_none_or(|end| end > file_len) {
            return Err(damaged_bounds(&live.name, offset, len, file_len));
        }
        Ok(())
    }

    /// A killed process makes no call.
    fn check_alive(&self) -> Result<(), MediumError> {
        match self.plan.kill.is_some_and(|call| self.calls.all() >= call) {
            true => Err(MediumError::Unsupported(
                "the process was killed".to_string(),
            )),
            false => Ok(()),
        }
    }

    fn check_healthy(&self, file: u32) -> Result<(), MediumError> {
        self.check_alive()?;
        let live = &self.files[file as usize];
        if live.poisoned {
            return Err(MediumError::Poisoned {
                file: live.name.to_string(),
            });
        }
        Ok(())
    }

    /// Takes note that a range is about to be overwritten.
    fn overwrite(&mut self, file: u32, offset: usize, len: usize) {
        if len == 0 {
            return;
        }
        let unit_bytes = self.base.unit_bytes;
        let (first, last) = (offset / unit_bytes, (offset + len - 1) / unit_bytes);
        if self.files[file as usize].undecided > 0 {
            // A unit that is partly overwritten must be decided, because the rest of it can
            // be read; one that is overwritten as a whole stays open below.
            if !offset.is_multiple_of(unit_bytes) {
                self.decide_units(file, first, first);
            }
            if !(offset + len).is_multiple_of(unit_bytes) {
                self.decide_units(file, last, last);
            }
        }
        let live = &mut self.files[file as usize];
        for unit in first..=last {
            if live.state[unit] != 0 {
                live.decided(unit as u32);
            } else {
                live.mark_dirty(unit as u32);
            }
        }
    }

    /// A write that is a flush as well: a dropped flush leaves ordinary stores.
    pub fn write_through(
        &mut self,
        file: u32,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), MediumError> {
        let dropped = self.plan.drop_flush == Some(self.calls.flushes);
        self.write(file, offset, bytes, !dropped)?;
        self.calls.flushes += 1;
        Ok(())
    }

    /// A write by call.
    pub fn write(
        &mut self,
        file: u32,
        offset: u64,
        bytes: &[u8],
        non_temporal: bool,
    ) -> Result<(), MediumError> {
        self.check_healthy(file)?;
        self.check_bounds(file, offset, bytes.len() as u64)?;
        let call = self.calls.writes;
        self.calls.writes += 1;
        let failed = PlannedFailure::hits(&self.plan.fail_write, call);
        let stored = match failed {
            None => bytes.len(),
            Some(FaultKind::NoSpace) => 0,
            Some(FaultKind::Io | FaultKind::Lost) => bytes.len() / 2,
        };
        self.store(file, offset, &bytes[..stored], non_temporal);
        match failed {
            None => Ok(()),
            Some(kind) => {
                let name = &self.files[file as usize].name;
                Err(failure(name, kind, "write", bytes.len() as u64))
            }
        }
    }

    /// A single store (bounds and alignment were checked).
    pub fn store_word(&mut self, file: u32, offset: u64, bytes: &[u8]) -> Result<(), MediumError> {
        self.check_healthy(file)?;
        self.check_bounds(file, offset, bytes.len() as u64)?;
        self.calls.writes += 1;
        self.store(file, offset, bytes, false);
        Ok(())
    }

    fn store(&mut self, file: u32, offset: u64, bytes: &[u8], non_temporal: bool) {
        if bytes.is_empty() {
            return;
        }
        self.overwrite(file, offset as usize, bytes.len());
        self.files[file as usize].block.put(offset as usize, bytes);
        if self.recording {
            let at = self.journal.bytes.len() as u32;
            self.journal.bytes.extend_from_slice(bytes);
            let grain = match self.config.persistence {
                Persistence::Pages => 512,
                _ => 8,
            };
            self.record(Event::Store {
                file,
                offset: offset as u32,
                len: bytes.len() as u32,
                bytes: at,
                grain,
                non_temporal: non_temporal && grain == 8,
            });
        }
    }

    pub fn grow(&mut self, file: u32, len: u64) -> Result<(), MediumError> {
        self.check_healthy(file)?;
        let call = self.calls.grows;
        self.calls.grows += 1;
        let block = self.files[file as usize].block.clone();
        let name = self.files[file as usize].name.clone();
        if let Some(kind) = PlannedFailure::hits(&self.plan.fail_grow, call) {
            return Err(failure(&name, kind, "grow", len));
        }
        let old = block.len();
        if len <= old {
            return Ok(());
        }
        if len > block.capacity() as u64 {
            return Err(failure(&name, FaultKind::NoSpace, "grow", len));
        }
        // The start is inside a unit if an odd size was asked for before; the
        // end is rounded up because nothing beyond it exists.
        let unit_bytes = self.base.unit_bytes as u64;
        let end = len
            .next_multiple_of(unit_bytes)
            .min(block.capacity() as u64);
        self.overwrite(file, old as usize, (end - old) as usize);
        block.fill(old as usize, (end - old) as usize, 0);
        block.set_len(len);
        self.record(Event::Grow {
            file,
            len: len as u32,
        });
        Ok(())
    }

    pub fn reserve(&mut self, file: u32, offset: u64, len: u64) -> Result<(), MediumError> {
        self.check_healthy(file)?;
        self.check_bounds(file, offset, len)?;
        let call = self.calls.grows;
        self.calls.grows += 1;
        match PlannedFailure::hits(&self.plan.fail_grow, call) {
            Some(kind) => Err(failure(self.file_name(file), kind, "reserve", len)),
            None => Ok(()),
        }
    }

    pub fn discard(&mut self, file: u32, offset: u64, len: u64) -> Result<(), MediumError> {
        self.check_healthy(file)?;
        self.check_bounds(file, offset, len)?;
        self.calls.writes += 1;
        let unit_bytes = self.base.unit_bytes as u64;
        let first = offset.next_multiple_of(unit_bytes);
        let end = (offset + len) / unit_bytes * unit_bytes;
        if first >= end {
            return Ok(());
        }
        let bytes = vec![DISCARDED; (end - first) as usize];
        self.store(file, first, &bytes, false);
        // The file system does it, not a cache: no flush is needed.
        self.record(Event::Flush {
            file,
            offset: first as u32,
            len: (end - first) as u32,
        });
        Ok(())
    }

    pub fn flush(&mut self, file: u32, offset: u64, len: u64) -> Result<(), MediumError> {
        self.check_alive()?;
        self.check_bounds(file, offset, len)?;
        let call = self.calls.flushes;
        self.calls.flushes += 1;
        if self.plan.drop_flush != Some(call) {
            self.record(Event::Flush {
                file,
                offset: offset as u32,
                len: len as u32,
            });
        }
        Ok(())
    }

    pub fn fence(&mut self, file: u32) -> Result<(), MediumError> {
        self.check_healthy(file)?;
        let call = self.calls.fences;
        self.calls.fences += 1;
        let failed = PlannedFailure::hits(&self.plan.fail_fence, call);
        let done = failed.is_none() && self.plan.drop_fence != Some(call);
        self.crash_point();
        self.record(Event::Fence { file, done });
        if failed == Some(FaultKind::Lost) {
            self.record(Event::Lose { file });
        }
        if let Some(kind) = failed {
            let live = &mut self.files[file as usize];
            live.poisoned = true;
            return Err(failure(&live.name, kind, "sync", 0));
        }
        Ok(())
    }

    fn crash_point(&mut self) {
        if self.recording {
            self.journal.points.push(self.journal.events.len() as u32);
        }
    }

    fn record(&mut self, event: Event) {
        if self.recording {
            self.journal.events.push(event);
        }
    }
}
