//! Entries of the registry, and the check of their parameters.

use super::given::Given;
use super::parameters::{COMMON, Kind, Parameter};
use super::stream::StreamColumn;
use super::{Computed, Context};
use crate::Error;
use crate::names::nearest;

/// An algorithm that can be run by name.
pub struct Algorithm {
    /// Name.
    pub name: &'static str,
    /// Usual abbreviations.
    pub aliases: &'static [&'static str],
    /// Columns of its rows in the query language.
    pub columns: &'static [StreamColumn],
    /// Summary of the computation.
    pub computes: &'static str,
    /// Meaning of an output file's value for each vertex, or of a line.
    pub value: &'static str,
    /// Its parameters, beside [`COMMON`].
    pub parameters: &'static [Parameter],
    /// Lists that it reads.
    pub needs: Needs,
    /// Treatment of weights.
    pub weights: Weights,
    /// Bound of its memory.
    pub dram: Dram,
    /// Whether its result is always the same.
    pub determinism: Determinism,
    /// Work and depth.
    pub bound: &'static str,
    /// Publication that the method is from: authors, title, place and year.
    pub source: &'static str,
    pub(super) run: fn(&Context<'_>) -> Result<Computed, Error>,
}

/// A choice among the parameters that decides what is read of the graph: parameter,
/// value, and what is read then.
const READ_BY_CHOICE: &[(&str, &str, Needs)] = &[
    ("parallel", "each", Needs::Undirected),
    ("directions", "ignored", Needs::Undirected),
];

/// Lists that an algorithm reads. The graph is prepared accordingly; a stored graph that
/// has them already costs nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Needs {
    /// Out-lists; in-lists speed it up at most.
    OutLists,
    /// Only which edges there are, whatever their direction: any lists will do.
    AnyLists,
    /// Out- and in-lists.
    InLists,
    /// Each edge in the lists of both its ends.
    Undirected,
    /// As [`Needs::Undirected`], each list sorted, without self-loops and
    /// parallel edges.
    Simple,
    /// Out- and in-lists, each sorted, without self-loops and parallel edges.
    SimpleDirected,
}

/// Treatment of weights by an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// It does not read them.
    Ignored,
    /// It reads them; without weights every edge counts 1.
    Used,
    /// It reads them if a parameter says so, as [`Weights::Used`].
    OnRequest,
    /// It is of no use without them.
    Required,
}

/// The most DRAM that a run takes beside the graph, its result included: so many words
/// (of 8 bytes) a vertex and bits an arc, and the part that depends on the parameters.
/// Space for [`Dram::FIXED`] bytes and [`Dram::THREAD`] bytes a thread comes on top.
#[derive(Clone, Copy)]
pub struct Dram {
    /// Words a vertex: the c of c·n.
    pub words_per_vertex: f64,
    /// Words a vertex that each thread may take beside.
    pub words_per_thread: f64,
    /// Bits an arc.
    pub bits_per_arc: f64,
    pub(super) beside: Option<Beside>,
}

/// DRAM of a run beside words a vertex: the text for the user, and the bytes.
#[derive(Clone, Copy)]
pub(super) struct Beside {
    pub text: &'static str,
    pub bytes: fn(&Given, Size) -> u64,
}

/// The size of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Vertices.
    pub vertices: u64,
    /// Entries of all out-lists.
    pub arcs: u64,
}

/// Whether a result is always the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Determinism {
    /// For any number of threads.
    Always,
    /// For one value of the parameter `seed`, and any number of threads.
    ForSeed,
    /// Not all of it; the text names the part that may differ.
    Except(&'static str),
}

impl Algorithm {
    /// All parameters, the common ones last.
    pub fn all_parameters(&self) -> impl Iterator<Item = &'static Parameter> + use<> {
        self.parameters.iter().chain(COMMON)
    }

    /// The name and the aliases.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        [self.name].into_iter().chain(self.aliases.iter().copied())
    }

    /// The values given, checked against names and ranges. Files are read.
    ///
    /// # Errors
    /// Names and values that there are not; a file that cannot be read.
    pub(crate) fn parse(&self, given: &[(String, String)]) -> Result<Given, Error> {
        let mut parsed = Given::default();
        for (name, value) in given {
            let parameter = self.parameter(name)?;
            parameter.check(value)?;
            let twice = parsed.text(name).is_some();
            if twice && !parameter.kind.takes_several() {
                return Err(Error::argument(
                    format!("parameter `{name}` is given twice"),
                    "give it once",
                ));
            }
            if parameter.kind == Kind::File {
                let text = std::fs::read_to_string(value).map_err(|e| Error::io(value, e))?;
                parsed.files.push((parameter.name, text));
            }
            parsed.values.push((parameter.name, value.clone()));
        }
        Ok(parsed)
    }

    /// Lists that a run with these parameters reads.
    pub(super) fn needs_with(&self, given: &Given) -> Needs {
        let chosen = READ_BY_CHOICE
            .iter()
            .find(|(name, value, _)| given.text(name) == Some(value));
        chosen.map_or(self.needs, |&(_, _, needs)| needs)
    }

    /// Whether weights count in a run with these parameters.
    pub(super) fn reads_weights(&self, given: &Given) -> bool {
        match self.weights {
            Weights::Ignored => false,
            Weights::OnRequest => given.values.iter().any(|(_, word)| word == "weights"),
            Weights::Used | Weights::Required => true,
        }
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

impl Needs {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Needs::OutLists => "out-lists",
            Needs::AnyLists => "any lists",
            Needs::InLists => "out- and in-lists",
            Needs::Undirected => "an undirected graph",
            Needs::Simple => "an undirected graph, sorted and simple",
            Needs::SimpleDirected => "out- and in-lists, sorted and simple",
        }
    }

    /// Treatment of a directed graph, in words.
    pub fn on_directed(self) -> &'static str {
        match self {
            Needs::OutLists => "follows out-edges",
            Needs::AnyLists => "directions do not matter",
            Needs::InLists | Needs::SimpleDirected => "follows edges both ways",
            Needs::Undirected | Needs::Simple => "read as undirected",
        }
    }
}

