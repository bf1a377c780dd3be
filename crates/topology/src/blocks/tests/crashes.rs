//! Power cuts at every fence of a section's life: flushes, compactions of one
//! list, rewrites, each published through the directory and the root.

use evergraph_simulated::mutants::of_suite;
use evergraph_simulated::{
    Access, Budget, Config, Depth, Persistence, Scenario, SimulatedStorage, Steps, Suite, Told,
};
use evergraph_storage::{Directory, Pool, PoolFile, Root, SectionKey, StorageError};

use super::*;

const LISTS: usize = 3;
const EXTENTS: &str = "extents";
const KEY: SectionKey = SectionKey {
    owner: 0,
    section: 0,
};

/// Change of one step; it follows from its number.
enum Step {
    Append(Lists),
    /// All entries of one list, fewer than before, and new ones of another.
    Compact(usize, Lists),
    Rewrite(Lists),
}

/// The lists after `steps` steps, and the next step.
fn history(steps: u64) -> (Lists, Step) {
    let mut lists: Lists = vec![Vec::new(); LISTS];
    for number in 0..=steps {
        let entries = |count| (0..count).map(|i| (number as u32 * 100 + i, number as u32 ^ i));
        let list = number as usize % LISTS;
        let mut new: Lists = vec![Vec::new(); LISTS];
        let step = match number % 8 {
            3 | 5 => {
                // The longest list has the most blocks to give.
                let list = (0..LISTS).max_by_key(|&list| lists[list].len());
                let list = list.unwrap_or(0);
                let kept = lists[list].iter().skip(1).step_by(2);
                new[list] = kept.copied().collect();
                new[(list + 1) % LISTS].extend(entries(2));
                Step::Compact(list, new)
            }
            7 => Step::Rewrite(lists.iter().map(|l| l[l.len() / 2..].to_vec()).collect()),
            _ => {
                new[list].extend(entries(3 + number as u32 * 5 % 17));
                new[(list + 1) % LISTS].extend(entries(7));
                Step::Append(new)
            }
        };
        if number == steps {
            return (lists, step);
        }
        match step {
            Step::Append(new) => lists.iter_mut().zip(new).for_each(|(l, n)| l.extend(n)),
            Step::Compact(list, new) => {
                lists[list].clear();
                lists.iter_mut().zip(new).for_each(|(l, n)| l.extend(n));
            }
            Step::Rewrite(new) => lists = new,
        }
    }
    unreachable!("the loop returns at its last number")
}

/// A database of one section.
struct Single {
    volume: Volume,
    pool: Pool,
    file: PoolFile,
    directory: Directory,
    base: Arc<Base>,
    /// Whether a step was performed since it was opened.
    has_performed: bool,
}

impl Single {
    fn create(storage: &SimulatedStorage, columns: usize) -> Result<Self, StorageError> {
        let medium = storage.open(EXTENTS, true)?;
        medium.grow(4096)?;
        medium.fence()?;
        storage.sync_names()?;
        let root = Root::first([0; evergraph_storage::USER_BYTES]);
        drop(Pool::create(storage, *b"blocks-of-a-test", root)?);
        Self::open(storage, columns)
    }

    fn open(storage: &SimulatedStorage, columns: usize) -> Result<Self, StorageError> {
        let (pool, file) = Pool::open(storage)?;
        storage.sync_names()?;
        pool.confirm(&file)?;
        let medium = storage.open(EXTENTS, false)?;
        let volume = Volume {
            region: Region::new(medium, 64, 1024),
            uuid: volume(&dram()).uuid,
        };
        let root = pool.root();
        let directory = Directory::load(
            &volume.region,
            &volume.uuid,
            root.directory_offset,
            root.directory_len,
            root.directory_crc,
        )?;
        let base = match directory.entries().next() {
            None => Base::empty(&volume, FIRST_VERTEX, LISTS, columns),
            Some((_, entry)) => {
                let index = volume.region.adopt(entry.offset, entry.len)?;
                Base::open(&volume, index, &entry, FIRST_VERTEX, LISTS, columns)?
            }
        };
        volume.region.finish_adoption();
        let used = base.extents().map(|e| e.reserved_bytes()).sum::<u64>() + directory.bytes();
        assert_eq!(volume.region.used_bytes(), used, "space has leaked");
        Ok(Single {
            volume,
            pool,
            file,
            directory,
            base: Arc::new(base),
            has_performed: false,
        })
    }

    fn csn(&self) -> u64 {
        self.pool.root().csn
    }

