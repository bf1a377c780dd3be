//! Everything that can be run, family by family.

use super::algorithm::Algorithm;
use super::{
    centralities, communities, components, degrees, paths, peeling, sampling, sets, spreading,
    traversal, trees, triangles,
};
use crate::Error;
use crate::names::nearest;

const FAMILIES: &[&[Algorithm]] = &[
    traversal::ALGORITHMS,
    paths::ALGORITHMS,
    centralities::ALGORITHMS,
    components::ALGORITHMS,
    degrees::ALGORITHMS,
    trees::ALGORITHMS,
    sets::ALGORITHMS,
    triangles::ALGORITHMS,
    peeling::ALGORITHMS,
    communities::ALGORITHMS,
    sampling::ALGORITHMS,
    spreading::ALGORITHMS,
];

/// Every algorithm that can be run.
pub fn algorithms() -> impl Iterator<Item = &'static Algorithm> + Clone {
    FAMILIES.iter().copied().flatten()
}

/// The algorithm with this name or alias.
///
/// # Errors
/// If there is none; the message names the nearest.
pub fn find(name: &str) -> Result<&'static Algorithm, Error> {
    let named = |algorithm: &&Algorithm| algorithm.names().any(|known| known == name);
    algorithms().find(named).ok_or_else(|| {
        let known = algorithms().flat_map(Algorithm::names);
        let hint = match nearest(name, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`evergraph run --list` names all algorithms".to_string(),
        };
        Error::argument(format!("unknown algorithm {name:?}"), hint)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct() {
        let mut names: Vec<&str> = algorithms().flat_map(Algorithm::names).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn parameters_are_distinct() {
        for algorithm in algorithms() {
            let mut names: Vec<&str> = algorithm.all_parameters().map(|p| p.name).collect();
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{}", algorithm.name);
        }
    }
}
