//! Kill, reopen, go on: processes that work on one database are killed at failpoints, and
//! after each the database is held against a model.
//!
//! A process is this program again ([`work`]). It is told where it dies by a failpoint
//! and a count, both drawn from a seed over all failpoints of the code, and says on its
//! output which operation it begins and which is acknowledged. What it does follows from
//! the seed, the operation's number and what the database holds, so both sides know it.
//! While it works, and dies, the test reads beside it ([`beside`]).

mod beside;
mod edges;
mod property;

use std::fmt::Debug;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use evergraph::{Database, Options};
use evergraph_simulated::{Depth, Random, mutants};
use evergraph_storage::failpoint;

/// Directory and task of a process: see [`Life`].
const LIFE: &str = "EVERGRAPH_LIFE";

/// Lives on one database, until another begins: so that creations are killed, too.
const LIVES_OF_A_DATABASE: u64 = 25;

/// Operations of a life that is not killed.
const OPERATIONS: u64 = 24;

/// Operations of a life under load, more than it comes to, and the readers beside it until
/// it is killed.
const OPERATIONS_UNDER_LOAD: u64 = 80;
const READERS_UNDER_LOAD: u64 = 12;

/// Operations on a database, and the model of it.
trait Subject {
    /// Model of the database's content.
    type Model: Clone + PartialEq + Debug + Default;
    /// One operation.
    type Operation: Debug;

    fn options() -> Options;

    /// The next operation, drawn from the content.
    fn plan(random: &mut Random, number: u64, model: &Self::Model) -> Self::Operation;

    /// Performs it. Files that are imported lie beside the database.
    fn perform(db: &Database, files: &Path, operation: &Self::Operation);

    /// Stages that a kill may leave of it, from nothing to all of it; the last is
    /// acknowledged.
    fn stages(model: &Self::Model, operation: &Self::Operation) -> Vec<Self::Model>;

    /// The operation to begin with if it was killed there: an import goes on.
    fn again(operation: Self::Operation, stage: usize) -> Option<Self::Operation>;

    /// Content of a database, as a model.
    fn observe(db: &Database) -> Self::Model;
}

/// Arguments of a process.
struct Life {
    subject: String,
    directory: PathBuf,
    seed: u64,
    /// Number of its first operation.
    from: u64,
    /// Its first operation goes on at this stage.
    stage: usize,
    /// Number of its operations.
    operations: u64,
    /// It closes the database at its end.
    closes: bool,
}

impl Life {
    fn encode(&self) -> String {
        format!(
            "{};{};{};{};{};{};{}",
            self.subject,
            self.seed,
            self.from,
            self.stage,
            self.operations,
            self.closes,
            self.directory.display()
        )
    }

    fn decode(text: &str) -> Self {
        let mut fields = text.splitn(7, ';');
        let mut field = || fields.next().expect("seven fields");
        Life {
            subject: field().to_string(),
            seed: field().parse().expect("a number"),
            from: field().parse().expect("a number"),
            stage: field().parse().expect("a number"),
            operations: field().parse().expect("a number"),
            closes: field().parse().expect("yes or no"),
            directory: field().into(),
        }
    }

    fn operation<S: Subject>(&self, number: u64, model: &S::Model) -> S::Operation {
        let mut random = Random::new(self.seed.wrapping_mul(1_000_003) + number);
        let planned = S::plan(&mut random, number, model);
        match number == self.from && self.stage > 0 {
            true => S::again(planned, self.stage).expect("only what goes on was begun"),
            false => planned,
        }
    }

    fn database(&self) -> PathBuf {
        self.directory.join("db")
    }

    fn live<S: Subject>(&self) {
        let path = self.database();
        let options = S::options();
        let db = match Database::exists(&path) {
            true => Database::open(&path, &options),
            false => Database::create(&path, &options),
        };
        let db = db.expect("opened");
        say("opened", 0);
        let mut model = S::observe(&db);
        for number in self.from..self.from + self.operations {
            let operation = self.operation::<S>(number, &model);
            say("begin", number);
            S::perform(&db, &self.directory, &operation);
            say("done", number);
            model = S::stages(&model, &operation).pop().expect("it has an end");
        }
        if self.closes {
            db.close().expect("closed");
        }
        // Else it ends without a word, as one that is killed.
        std::process::exit(0);
    }
}

