//! Readers beside the process that writes, and dies: each shows a state that the writer has
//! been through, at most one group of commits older than what was acknowledged when it was
//! opened, and stays as it is while others write.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use evergraph::{Database, Options};

use super::{Life, Subject, say, start};

/// Readers that are open at once, of several lives, before the first is read.
const KEPT: usize = 4;

/// Arguments of a process that only reads: this, and the database's directory.
pub(super) const READER: &str = "read;";

/// A process that has a database open for reading, until it is killed.
pub(super) fn hold(path: &Path) -> ! {
    let options = Options {
        read_only: true,
        ..Options::default()
    };
    let _db = Database::open(path, &options).expect("opened");
    say("opened", 0);
    let _ended = std::io::stdin().read(&mut [0]);
    std::process::exit(0);
}

#[test]
fn a_killed_reader_keeps_no_space() {
    let place = tempfile::tempdir().expect("made");
    let path = place.path().join("db");
    let db = Database::create(&path, &Options::default()).expect("created");
    let edges: Vec<(u32, u32)> = (0..100_000).map(|i| (i % 5000, i)).collect();
    db.insert_edges(&edges).expect("inserted");
    db.checkpoint().expect("merged");
    let used = || db.stats().extent_bytes;
    let alone = used();
    let mut reader = start(&format!("{READER}{}", path.display()), "");
    let said = reader.stdout.take().expect("piped");
    let opened = BufReader::new(said)
        .lines()
        .map(|line| line.expect("heard"));
    assert!(opened.into_iter().any(|line| line == "opened 0"));
    let rewrite = || {
        db.insert_edges(&edges[..5000]).expect("inserted");
        db.compact().expect("compacted");
    };
    rewrite();
    rewrite();
    let beside = used();
    assert!(beside > 2 * alone, "{alone}, then {beside}");
    reader.kill().expect("it is ours");
    reader.wait().expect("it ends");
    rewrite();
    assert!(used() < 2 * alone, "{alone}, then {}", used());
}

/// Messages of a process so far.
pub(super) struct Progress {
    opened: AtomicBool,
    /// Number behind the last operation that was acknowledged.
    done: AtomicU64,
}

impl Progress {
    pub(super) fn new(from: u64) -> Self {
        Progress {
            opened: AtomicBool::new(false),
            done: AtomicU64::new(from),
        }
    }

    /// Number behind the last operation that was acknowledged.
    pub(super) fn done(&self) -> u64 {
        self.done.load(Ordering::Acquire)
    }

    /// Takes note of each line, to the end; returns them.
    pub(super) fn listen(&self, said: impl Read) -> Vec<u8> {
        let mut said = BufReader::new(said);
        let (mut all, mut line) = (Vec::new(), Vec::new());
        while said.read_until(b'\n', &mut line).expect("heard") > 0 {
            let text = String::from_utf8_lossy(&line);
            let number = |what| {
                let told: Option<u64> = text.strip_prefix(what)?.trim().parse().ok();
                told.filter(|_| text.ends_with('\n'))
            };
            if number("opened ").is_some() {
                self.opened.store(true, Ordering::Release);
            }
            if let Some(done) = number("done ") {
                self.done.store(done + 1, Ordering::Release);
            }
            all.append(&mut line);
        }
        all
    }
}

/// States that a life goes through.
pub(super) struct States<M> {
    from: u64,
    all: Vec<M>,
    /// Of each operation, its first state and its last one.
    of_operations: Vec<(usize, usize)>,
}

impl<M: Clone + PartialEq> States<M> {
    pub(super) fn of<S: Subject<Model = M>>(life: &Life, model: &M) -> Self {
        let mut states = States {
            from: life.from,
            all: vec![model.clone()],
            of_operations: Vec::new(),
        };
        for number in life.from..life.from + life.operations {
            let model = states.all.last().expect("the first").clone();
            let operation = life.operation::<S>(number, &model);
            let first = states.all.len() - 1;
            states
                .all
                .extend(S::stages(&model, &operation).into_iter().skip(1));
            states.of_operations.push((first, states.all.len() - 1));
        }
        states
    }

    /// The first state that a reader may show that is opened when operations before this
    /// number are acknowledged: of the last that changed anything, none of it may be proven
    /// to be durable.
    fn least(&self, number: u64) -> usize {
        let operations = &self.of_operations[..(number - self.from) as usize];
        let changes = |&&(first, last): &&(usize, usize)| {
            self.all[first..=last]
                .iter()
                .any(|state| *state != self.all[first])
        };
        operations
            .iter()
            .rev()
            .find(changes)
            .map_or(0, |&(first, _)| first)
    }
}

/// A reader that was opened and is read later, with the states that it may show.
struct Kept<M> {
    db: Database,
    expected: Vec<M>,
    opened: String,
}

/// The readers of a cycle.
pub(super) struct Readers<M> {
    kept: Vec<Kept<M>>,
    /// States of the lives since one has opened the database.
    before: Vec<M>,
    pub(super) read: u64,
}

impl<M> Default for Readers<M> {
    fn default() -> Self {
        Readers {
            kept: Vec::new(),
            before: Vec::new(),
            read: 0,
        }
    }
}

impl<M: Clone + PartialEq + std::fmt::Debug> Readers<M> {
    /// Opens a reader, and reads it, or the oldest of those that were opened before.
    pub(super) fn read<S: Subject<Model = M>>(
        &mut self,
        life: &Life,
        states: &States<M>,
        progress: &Progress,
        is_made: bool,
    ) {
        let was_opened = progress.opened.load(Ordering::Acquire);
        let least = states.least(progress.done());
        let options = Options {
            read_only: true,
            ..S::options()
        };
        let db = match Database::open(life.database(), &options) {
            Ok(db) => db,
            Err(_) if !is_made && !was_opened => return,
            Err(error) => panic!("{}: {error}", life.encode()),
        };
        let mut expected = states.all[least..].to_vec();
        if !was_opened {
            // What was done last is proven when this life has recovered it.
            expected.extend(self.before.iter().cloned());
        }
        self.kept.push(Kept {
            db,
            expected,
            opened: format!("{}, {}, from state {least} on", life.encode(), was_opened),
        });
        // Most are read at once, some much later.
        self.read += 1;
        let oldest = match self.kept.len() {
            KEPT.. if self.read.is_multiple_of(16) => self.kept.remove(0),
            KEPT.. => self.kept.pop().expect("just pushed"),
            _ => return,
        };
        oldest.compare::<S>();
    }

    /// A life that has opened the database proves all that was before it.
    pub(super) fn next_life(&mut self, states: States<M>, has_opened: bool) {
        if has_opened {
            self.before.clear();
        }
        self.before.extend(states.all);
    }

    /// The database is used no more.
    pub(super) fn end<S: Subject<Model = M>>(&mut self) {
        self.kept.drain(..).for_each(|kept| kept.compare::<S>());
        self.before.clear();
    }
}

impl<M: PartialEq + std::fmt::Debug> Kept<M> {
    fn compare<S: Subject<Model = M>>(self) {
        let problems = self.db.check().problems;
        assert_eq!(problems, Vec::<String>::new(), "{}", self.opened);
        let found = S::observe(&self.db);
        let Kept {
            expected,
            opened,
            db,
        } = self;
        assert!(
            expected.contains(&found),
            "{opened}, commit {}: found {found:?}, expected this state or a later one: {:?}",
            db.open_report().csn,
            expected.first()
        );
    }
}
