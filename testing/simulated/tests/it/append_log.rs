//! An append-only log and a header of two slots, in ordinary files.
//!
//! A record carries its epoch and a checksum. An acknowledgement waits for the
//! log's sync. A checkpoint and a recovery publish a header with the end of the
//! log and a new epoch, so that what lay beyond never counts again.

use evergraph_simulated::{
    Config, Explorer, Persistence, Program, Progress, Report, SimulatedStorage,
};
use evergraph_storage::{Medium, MediumError, MediumHandle, Storage};

/// A slot is longer than a sector, so that it can be torn.
const SLOT_BYTES: usize = 1024;
const RECORD_HEAD: usize = 24;
const EXTENT: u64 = 4096;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variant {
    Correct,
    NotSynced,
    HeaderBeforeData,
    RecordChecksumOmitted,
    HeaderChecksumOmitted,
    SizeTrusted,
    StaleTailAccepted,
    RecoveryClearsFirst,
    HeaderInPlace,
    NamesNotSynced,
}

const BROKEN: [Variant; 9] = [
    Variant::NotSynced,
    Variant::HeaderBeforeData,
    Variant::RecordChecksumOmitted,
    Variant::HeaderChecksumOmitted,
    Variant::SizeTrusted,
    Variant::StaleTailAccepted,
    Variant::RecoveryClearsFirst,
    Variant::HeaderInPlace,
    Variant::NamesNotSynced,
];

fn checksum(bytes: &[u8]) -> u64 {
    let start = 0xCBF2_9CE4_8422_2325u64;
    bytes.iter().fold(start, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3)
    })
}

fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

/// A record's payload follows from its number; some span sectors.
fn payload(number: u64) -> Vec<u8> {
    let len = 8 + (number as usize * 331) % 700;
    let mut bytes: Vec<u8> = (0..len).map(|i| (i as u64 * 7 + number) as u8).collect();
    bytes[..8].copy_from_slice(&number.to_le_bytes());
    bytes
}

/// A recovered log, and its records' payloads.
type Recovered = (Log, Vec<Vec<u8>>);

struct Log {
    head: MediumHandle,
    log: MediumHandle,
    variant: Variant,
    epoch: u64,
    tail: u64,
}

impl Log {
    fn create(storage: &SimulatedStorage, variant: Variant) -> Result<Self, MediumError> {
        let mut log = Self {
            head: storage.open("head", true)?,
            log: storage.open("log", true)?,
            variant,
            epoch: 0,
            tail: 0,
        };
        log.log.grow(EXTENT)?;
        log.log.fence()?;
        log.head.grow(2 * SLOT_BYTES as u64)?;
        log.publish()?;
        if variant != Variant::NamesNotSynced {
            storage.sync_names()?;
        }
        Ok(log)
    }

    /// A header that says where the log ends, in the slot that is not current.
    fn publish(&mut self) -> Result<(), MediumError> {
        self.epoch += 1;
        let mut slot = [0; SLOT_BYTES];
        slot[..8].copy_from_slice(&self.epoch.to_le_bytes());
        slot[512..520].copy_from_slice(&self.tail.to_le_bytes());
        let sum = checksum(&slot[..SLOT_BYTES - 8]);
        slot[SLOT_BYTES - 8..].copy_from_slice(&sum.to_le_bytes());
        let in_place = self.variant == Variant::HeaderInPlace;
        let number = if in_place { 0 } else { self.epoch % 2 };
        self.head.write(number * SLOT_BYTES as u64, &slot)?;
        self.head.fence()
    }

    fn checkpoint(&mut self) -> Result<(), MediumError> {
        self.publish()
    }

    fn append(&mut self, number: u64) -> Result<(), MediumError> {
        let payload = payload(number);
        let mut record = Vec::new();
        record.extend((payload.len() as u64).to_le_bytes());
        record.extend(self.epoch.to_le_bytes());
        record.extend(checksum(&payload).wrapping_add(self.epoch).to_le_bytes());
        record.extend(payload);
        let end = self.tail + record.len() as u64;
        if end > self.log.len() {
            self.log.grow(end.next_multiple_of(EXTENT))?;
        }
        self.log.write(self.tail, &record)?;
        self.tail = end;
        Ok(())
    }

    fn sync(&self) -> Result<(), MediumError> {
        if self.variant == Variant::NotSynced {
            return Ok(());
        }
        self.log.fence()
    }

    /// Reads one record; `None` if there is none at `at` (of this epoch, if one
    /// is asked for).
    fn record(&self, at: u64, epoch: Option<u64>) -> Result<Option<(Vec<u8>, u64)>, MediumError> {
        let mut head = [0; RECORD_HEAD];
        if at + RECORD_HEAD as u64 > self.log.len() {
            return Ok(None);
        }
        self.log.read(at, &mut head)?;
        let (len, of) = (word(&head, 0), word(&head, 8));
        if len == 0 || len > self.log.len() - at - RECORD_HEAD as u64 {
            return Ok(None);
        }
        let stale = epoch.is_some_and(|epoch| epoch != of);
        if stale && self.variant != Variant::StaleTailAccepted {
            return Ok(None);
        }
        let mut payload = vec![0; len as usize];
        self.log.read(at + RECORD_HEAD as u64, &mut payload)?;
        let sum = checksum(&payload).wrapping_add(of);
        if sum != word(&head, 16) && self.variant != Variant::RecordChecksumOmitted {
            return Ok(None);
        }
        Ok(Some((payload, at + RECORD_HEAD as u64 + len)))
    }

