//! From one execution to the next, and what is seen from outside.

use std::sync::Arc;

use super::{LiveFile, LiveName, POISON, State, Undecided};
use crate::choices::What;
use crate::faults::{Calls, FaultPlan, Image};
use crate::ledger::{Event, Ledger};

impl State {
    /// Becomes the world after a power cut that `parent` has not lived to see:
    /// the base is what `parent` started from, with the choices it made.
    pub fn begin_after(&mut self, parent: &State) {
        let unit_bytes = self.base.unit_bytes;
        self.base.copy_durable(&parent.base);
        for (i, undecided) in parent.undecided.iter().enumerate() {
            let count = undecided.count as usize;
            let versions = &parent.versions[undecided.first..][..count * unit_bytes];
            let (file, unit) = (undecided.file as usize, undecided.unit);
            let from = unit as usize * unit_bytes;
            let size = parent.files[file].size.unwrap_or(u64::MAX);
            let kept = size.saturating_sub(from as u64).min(unit_bytes as u64) as usize;
            if kept == 0 {
                continue;
            }
            match parent.resolved.iter().find(|r| r.0 as usize == i) {
                Some(&(_, version)) => {
                    let content = &versions[version as usize * unit_bytes..][..unit_bytes];
                    self.base.persist(file, unit, content);
                }
                None => self.base.leave_open(file, unit, versions, kept),
            }
        }
        for file in 0..self.base.files.len() {
            if let Some(size) = parent.files[file].size {
                self.base.persist_size(file, size);
            }
        }
        for (name, live) in self.base.names.iter_mut().zip(&parent.names) {
            if let Some(chosen) = live.initial {
                name.versions.clear();
                name.versions.push(chosen);
            }
        }
        self.stale = true;
    }

    /// Replays the parent's calls `from..to` on the base.
    pub fn advance(&mut self, parent: &State, from: usize, to: usize) {
        for &event in &parent.journal.events[from..to] {
            self.base.apply(event, &parent.journal.bytes, |name| {
                parent.names[name as usize].name.clone()
            });
        }
    }

    /// Lists what the power cut leaves open, and makes the memory that of the
    /// base. `bytes` are the journal's that the base was advanced by.
    pub fn prepare(&mut self, bytes: &[u8]) {
        self.reset();
        let unit_bytes = self.base.unit_bytes;
        for undecided in self.undecided.drain(..) {
            let Some(file) = self.files.get_mut(undecided.file as usize) else {
                continue;
            };
            let unit = undecided.unit as usize;
            file.home[unit] = 0;
            file.state[unit] = 0;
            file.undecided = 0;
            if let Some(base) = self.base.files.get_mut(undecided.file as usize) {
                base.changed.push(undecided.unit);
            }
        }
        self.versions.clear();
        self.marks.clear();
        self.thinned = false;
        while self.files.len() > self.base.files.len() {
            self.put_aside();
        }
        while self.files.len() < self.base.files.len() {
            let name = self.base.files[self.files.len()].name.clone();
            let file = self.new_file(name);
            self.files.push(file);
        }
        self.durable_files = self.files.len();
        for (number, ledger) in self.base.files.iter().enumerate() {
            let live = &mut self.files[number];
            if self.stale {
                live.name = ledger.name.clone();
                live.filled = 0;
            }
            // The first time all of it, then what is new; changes are listed.
            if live.filled < ledger.image.len() {
                live.block.put(live.filled, &ledger.image[live.filled..]);
                live.filled = ledger.image.len();
            }
            for &unit in &ledger.changed {
                let from = unit as usize * unit_bytes;
                if let Some(content) = ledger.image.get(from..from + unit_bytes) {
                    live.block.put(from, content);
                }
            }
            for pending in &ledger.pending {
                let first = self.versions.len();
                let marks_first = self.marks.len();
                let by_cut = self.base.eadr && !pending.has_streamed();
                let complete = self.base.versions(
                    number,
                    pending,
                    bytes,
                    &mut self.versions,
                    by_cut.then_some(&mut self.marks),
                );
                self.thinned |= !complete;
                let count = ((self.versions.len() - first) / unit_bytes) as u32;
                let at = pending.unit as usize;
                if count == 1 {
                    live.block.put(at * unit_bytes, &self.versions[first..]);
                    self.versions.truncate(first);
                    self.marks.truncate(marks_first);
                    continue;
                }
                self.undecided.push(Undecided {
                    file: number as u32,
                    unit: pending.unit,
                    first,
                    count,
                    marks: by_cut.then_some(marks_first),
                });
                live.home[at] = self.undecided.len() as u32;
                live.state[at] = live.home[at];
                live.undecided += 1;
                live.block.fill(at * unit_bytes, unit_bytes, POISON);
            }
        }
        for ledger in &mut self.base.files {
            ledger.changed.clear();
        }
        self.names.clear();
        self.names
            .extend(self.base.names.iter().map(|ledger| LiveName {
                name: ledger.name.clone(),
                current: None,
                initial: None,
            }));
        self.stale = false;
        self.reset();
    }