    /// Performs a step.
    fn perform(&mut self, number: u64) -> Result<(), StorageError> {
        let (volume, weighted) = (&self.volume, self.base.index.columns() == 2);
        let source = |lists| Source { lists, weighted };
        let csn = number + 1;
        let (written, flushed) = match history(number).1 {
            Step::Append(new) => self.base.append(volume, csn, &source(&new))?,
            Step::Compact(list, new) => self.base.update(
                volume,
                csn,
                self.base.generation() + 1,
                &source(&new),
                &[list],
            )?,
            Step::Rewrite(new) => {
                self.base
                    .rewrite(volume, csn, self.base.generation() + 1, &source(&new))?
            }
        };
        self.directory.set(KEY, written.entry);
        let (region, uuid) = (&volume.region, &volume.uuid);
        let stored = self.directory.store(region, uuid, flushed)?;
        let stored = stored.fence(region.medium())?;
        let mut root = self.pool.root().clone();
        let place = *stored.get();
        root.csn = csn;
        root.directory_offset = place.offset;
        root.directory_len = place.len;
        root.directory_crc = place.crc;
        self.directory.publishing();
        written.publishing();
        self.pool.publish(&self.file, &stored.map(drop), root)?;
        self.directory.published();
        self.has_performed = true;
        self.base = Arc::new(written.publish());
        Ok(())
    }
}

struct Life {
    name: String,
    persistence: Persistence,
    columns: usize,
    steps: usize,
}

impl Life {
    fn new(persistence: Persistence, columns: usize) -> Self {
        Life {
            name: format!("blocks-{}-{columns}", persistence.name()),
            persistence,
            columns,
            steps: 14,
        }
    }
}

impl Scenario for Life {
    type Model = Steps;
    type Opened = Single;

    fn name(&self) -> &str {
        &self.name
    }

    fn config(&self) -> Config {
        Config::new(self.persistence).with_capacity(64 << 10)
    }

    fn create(&self, storage: &SimulatedStorage) -> Result<Single, String> {
        Single::create(storage, self.columns).map_err(|error| error.to_string())
    }

    fn open(
        &self,
        storage: &SimulatedStorage,
        _: Access,
        _: &Steps,
    ) -> Result<Option<Single>, String> {
        match Single::open(storage, self.columns) {
            Ok(single) => Ok(Some(single)),
            Err(StorageError::NotADatabase(_)) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    /// One section has no openings for reading, and its creation is the store's.
    fn is_readable(&self) -> bool {
        false
    }

    fn is_created_again(&self) -> bool {
        false
    }

    fn perform(
        &self,
        _: &SimulatedStorage,
        mut single: Single,
        told: &mut Told<'_, '_, Steps>,
    ) -> Result<Single, String> {
        let number = told.model().begun as u64;
        told.steps(1, || {
            single.perform(number).map_err(|error| error.to_string())
        })?;
        Ok(single)
    }

    fn is_over(&self, steps: &Steps) -> bool {
        steps.begun >= self.steps
    }

    fn compare(&self, single: &Single, expected: &Steps) -> Result<Steps, String> {
        let csn = single.csn();
        let found = expected.latest(|steps| steps as u64 == csn);
        let found = found.ok_or_else(|| format!("the root is of {csn}, expected {expected:?}"))?;
        // Every other time a flush comes before the first read.
        if csn % 2 == 1 && !single.has_performed {
            return Ok(found);
        }
        let verified = single.base.verify(&single.volume.uuid);
        verified.map_err(|error| error.to_string())?;
        let mut lists = history(csn).0;
        if self.columns == 1 {
            lists.iter_mut().flatten().for_each(|entry| entry.1 = 0);
        }
        let shown = contents(&single.base);
        match shown == lists {
            true => Ok(found),
            false => Err(format!("found {shown:?}, expected {lists:?}")),
        }
    }

    fn afterlife(&self, _: &Steps) -> usize {
        1
    }
}

fn suite() -> Suite<Life> {
    Suite {
        name: "blocks",
        scripted: || {
            let of_medium = |medium| [1, 2].map(|columns| Life::new(medium, columns));
            Persistence::ALL.into_iter().flat_map(of_medium).collect()
        },
        of_seed: |_, _: Depth| Vec::new(),
        seeds: 0,
        drawn: 0,
        fixed: &[],
        short: Budget {
            exhaustive: [500, 100, 8],
            sampled: [300, 30, 4],
            sources: [8, 1],
            ..Budget::default()
        },
        ends: 6,
        mutants: of_suite("blocks"),
        killers: concat!(env!("CARGO_MANIFEST_DIR"), "/killers/blocks.tsv").to_string(),
    }
}

#[test]
fn every_power_cut_leaves_a_version_that_was_published() {
    suite().cuts();
}

#[test]
fn every_end_of_a_process_leaves_a_version_that_was_published() {
    suite().ends();
}

#[test]
fn every_mutant_is_caught() {
    suite().mutants();
}
