//! Failpoints: named places where a test makes the program go wrong, or end.
//!
//! [`failpoint!`](macro@crate::failpoint) marks a place. Without the feature `failpoints`,
//! which only tests switch on, it is the constant `false` (or nothing at all), and the
//! names are not in the program.
//!
//! | Use | Means |
//! |---|---|
//! | `if failpoint!("log.fence-missing") { … }` | a mutant: the step is done wrongly while it is armed |
//! | `failpoint!("direct.edge-not-fenced" => { … })` | the same, with code that does not exist in what ships |
//! | `failpoint!("direct.slot-before-extent", wrong, else right)` | the same, as an expression |
//! | `failpoint!("import.committed");` | a place where a process is killed, interrupted, or panics |
//! | `failpoint!("import.committed", until stop.is_cancelled());` | the same, and waits there until a signal has been noticed |
//!
//! Failpoints are armed for a *scope*: the thread that entered it, and all threads that
//! the store starts there ([`hand_on`]). Tests that run
//! beside each other in one process do not see each other's; a test's own code can be
//! called at a place (`Scope::calling`). A process whose
//! environment has [`VARIABLE`] arms them for all of its threads.

/// Environment variable of the failpoints of a whole process: names separated by
/// commas, each with an action: `import.committed=kill@3`. Actions are `on`, `kill`,
/// `interrupt`, `terminate`, `stop` (until `SIGCONT`) and `panic`; `@N` waits for the N-th time that the place is
/// reached, from 1 on.
pub const VARIABLE: &str = "EVERGRAPH_FAILPOINTS";

/// Marks a failpoint; see [the module](mod@crate::failpoint).
#[cfg(feature = "failpoints")]
#[macro_export]
macro_rules! failpoint {
    ($name:literal) => {
        $crate::failpoint::reached($name)
    };
    ($name:literal => $wrong:block) => {
        if $crate::failpoint::reached($name) $wrong
    };
    ($name:literal, $wrong:expr, else $right:expr) => {
        if $crate::failpoint::reached($name) { $wrong } else { $right }
    };
    ($name:literal, until $noticed:expr) => {
        if $crate::failpoint::reached($name) {
            while !$noticed {
                std::thread::yield_now();
            }
        }
    };
}

/// Marks a failpoint; see [the module](mod@crate::failpoint).
#[cfg(not(feature = "failpoints"))]
#[macro_export]
macro_rules! failpoint {
    ($name:literal) => {
        false
    };
    ($name:literal => $wrong:block) => {};
    ($name:literal, $wrong:expr, else $right:expr) => {
        $right
    };
    ($name:literal, until $noticed:expr) => {};
}

#[cfg(feature = "failpoints")]
mod armed {
    use std::cell::RefCell;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::{Arc, OnceLock};

    /// Actions of an armed failpoint.
    #[derive(Debug)]
    enum Action {
        /// The step is done wrongly.
        On,
        /// The process gets this signal.
        Signal(rustix::process::Signal),
        /// The thread panics.
        Panic,
        /// The test is told.
        Call(Call),
    }

    /// Code of a test, which is told the how-manieth time it is.
    struct Call(Box<dyn Fn(u64) + Send + Sync>);