/// One line, whole, before anything else happens.
fn say(what: &str, number: u64) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{what} {number}")
        .and_then(|()| out.flush())
        .expect("the other side reads it");
}

#[test]
#[ignore = "the other tests run it as a process of its own"]
fn work() {
    let Ok(told) = std::env::var(LIFE) else {
        return;
    };
    if let Some(path) = told.strip_prefix(beside::READER) {
        beside::hold(Path::new(path));
    }
    let life = Life::decode(&told);
    match life.subject.as_str() {
        "edges" => life.live::<edges::Edges>(),
        "property" => life.live::<property::Property>(),
        other => panic!("no subject {other}"),
    }
}

/// Output of a process before it ended.
struct Said {
    opened: bool,
    begun: Option<u64>,
    done: Option<u64>,
    was_killed: bool,
}

fn start(told: &str, armed: &str) -> Child {
    let program = std::env::current_exe().expect("this program");
    Command::new(program)
        .args(["cycles::work", "--exact", "--ignored", "--nocapture"])
        .env(LIFE, told)
        .env(failpoint::VARIABLE, armed)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started")
}

/// Runs a process; `meanwhile` is called until it ends, with what it has said so far, and
/// says whether it is killed now.
fn run(life: &Life, armed: &str, mut meanwhile: impl FnMut(&beside::Progress) -> bool) -> Said {
    let mut process = start(&life.encode(), armed);
    let progress = beside::Progress::new(life.from);
    let said = process.stdout.take().expect("piped");
    let output = std::thread::scope(|scope| {
        let listener = scope.spawn(|| progress.listen(said));
        while !listener.is_finished() {
            if meanwhile(&progress) {
                process.kill().expect("it is ours");
                break;
            }
        }
        let mut output = process.wait_with_output().expect("it ends");
        output.stdout = listener.join().expect("heard");
        output
    });
    let was_killed = output.status.signal() == Some(9);
    assert!(
        was_killed || output.status.success(),
        "{armed}, {}: {}{}",
        life.encode(),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    let said = String::from_utf8_lossy(&output.stdout);
    // A line that is cut off counts as not said.
    let whole = said.rsplit_once('\n').map_or("", |(whole, _)| whole);
    let last = |what: &str| {
        let mut numbers = whole.lines().filter_map(|line| line.strip_prefix(what));
        numbers
            .next_back()
            .map(|n| n.trim().parse().expect("a number"))
    };
    Said {
        opened: last("opened ").is_some(),
        begun: last("begin "),
        done: last("done "),
        was_killed,
    }
}

/// Some failpoints of the code, and how often a process may pass each before it dies.
fn draw(random: &mut Random, names: &[String]) -> String {
    let mut one = || {
        let name = &names[random.below(names.len() as u64) as usize];
        let most = 1 << random.below(7);
        format!("{name}=kill@{}", 1 + random.below(most))
    };
    let drawn: Vec<String> = (0..8).map(|_| one()).collect();
    drawn.join(",")
}

/// The cycle, `lives` times. Prints how many were killed. Under load they are, not at a
/// failpoint, but when so many readers were beside them, or half of what they do is done.
fn cycle<S: Subject>(subject: &str, seed: u64, lives: u64, under_load: bool) {
    let names: Vec<String> = mutants::failpoints().into_keys().collect();
    let mut random = Random::new(seed);
    let mut kills = 0;
    let mut operations = 0;
    let mut place = tempfile::tempdir().expect("made");
    let mut life = Life {
        subject: subject.to_string(),
        directory: place.path().to_path_buf(),
        seed,
        from: 0,
        stage: 0,
        operations: match under_load {
            true => OPERATIONS_UNDER_LOAD,
            false => OPERATIONS,
        },
        closes: false,
    };
    let mut model = S::Model::default();
    let mut was_opened = false;
    let mut readers = beside::Readers::default();
    for number in 0..lives {
        if number > 0 && number % LIVES_OF_A_DATABASE == 0 {
            place = tempfile::tempdir().expect("made");
            life.directory = place.path().to_path_buf();
            (life.seed, life.from, life.stage) = (seed + number, 0, 0);
            (model, was_opened) = (S::Model::default(), false);
            readers.end::<S>();
        }
        life.closes = random.below(3) == 0;
        let armed = match under_load {
            true => String::new(),
            false => draw(&mut random, &names),
        };
        let states = beside::States::of::<S>(&life, &model);
        let most = readers.read + READERS_UNDER_LOAD;
        let said = run(&life, &armed, |progress| {
            readers.read::<S>(&life, &states, progress, was_opened);
            // On a busy machine fewer readers come before it ends by itself.
            let is_half_done = progress.done() >= life.from + OPERATIONS_UNDER_LOAD / 2;
            under_load && (readers.read >= most || is_half_done)
        });
        readers.next_life(states, said.opened);
        kills += u64::from(said.was_killed);
        was_opened |= said.opened;
        // Acknowledged operations are there, and of the one that was begun any stage.
        let done = said.done.map_or(life.from, |last| last + 1);
        for number in life.from..done {
            let operation = life.operation::<S>(number, &model);
            model = S::stages(&model, &operation).pop().expect("it has an end");
        }
        operations += done - life.from;
        let begun = said.begun.filter(|&begun| begun >= done);
        let begun = begun.map(|begun| life.operation::<S>(begun, &model));
        let stages = match &begun {
            Some(operation) => S::stages(&model, operation),
            None => vec![model.clone()],
        };
        let earlier = if done == life.from { life.stage } else { 0 };
        // One that died before it went on with what was begun leaves that to the next.
        let stage = if begun.is_none() { earlier } else { 0 };
        (life.from, life.stage) = (done, stage);
        let path = life.database();
        let told = || {
            format!(
                "{subject}, seed {seed}, life {number}, {armed}: {}",
                life.encode()
            )
        };
        let options = Options {
            read_only: true,
            ..S::options()
        };
        let db = match Database::open(&path, &options) {
            Ok(db) => db,
            // Its creation was killed; the next process makes it again.
            Err(_) if !was_opened => continue,
            Err(error) => panic!("{}: {error}", told()),
        };
        assert_eq!(db.check().problems, Vec::<String>::new(), "{}", told());
        let found = S::observe(&db);
        let Some(stage) = stages.iter().rposition(|stage| *stage == found) else {
            panic!(
                "{}: {begun:?}: found {found:?}, expected {stages:?}",
                told()
            );
        };
        model = found;
        if let Some(operation) = begun {
            let reached = earlier + stage;
            let goes_on = reached > 0 && stage + 1 < stages.len();
            match goes_on && S::again(operation, reached).is_some() {
                true => life.stage = reached,
                false => life.from += 1,
            }
        }
    }
    readers.end::<S>();
    println!(
        "{subject}: {lives} lives, {kills} killed, {operations} operations acknowledged, {} read \
         beside them",
        readers.read
    );
    assert!(kills > 0, "no process was killed");
}

/// In a short run some tens of lives, in a deep one a thousand.
fn lives() -> u64 {
    match Depth::asked() {
        Depth::Short => 20,
        Depth::Deep => 500,
    }
}

#[test]
fn edges_outlive_killed_processes() {
    cycle::<edges::Edges>("edges", 1, lives(), false);
}

#[test]
fn property_graphs_outlive_killed_processes() {
    cycle::<property::Property>("property", 2, lives(), false);
}

#[test]
fn edges_are_read_beside_a_writer_under_load() {
    cycle::<edges::Edges>("edges", 3, lives() / 4, true);
}

#[test]
fn property_graphs_are_read_beside_a_writer_under_load() {
    cycle::<property::Property>("property", 4, lives() / 4, true);
}
