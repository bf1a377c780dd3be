//! Wall time, processor time, and what others took of the machine meanwhile.

use std::time::Instant;

use rustix::time::{ClockId, clock_gettime};

/// A running measurement.
pub struct Meter {
    began: Instant,
    cpu: f64,
    machine: Option<f64>,
}

/// Figures of a [`Meter`].
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// Wall time.
    pub seconds: f64,
    /// Processor time of this process, all threads.
    pub cpu_seconds: f64,
    /// Processors that others used, on average; to 10 ms, so unknown (0) for
    /// short measurements.
    pub others: f64,
}

impl Meter {
    /// Begins.
    pub fn start() -> Self {
        Meter {
            machine: machine_seconds(),
            cpu: cpu_seconds(),
            began: Instant::now(),
        }
    }

    /// Ends.
    pub fn stop(&self) -> Measured {
        let seconds = self.began.elapsed().as_secs_f64();
        let cpu_seconds = cpu_seconds() - self.cpu;
        let others = match (self.machine, machine_seconds()) {
            (Some(before), Some(after)) if seconds > 0.1 => {
                ((after - before - cpu_seconds) / seconds).max(0.0)
            }
            _ => 0.0,
        };
        Measured {
            seconds,
            cpu_seconds,
            others,
        }
    }
}

/// Times of several trials.
#[derive(Clone, Debug, Default)]
pub struct Times {
    /// Wall time of each.
    pub wall: Vec<f64>,
    /// Processor time of each.
    pub cpu: Vec<f64>,
}

impl Times {
    /// Adds a trial.
    pub fn add(&mut self, measured: Measured) {
        self.wall.push(measured.seconds);
        self.cpu.push(measured.cpu_seconds);
    }

    /// Whether there is a trial.
    pub fn exist(&self) -> bool {
        !self.wall.is_empty()
    }
}

fn cpu_seconds() -> f64 {
    seconds(ClockId::ProcessCPUTime)
}

/// Processor time of this thread.
pub fn thread_seconds() -> f64 {
    seconds(ClockId::ThreadCPUTime)
}

fn seconds(clock: ClockId) -> f64 {
    let time = clock_gettime(clock);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Seconds that all processors have been busy since the machine started.
fn machine_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/stat").ok()?;
    let fields = stat.lines().next()?.split_whitespace().skip(1).take(8);
    let ticks: Option<Vec<u64>> = fields.map(|field| field.parse().ok()).collect();
    let ticks = ticks?;
    // Without idle and waiting for devices.
    let idle: u64 = ticks.get(3)? + ticks.get(4)?;
    Some((ticks.iter().sum::<u64>() - idle) as f64 / 100.0)
}

/// The middle value; of an even number the upper of the two.
///
/// # Panics
/// If there are none.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// The smallest value.
pub fn minimum(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[1.0]), 1.0);
        assert_eq!(minimum(&[3.0, 1.0, 2.0]), 1.0);
    }

    #[test]
    fn work_takes_time() {
        let meter = Meter::start();
        let sum: u64 = (0..1_000_000_u64).map(std::hint::black_box).sum();
        assert!(sum > 0);
        let measured = meter.stop();
        assert!(measured.seconds > 0.0 && measured.cpu_seconds > 0.0);
    }
}