    impl std::fmt::Debug for Call {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("code of a test")
        }
    }

    #[derive(Debug)]
    struct Armed {
        name: String,
        action: Action,
        /// The time it is reached that counts; `None` for every time.
        at: Option<u64>,
        reached: AtomicU64,
    }

    impl Armed {
        fn parse(text: &str) -> Result<Self, String> {
            use rustix::process::Signal;
            let (name, how) = text.split_once('=').unwrap_or((text, "on"));
            let (action, at) = match how.split_once('@') {
                Some((action, at)) => (action, Some(at)),
                None => (how, None),
            };
            let action = match action {
                "on" => Action::On,
                "kill" => Action::Signal(Signal::KILL),
                "interrupt" => Action::Signal(Signal::INT),
                "terminate" => Action::Signal(Signal::TERM),
                "stop" => Action::Signal(Signal::STOP),
                "panic" => Action::Panic,
                _ => return Err(format!("{text:?}: there is no action {action:?}")),
            };
            let at = at.map(|at| at.parse().map_err(|error| format!("{text:?}: {error}")));
            Ok(Self {
                name: name.to_string(),
                action,
                at: at.transpose()?,
                reached: AtomicU64::new(0),
            })
        }

        fn happens(&self) -> bool {
            let times = 1 + self.reached.fetch_add(1, Ordering::Relaxed);
            if self.at.is_some_and(|at| at != times) {
                return false;
            }
            match &self.action {
                Action::On => true,
                &Action::Signal(signal) => {
                    let me = rustix::process::getpid();
                    rustix::process::kill_process(me, signal).expect("a process may signal itself");
                    if signal == rustix::process::Signal::KILL {
                        // The signal is on its way: nothing more is done on this thread.
                        loop {
                            std::thread::park();
                        }
                    }
                    // Who was stopped goes on as if nothing had happened.
                    signal != rustix::process::Signal::STOP
                }
                Action::Call(call) => {
                    call.0(times);
                    false
                }
                Action::Panic => panic!("failpoint {}", self.name),
            }
        }
    }

    /// The failpoints that are armed for some threads.
    #[derive(Clone, Debug, Default)]
    pub struct Scope(Option<Arc<[Arc<Armed>]>>);

    thread_local! {
        static CURRENT: RefCell<Scope> = const { RefCell::new(Scope(None)) };
    }

    fn of_process() -> &'static Scope {
        static SCOPE: OnceLock<Scope> = OnceLock::new();
        SCOPE.get_or_init(|| match std::env::var(super::VARIABLE) {
            Ok(text) => Scope::armed(&text),
            Err(_) => Scope::default(),
        })
    }

    impl Scope {
        /// The failpoints of a text as in [`super::VARIABLE`].
        ///
        /// # Panics
        /// If it cannot be read: a bug of the test.
        pub fn armed(text: &str) -> Self {
            let armed = text.split(',').map(|text| Armed::parse(text).map(Arc::new));
            let armed: Result<Arc<[_]>, String> = armed.collect();
            Self(Some(armed.unwrap_or_else(|error| {
                panic!("{}: {error}", super::VARIABLE)
            })))
        }

        /// Calls `action` at a failpoint, with 1 the first time; what is armed for this
        /// thread stays so.
        pub fn calling(name: &str, action: impl Fn(u64) + Send + Sync + 'static) -> Self {
            let call = Arc::new(Armed {
                name: name.to_string(),
                action: Action::Call(Call(Box::new(action))),
                at: None,
                reached: AtomicU64::new(0),
            });
            let here = scope();
            let Self(before) = if here.0.is_some() {
                &here
            } else {
                of_process()
            };
            let before = before.iter().flat_map(|armed| armed.iter().cloned());
            Self(Some(std::iter::once(call).chain(before).collect()))
        }

        /// Number of times a thread came to them.
        pub fn times_reached(&self) -> u64 {
            let armed = self.0.iter().flat_map(|armed| armed.iter());
            armed
                .map(|armed| armed.reached.load(Ordering::Relaxed))
                .sum()
        }

        /// Arms them for this thread, until the guard is dropped.
        pub fn enter(&self) -> Entered {
            Entered(CURRENT.replace(self.clone()))
        }

        /// Arms them for the rest of this thread's life: for the threads of a pool.
        pub fn enter_for_good(&self) {
            CURRENT.set(self.clone());
        }
    }

    /// Disarms what [`Scope::enter`] armed.
    #[must_use = "the failpoints are armed while it lives"]
    pub struct Entered(Scope);

    impl Drop for Entered {
        fn drop(&mut self) {
            CURRENT.set(std::mem::take(&mut self.0));
        }
    }

    /// The scope of this thread, for the threads that it starts.
    pub fn scope() -> Scope {
        CURRENT.with_borrow(Scope::clone)
    }

    /// Whether the step must be done wrongly.
    pub fn reached(name: &'static str) -> bool {
        let happens = |scope: &Scope| {
            let armed = scope
                .0
                .as_deref()?
                .iter()
                .find(|armed| armed.name == name)?;
            Some(armed.happens())
        };
        let here = CURRENT.with_borrow(|scope| scope.0.is_some().then(|| happens(scope)));
        match here {
            Some(found) => found.unwrap_or(false),
            None => happens(of_process()).unwrap_or(false),
        }
    }
}

#[cfg(feature = "failpoints")]
pub use armed::{Entered, Scope, reached, scope};

/// `work` for another thread, with the failpoints of this one.
#[cfg(feature = "failpoints")]
pub fn hand_on<T>(work: impl FnOnce() -> T) -> impl FnOnce() -> T {
    let scope = scope();
    move || {
        let _armed = scope.enter();
        work()
    }
}

/// `work` as it is: in what ships there is nothing to hand on.
#[cfg(not(feature = "failpoints"))]
#[inline(always)]
pub fn hand_on<T>(work: impl FnOnce() -> T) -> impl FnOnce() -> T {
    work
}

/// In what ships there is nothing to hand on.
#[cfg(not(feature = "failpoints"))]
mod absent {
    /// The failpoints that are armed for some threads: none.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Scope;

    /// Nothing to disarm.
    #[derive(Debug)]
    pub struct Entered;

    impl Scope {
        /// Refuses to test what is not there.
        ///
        /// # Panics
        /// Always: this program has no failpoints.
        pub fn armed(text: &str) -> Self {
            panic!("there is no failpoint {text} without the feature `failpoints`");
        }

        /// Refuses to test what is not there.
        ///
        /// # Panics
        /// Always: this program has no failpoints.
        pub fn calling(name: &str, _: impl Fn(u64) + Send + Sync + 'static) -> Self {
            panic!("there is no failpoint {name} without the feature `failpoints`");
        }

        /// Never.
        #[inline(always)]
        pub fn times_reached(&self) -> u64 {
            0
        }

        /// Does nothing.
        #[inline(always)]
        pub fn enter(&self) -> Entered {
            Entered
        }

        /// Does nothing.
        #[inline(always)]
        pub fn enter_for_good(&self) {}
    }

    /// The scope of this thread, for the threads that it starts.
    #[inline(always)]
    pub fn scope() -> Scope {
        Scope
    }
}

#[cfg(not(feature = "failpoints"))]
pub use absent::{Entered, Scope, scope};
