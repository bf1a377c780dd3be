//! The problems that can be maintained, and their state: begun, updated, stored and read.

use evergraph_algorithms::maintained::components::{self, Components};
use evergraph_algorithms::maintained::degrees::{self, Degrees};
use evergraph_algorithms::maintained::distances::{self, Distances, Length};
use evergraph_algorithms::maintained::k_core::{self, Cores};
use evergraph_algorithms::maintained::pagerank::{self, Parameters, Ranks, Scalars};
use evergraph_algorithms::maintained::triangles::{self, Triangles};
use evergraph_algorithms::maintained::{Changes, Summary};
use evergraph_algorithms::{Control, RunError, UNREACHED};
use evergraph_graph::{Graph, OwnedColumn, StoredLists, Symmetric, VertexId};
use evergraph_results::{Description, Stored};
use evergraph_snapshots::GraphView;

use crate::names::nearest;
use crate::run::{AnyGraph, Fact, between_ids, busiest, find, largest, stopped};
use crate::{Error, Session};

/// An algorithm of which the result can be maintained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Ranks,
    Components,
    Degrees,
    Cores,
    Triangles,
    Hops,
    Distances,
}

/// Algorithms by their full names, with the parameters that make sense.
const KINDS: [(&str, Kind, &[&str]); 7] = [
    ("pagerank", Kind::Ranks, &["damping", "tolerance"]),
    ("connected-components", Kind::Components, &[]),
    ("degrees", Kind::Degrees, &[]),
    ("k-core", Kind::Cores, &[]),
    ("triangle-count", Kind::Triangles, &[]),
    ("bfs", Kind::Hops, &["source"]),
    ("delta-stepping", Kind::Distances, &["source"]),
];

/// State of PageRank that is stored as notes beside the columns.
const SCALARS: [&str; 4] = ["scale", "accuracy", "unsettled", "shift"];

/// A maintained problem.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Problem {
    kind: Kind,
    name: &'static str,
    /// Parameters that differ from the defaults, as they are compared.
    parameters: Vec<(String, String)>,
    /// Whether any were given, be they the defaults: else those of the result count.
    given: bool,
    ranks: Parameters,
    source: Option<VertexId>,
}

