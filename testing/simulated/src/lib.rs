//! The simulated medium, and the explorer of power cuts.
//!
//! A [`SimulatedStorage`] records every store, flush, fence, growth and name
//! change, and can say what a power cut would leave. [`Explorer`] runs a
//! [`Program`] on it, cuts the power before every fence, and runs the recovery
//! on what may be left; then it cuts the power during the recovery.
//!
//! # Faults that a program must survive here
//! | [`Persistence`] | After a power cut, since the last fence |
//! |---|---|
//! | `Lines` | each 64-byte line shows any prefix of its ordinary stores (8-byte grain), flushed or not, and any subset of its non-temporal words (`write_through`); a fence makes durable what was flushed before |
//! | `LinesEadr` | all files show one prefix of all stores in program order; a fence makes everything durable |
//! | `Pages` | each 512-byte sector is old, newest, or as after any write in between; a fence makes its file durable, flushed or not |
//!
//! On all of them a file that grew has its old or a newer size, with or without
//! data; a name that was made or removed may or may not be, until
//! `sync_names`; and no order holds between files but by fences. A fence makes durable
//! only the file it is called on, which is less than `sfence` gives. Volatile
//! bytes that were never flushed may survive too: caches evict when they like.
//! Calls can fail, lose what they should make durable ([`FaultKind::Lost`]) or do nothing
//! ([`FaultPlan`]), and images can be damaged
//! ([`Image`]).
//!
//! # Lazy choices
//! The outcome of a power cut for a line or sector is chosen when the program first
//! touches it, the size of a file when it is opened, a name when it is looked up. Until
//! then memory holds a poison pattern, so that a read without
//! [`Medium::touch`](evergraph_storage::Medium::touch) does not find plausible bytes.
//! A unit that is overwritten as a whole without being read is never chosen.
//!
//! On `Pages` the program runs over the real medium `file`
//! ([`FileMedium`]): only the system calls
//! below it are simulated.
//!
//! Not modelled: several threads (fences are per storage user, who is one), and
//! torn stores below eight bytes.

mod budget;
mod campaign;
mod choices;
mod damaged;
mod dump;
mod explorer;
mod faults;
mod ledger;
mod medium;
mod memory;
pub mod mutants;
mod replay;
mod report;
mod scenario;
mod score;
mod search;
mod state;

use std::sync::Arc;

use parking_lot::Mutex;

pub use budget::{Budget, DEPTH_VARIABLE, Depth};
pub use campaign::{BLESS_VARIABLE, REPORT_VARIABLE, SEED_VARIABLE, Suite};
pub use choices::{Random, Rest};
pub use damaged::Damaged;
pub use explorer::{Explorer, Program, Progress};
pub use faults::{
    CallKind, Calls, FailingCall, FaultKind, FaultPlan, Image, PlannedFailure, flips,
};
pub use medium::{SimulatedFile, SimulatedLines};
pub use replay::{REPLAY_VARIABLE, replay};
pub use report::{Leg, PointReport, Report, Violation};
pub use scenario::{Access, End, Ended, Known, Scenario, Steps, Told};
pub use score::{Caught, DroppedCall, dropped_call_score, mutant_score};
pub use state::{DISCARDED, POISON};

use evergraph_storage::medium::FileMedium;
use evergraph_storage::{MediumError, MediumHandle, Storage};
use state::State;

/// Outcomes of a power cut; see the table in the module's documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Persistence {
    /// Byte-addressed, cache lines of 64 bytes: persistent memory with ADR.
    Lines,
    /// As `Lines`, with the caches in the persistence domain.
    LinesEadr,
    /// Ordinary files: pages and sectors.
    Pages,
}

impl Persistence {
    /// All.
    pub const ALL: [Persistence; 3] = [
        Persistence::Pages,
        Persistence::Lines,
        Persistence::LinesEadr,
    ];

    /// A short name, for scenarios.
    pub fn name(self) -> &'static str {
        match self {
            Persistence::Lines => "lines",
            Persistence::LinesEadr => "eadr",
            Persistence::Pages => "pages",
        }
    }
}

/// How a simulated storage is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Model of persistence.
    pub persistence: Persistence,
    /// Largest size of each file; its memory is allocated when it is made.
    pub capacity_bytes: usize,
}

impl Config {
    /// Files of up to 256 KiB.
    pub fn new(persistence: Persistence) -> Self {
        Self {
            persistence,
            capacity_bytes: 256 << 10,
        }
    }

