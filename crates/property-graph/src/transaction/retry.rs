//! Running a transaction again after a conflict.

use std::time::Duration;

use super::error::{Conflict, Retryable};

/// How often, and after which pauses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Attempts at most; at least one is made.
    pub attempts: u32,
    /// No attempt begins later than this after the first.
    pub give_up_after: Duration,
    /// The longest pause after the first attempt; each may be twice as long as
    /// the one before.
    pub first_pause: Duration,
    /// The longest pause.
    pub longest_pause: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        RetryPolicy {
            attempts: 1000,
            give_up_after: Duration::from_secs(30),
            first_pause: Duration::from_micros(50),
            longest_pause: Duration::from_millis(50),
        }
    }
}

impl RetryPolicy {
    /// One attempt.
    pub fn never() -> Self {
        RetryPolicy {
            attempts: 1,
            ..RetryPolicy::default()
        }
    }

    /// Runs `attempt` until it has no conflict, or for as long as this allows.
    /// `now` says the time; `pause` lets some pass.
    ///
    /// # Errors
    /// The first error that is no conflict, or the last conflict.
    pub fn run<R, E: Retryable>(
        &self,
        now: impl Fn() -> Duration,
        mut pause: impl FnMut(&Conflict, Duration),
        mut attempt: impl FnMut() -> Result<R, E>,
    ) -> Result<R, E> {
        let end = now().saturating_add(self.give_up_after);
        let mut made = 0;
        loop {
            let outcome = attempt();
            made += 1;
            let conflict = match &outcome {
                Err(error) => error.conflict(),
                Ok(_) => None,
            };
            let Some(conflict) = conflict else {
                return outcome;
            };
            if made >= self.attempts || now() >= end {
                return outcome;
            }
            pause(conflict, self.pause_after(made));
        }
    }

    /// The pause after so many attempts.
    fn pause_after(&self, attempts: u32) -> Duration {
        let doublings = attempts.saturating_sub(1).min(31);
        let longest = self.first_pause.saturating_mul(1 << doublings);
        let longest = longest.min(self.longest_pause);
        // Anything between half of it and all, so that transactions that collided do not
        // collide again.
        longest.mul_f64(0.5 + 0.5 * fraction())
    }
}

/// A number in 0..1 that differs from thread to thread and call to call.
fn fraction() -> f64 {
    use std::hash::{BuildHasher, RandomState};
    let random = RandomState::new().hash_one(0u8);
    (random >> 11) as f64 / (1u64 << 53) as f64
}
