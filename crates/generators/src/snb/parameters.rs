//! Parameters of a network.

use crate::snb::SocialError;

/// A day in milliseconds.
pub const DAY: i64 = 24 * 60 * 60 * 1000;

/// Milliseconds between a thing and what depends on it, at least: a driver that
/// runs updates in parallel may be this late.
pub const CAUSAL_GAP: i64 = 10_000;

/// Person numbers have 24 bits, so that the ids of their messages fit into 50.
const MOST_PERSONS: u64 = 1 << 24;

/// 2010-01-01 and 2013-01-01, the three years of the benchmark.
const START: i64 = 1_262_304_000_000;
const END: i64 = 1_356_998_400_000;

/// Scale factors of the benchmark and their persons.
const SCALES: [(f64, f64); 12] = [
    (0.0, 0.0),
    (0.1, 1_700.0),
    (0.3, 3_500.0),
    (1.0, 11_000.0),
    (3.0, 27_000.0),
    (10.0, 73_000.0),
    (30.0, 182_000.0),
    (100.0, 499_000.0),
    (300.0, 1_250_000.0),
    (1_000.0, 3_600_000.0),
    (3_000.0, 9_000_000.0),
    (10_000.0, 27_000_000.0),
];

/// Persons and their mean number of friends, `n^(0.512 − 0.028 log10 n)`: the
/// specification's fit, tabulated because logarithms are not the same everywhere.
const MEAN_FRIENDS: [(f64, f64); 12] = [
    (1.0, 1.0),
    (10.0, 3.05),
    (31.6, 5.07),
    (100.0, 8.17),
    (316.0, 12.7),
    (1_000.0, 19.2),
    (3_162.0, 28.1),
    (10_000.0, 39.8),
    (31_623.0, 54.6),
    (100_000.0, 72.4),
    (1_000_000.0, 115.9),
    (20_000_000.0, 178.0),
];

/// Parameters of a network. The same parameters give the same network, byte for byte.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// Persons, 1 to 2^24.
    pub persons: u64,
    /// Of all random choices.
    pub seed: u64,
    /// Friends of a person on the average; `None` for what the benchmark has at
    /// this number of persons. Persons have less when there are too few others.
    pub mean_friends: Option<f64>,
    /// The first moment, in milliseconds since 1970 (UTC).
    pub start: i64,
    /// The moment after the last, in milliseconds since 1970 (UTC).
    pub end: i64,
    /// The last part of the time, 0 to 0.9, whose events are updates (a tenth).
    pub update_part: f64,
}

impl Parameters {
    /// So many persons, otherwise as the benchmark has it, with seed 0.
    pub fn with_persons(persons: u64) -> Self {
        Self {
            persons,
            seed: 0,
            mean_friends: None,
            start: START,
            end: END,
            update_part: 0.1,
        }
    }

    /// The persons of a scale factor of the benchmark: 1700 at 0.1, 11 000 at 1,
    /// 73 000 at 10; between them in proportion.
    ///
    /// # Errors
    /// If `scale` is no positive number.
    pub fn with_scale(scale: f64) -> Result<Self, SocialError> {
        if !(scale.is_finite() && scale > 0.0) {
            return Err(SocialError::Scale(scale));
        }
        let persons = interpolate(&SCALES, scale).max(1.0) as u64;
        Ok(Self::with_persons(persons))
    }

    /// The same with another seed.
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The same with another mean number of friends.
    pub fn with_mean_friends(mut self, friends: f64) -> Self {
        self.mean_friends = Some(friends);
        self
    }

    /// The moment from which on events are updates; [`Parameters::end`] if none are.
    pub fn cut(&self) -> i64 {
        let span = self.end - self.start;
        self.end - (span as f64 * self.update_part) as i64
    }

    /// Friends of a person on the average, before limits.
    pub(crate) fn friends(&self) -> f64 {
        self.mean_friends
            .unwrap_or_else(|| interpolate(&MEAN_FRIENDS, self.persons as f64))
    }

    pub(crate) fn validate(&self) -> Result<(), SocialError> {
        if !(1..=MOST_PERSONS).contains(&self.persons) {
            return Err(SocialError::Persons {
                persons: self.persons,
                most: MOST_PERSONS,
            });
        }
        let (start, end) = (self.start, self.end);
        let days = end.saturating_sub(start) / DAY;
        // Fewer than 3000 years, so that no sum of times overflows.
        if !(30..1_000_000).contains(&days) {
            return Err(SocialError::Span { start, end, days });
        }
        if !(0.0..=0.9).contains(&self.update_part) {
            return Err(SocialError::UpdatePart(self.update_part));
        }
        if !self.friends().is_finite() || self.friends() < 0.0 {
            return Err(SocialError::Friends(self.friends()));
        }
        Ok(())
    }
}

/// The piecewise linear function through `points`, which ascend; beyond the last
/// as between the last two.
fn interpolate(points: &[(f64, f64)], x: f64) -> f64 {
    let after = points.iter().position(|point| point.0 >= x);
    let after = after.unwrap_or(points.len() - 1).max(1);
    let ((x0, y0), (x1, y1)) = (points[after - 1], points[after]);
    y0 + (y1 - y0) * (x - x0) / (x1 - x0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_have_the_persons_of_the_benchmark() {
        for (scale, persons) in [(0.1, 1_700), (1.0, 11_000), (10.0, 73_000), (0.01, 170)] {
            assert_eq!(Parameters::with_scale(scale).unwrap().persons, persons);
        }
        let between = Parameters::with_scale(0.5).unwrap().persons;
        assert!((3_500..11_000).contains(&between), "{between}");
        assert_eq!(Parameters::with_scale(1e-9).unwrap().persons, 1);
    }

    #[test]
    fn a_tenth_of_the_time_is_updates() {
        let parameters = Parameters::with_persons(1);
        // 2012-09-13T09:36:00Z, where the benchmark cuts.
        assert_eq!(parameters.cut(), 1_347_528_960_000);
    }

    #[test]
    fn impossible_parameters_are_refused() {
        let good = Parameters::with_persons(10);
        assert!(good.validate().is_ok());
        for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Parameters::with_scale(scale).is_err(), "{scale}");
        }
        let bad = [
            Parameters::with_persons(0),
            Parameters::with_persons(MOST_PERSONS + 1),
            Parameters {
                end: good.start,
                ..good.clone()
            },
            Parameters {
                start: i64::MIN,
                end: i64::MAX,
                ..good.clone()
            },
            Parameters {
                update_part: 1.0,
                ..good.clone()
            },
            Parameters {
                update_part: f64::NAN,
                ..good.clone()
            },
            good.clone().with_mean_friends(-1.0),
            good.clone().with_mean_friends(f64::NAN),
        ];
        for parameters in bad {
            assert!(parameters.validate().is_err(), "{parameters:?}");
        }
    }
}
