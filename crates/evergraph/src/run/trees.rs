//! Forests, spanners and decompositions.

use super::algorithm::Algorithm;

pub(super) const ALGORITHMS: &[Algorithm] = &[];