impl Problem {
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        KINDS.iter().map(|kind| kind.0)
    }

    pub(super) fn new(
        session: &Session,
        algorithm: &str,
        given: &[(String, String)],
    ) -> Result<Self, Error> {
        let algorithm = find(algorithm)?;
        let Some(&(name, kind, known)) = KINDS.iter().find(|kind| kind.0 == algorithm.name) else {
            let names: Vec<&str> = Self::names().collect();
            return Err(Error::usage(
                format!("results of {} cannot be maintained", algorithm.name),
                match nearest(algorithm.name, names.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("those of {} can", names.join(", ")),
                },
            ));
        };
        let checked = algorithm.parse(given)?;
        if let Some((other, _)) = given
            .iter()
            .find(|(name, _)| !known.contains(&name.as_str()))
        {
            return Err(Error::usage(
                format!("a maintained {name} has no parameter `{other}`"),
                match known {
                    [] => "leave it out".to_string(),
                    known => format!("it has {}", known.join(", ")),
                },
            ));
        }
        check_lists(session, name, kind)?;
        let usual = Parameters::default();
        let source = checked.text("source").map(|name| vertex(session, name));
        Ok(Self {
            kind,
            name,
            parameters: algorithm.canonical(&checked, between_ids(session)),
            given: !given.is_empty(),
            ranks: Parameters {
                damping: checked.value("damping").unwrap_or(usual.damping),
                tolerance: checked.value("tolerance").unwrap_or(usual.tolerance),
            },
            source: source.transpose()?,
        })
    }

    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    pub(super) fn parameters(&self) -> &[(String, String)] {
        &self.parameters
    }

    /// The same with a source, if it needs one: the vertex with the most
    /// out-neighbors, as in a run.
    pub(super) fn resolved(&self, session: &Session, graph: &GraphView) -> Self {
        let mut resolved = self.clone();
        if matches!(self.kind, Kind::Hops | Kind::Distances) && self.source.is_none() {
            let source = busiest(graph);
            resolved.source = Some(source);
            let named = ("source".to_string(), session.vertex_name(source));
            resolved.parameters.push(named);
            resolved.parameters.sort();
        }
        resolved
    }

    /// The problem of a result that exists, if this is it as far as it was said.
    pub(super) fn as_in(&self, session: &Session, known: &Description) -> Result<Self, Error> {
        let differs = |what: String| {
            Err(Error::usage(
                format!("the maintained result {:?} {what}", known.name),
                "choose another name, or drop it with `evergraph results DB drop`",
            ))
        };
        if known.algorithm != self.name {
            return differs(format!("is of {}, not of {}", known.algorithm, self.name));
        }
        if self.given && self.parameters != known.parameters {
            let text = |parameters: &[(String, String)]| {
                let parts: Vec<String> = (parameters.iter())
                    .map(|(name, value)| format!("{name}={value}"))
                    .collect();
                match parts.is_empty() {
                    true => "the default parameters".to_string(),
                    false => parts.join(" "),
                }
            };
            return differs(format!(
                "has {}, not {}",
                text(&known.parameters),
                text(&self.parameters)
            ));
        }
        Ok(Self {
            given: self.given,
            ..Self::new(session, self.name, &known.parameters)?
        })
    }

    pub(super) fn start(
        &self,
        graph: &GraphView,
        control: &Control<'_>,
    ) -> Result<State, RunError> {
        let lists = self.kind.lists(graph);
        let source = self.source.unwrap_or(0);
        Ok(match self.kind {
            Kind::Ranks => State::Ranks(pagerank::start(&lists, &self.ranks, control)?),
            Kind::Components => State::Components(components::start(&lists, control)?),
            Kind::Degrees => State::Degrees(degrees::start(&lists, control)?),
            Kind::Cores => State::Cores(k_core::start(&lists, control)?),
            Kind::Triangles => State::Triangles(triangles::start(&lists, control)?),
            Kind::Hops => State::Hops(distances::start(&lists, source, Length::Edges, control)?),
            Kind::Distances => {
                State::Distances(distances::start(&lists, source, Length::Weights, control)?)
            }
        })
    }

    /// The state of a result that was kept.
    pub(super) fn restore(&self, stored: &Stored) -> Result<State, Error> {
        let source = self.source.unwrap_or(0);
        let restored = match self.kind {
            Kind::Ranks => self.restore_ranks(stored)?.map(State::Ranks),
            Kind::Components => {
                let labels = stored.values::<u32>("value")?;
                Components::restore(&labels, stored.values("forest")?).map(State::Components)
            }
            Kind::Degrees => {
                let has_incoming = stored.columns().any(|column| column.0 == "incoming");
                let incoming = has_incoming
                    .then(|| stored.values("incoming"))
                    .transpose()?;
                Some(State::Degrees(Degrees::restore(
                    stored.values("value")?,
                    incoming,
                )))
            }
            Kind::Cores => Some(State::Cores(Cores::restore(stored.values("value")?))),
            Kind::Triangles => Some(State::Triangles(Triangles::restore(
                stored.values("value")?,
            ))),
            Kind::Hops => {
                let depths = stored.values::<u32>("value")?;
                Distances::restore_depths(source, &depths).map(State::Hops)
            }
            Kind::Distances => {
                let distances = stored.values("value")?;
                Distances::restore(source, Length::Weights, distances).map(State::Distances)
            }
        };
        restored.ok_or_else(|| {
            Error::usage(
                format!(
                    "the maintained result {:?} holds no state of {}",
                    stored.description().name,
                    self.name
                ),
                "drop it with `evergraph results DB drop`, and maintain it anew",
            )
        })
    }

    fn restore_ranks(&self, stored: &Stored) -> Result<Option<Ranks>, Error> {
        let number = |name: &str| {
            let bits = u64::from_str_radix(stored.description().note(name)?, 16);
            bits.ok().map(f64::from_bits)
        };
        let [Some(scale), Some(accuracy), Some(unsettled), Some(shift)] = SCALARS.map(number)
        else {
            return Ok(None);
        };
        let scalars = Scalars {
            accuracy,
            unsettled,
            shift,
        };
        let ranks = stored.values("value")?;
        let residuals = stored.values("residual")?;
        Ok(Ranks::restore(
            self.ranks,
            (ranks, scale),
            residuals,
            scalars,
        ))
    }

    /// The error in the user's words.
    pub(super) fn stopped(&self, session: &Session, error: RunError) -> Error {
        stopped(session, error)
    }
}