    /// Opens what is there.
    fn recover(
        storage: &SimulatedStorage,
        variant: Variant,
    ) -> Result<Option<Recovered>, MediumError> {
        if !storage.exists("head")? || !storage.exists("log")? {
            return Ok(None);
        }
        let mut log = Self {
            head: storage.open("head", false)?,
            log: storage.open("log", false)?,
            variant,
            epoch: 0,
            tail: 0,
        };
        let mut slots = [0; 2 * SLOT_BYTES];
        if log.head.len() < slots.len() as u64 {
            return Ok(None);
        }
        log.head.read(0, &mut slots)?;
        let mut end = 0;
        for slot in slots.chunks_exact(SLOT_BYTES) {
            let sealed = checksum(&slot[..SLOT_BYTES - 8]) == word(slot, SLOT_BYTES - 8);
            let trusted = sealed || variant == Variant::HeaderChecksumOmitted;
            if trusted && word(slot, 0) > log.epoch {
                (log.epoch, end) = (word(slot, 0), word(slot, 512));
            }
        }
        if log.epoch == 0 {
            return Ok(None);
        }
        let mut found = Vec::new();
        while log.tail < end {
            let Some((payload, next)) = log.record(log.tail, None)? else {
                panic!("the header's {end} bytes of log are not there");
            };
            found.push(payload);
            log.tail = next;
        }
        while let Some((payload, next)) = log.record(log.tail, Some(log.epoch))? {
            found.push(payload);
            log.tail = next;
        }
        match variant {
            Variant::SizeTrusted => log.tail = log.log.len(),
            Variant::RecoveryClearsFirst => {
                log.head.write(0, &[0; 2 * SLOT_BYTES])?;
                log.head.fence()?;
            }
            _ => {}
        }
        // The bytes that the scan found may be in the page cache of this life only.
        log.log.fence()?;
        log.publish()?;
        Ok(Some((log, found)))
    }
}

#[derive(Clone, Default, Hash)]
struct Model {
    created: bool,
    acknowledged: Vec<u64>,
    in_flight: Vec<u64>,
}

struct Appends {
    name: String,
    variant: Variant,
    groups: u64,
}

impl Appends {
    fn new(variant: Variant, groups: u64) -> Self {
        Self {
            name: format!("append-log-{variant:?}"),
            variant,
            groups,
        }
    }

    fn group(
        &self,
        log: &mut Log,
        numbers: &[u64],
        progress: &mut Progress<'_, Model>,
        checkpoint: bool,
    ) -> Result<(), MediumError> {
        progress.update(|m| m.in_flight = numbers.to_vec());
        for &number in numbers {
            log.append(number)?;
        }
        if checkpoint && self.variant == Variant::HeaderBeforeData {
            log.checkpoint()?;
            log.sync()?;
        } else {
            log.sync()?;
            if checkpoint {
                log.checkpoint()?;
            }
        }
        progress.update(|m| {
            m.acknowledged.append(&mut m.in_flight);
        });
        Ok(())
    }

    fn work(
        &self,
        storage: &SimulatedStorage,
        progress: &mut Progress<'_, Model>,
    ) -> Result<(), MediumError> {
        let mut log = Log::create(storage, self.variant)?;
        progress.update(|m| m.created = true);
        for group in 0..self.groups {
            let first = group * 2 + 1;
            self.group(&mut log, &[first, first + 1], progress, group % 2 == 1)?;
        }
        Ok(())
    }

    fn check(
        &self,
        storage: &SimulatedStorage,
        progress: &mut Progress<'_, Model>,
    ) -> Result<(), MediumError> {
        let model = progress.model();
        let Some((mut log, found)) = Log::recover(storage, self.variant)? else {
            assert!(!model.created, "the database is gone");
            return Ok(());
        };
        let mut known = model.acknowledged.clone();
        known.extend(&model.in_flight);
        let numbers: Vec<u64> = found.iter().map(|p| word(p, 0)).collect();
        assert!(
            numbers.len() >= model.acknowledged.len() && known.starts_with(&numbers),
            "found {numbers:?}, acknowledged {:?}, in flight {:?}",
            model.acknowledged,
            model.in_flight
        );
        for (number, found) in numbers.iter().zip(&found) {
            assert!(*found == payload(*number), "record {number} is damaged");
        }
        // The number that the workload would use next, so of the same length as
        // the record that a torn one left room for.
        let next = numbers.last().map_or(1, |last| last + 1);
        progress.update(|m| {
            m.created = true;
            m.acknowledged = numbers;
            m.in_flight.clear();
        });
        self.group(&mut log, &[next], progress, false)
    }
}

impl Program for Appends {
    type Model = Model;

    fn name(&self) -> &str {
        &self.name
    }

    fn config(&self) -> Config {
        Config::new(Persistence::Pages).with_capacity(32 << 10)
    }

    fn run(&self, s: &SimulatedStorage, log: &mut Progress<'_, Model>) -> Result<(), String> {
        self.work(s, log).map_err(|e| e.to_string())
    }

    fn recover(&self, s: &SimulatedStorage, log: &mut Progress<'_, Model>) -> Result<(), String> {
        self.check(s, log).map_err(|e| e.to_string())
    }
}

fn explore(variant: Variant) -> Report {
    Explorer::default().explore(&Appends::new(variant, 10))
}

#[test]
fn the_correct_log_is_clean() {
    let report = explore(Variant::Correct);
    report.assert_clean();
    println!(
        "{:.0} executions/s",
        report.total_executions() as f64 / report.seconds
    );
    assert!(report.executions[1] > 0 && report.executions[2] > 0);
}

#[test]
fn every_broken_log_is_caught() {
    for variant in BROKEN {
        let report = explore(variant);
        let violation = report.violations.first();
        let violation = violation.unwrap_or_else(|| panic!("{variant:?} survived: {report}"));
        println!(
            "{variant:?}: {} executions\n{violation}",
            violation.executions
        );
    }
}
