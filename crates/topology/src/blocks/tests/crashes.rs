//! Power cuts at every fence of a section's life: flushes, compactions of one
//! list, rewrites, each published through the directory and the root.

use evergraph_persistence::{Directory, PersistenceError, Pool, PoolFile, Root, SectionKey};
use evergraph_simulated::{
    Budget, Config, Explorer, Persistence, Progress, Scenario, SimulatedStorage,
};

use super::*;

const LISTS: usize = 3;
const EXTENTS: &str = "extents";
const KEY: SectionKey = SectionKey {
    plane: 0,
    section: 0,
};

/// What one step does; it follows from its number.
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
    context: Context,
    pool: Pool,
    file: PoolFile,
    directory: Directory,
    base: Arc<Base>,
    /// Indexes that a root may still name.
    kept: Vec<Arc<Extent>>,
}

impl Single {
    fn create(storage: &SimulatedStorage, columns: usize) -> Result<Self, PersistenceError> {
        let medium = storage.open(EXTENTS, true)?;
        medium.grow(4096)?;
        medium.fence()?;
        storage.sync_names()?;
        let root = Root::first([0; evergraph_persistence::USER_BYTES]);
        drop(Pool::create(storage, *b"blocks-of-a-test", root)?);
        Self::open(storage, columns)
    }

    fn open(storage: &SimulatedStorage, columns: usize) -> Result<Self, PersistenceError> {
        let (pool, file) = Pool::open(storage)?;
        let medium = storage.open(EXTENTS, false)?;
        let context = Context {
            region: Region::new(medium, 64, 1024),
            ..context(&dram())
        };
        let root = pool.root();
        let directory = Directory::load(
            &context.region,
            &context.uuid,
            root.directory_offset,
            root.directory_len,
            root.directory_crc,
        )?;
        let base = match directory.entries().next() {
            None => Base::empty(&context, FIRST_VERTEX, LISTS, columns),
            Some((_, entry)) => {
                let index = context.region.adopt(entry.offset, entry.len)?;
                Base::open(&context, index, &entry, FIRST_VERTEX, LISTS, columns)?
            }
        };
        context.region.settle();
        let used = base.extents().map(|e| e.reserved_bytes()).sum::<u64>() + directory.bytes();
        assert_eq!(context.region.used_bytes(), used, "space has leaked");
        Ok(Single {
            context,
            pool,
            file,
            directory,
            base: Arc::new(base),
            kept: Vec::new(),
        })
    }

    fn csn(&self) -> u64 {
        self.pool.root().csn
    }

    /// Performs a step. With `too_early` the version is handed over though no
    /// root names it.
    fn perform(&mut self, number: u64, too_early: bool) -> Result<(), PersistenceError> {
        let (context, weighted) = (&self.context, self.base.index.columns() == 2);
        let source = |lists| Source { lists, weighted };
        let csn = number + 1;
        let (written, flushed) = match history(number).1 {
            Step::Append(new) => self.base.append(context, csn, &source(&new))?,
            Step::Compact(list, new) => self.base.update(
                context,
                csn,
                self.base.generation() + 1,
                &source(&new),
                &[list],
            )?,
            Step::Rewrite(new) => {
                self.base
                    .rewrite(context, csn, self.base.generation() + 1, &source(&new))?
            }
        };
        self.directory.set(KEY, written.entry);
        if too_early {
            // Only blocks are to be used again, not the index.
            self.kept.extend(self.base.extent().cloned());
        } else {
            let (region, uuid) = (&context.region, &context.uuid);
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
        }
        self.base = Arc::new(written.publish());
        Ok(())
    }
}

#[derive(Clone, Debug, Default, Hash)]
struct Acknowledged {
    created: bool,
    done: u64,
    begun: u64,
}

struct Life {
    name: String,
    persistence: Persistence,
    columns: usize,
    first: u64,
    steps: u64,
    too_early: bool,
}