impl Kind {
    /// The lists that are read.
    fn lists(self, graph: &GraphView) -> AnyGraph<'_> {
        match (self, Symmetric::of(graph)) {
            (Kind::Cores | Kind::Triangles, Some(lists)) => AnyGraph::Symmetric(lists),
            _ => AnyGraph::Live(graph),
        }
    }
}

fn check_lists(session: &Session, name: &str, kind: Kind) -> Result<(), Error> {
    let any_will_do = matches!(kind, Kind::Ranks | Kind::Degrees);
    if any_will_do || session.config().direction != StoredLists::Out {
        return Ok(());
    }
    Err(Error::usage(
        format!("a maintained {name} reads in-lists, and the graph keeps only out-lists"),
        "import into a database with `--directions both`",
    ))
}

fn vertex(session: &Session, name: &str) -> Result<VertexId, Error> {
    session.vertex_of_name(name)?.ok_or_else(|| {
        Error::usage(
            format!("there is no vertex {name:?}"),
            "give an id as it was imported",
        )
    })
}

/// State of a maintained result.
pub(super) enum State {
    Ranks(Ranks),
    Components(Components),
    Degrees(Degrees),
    Cores(Cores),
    Triangles(Triangles),
    Hops(Distances),
    Distances(Distances),
}

impl State {
    pub(super) fn update(
        &mut self,
        graph: &GraphView,
        changes: &Changes,
        control: &Control<'_>,
    ) -> Result<Summary, RunError> {
        match self {
            State::Ranks(state) => state.update(graph, changes, control),
            State::Components(state) => state.update(graph, changes, control),
            State::Degrees(state) => Ok(state.update(graph, changes)),
            State::Cores(state) => {
                let (lists, changes) = both_ways(graph, changes, Kind::Cores);
                state.update(&lists, &changes, control)
            }
            State::Triangles(state) => {
                let (lists, changes) = both_ways(graph, changes, Kind::Triangles);
                state.update(&lists, &changes, control)
            }
            State::Hops(state) | State::Distances(state) => state.update(graph, changes, control),
        }
    }