    /// Back to the moment after the power cut; nothing is decided.
    /// Another process of the same boot: it has what was stored, and no plans.
    pub fn begin_process(&mut self) {
        self.generation += 1;
        self.plan = FaultPlan::default();
        for file in &mut self.files {
            file.poisoned = false;
        }
    }

    pub fn reset(&mut self) {
        self.generation += 1;
        self.journal.clear();
        self.chooser.taken.clear();
        self.calls = Calls::default();
        self.resolved.clear();
        self.cut_decided = false;
        let unit_bytes = self.base.unit_bytes;
        while self.files.len() > self.durable_files {
            self.put_aside();
        }
        for (file, ledger) in self.files.iter_mut().zip(&self.base.files) {
            file.size = None;
            file.poisoned = false;
            for &unit in &file.dirty {
                let at = unit as usize;
                file.is_dirty[at] = false;
                if file.state[at] != file.home[at] {
                    file.state[at] = file.home[at];
                    file.undecided += 1;
                }
                if file.home[at] != 0 {
                    file.block.fill(at * unit_bytes, unit_bytes, POISON);
                } else if let Some(content) =
                    ledger.image.get(at * unit_bytes..(at + 1) * unit_bytes)
                {
                    file.block.put(at * unit_bytes, content);
                }
            }
            file.dirty.clear();
        }
        self.names.truncate(self.base.names.len());
        for name in &mut self.names {
            name.initial = None;
        }
    }

    /// Keeps the last file's memory for the next file that is made.
    fn put_aside(&mut self) {
        if let Some(mut file) = self.files.pop()
            && Arc::strong_count(&file.block) == 1
        {
            for unit in file.dirty.drain(..) {
                file.is_dirty[unit as usize] = false;
            }
            self.spare.push(file);
        }
    }

    pub(super) fn new_file(&mut self, name: Arc<str>) -> LiveFile {
        match self.spare.pop() {
            Some(mut file) => {
                file.name = name;
                file.size = None;
                file.poisoned = false;
                file.filled = 0;
                file.block.set_len(0);
                file
            }
            None => LiveFile::new(name, &self.config, self.base.unit_bytes),
        }
    }

    pub fn file_name(&self, file: u32) -> &str {
        &self.files[file as usize].name
    }

    pub fn image(&mut self) -> Image {
        let mut image = Image::default();
        for at in 0..self.names.len() {
            let name = self.names[at].name.clone();
            self.find(&name);
            if let Some(file) = self.names[at].current {
                self.decide_size(file);
                let block = &self.files[file as usize].block;
                image.files.insert(name.to_string(), block.copy());
            }
        }
        image
    }

    /// Starts from an image as if all of it were durable.
    pub fn start_from(&mut self, image: &Image) {
        let unit_bytes = self.base.unit_bytes;
        for (number, (name, content)) in image.files.iter().enumerate() {
            let event = |event, bytes: &[u8], base: &mut Ledger| {
                base.apply(event, bytes, |_| name.as_str().into());
            };
            let (file, len) = (number as u32, content.len() as u32);
            event(Event::Create { name: file, file }, &[], &mut self.base);
            event(Event::Grow { file, len }, &[], &mut self.base);
            event(Event::Fence { file, done: true }, &[], &mut self.base);
            for (unit, bytes) in content.chunks(unit_bytes).enumerate() {
                let mut whole = [0u8; 512];
                whole[..bytes.len()].copy_from_slice(bytes);
                self.base.persist(number, unit as u32, &whole[..unit_bytes]);
            }
        }
        self.base
            .apply(Event::SyncNames { done: true }, &[], |_| "".into());
        self.stale = true;
        self.prepare(&[]);
    }

    /// The choices made so far, in words.
    pub fn describe(&self) -> Vec<String> {
        let unit_bytes = self.base.unit_bytes as u64;
        let describe = |what| match what {
            What::Unit { file, unit } => {
                let name = self.file_name(file);
                format!("{name} @ {:#x}", u64::from(unit) * unit_bytes)
            }
            What::Size { file } => format!("size of {}", self.file_name(file)),
            What::Name { name } => format!("name {}", self.names[name as usize].name),
            What::Cut => "stores that reached the caches".to_string(),
        };
        self.chooser
            .taken
            .iter()
            .map(|t| {
                let newest = t.options - 1;
                format!("{}: version {} of 0..={newest}", describe(t.what), t.option)
            })
            .collect()
    }
}
