//! Input and output of an algorithm's function: parameters as vertices, measuring,
//! verifying, and names for the user.

use std::borrow::Cow;
use std::time::Instant;

use evergraph_algorithms::{Control, Mismatch, RunError, UNREACHED};
use evergraph_graph::{Graph, NeighborReader};
use evergraph_snapshots::View;

use super::algorithm::Algorithm;
use super::given::Given;
use super::graph::{AnyGraph, Plain};
use super::naming::Naming;
use super::part::Part;
use super::stopped::stopped_by;
use super::{Fact, Format, MemoryMeter, Outcome, Values};
use crate::{Error, Session};
use evergraph_property_graph::graph::NodeId;
use evergraph_topology::ids::IdKind;

/// Input of a kernel's function.
pub(super) struct Context<'a> {
    pub session: &'a Session,
    pub graph: &'a AnyGraph<'a>,
    pub given: &'a Given,
    pub control: &'a Control<'a>,
    pub memory: Option<MemoryMeter>,
    /// External names of vertices.
    pub naming: &'a Naming,
    /// Of a property graph.
    pub part: Option<&'a Part>,
}

/// Output of such a function.
pub(super) struct Computed {
    pub measured: Measured,
    pub iterations: Option<u64>,
    pub result: Vec<(&'static str, Fact)>,
    pub values: Values,
    pub verified: Option<Result<(), String>>,
}

impl Computed {
    /// The outcome of an algorithm on a view, without the prepared graph.
    pub(super) fn outcome(self, algorithm: &Algorithm, view: &View) -> Outcome {
        Outcome {
            algorithm: algorithm.name,
            csn: view.csn(),
            vertices: 0,
            edges: 0,
            naming: Naming::External,
            seconds: self.measured.seconds,
            prepared: None,
            iterations: self.iterations,
            kept: None,
            damaged: None,
            counted: String::new(),
            peers: "",
            column: String::new(),
            result: named(self.result),
            values: self.values,
            format: Format::default(),
            dram_bytes: self.measured.dram_bytes,
            dram_bound: 0,
            medium_writes: self.measured.medium_writes,
            verified: self.verified,
            checkpointing: None,
        }
    }
}

/// Time and memory of a kernel.
#[derive(Default)]
pub(super) struct Measured {
    pub seconds: f64,
    pub dram_bytes: Option<u64>,
    pub medium_writes: u64,
}

impl Context<'_> {
    /// Runs a kernel and measures its time and memory.
    pub(super) fn measure<T>(
        &self,
        kernel: impl FnOnce() -> Result<T, RunError>,
    ) -> Result<(T, Measured), Error> {
        let writes = || {
            self.session
                .counters()
                .map_or(0, |counters| counters.media_writes)
        };
        let writes_before = writes();
        let memory_before = self.memory.map(|meter| {
            (meter.reset)();
            (meter.current)()
        });
        let started = Instant::now();
        let result = kernel().map_err(|error| self.stopped(error))?;
        let measured = Measured {
            seconds: started.elapsed().as_secs_f64(),
            dram_bytes: self
                .memory
                .zip(memory_before)
                .map(|(meter, before)| (meter.peak)().saturating_sub(before) as u64),
            medium_writes: writes() - writes_before,
        };
        Ok((result, measured))
    }

