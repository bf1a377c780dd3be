//! The code that a process has, and the thread that makes it.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::{Code, NotCompiled, Program};

/// Keeps code by program, and compiles in a thread of its own. Cheap to clone.
#[derive(Clone)]
pub struct Compiler {
    shared: Arc<Shared>,
}

/// Of one program: its code, as soon as it is there.
pub struct Compiled {
    result: OnceLock<Result<Code, NotCompiled>>,
    /// Of what query it was first.
    text: Arc<str>,
    nanoseconds: AtomicU64,
    calls: AtomicU64,
    rows: AtomicU64,
    /// The compiler's clock when it was last wanted.
    used: AtomicU64,
    /// Bytes that the compiler counts for it.
    counted: AtomicU64,
}

/// What a compiler has done since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Programs that were compiled.
    pub compiled: u64,
    /// Programs that could not be.
    pub refused: u64,
    /// Programs that were found.
    pub found: u64,
    /// Programs that were given up for others.
    pub dropped: u64,
    /// Bytes of memory for code now.
    pub bytes: u64,
}

/// A program that has code.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    /// Of what query it was first.
    pub text: Arc<str>,
    /// Terms of the program.
    pub terms: usize,
    /// Bytes of memory.
    pub bytes: usize,
    /// Time that compiling took.
    pub time: Duration,
    /// Batches that it was called for.
    pub calls: u64,
    /// Their rows.
    pub rows: u64,
}

struct Shared {
    state: Mutex<State>,
    /// A program waits, or the compiler is gone.
    changed: Condvar,
    most_bytes: usize,
}

#[derive(Default)]
struct State {
    programs: HashMap<Arc<Program>, Arc<Compiled>, foldhash::fast::RandomState>,
    waiting: VecDeque<(Arc<Program>, Arc<Compiled>)>,
    has_thread: bool,
    clock: u64,
    statistics: Statistics,
}

impl Compiler {
    /// Bytes of code that a process has at most, if nothing else is said.
    pub const MOST_BYTES: usize = 16 << 20;

    /// One with at most so many bytes of code, in pages of 4 KiB for each program. What
    /// was not wanted for longest is given up.
    pub fn new(most_bytes: usize) -> Self {
        Compiler {
            shared: Arc::new(Shared {
                state: Mutex::default(),
                changed: Condvar::new(),
                most_bytes,
            }),
        }
    }

    /// That of the process.
    pub fn shared() -> &'static Compiler {
        static SHARED: OnceLock<Compiler> = OnceLock::new();
        SHARED.get_or_init(|| Compiler::new(Compiler::MOST_BYTES))
    }

    /// Finds a program's code, or has it made in the background. The text names the query.
    pub fn request(&self, program: &Program, text: &Arc<str>) -> Arc<Compiled> {
        let (compiled, is_new) = self.find(program, text);
        if let Some(program) = is_new {
            let mut state = self.shared.lock();
            state.waiting.push_back((program, Arc::clone(&compiled)));
            self.start_thread(&mut state);
            drop(state);
            self.shared.changed.notify_one();
        }
        compiled
    }

    /// As [`Compiler::request`]; it is there at once.
    pub fn compile(&self, program: &Program, text: &Arc<str>) -> Arc<Compiled> {
        let (compiled, _) = self.find(program, text);
        self.shared.make(program, &compiled);
        compiled
    }

    /// Code that there is of a program, which is not asked for otherwise.
    pub fn known(&self, program: &Program) -> Option<Arc<Compiled>> {
        let mut state = self.shared.lock();
        let known = state.programs.get(program)?;
        let known = Arc::clone(known.code().and(Some(known))?);
        state.clock += 1;
        known.used.store(state.clock, Ordering::Relaxed);
        state.statistics.found += 1;
        Some(known)
    }

    /// The programs that have code, the last wanted first.
    pub fn stored(&self) -> Vec<Stored> {
        let state = self.shared.lock();
        let mut all: Vec<(u64, Stored)> = state
            .programs
            .iter()
            .filter_map(|(program, compiled)| {
                let used = compiled.used.load(Ordering::Relaxed);
                Some((used, compiled.stored(program)?))
            })
            .collect();
        drop(state);
        all.sort_by_key(|(used, _)| std::cmp::Reverse(*used));
        all.into_iter().map(|(_, stored)| stored).collect()
    }

    /// What it has done.
    pub fn statistics(&self) -> Statistics {
        self.shared.lock().statistics
    }

    /// What is known of a program, and the program if it is new.
    fn find(&self, program: &Program, text: &Arc<str>) -> (Arc<Compiled>, Option<Arc<Program>>) {
        let mut state = self.shared.lock();
        state.clock += 1;
        let now = state.clock;
        if let Some(compiled) = state.programs.get(program) {
            let compiled = Arc::clone(compiled);
            compiled.used.store(now, Ordering::Relaxed);
            state.statistics.found += 1;
            return (compiled, None);
        }
        let compiled = Arc::new(Compiled {
            result: OnceLock::new(),
            text: Arc::clone(text),
            nanoseconds: AtomicU64::new(0),
            calls: AtomicU64::new(0),
            rows: AtomicU64::new(0),
            used: AtomicU64::new(now),
            counted: AtomicU64::new(0),
        });
        let program = Arc::new(program.clone());
        let known = (Arc::clone(&program), Arc::clone(&compiled));
        state.programs.insert(known.0, known.1);
        state.give_up(MOST_PROGRAMS, self.shared.most_bytes);
        (compiled, Some(program))
    }

    fn start_thread(&self, state: &mut State) {
        if state.has_thread {
            return;
        }
        let shared = Arc::downgrade(&self.shared);
        let thread = std::thread::Builder::new().name("evergraph-compiler".into());
        // Without a thread, queries stay interpreted.
        state.has_thread = thread.spawn(move || work(&shared)).is_ok();
    }
}

