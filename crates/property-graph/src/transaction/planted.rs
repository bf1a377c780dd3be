//! Faults that the tests plant, to show that they would be found.

/// Which step goes wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    /// None.
    #[default]
    None,
    /// Locks do not look for commits after the snapshot.
    WritesOverNewer,
    /// Locks are not taken.
    NoLocks,
    /// Locks are given back before the commit is visible.
    EarlyRelease,
    /// Serializable transactions are not validated.
    NoValidation,
    /// Validated against what is visible only, not against what is in flight.
    InFlightUnseen,
    /// Validated first, and put in order in another step.
    ValidatedApart,
    /// Predicates are not validated.
    PhantomsUnseen,
    /// A node that got a relationship after the snapshot can be deleted.
    DeletesAttached,
}

/// The fault of one manager; set once, before it is used.
pub type Planted = std::sync::OnceLock<Fault>;