    /// Type of the column `value`, in words.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            State::Ranks(_) | State::Distances(_) => "reals",
            State::Components(_) => "vertices",
            State::Degrees(_) | State::Cores(_) | State::Hops(_) => "depths",
            State::Triangles(_) => "counts",
        }
    }

    /// The values, and the other columns of the state.
    pub(super) fn columns(&self) -> Vec<(&'static str, OwnedColumn)> {
        match self {
            State::Ranks(state) => vec![
                ("value", OwnedColumn::F64(state.ranks())),
                ("residual", OwnedColumn::F64(state.residuals().to_vec())),
            ],
            State::Components(state) => vec![
                ("value", OwnedColumn::U32(state.labels())),
                ("forest", OwnedColumn::U32(state.forest().to_vec())),
            ],
            State::Degrees(state) => {
                let out = state.out().degrees().to_vec();
                let incoming = state.incoming().map(|side| side.degrees().to_vec());
                let incoming = incoming.map(|degrees| ("incoming", OwnedColumn::U32(degrees)));
                [("value", OwnedColumn::U32(out))]
                    .into_iter()
                    .chain(incoming)
                    .collect()
            }
            State::Cores(state) => vec![("value", OwnedColumn::U32(state.coreness().to_vec()))],
            State::Triangles(state) => {
                vec![(
                    "value",
                    OwnedColumn::U64(state.counts().at_vertices.clone()),
                )]
            }
            State::Hops(state) => vec![("value", OwnedColumn::U32(state.depths()))],
            State::Distances(state) => {
                vec![("value", OwnedColumn::F64(state.distances().to_vec()))]
            }
        }
    }

    /// The part of the state that is not in columns.
    pub(super) fn notes(&self) -> Vec<(String, String)> {
        let State::Ranks(state) = self else {
            return Vec::new();
        };
        let Scalars {
            accuracy,
            unsettled,
            shift,
        } = state.scalars();
        let values = [state.scale(), accuracy, unsettled, shift];
        let notes = SCALARS.iter().zip(values);
        notes
            .map(|(name, value)| (name.to_string(), format!("{:016x}", value.to_bits())))
            .collect()
    }

    /// The summary, as of a run.
    pub(super) fn facts(&self, session: &Session) -> Vec<(&'static str, Fact)> {
        let whole = |number: usize| Fact::Whole(number as u64);
        let named = |vertex: VertexId| Fact::Text(session.vertex_name(vertex));
        match self {
            State::Ranks(state) => {
                let (vertex, rank) = largest(&state.ranks());
                vec![
                    ("top_vertex", named(vertex)),
                    ("top_rank", Fact::Real(rank)),
                ]
            }
            State::Components(state) => vec![
                ("components", whole(state.components())),
                ("largest", whole(state.largest())),
            ],
            State::Degrees(state) => crate::run::degree_facts(state),
            State::Cores(state) => {
                let (max, having) = state.innermost();
                vec![
                    ("max_coreness", Fact::Whole(u64::from(max))),
                    ("innermost", whole(having)),
                ]
            }
            State::Triangles(state) => {
                vec![("triangles", Fact::Whole(state.counts().triangles))]
            }
            State::Hops(state) => {
                let depths = state.depths();
                let reached = || depths.iter().filter(|&&depth| depth != UNREACHED);
                let max = reached().max().copied().unwrap_or(0);
                vec![
                    ("source", named(state.source())),
                    ("reached", whole(reached().count())),
                    ("max_depth", Fact::Whole(u64::from(max))),
                ]
            }
            State::Distances(state) => {
                let reached = || {
                    state
                        .distances()
                        .iter()
                        .filter(|distance| distance.is_finite())
                };
                vec![
                    ("source", named(state.source())),
                    ("reached", whole(reached().count())),
                    (
                        "max_distance",
                        Fact::Real(reached().copied().fold(0.0, f64::max)),
                    ),
                ]
            }
        }
    }
}

/// The lists and changes of a problem on undirected graphs.
fn both_ways<'g>(graph: &'g GraphView, changes: &Changes, kind: Kind) -> (AnyGraph<'g>, Changes) {
    let changes = match graph.stored_lists() {
        StoredLists::Both => changes.symmetric(),
        _ => changes.clone(),
    };
    (kind.lists(graph), changes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_numbers_beside_the_ranks_are_kept() {
        let scalars = Scalars {
            accuracy: 0.25,
            unsettled: 0.5,
            shift: 0.125,
        };
        let ranks = Ranks::restore(Parameters::default(), (vec![1.0], 2.0), vec![0.0], scalars);
        let notes = State::Ranks(ranks.unwrap()).notes();
        let kept = notes.iter().map(|(name, bits)| {
            let bits = u64::from_str_radix(bits, 16).unwrap();
            (name.as_str(), f64::from_bits(bits))
        });
        let expected = [
            ("scale", 2.0),
            ("accuracy", 0.25),
            ("unsettled", 0.5),
            ("shift", 0.125),
        ];
        assert_eq!(kept.collect::<Vec<_>>(), expected);
    }
}