/// Programs that are known at most, also of those without code.
const MOST_PROGRAMS: usize = 4096;
/// So long a thread waits for a program before it ends.
const PATIENCE: Duration = Duration::from_secs(1);

/// Compiles what is waiting, until nothing has for a while.
fn work(shared: &Weak<Shared>) {
    while let Some(shared) = shared.upgrade() {
        let mut state = shared.lock();
        if state.waiting.is_empty() {
            let waited = shared.changed.wait_timeout(state, PATIENCE);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let Some((program, compiled)) = state.waiting.pop_front() else {
            state.has_thread = false;
            return;
        };
        drop(state);
        shared.make(&program, &compiled);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Compiles a program, if no one else has.
    fn make(&self, program: &Program, compiled: &Compiled) {
        compiled.result.get_or_init(|| {
            let start = Instant::now();
            let result = self.compile(program);
            let time = start.elapsed().as_nanos() as u64;
            compiled.nanoseconds.store(time, Ordering::Relaxed);
            self.note(program, compiled, &result);
            result
        });
    }

    fn note(&self, program: &Program, compiled: &Compiled, result: &Result<Code, NotCompiled>) {
        let mut state = self.lock();
        match result {
            Ok(code) => {
                state.statistics.compiled += 1;
                let known = state.programs.get(program);
                // It may have been given up meanwhile.
                if known.is_some_and(|known| std::ptr::eq(&**known, compiled)) {
                    let bytes = code.bytes() as u64;
                    compiled.counted.store(bytes, Ordering::Relaxed);
                    state.statistics.bytes += bytes;
                }
                state.give_up(MOST_PROGRAMS, self.most_bytes);
            }
            Err(_) => state.statistics.refused += 1,
        }
    }

    fn compile(&self, program: &Program) -> Result<Code, NotCompiled> {
        let code = Code::compile(program.clone())?;
        match code.bytes() <= self.most_bytes {
            true => Ok(code),
            false => Err(NotCompiled::Full),
        }
    }
}

impl State {
    /// Forgets what was not wanted for longest, until there are so few programs and bytes.
    /// Code goes as soon as no query holds it.
    fn give_up(&mut self, programs: usize, bytes: usize) {
        while self.programs.len() > programs || self.statistics.bytes > bytes as u64 {
            let oldest = self
                .programs
                .iter()
                .min_by_key(|(_, compiled)| compiled.used.load(Ordering::Relaxed));
            let Some(oldest) = oldest.map(|(program, _)| Arc::clone(program)) else {
                return;
            };
            if let Some(compiled) = self.programs.remove(&oldest) {
                self.statistics.bytes -= compiled.counted.load(Ordering::Relaxed);
            }
            self.statistics.dropped += 1;
        }
    }
}

impl Compiled {
    /// The code, if it is there.
    pub fn code(&self) -> Option<&Code> {
        self.result.get()?.as_ref().ok()
    }

    /// Why there will be no code, if that is known.
    pub fn refusal(&self) -> Option<&NotCompiled> {
        self.result.get()?.as_ref().err()
    }

    /// Time that compiling took.
    pub fn time(&self) -> Duration {
        Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed))
    }

    /// Notes a call with a batch of so many rows.
    pub fn was_called(&self, rows: usize) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.rows.fetch_add(rows as u64, Ordering::Relaxed);
    }

    fn stored(&self, program: &Program) -> Option<Stored> {
        let code = self.code()?;
        Some(Stored {
            text: Arc::clone(&self.text),
            terms: program.terms().iter().map(crate::Term::size).sum(),
            bytes: code.bytes(),
            time: self.time(),
            calls: self.calls.load(Ordering::Relaxed),
            rows: self.rows.load(Ordering::Relaxed),
        })
    }
}
