//! Shortest and widest paths from a source.

use super::algorithm::Algorithm;

pub(super) const ALGORITHMS: &[Algorithm] = &[];
