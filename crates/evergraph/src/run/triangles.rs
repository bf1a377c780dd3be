//! Triangles and what is counted with them.

use super::algorithm::Algorithm;

pub(super) const ALGORITHMS: &[Algorithm] = &[];
