//! What can be run, and with which parameters.

use super::{Computed, Context, kernels};
use crate::Error;
use crate::names::nearest;

/// An algorithm that can be run by name.
pub struct Algorithm {
    /// Name.
    pub name: &'static str,
    /// Usual abbreviations.
    pub aliases: &'static [&'static str],
    /// What it computes.
    pub computes: &'static str,
    /// What an output file holds for each vertex.
    pub value: &'static str,
    /// Its parameters, beside [`COMMON`].
    pub parameters: &'static [Parameter],
    pub(super) run: fn(&Context<'_>) -> Result<Computed, Error>,
}

/// A parameter of an algorithm.
#[derive(Debug)]
pub struct Parameter {
    /// Name.
    pub name: &'static str,
    /// Default, as one would write it, or in words.
    pub default: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// Which values it takes.
    pub kind: Kind,
}

/// Which values a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Whole numbers in a range, ends included.
    Whole(u64, u64),
    /// Numbers from the first on and below the second.
    Real(f64, f64),
    /// One of a few words.
    Choice(&'static [&'static str]),
    /// `true` or `false`.
    Switch,
    /// External id of a vertex.
    Vertex,
    /// External ids of vertices: with commas between (unless ids are texts), or
    /// the parameter several times.
    Vertices,
}

const SOURCE_DEFAULT: &str = "the vertex with the most out-neighbors";

/// Parameters that every algorithm takes.
pub const COMMON: &[Parameter] = &[Parameter {
    name: "verify",
    default: "false",
    meaning: "check the result with a slow, independent implementation",
    kind: Kind::Switch,
}];

/// Every algorithm that can be run.
pub const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "pagerank",
        aliases: &["pr"],
        computes: "the probability that a random surfer is at a vertex; of a sink the surfer \
                   goes anywhere",
        value: "the probability",
        parameters: &[
            Parameter {
                name: "iterations",
                default: "100",
                meaning: "iterations at most; exactly so many if no tolerance is given",
                kind: Kind::Whole(1, 1_000_000),
            },
            Parameter {
                name: "tolerance",
                default: "1e-6 (none if iterations are given)",
                meaning: "stop when an iteration changes all ranks together by less",
                kind: Kind::Real(0.0, 1.0),
            },
            Parameter {
                name: "damping",
                default: "0.85",
                meaning: "probability of following an edge",
                kind: Kind::Real(0.0, 1.0),
            },
            Parameter {
                name: "precision",
                default: "double",
                meaning: "in what ranks are kept: 64 or 32 bits",
                kind: Kind::Choice(&["double", "single"]),
            },
        ],
        run: kernels::pagerank,
    },
    Algorithm {
        name: "bfs",
        aliases: &["breadth-first-search"],
        computes: "a breadth-first tree from a source along out-edges",
        value: "the depth, or the parent",
        parameters: &[
            Parameter {
                name: "source",
                default: SOURCE_DEFAULT,
                meaning: "where the search begins",
                kind: Kind::Vertex,
            },
            Parameter {
                name: "output",
                default: "depth",
                meaning: "what an output file holds for each vertex",
                kind: Kind::Choice(&["depth", "parents"]),
            },
        ],
        run: kernels::bfs,
    },
    Algorithm {
        name: "betweenness",
        aliases: &["bc", "betweenness-centrality"],
        computes: "for each vertex how many shortest paths from the sources lead over it (Brandes)",
        value: "the score",
        parameters: &[
            Parameter {
                name: "source",
                default: SOURCE_DEFAULT,
                meaning: "where the paths begin; one or several vertices",
                kind: Kind::Vertices,
            },
            Parameter {
                name: "normalized",
                default: "false",
                meaning: "divide all scores by the largest",
                kind: Kind::Switch,
            },
        ],
        run: kernels::betweenness,
    },
    Algorithm {
        name: "connected-components",
        aliases: &["cc", "wcc", "weakly-connected-components"],
        computes: "the weakly connected components",
        value: "a representative vertex of the component",
        parameters: &[],
        run: kernels::connected_components,
    },
];

/// The algorithm with this name or alias.
///
/// # Errors
/// If there is none; the message names the nearest.
pub fn find(name: &str) -> Result<&'static Algorithm, Error> {
    let named =
        |algorithm: &&Algorithm| algorithm.name == name || algorithm.aliases.contains(&name);
    ALGORITHMS.iter().find(named).ok_or_else(|| {
        let names = ALGORITHMS.iter();
        let known = names.flat_map(|a| [a.name].into_iter().chain(a.aliases.iter().copied()));
        let hint = match nearest(name, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`evergraph run --list` names all algorithms".to_string(),
        };
        Error::argument(format!("unknown algorithm {name:?}"), hint)
    })
}