    /// With files of up to `capacity_bytes` (at least 4096, and below 2 GiB).
    pub fn with_capacity(mut self, capacity_bytes: usize) -> Self {
        assert!(capacity_bytes < 2 << 30, "offsets are recorded in 32 bits");
        self.capacity_bytes = capacity_bytes.next_multiple_of(4096).max(4096);
        self
    }
}

/// A set of simulated files; clones are the same storage.
///
/// For one thread at a time: calls of several threads are serialised, and which
/// thread flushed is not recorded.
#[derive(Clone)]
pub struct SimulatedStorage {
    shared: Arc<Mutex<State>>,
}

impl SimulatedStorage {
    /// An empty storage that records.
    pub fn new(config: Config) -> Self {
        Self {
            shared: Arc::new(Mutex::new(State::new(config))),
        }
    }

    /// A storage that holds `image`, all of it durable.
    ///
    /// # Panics
    /// If a file is larger than the capacity.
    pub fn from_image(config: Config, image: &Image) -> Self {
        let storage = Self::new(config);
        storage.shared.lock().start_from(image);
        storage
    }

    /// How it was made.
    pub fn config(&self) -> Config {
        self.shared.lock().config
    }

    /// Plans what goes wrong from now on. Calls are counted from the start of
    /// the run ([`SimulatedStorage::calls`] so far have been made).
    pub fn plan(&self, plan: FaultPlan) {
        self.shared.lock().plan = plan;
    }

    /// Calls made since the start of the run.
    pub fn calls(&self) -> Calls {
        self.shared.lock().calls
    }

    /// The files as a program sees them now; what no choice has decided is
    /// [`POISON`]. Names and sizes that are still open are decided.
    pub fn image(&self) -> Image {
        self.shared.lock().image()
    }

    /// The process ends, and another one begins in the same boot: media of the old one
    /// are refused, what was stored is there, durable or not, and nothing is planned.
    pub fn begin_process(&self) {
        self.shared.lock().begin_process();
    }

    /// Opens a file below every medium: what an operating system shows of it.
    ///
    /// # Errors
    /// As [`Storage::open`].
    pub fn open_file(&self, name: &str, create: bool) -> Result<SimulatedFile, MediumError> {
        let mut state = self.shared.lock();
        let (file, block) = state.open(name, create)?;
        let (shared, generation) = (self.shared.clone(), state.generation);
        Ok(SimulatedFile::new(shared, generation, file, name, block))
    }

    /// Cuts the power now: another storage, holding what may be left. Its
    /// choices follow `script`, then `rest`.
    pub fn crash(&self, script: &[u32], rest: Rest) -> SimulatedStorage {
        let mine = self.shared.lock();
        let after = SimulatedStorage::new(mine.config);
        {
            let mut state = after.shared.lock();
            state.begin_after(&mine);
            state.advance(&mine, 0, mine.journal.events.len());
            state.prepare(&mine.journal.bytes);
            state.chooser.script.extend_from_slice(script);
            state.chooser.rest = rest;
        }
        after
    }

    /// Number of choices made since the power cut, and of the options each had.
    pub fn choices(&self) -> Vec<(u32, u32)> {
        let state = self.shared.lock();
        let taken = state.chooser.taken.iter();
        taken.map(|t| (t.option, t.options)).collect()
    }

    /// As [`SimulatedStorage::choices`], in words.
    pub fn describe_choices(&self) -> Vec<String> {
        self.shared.lock().describe()
    }
}

impl Storage for SimulatedStorage {
    fn kind(&self) -> &'static str {
        "simulated"
    }

    fn share(&self) -> Arc<dyn Storage> {
        Arc::new(self.clone())
    }

    fn exists(&self, name: &str) -> Result<bool, MediumError> {
        Ok(self.shared.lock().exists(name))
    }

    fn open(&self, name: &str, create: bool) -> Result<MediumHandle, MediumError> {
        let file = self.open_file(name, create)?;
        if self.config().persistence != Persistence::Pages {
            return Ok(MediumHandle::Other(Arc::new(SimulatedLines(file))));
        }
        let medium = FileMedium::over(name, Box::new(file), create)?;
        Ok(MediumHandle::File(Arc::new(medium)))
    }

    fn remove(&self, name: &str) -> Result<(), MediumError> {
        self.shared.lock().remove(name)
    }

    fn sync_names(&self) -> Result<(), MediumError> {
        self.shared.lock().sync_names()
    }
}
