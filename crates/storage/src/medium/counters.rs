//! Counters of the emulated medium.

use std::ops::Sub;
use std::sync::atomic::{AtomicU64, Ordering};

/// Defines the counters once: atomic, as a snapshot, and by name.
macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Running counts of an emulated device, over all its files.
        ///
        /// Each is exact; together they are of one moment only while no thread writes.
        #[derive(Default)]
        #[repr(align(128))]
        pub struct Counters {
            $(pub(super) $name: AtomicU64,)*
        }

        /// Counts at one moment, or between two (by subtraction).
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct CountersSnapshot {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl Counters {
            /// Copies the counters.
            pub fn snapshot(&self) -> CountersSnapshot {
                CountersSnapshot {
                    $($name: self.$name.load(Ordering::Relaxed),)*
                }
            }
        }

        impl CountersSnapshot {
            /// Name and value of each, for results.
            pub fn fields(&self) -> Vec<(&'static str, u64)> {
                vec![$((stringify!($name), self.$name)),*]
            }
        }

        impl Sub for CountersSnapshot {
            type Output = Self;

            /// Difference to `earlier`.
            fn sub(self, earlier: Self) -> Self {
                Self {
                    $($name: self.$name - earlier.$name,)*
                }
            }
        }
    };
}

counters! {
    /// Bytes that were asked to be written or stored.
    stored_bytes,
    /// Cache lines (pages, on files) that flushes were asked for.
    line_flushes,
    /// Those of them to which nothing had been written since their last flush
    /// (on files: since the last fence).
    redundant_flushes,
    /// Fences.
    fences,
    /// Units that the medium wrote: 256 bytes, on files pages of 4096.
    media_writes,
    /// Units that the medium read only to complete a partial write.
    merge_reads,
    /// Units that were read by `touch` and `read`.
    media_reads,
    /// Bytes that the medium wrote.
    media_written_bytes,
}

impl CountersSnapshot {
    /// Bytes that the medium wrote for each byte asked for.
    pub fn write_amplification(&self) -> f64 {
        self.media_written_bytes as f64 / self.stored_bytes as f64
    }
}

/// Adds to a counter.
#[inline(always)]
pub(super) fn add(counter: &AtomicU64, amount: u64) {
    if amount > 0 {
        counter.fetch_add(amount, Ordering::Relaxed);
    }
}