impl Algorithm {
    /// All parameters, the common ones last.
    pub fn all_parameters(&self) -> impl Iterator<Item = &'static Parameter> + use<> {
        self.parameters.iter().chain(COMMON)
    }

    /// The values given, checked against names and ranges.
    pub(super) fn parse(&self, given: &[(String, String)]) -> Result<Given, Error> {
        let mut values: Vec<(&'static str, String)> = Vec::new();
        for (name, value) in given {
            let parameter = self.parameter(name)?;
            parameter.check(value)?;
            let twice = values.iter().any(|(known, _)| *known == parameter.name);
            if twice && parameter.kind != Kind::Vertices {
                return Err(Error::argument(
                    format!("parameter `{name}` is given twice"),
                    "give it once",
                ));
            }
            values.push((parameter.name, value.clone()));
        }
        Ok(Given(values))
    }

    fn parameter(&self, name: &str) -> Result<&'static Parameter, Error> {
        let found = self
            .all_parameters()
            .find(|parameter| parameter.name == name);
        found.ok_or_else(|| {
            let names: Vec<&str> = self.all_parameters().map(|p| p.name).collect();
            let hint = match nearest(name, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("{} takes {}", self.name, names.join(", ")),
            };
            Error::argument(format!("{} has no parameter {name:?}", self.name), hint)
        })
    }
}

impl Parameter {
    fn check(&self, value: &str) -> Result<(), Error> {
        let valid = match self.kind {
            Kind::Whole(least, most) => value
                .parse()
                .is_ok_and(|number: u64| (least..=most).contains(&number)),
            Kind::Real(least, below) => value
                .parse()
                .is_ok_and(|number: f64| number >= least && number < below),
            Kind::Choice(words) => words.contains(&value),
            Kind::Switch => value.parse::<bool>().is_ok(),
            Kind::Vertex | Kind::Vertices => !value.is_empty(),
        };
        if valid {
            return Ok(());
        }
        let near = match self.kind {
            Kind::Choice(words) => nearest(value, words.iter().copied()),
            _ => None,
        };
        let message = format!("parameter `{}` cannot be {value:?}", self.name);
        Err(Error::argument(
            message,
            match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("it takes {}", self.kind.range()),
            },
        ))
    }
}

impl Kind {
    /// The values, in words.
    pub fn range(&self) -> String {
        match self {
            Kind::Whole(least, most) => format!("whole numbers from {least} to {most}"),
            Kind::Real(least, below) => format!("numbers from {least} to below {below}"),
            Kind::Choice(words) => words.join(" or "),
            Kind::Switch => "true or false".to_string(),
            Kind::Vertex => "the id of a vertex".to_string(),
            Kind::Vertices => {
                "ids of vertices, with commas between or given repeatedly".to_string()
            }
        }
    }
}

/// Checked values.
pub(super) struct Given(Vec<(&'static str, String)>);

impl Given {
    /// Every value of a parameter.
    pub fn all(&self, name: &str) -> Vec<&str> {
        let values = self.0.iter().filter(|(known, _)| *known == name);
        values.map(|(_, value)| value.as_str()).collect()
    }

    /// The value of a parameter.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.all(name).first().copied()
    }

    /// The value as a number or a switch.
    pub fn value<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.text(name)?.parse().ok()
    }

    /// Whether a switch is on.
    pub fn is_on(&self, name: &str) -> bool {
        self.value(name).unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(algorithm: &str, name: &str, value: &str) -> String {
        let given = [(name.to_string(), value.to_string())];
        match find(algorithm).and_then(|found| found.parse(&given).map(|_| ())) {
            Ok(()) => "fine".to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn wrong_names_and_values_are_told() {
        for (algorithm, name, value, expected) in [
            ("pr", "damping", "0.5", "fine"),
            ("bfs", "verify", "true", "fine"),
            (
                "pagernak",
                "",
                "",
                "unknown algorithm \"pagernak\" (did you mean `pagerank`?)",
            ),
            (
                "louvain",
                "",
                "",
                "unknown algorithm \"louvain\" (`evergraph run --list` names all algorithms)",
            ),
            (
                "pr",
                "dampning",
                "0.5",
                "pagerank has no parameter \"dampning\" (did you mean `damping`?)",
            ),
            (
                "cc",
                "source",
                "1",
                "connected-components has no parameter \"source\" (connected-components takes verify)",
            ),
            (
                "pr",
                "damping",
                "1",
                "parameter `damping` cannot be \"1\" (it takes numbers from 0 to below 1)",
            ),
            (
                "pr",
                "damping",
                "nan",
                "parameter `damping` cannot be \"nan\" (it takes numbers from 0 to below 1)",
            ),
            (
                "pr",
                "precision",
                "duoble",
                "parameter `precision` cannot be \"duoble\" (did you mean `double`?)",
            ),
            (
                "pr",
                "iterations",
                "0",
                "parameter `iterations` cannot be \"0\" (it takes whole numbers from 1 to 1000000)",
            ),
        ] {
            assert_eq!(complaint(algorithm, name, value), expected);
        }
    }

    #[test]
    fn names_are_distinct() {
        let mut names: Vec<&str> = ALGORITHMS
            .iter()
            .flat_map(|a| [a.name].into_iter().chain(a.aliases.iter().copied()))
            .collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
