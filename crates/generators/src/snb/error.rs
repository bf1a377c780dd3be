//! Errors of parameters that no network can meet.

/// Why there is no network of these parameters.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SocialError {
    /// There are no persons, or more than ids have room for.
    #[error("{persons} persons: a network has 1 to {most}; choose another scale")]
    Persons {
        /// Persons asked for.
        persons: u64,
        /// The most there can be.
        most: u64,
    },
    /// A scale factor that is no positive number.
    #[error("scale {0} is no positive number; 0.1 gives about 1700 persons, 1 gives 11000")]
    Scale(f64),
    /// The first moment of the network is not before the last by a month.
    #[error("the network has to last at least 30 days, from {start} to {end} it lasts {days}")]
    Span {
        /// Milliseconds since 1970.
        start: i64,
        /// Milliseconds since 1970.
        end: i64,
        /// Whole days between.
        days: i64,
    },
    /// The part that goes into the update stream is no part.
    #[error("{0} of the time for updates: has to be from 0 to 0.9")]
    UpdatePart(f64),
    /// A mean number of friends that is no number.
    #[error("{0} friends on the average: has to be a number from 0 on")]
    Friends(f64),
}
