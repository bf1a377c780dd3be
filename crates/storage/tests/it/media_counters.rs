//! The counters of the emulated medium against a slow model of them.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use evergraph_storage::medium::{CountersSnapshot, DramStorage, EmulatedStorage, FileStorage};
use evergraph_storage::{Medium, MediumHandle, Storage};
use proptest::prelude::*;

const FILES: usize = 2;
const BYTES: u64 = 64 << 10;

#[derive(Clone, Debug)]
enum Step {
    Write { file: usize, offset: u64, len: u64 },
    WriteThrough { file: usize, offset: u64, len: u64 },
    Store { file: usize, word: u64 },
    Flush { file: usize, offset: u64, len: u64 },
    Touch { file: usize, offset: u64, len: u64 },
    Fence { file: usize },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let file = 0..FILES;
    // Mostly near each other, so that lines and units meet again.
    let offset = prop_oneof![0..4096u64, 0..BYTES - 3000];
    let len = prop_oneof![0..100u64, 0..3000u64];
    let range = (file.clone(), offset, len);
    let step = prop_oneof![
        3 => range.clone().prop_map(|(file, offset, len)| Step::Write { file, offset, len }),
        1 => range.clone().prop_map(|(file, offset, len)| Step::WriteThrough { file, offset, len }),
        4 => (file.clone(), 0..BYTES / 8).prop_map(|(file, word)| Step::Store { file, word }),
        4 => range.clone().prop_map(|(file, offset, len)| Step::Flush { file, offset, len }),
        1 => range.prop_map(|(file, offset, len)| Step::Touch { file, offset, len }),
        1 => file.prop_map(|file| Step::Fence { file }),
    ];
    proptest::collection::vec(step, 1..400)
}

/// All of it with sets and a list, one line at a time.
#[derive(Default)]
struct Model {
    pages: bool,
    dirty: BTreeSet<(usize, u64)>,
    /// Units and the lines of each that arrived; the newest is last.
    buffer: VecDeque<((usize, u64), BTreeSet<u64>)>,
    counts: CountersSnapshot,
}

impl Model {
    fn line_bytes(&self) -> u64 {
        if self.pages { 4096 } else { 64 }
    }

    fn lines(&self, offset: u64, len: u64) -> BTreeSet<u64> {
        (offset..offset + len)
            .map(|byte| byte / self.line_bytes())
            .collect()
    }

    fn stored(&mut self, file: usize, offset: u64, len: u64) {
        self.counts.stored_bytes += len;
        for line in self.lines(offset, len) {
            self.dirty.insert((file, line));
        }
    }

    fn flushed(&mut self, file: usize, offset: u64, len: u64) {
        for line in self.lines(offset, len) {
            self.counts.line_flushes += 1;
            if !self.dirty.contains(&(file, line)) {
                self.counts.redundant_flushes += 1;
            } else if !self.pages {
                self.dirty.remove(&(file, line));
                self.arrives(file, line);
            }
        }
    }

    fn arrives(&mut self, file: usize, line: u64) {
        let unit = (file, line / 4);
        let held = self.buffer.iter().position(|(held, _)| *held == unit);
        let mut lines = match held {
            Some(at) => self.buffer.remove(at).unwrap().1,
            None => BTreeSet::new(),
        };
        if self.buffer.len() == 64 {
            self.leaves();
        }
        lines.insert(line);
        self.buffer.push_back((unit, lines));
    }

    fn leaves(&mut self) {
        let (_, lines) = self.buffer.pop_front().unwrap();
        self.counts.media_writes += 1;
        self.counts.media_written_bytes += 256;
        self.counts.merge_reads += u64::from(lines.len() < 4);
    }

    fn fenced(&mut self, file: usize) {
        self.counts.fences += 1;
        if self.pages {
            let before = self.dirty.len();
            self.dirty.retain(|&(of, _)| of != file);
            let written = (before - self.dirty.len()) as u64;
            self.counts.media_writes += written;
            self.counts.media_written_bytes += written * 4096;
        }
    }

    fn touched(&mut self, offset: u64, len: u64) {
        let unit = if self.pages { 4096 } else { 256 };
        let units: BTreeSet<u64> = (offset..offset + len).map(|byte| byte / unit).collect();
        self.counts.media_reads += units.len() as u64;
    }

    fn drained(mut self) -> CountersSnapshot {
        while !self.buffer.is_empty() {
            self.leaves();
        }
        self.counts
    }
}

fn check(inner: Arc<dyn Storage>, steps: &[Step]) {
    let storage = EmulatedStorage::new(inner, None);
    let files: Vec<MediumHandle> = (0..FILES)
        .map(|i| {
            let medium = storage.open(&i.to_string(), true).unwrap();
            medium.grow(BYTES).unwrap();
            medium
        })
        .collect();
    let mut model = Model {
        pages: !files[0].properties().byte_addressed,
        ..Model::default()
    };
    let bytes = [7; 3000];
    for step in steps {
        match *step {
            Step::Write { file, offset, len } => {
                files[file].write(offset, &bytes[..len as usize]).unwrap();
                model.stored(file, offset, len);
            }
            Step::WriteThrough { file, offset, len } => {
                files[file]
                    .write_through(offset, &bytes[..len as usize])
                    .unwrap();
                model.stored(file, offset, len);
                model.flushed(file, offset, len);
            }
            Step::Store { .. } if model.pages => {}
            Step::Store { file, word } => {
                files[file].store_u64(word * 8, 1);
                model.stored(file, word * 8, 8);
            }
            Step::Flush { file, offset, len } => {
                files[file].flush(offset, len).unwrap();
                model.flushed(file, offset, len);
            }
            Step::Touch { file, offset, len } => {
                files[file].touch(offset, len).unwrap();
                model.touched(offset, len);
            }
            Step::Fence { file } => {
                files[file].fence().unwrap();
                model.fenced(file);
            }
        }
    }
    assert_eq!(storage.device().drain(), model.drained());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lines_are_counted_as_the_model_counts_them(steps in steps()) {
        check(Arc::new(DramStorage::new()), &steps);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pages_are_counted_as_the_model_counts_them(steps in steps()) {
        let dir = tempfile::tempdir().unwrap();
        check(Arc::new(FileStorage::open(dir.path()).unwrap()), &steps);
    }
}

#[test]
fn a_sequential_stream_is_not_amplified_and_scattered_words_are() {
    let storage = EmulatedStorage::new(Arc::new(DramStorage::new()), None);
    let medium = storage.open("a", true).unwrap();
    medium.grow(1 << 20).unwrap();
    for offset in (0..1 << 20).step_by(8) {
        medium.store_u64(offset, 1);
        medium.flush(offset, 8).unwrap();
    }
    let sequential = storage.device().drain();
    assert_eq!((sequential.media_writes, sequential.merge_reads), (4096, 0));
    assert_eq!(sequential.write_amplification(), 1.0);

    // 4 bytes in every unit: each is a read and a write of 256.
    for offset in (0..1 << 20).step_by(256) {
        medium.store_u32(offset, 2);
        medium.flush(offset, 4).unwrap();
    }
    let scattered = storage.device().drain() - sequential;
    assert_eq!(
        (scattered.media_writes, scattered.merge_reads),
        (4096, 4096)
    );
    assert_eq!(scattered.write_amplification(), 64.0);
    assert_eq!(scattered.fields()[0], ("stored_bytes", 16384));
}
