//! Algorithms that can be cut off and go on, and their steps.

use super::algorithm::Algorithm;
use super::given::Given;
use crate::Error;

/// An algorithm whose kernel offers its state after each step.
struct Resumable {
    algorithm: &'static str,
    /// A step, in words.
    step: &'static str,
    /// A parameter with which another kernel runs that does not.
    unless: Option<(&'static str, &'static str)>,
}

const fn by(algorithm: &'static str, step: &'static str) -> Resumable {
    Resumable {
        algorithm,
        step,
        unless: None,
    }
}

const RESUMABLE: &[Resumable] = &[
    by("pagerank", "iteration"),
    Resumable {
        unless: Some(("method", "local")),
        ..by("personalized-pagerank", "iteration")
    },
    by("eigenvector", "iteration"),
    by("katz", "iteration"),
    by("hits", "iteration"),
    by("label-propagation", "iteration"),
    by("bfs", "level"),
    by("bellman-ford", "round"),
    by("delta-stepping", "round"),
    by("weighted-bfs", "round"),
    by("widest-path", "round"),
    by("k-core", "round"),
    by("betweenness", "source"),
    by("closeness", "256 sources"),
    by("harmonic", "256 sources"),
];

impl Algorithm {
    /// Name of a step after which the state can be stored; `None` if the algorithm has to
    /// run in one go.
    pub fn step(&self) -> Option<&'static str> {
        self.resumable().map(|resumable| resumable.step)
    }

    fn resumable(&self) -> Option<&'static Resumable> {
        let mut all = RESUMABLE.iter();
        all.find(|resumable| resumable.algorithm == self.name)
    }

    /// Refuses an algorithm that has to run in one go.
    pub(super) fn check_resumable(&self, given: &Given) -> Result<(), Error> {
        let Some(resumable) = self.resumable() else {
            return Err(Error::usage(
                format!(
                    "{} cannot keep its state: it has to run in one go",
                    self.name
                ),
                "leave --checkpoint-every and --resume out; `evergraph run --help ALGORITHM` \
                 says which algorithms have steps",
            ));
        };
        match resumable.unless {
            Some((name, value)) if given.text(name) == Some(value) => Err(Error::usage(
                format!(
                    "{} with {name}={value} cannot keep its state: it has to run in one go",
                    self.name
                ),
                format!("leave {name}={value} out, or --checkpoint-every and --resume"),
            )),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::*;

    #[test]
    fn every_name_is_an_algorithm() {
        for resumable in RESUMABLE {
            let algorithm = find(resumable.algorithm).unwrap();
            assert_eq!(algorithm.name, resumable.algorithm);
            if let Some((name, value)) = resumable.unless {
                let given = [(name.to_string(), value.to_string())];
                let given = algorithm.parse(&given).unwrap();
                assert!(algorithm.check_resumable(&given).is_err());
            }
        }
    }
}
