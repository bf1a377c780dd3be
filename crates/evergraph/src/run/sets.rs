//! Independent sets, matchings, colorings and covers.

use super::algorithm::Algorithm;

pub(super) const ALGORITHMS: &[Algorithm] = &[];