impl Weights {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Weights::Ignored => "not read",
            Weights::Used => "used; 1 in a graph without",
            Weights::OnRequest => "used if asked for",
            Weights::Required => "needed",
        }
    }
}

impl Determinism {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Determinism::Always => "yes",
            Determinism::ForSeed => "for a seed",
            Determinism::Except(what) => what,
        }
    }
}

impl Dram {
    /// Bytes that any run may take beside its bound.
    pub const FIXED: u64 = 1 << 16;
    /// Bytes that it may take for each thread.
    pub const THREAD: u64 = 1 << 16;

    /// So many words of 8 bytes a vertex.
    pub(super) const fn words(words_per_vertex: f64) -> Self {
        Dram {
            words_per_vertex,
            words_per_thread: 0.0,
            bits_per_arc: 0.0,
            beside: None,
        }
    }

    /// And so many words a vertex for each thread.
    pub(super) const fn and_words_per_thread(mut self, words_per_thread: f64) -> Self {
        self.words_per_thread = words_per_thread;
        self
    }

    /// And so many bits an arc.
    pub(super) const fn and_bits_per_arc(mut self, bits_per_arc: f64) -> Self {
        self.bits_per_arc = bits_per_arc;
        self
    }

    /// Adds the part that depends on parameters and size; the text tells the user how
    /// much.
    pub(super) const fn and(mut self, text: &'static str, bytes: fn(&Given, Size) -> u64) -> Self {
        self.beside = Some(Beside { text, bytes });
        self
    }

    /// In words.
    pub fn text(&self) -> String {
        let mut parts = vec![format!("{}n words", self.words_per_vertex)];
        if self.words_per_thread > 0.0 {
            parts.push(format!("{}n words a thread", self.words_per_thread));
        }
        if self.bits_per_arc > 0.0 {
            parts.push(format!("{}m bits", self.bits_per_arc));
        }
        parts.extend(self.beside.map(|beside| beside.text.to_string()));
        parts.join(" + ")
    }

    /// The bound, in bytes.
    pub(super) fn bytes(&self, given: &Given, size: Size, threads: usize) -> u64 {
        let words = self.words_per_vertex + self.words_per_thread * threads as f64;
        let words = words * size.vertices as f64 * 8.0;
        let bits = self.bits_per_arc * size.arcs as f64;
        let beside = self.beside.map_or(0, |beside| (beside.bytes)(given, size));
        (words + bits / 8.0) as u64 + beside + Self::FIXED + Self::THREAD * threads as u64
    }
}

impl Parameter {
    fn check(&self, value: &str) -> Result<(), Error> {
        let valid = match self.kind {
            Kind::Samples if value == "all" => true,
            Kind::Samples => value.parse().is_ok_and(|number: u64| number > 0),
            Kind::Whole(least, most) => value
                .parse()
                .is_ok_and(|number: u64| (least..=most).contains(&number)),
            Kind::Wholes(least, most) => value.split(',').all(|part| {
                let number = part.trim().parse();
                number.is_ok_and(|number: u64| (least..=most).contains(&number))
            }),
            Kind::Real(least, below) => value
                .parse()
                .is_ok_and(|number: f64| number >= least && number < below),
            Kind::Choice(words) => words.contains(&value),
            Kind::Switch => value.parse::<bool>().is_ok(),
            Kind::Vertex | Kind::Vertices | Kind::File => !value.is_empty(),
            Kind::Pairs => value.contains(':'),
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
            Kind::Samples => "whole numbers from 1, or all".to_string(),
            Kind::Whole(least, u64::MAX) => format!("whole numbers from {least}"),
            Kind::Whole(least, most) => format!("whole numbers from {least} to {most}"),
            Kind::Wholes(least, most) => {
                format!("whole numbers from {least} to {most}, with commas between")
            }
            Kind::Real(least, below) => {
                let from = match *least == f64::MIN_POSITIVE {
                    true => "above 0".to_string(),
                    false => format!("from {least}"),
                };
                match *below == f64::INFINITY {
                    true => format!("numbers {from}"),
                    false => format!("numbers {from} to below {below}"),
                }
            }
            Kind::Choice(words) => words.join(" or "),
            Kind::Switch => "true or false".to_string(),
            Kind::Vertex => "the id of a vertex".to_string(),
            Kind::Vertices => {
                "ids of vertices, with commas between or given repeatedly".to_string()
            }
            Kind::File => "the path of a file with ids of vertices, one a line".to_string(),
            Kind::Pairs => {
                "pairs U:V of ids of vertices, with commas between or given repeatedly".to_string()
            }
        }
    }

    pub(super) fn takes_several(&self) -> bool {
        matches!(self, Kind::Vertices | Kind::Pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::super::find;

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
                "sorting-by-colour",
                "",
                "",
                "unknown algorithm \"sorting-by-colour\" (`evergraph run --list` names all algorithms)",
            ),
            (
                "pr",
                "dampning",
                "0.5",
                "pagerank has no parameter \"dampning\" (did you mean `damping`?)",
            ),
            (
                "bfs",
                "wheels",
                "1",
                "bfs has no parameter \"wheels\" (bfs takes source, target, output, spec, graph, undirected, component, verify)",
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
                "sssp",
                "delta",
                "-1",
                "parameter `delta` cannot be \"-1\" (it takes numbers above 0)",
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
}