impl Life {
    fn work(
        &self,
        single: &mut Single,
        steps: std::ops::Range<u64>,
        log: &mut Progress<'_, Acknowledged>,
    ) -> Result<(), PersistenceError> {
        for number in steps {
            let too_early = self.too_early && matches!(history(number).1, Step::Compact(..));
            log.update(|m| m.begun = number + 1);
            single.perform(number, too_early)?;
            if !too_early {
                log.update(|m| m.done = number + 1);
            }
        }
        Ok(())
    }

    fn assert_holds(&self, single: &Single, csn: u64) {
        let mut lists = history(csn).0;
        if self.columns == 1 {
            lists.iter_mut().flatten().for_each(|entry| entry.1 = 0);
        }
        assert_eq!(contents(&single.base), lists);
    }

    fn check(
        &self,
        storage: &SimulatedStorage,
        log: &mut Progress<'_, Acknowledged>,
    ) -> Result<(), PersistenceError> {
        let model = log.model();
        let mut single = match Single::open(storage, self.columns) {
            Err(PersistenceError::NotADatabase(_)) if !model.created => return Ok(()),
            other => other?,
        };
        let csn = single.csn();
        assert!((model.done..=model.begun).contains(&csn), "CSN {csn}");
        log.update(|m| {
            *m = Acknowledged {
                created: true,
                done: csn,
                begun: csn,
            }
        });
        // Every other time a flush comes before the first read.
        let late = csn % 2 == 1 && !self.too_early;
        if !late {
            single.base.verify(&single.context.uuid)?;
            self.assert_holds(&single, csn);
        }
        if !self.too_early {
            self.work(&mut single, csn..csn + 1, log)?;
            single.base.verify(&single.context.uuid)?;
            self.assert_holds(&single, csn + 1);
        }
        Ok(())
    }
}

impl Scenario for Life {
    type Model = Acknowledged;

    fn name(&self) -> &str {
        &self.name
    }

    fn config(&self) -> Config {
        Config::new(self.persistence).with_capacity(64 << 10)
    }

    fn initial(&self) -> Acknowledged {
        Acknowledged::default()
    }

    fn run(
        &self,
        storage: &SimulatedStorage,
        log: &mut Progress<'_, Acknowledged>,
    ) -> Result<(), String> {
        let mut work = || {
            let mut single = Single::create(storage, self.columns)?;
            log.update(|m| m.created = true);
            self.work(&mut single, self.first..self.steps, log)
        };
        work().map_err(|error: PersistenceError| error.to_string())
    }

    fn recover(
        &self,
        storage: &SimulatedStorage,
        log: &mut Progress<'_, Acknowledged>,
    ) -> Result<(), String> {
        self.check(storage, log).map_err(|error| error.to_string())
    }
}

fn lives(too_early: bool) -> impl Iterator<Item = Life> {
    let media = [
        Persistence::Pages,
        Persistence::Lines,
        Persistence::LinesEadr,
    ];
    media.into_iter().flat_map(move |persistence| {
        (1..=2).map(move |columns| Life {
            name: format!("blocks-{persistence:?}-{columns}"),
            persistence,
            columns,
            first: 0,
            steps: 14,
            too_early,
        })
    })
}

#[test]
fn every_power_cut_leaves_a_version_that_was_published() {
    for life in lives(false) {
        let budget = Budget {
            exhaustive: [500, 100, 8],
            sampled: [300, 30, 4],
            sources: [8, 1],
            ..Budget::default()
        };
        let report = Explorer::new(budget).explore(&life);
        report.assert_clean();
        println!("{}: {} executions", life.name, report.total_executions());
        assert!(report.executions[1] > 0);
    }
}

#[test]
fn space_that_is_used_again_before_the_root_is_durable_is_caught() {
    for life in lives(true) {
        let report = Explorer::default().explore(&life);
        let violation = report.violations.first();
        let violation = violation.unwrap_or_else(|| panic!("{} survived", life.name));
        println!("{violation}");
    }
}