    /// Runs the verifier, if that is asked for.
    pub(super) fn verify(
        &self,
        verifier: impl FnOnce(&Plain<'_>) -> Result<(), Mismatch>,
    ) -> Option<Result<(), String>> {
        let wanted = self.given.is_on("verify");
        let plain = Plain(self.graph);
        let named = |wrong: Mismatch| {
            let vertex = self.name_of(wrong.vertex);
            let Mismatch {
                what,
                found,
                expected,
                ..
            } = wrong;
            format!("vertex {vertex}: {what} is {found}, expected {expected}")
        };
        wanted.then(|| verifier(&plain).map_err(named))
    }

    /// External name of a vertex, as a fact.
    pub(super) fn name(&self, vertex: u32) -> Fact {
        self.naming.fact(self.session, vertex)
    }

    /// External name of a vertex.
    pub(super) fn name_of(&self, vertex: u32) -> String {
        self.naming.name(self.session, vertex)
    }

    /// The vertices that `source` names; without one the vertex with the most
    /// out-neighbors, the first of several.
    pub(super) fn sources(&self) -> Result<Vec<u32>, Error> {
        let named = self.vertices("source")?;
        Ok(named.unwrap_or_else(|| vec![busiest(self.graph)]))
    }

    /// The vertices that a parameter names, if it is given.
    pub(super) fn vertices(&self, parameter: &str) -> Result<Option<Vec<u32>>, Error> {
        let texts = self.given.all(parameter);
        if texts.is_empty() {
            return Ok(None);
        }
        let vertices = texts.iter().map(|text| self.one_or_several(text));
        let vertices: Vec<Vec<u32>> = vertices.collect::<Result<_, Error>>()?;
        Ok(Some(vertices.concat()))
    }

    /// The vertex of this name, which may have a comma in it; else those of the names
    /// between commas.
    fn one_or_several(&self, text: &str) -> Result<Vec<u32>, Error> {
        if let Ok(vertex) = self.vertex(text) {
            return Ok(vec![vertex]);
        }
        text.split(',')
            .map(|name| self.vertex(name.trim()))
            .collect()
    }

    /// The parameter `seed`.
    pub(super) fn seed(&self) -> u64 {
        self.given.value("seed").unwrap_or(27)
    }

    /// The one vertex that `source` names; without one the vertex with the most
    /// out-neighbors.
    pub(super) fn source(&self) -> Result<u32, Error> {
        match self.sources()?[..] {
            [source] => Ok(source),
            ref several => Err(Error::argument(
                format!("parameter `source` names {} vertices", several.len()),
                "this algorithm starts from one",
            )),
        }
    }

    /// The vertex that `target` names, if it is given.
    pub(super) fn target(&self) -> Result<Option<u32>, Error> {
        let target = self.given.text("target");
        if target.is_some() && self.given.text("output").is_some() {
            return Err(Error::argument(
                "parameters `target` and `output` are both given",
                "give one of them: with a target the result is a path",
            ));
        }
        target.map(|name| self.vertex(name)).transpose()
    }

    /// The pairs of vertices that a parameter names as `U:V`.
    pub(super) fn pairs(&self, parameter: &str) -> Result<Vec<(u32, u32)>, Error> {
        let texts = self.given.all(parameter);
        let pair = |text: &str| {
            let (u, v) = text.split_once(':').ok_or_else(|| {
                Error::argument(
                    format!("parameter `{parameter}` cannot be {text:?}"),
                    "it takes pairs U:V of ids of vertices",
                )
            })?;
            Ok((self.vertex(u.trim())?, self.vertex(v.trim())?))
        };
        let one_or_several = |text: &&str| match pair(text) {
            Ok(one) => Ok(vec![one]),
            Err(_) => text.split(',').map(pair).collect(),
        };
        let pairs = texts.iter().map(one_or_several);
        Ok(pairs.collect::<Result<Vec<_>, Error>>()?.concat())
    }

    pub(super) fn vertex(&self, name: &str) -> Result<u32, Error> {
        self.vertex_at("", name)
    }

    /// The vertex of this name; `place`, where it stands, begins the message if there
    /// is none.
    pub(super) fn vertex_at(&self, place: &str, name: &str) -> Result<u32, Error> {
        if let (Some(part), Some(nodes)) = (self.part, self.naming.nodes()) {
            if let Some(key) = part.named_by() {
                let named = part.named(nodes.count(), |vertex| self.name_of(vertex));
                return match named.get(name) {
                    Some(Some(vertex)) => Ok(*vertex),
                    Some(None) => Err(ambiguous(place, key, name)),
                    None => Err(part.not_named(place, key, name)),
                };
            }
            if let Some(names) = part.names() {
                return part.by_key(place, names, nodes, name);
            }
            let vertex = name.parse().ok().and_then(|id| nodes.vertex(NodeId(id)));
            return vertex.ok_or_else(|| part.not_a_vertex(place, name));
        }
        let vertex = self.session.vertex_of_name(name)?;
        if let (Some(vertex), Naming::Vertices(vertices)) = (vertex, self.naming) {
            let found = vertices.binary_search(&vertex);
            return found.map(|at| at as u32).map_err(|_| {
                Error::usage(
                    format!("{place}vertex {name:?} is not in the largest component"),
                    "run it on the whole graph, or from another vertex",
                )
            });
        }
        // A vertex that is newer than the view does not exist in it.
        vertex
            .filter(|&vertex| (vertex as usize) < self.graph.vertex_count())
            .ok_or_else(|| {
                let hint = match self.session.config().ids {
                    IdKind::Dense => format!("ids go from 0 to {}", self.graph.vertex_count() - 1),
                    _ => "give an id as it was imported".to_string(),
                };
                Error::usage(format!("{place}there is no vertex {name:?}"), hint)
            })
    }

    /// The error in the user's words.
    pub(super) fn stopped(&self, error: RunError) -> Error {
        stopped_by(|vertex| self.name_of(vertex), error)
    }
}

fn ambiguous(place: &str, key: &str, name: &str) -> Error {
    Error::usage(
        format!("{place}several nodes of the projection have {name:?} as {key}"),
        "choose one kind of nodes with --labels, or name them by a key that is unique",
    )
}

/// The vertex with the most out-neighbors, the first of several.
pub(crate) fn busiest(graph: &impl Graph) -> u32 {
    let mut reader = graph.reader();
    let mut best = (0, 0);
    for vertex in 0..graph.vertex_count() as u32 {
        let degree = reader.degree(vertex);
        if degree > best.0 {
            best = (degree, vertex);
        }
    }
    best.1
}

fn named(facts: Vec<(&'static str, Fact)>) -> Vec<(Cow<'static, str>, Fact)> {
    let facts = facts.into_iter();
    facts
        .map(|(name, fact)| (Cow::Borrowed(name), fact))
        .collect()
}

/// The vertex with the largest value, the first of several.
pub(crate) fn largest(values: &[f64]) -> (u32, f64) {
    let mut best = (UNREACHED, f64::NEG_INFINITY);
    for (vertex, &value) in (0..).zip(values) {
        if value > best.1 {
            best = (vertex, value);
        }
    }
    best
}
