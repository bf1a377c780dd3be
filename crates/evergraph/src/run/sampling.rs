//! Walks, samples and similar pairs.

use super::algorithm::Algorithm;

pub(super) const ALGORITHMS: &[Algorithm] = &[];
