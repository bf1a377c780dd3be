//! One algorithm on one snapshot after another, each starting from the result before
//! where the algorithm can.
//!
//! PageRank and connected components follow the changes between two snapshots, at a cost
//! in proportion to these; other algorithms run anew on each snapshot.

use std::time::Instant;

use evergraph_algorithms::connected_components::{self as weak, ConnectedComponents};
use evergraph_algorithms::maintained::{Changes, Entry, components, pagerank};
use evergraph_algorithms::{Control, RunError};
use evergraph_graph::{Graph, StoredLists};
use evergraph_snapshots::View;
use evergraph_storage::memory_bytes;

use super::algorithm::{Algorithm, Needs};
use super::components::sizes;
use super::given::Given;
use super::plan::Wanted;
use super::prepare::Preparation;
use super::{
    Computed, Context, Fact, Form, Measured, MemoryMeter, Naming, Outcome, Request, Values,
    check_limit, find, largest, limited, run_if_any,
};
use crate::changes::changes_between;
use crate::threads::pool;
use crate::{Error, Moment, Session};

/// Runs an algorithm on each of several snapshots, given from the earliest to the latest,
/// and calls `each` with the outcome of each. Snapshots at which the graph has no
/// vertices, or its projection no nodes, are left out. Of a property graph each snapshot
/// is a run of its own.
///
/// The values are those of separate runs, but for PageRank's last digits: its ranks
/// are about as exact as those of a run that ends at the same tolerance, and differ
/// within that.
///
/// # Errors
/// As `run`, and errors of `each`; then later snapshots are not looked at.
pub fn over(
    session: &Session,
    moments: &[Moment],
    request: &Request,
    control: &Control<'_>,
    memory: Option<MemoryMeter>,
    mut each: impl FnMut(&Moment, Outcome) -> Result<(), Error>,
) -> Result<(), Error> {
    let algorithm = find(&request.algorithm)?;
    let given = algorithm.parse(&request.parameters)?;
    let followed = match session.is_property_graph() {
        true => None,
        false => Followed::by(algorithm, &given, session.config().direction),
    };
    let mut follower = followed.map(|what| Follower {
        what,
        state: None,
        before: None,
    });
    for moment in moments {
        let view = session.view_of(moment)?;
        if view.vertex_count() == 0 {
            continue;
        }
        let outcome = match &mut follower {
            None => match run_if_any(session, &view, request, control, memory)? {
                Some(outcome) => outcome,
                None => continue,
            },
            Some(follower) => {
                let outcome = follower.step(session, &view, algorithm, request, control, memory)?;
                follower.before = Some(view);
                outcome
            }
        };
        each(moment, outcome)?;
    }
    Ok(())
}

/// Algorithms that update their result from snapshot to snapshot.
#[derive(Clone, Copy, Debug)]
enum Followed {
    Ranks(pagerank::Parameters),
    /// Both directions of the edges are at hand.
    Components,
    /// Only out-lists are: edges that come unite components.
    Unions,
}

/// The result of the snapshot before, and what its update needs.
enum State {
    Ranks(pagerank::Ranks),
    Components(components::Components),
    Unions(ConnectedComponents),
}

struct Follower {
    what: Followed,
    state: Option<State>,
    before: Option<View>,
}

impl Followed {
    /// The update for these parameters; `None` if each snapshot is a run of its own.
    fn by(algorithm: &Algorithm, given: &Given, direction: StoredLists) -> Option<Self> {
        if given.form() != Form::Live || given.is_undirected() || given.is_of_largest_component() {
            return None;
        }
        match algorithm.name {
            "pagerank" => {
                let usual = pagerank::Parameters::default();
                let tolerance = given.value("tolerance").unwrap_or(usual.tolerance);
                let to_the_end = given.text("iterations").is_none();
                let double = given.text("precision") != Some("single");
                let can = to_the_end && double && tolerance >= 1e-12;
                can.then(|| {
                    Followed::Ranks(pagerank::Parameters {
                        damping: given.value("damping").unwrap_or(usual.damping),
                        tolerance,
                    })
                })
            }
            "connected-components" => Some(match direction {
                StoredLists::Out => Followed::Unions,
                StoredLists::Both | StoredLists::Undirected => Followed::Components,
            }),
            _ => None,
        }
    }

    /// Lists that make updates fast. Without in-lists, ranks would be pushed along all
    /// edges for each residual that a few pulls settle; a copy with in-lists is made in
    /// the time of some pulls.
    fn needs(self) -> Needs {
        match self {
            Followed::Ranks(_) => Needs::InLists,
            Followed::Components | Followed::Unions => Needs::AnyLists,
        }
    }

    /// The result from scratch.
    fn start<G: Graph>(self, graph: &G, control: &Control<'_>) -> Result<State, RunError> {
        Ok(match self {
            Followed::Ranks(parameters) => {
                State::Ranks(pagerank::start(graph, &parameters, control)?)
            }
            Followed::Components => State::Components(components::start(graph, control)?),
            Followed::Unions => State::Unions(weak::run(graph, control)?),
        })
    }
}

impl Follower {
    fn step(
        &mut self,
        session: &Session,
        view: &View,
        algorithm: &Algorithm,
        request: &Request,
        control: &Control<'_>,
        memory: Option<MemoryMeter>,
    ) -> Result<Outcome, Error> {
        let started = Instant::now();
        let changes = match &self.before {
            Some(before) => Some(changes_between(before, view)?),
            None => None,
        };
        let given = algorithm.parse(&request.parameters)?;
        let pool = pool(request.threads)?;
        let limit = request.memory_limit.unwrap_or_else(memory_bytes);
        let prepare = |needs| {
            let wanted = Wanted {
                needs,
                form: Form::Live,
                undirected: false,
            };
            Preparation::new(session, view, (None, None), wanted)
        };
        let mut preparation = prepare(self.what.needs())?;
        let threads = pool.current_num_threads();
        let dram_bound = algorithm.dram.bytes(&given, preparation.size(), threads)
            + changes.as_ref().map_or(0, bytes_of);
        if dram_bound.saturating_add(preparation.bytes()) > limit {
            preparation = prepare(algorithm.needs)?;
        }
        check_limit(limit, dram_bound, &preparation)?;
        let made = preparation.bytes();
        let control = &limited(control, memory, limit);
        let edges = view.edge_count()?;
        let (held, prepared) = pool.install(|| preparation.prepare(control))?;
        let control = &limited(control, memory, limit).with_memory_held(made);
        let format = given.format();
        let context = Context {
            session,
            graph: &held.graph(),
            given: &given,
            control,
            memory,
            naming: &Naming::External,
            part: None,
        };
        let mut measured = pool.install(|| self.advance(&context, changes.as_ref()))?;
        measured.seconds = started.elapsed().as_secs_f64();
        let computed = pool.install(|| self.computed(&context, measured));
        Ok(Outcome {
            prepared,
            format,
            dram_bound,
            vertices: view.vertex_count() as u64,
            edges,
            ..computed.outcome(algorithm, view)
        })
    }

    /// Brings the state to the context's graph.
    fn advance(
        &mut self,
        context: &Context<'_>,
        changes: Option<&Changes>,
    ) -> Result<Measured, Error> {
        let (graph, control) = (context.graph, context.control);
        let ((), measured) = context.measure(|| {
            match (&mut self.state, changes) {
                (Some(State::Ranks(ranks)), Some(changes)) => {
                    ranks.update(graph, changes, control)?;
                }
                (Some(State::Components(components)), Some(changes)) => {
                    components.update(graph, changes, control)?;
                }
                (Some(State::Unions(found)), Some(changes)) if changes.removed().is_empty() => {
                    unite(found, graph.vertex_count(), changes.added());
                }
                (state, _) => *state = Some(self.what.start(graph, control)?),
            }
            Ok(())
        })?;
        Ok(measured)
    }

    fn computed(&self, context: &Context<'_>, measured: Measured) -> Computed {
        let (result, values, verified) = match self.state.as_ref().expect("advanced before") {
            State::Ranks(ranks) => {
                let verified = context.verify(|plain| pagerank::verify(plain, ranks));
                let error_bound = ranks.error_bound();
                let ranks = ranks.ranks();
                let (top, rank) = largest(&ranks);
                let result = vec![
                    ("error_bound", Fact::Real(error_bound)),
                    ("top_vertex", context.name(top)),
                    ("top_rank", Fact::Real(rank)),
                ];
                (result, Values::Reals(ranks), verified)
            }
            State::Components(followed) => components_of(
                context,
                ConnectedComponents {
                    labels: followed.labels(),
                    components: followed.components(),
                    largest: followed.largest(),
                },
            ),
            State::Unions(found) => components_of(context, found.clone()),
        };
        Computed {
            measured,
            iterations: None,
            result,
            values,
            verified,
        }
    }
}

type Shown = (
    Vec<(&'static str, Fact)>,
    Values,
    Option<Result<(), String>>,
);

fn components_of(context: &Context<'_>, found: ConnectedComponents) -> Shown {
    let verified = context.verify(|plain| weak::verify(plain, &found));
    let result = sizes(found.components, found.largest);
    (result, Values::Vertices(found.labels), verified)
}

/// While they grow, lists take up to twice their entries.
fn bytes_of(changes: &Changes) -> u64 {
    let entries = changes.added().len() + changes.removed().len();
    (2 * entries * size_of::<Entry>()) as u64
}

/// Unites the components of the ends of new edges. O(n) and the edges.
fn unite(found: &mut ConnectedComponents, vertices: usize, edges: &[Entry]) {
    let labels = &mut found.labels;
    labels.extend(labels.len() as u32..vertices as u32);
    // Each vertex leads to its component's smallest, which leads to itself.
    for &(u, v, _) in edges {
        let (u, v) = (root(labels, u), root(labels, v));
        labels[u.max(v) as usize] = u.min(v);
    }
    let mut sizes = vec![0u32; vertices];
    for vertex in 0..vertices as u32 {
        let least = root(labels, vertex);
        labels[vertex as usize] = least;
        sizes[least as usize] += 1;
    }
    found.components = sizes.iter().filter(|&&size| size > 0).count();
    found.largest = sizes.into_iter().max().unwrap_or(0) as usize;
}

/// Root of a vertex's tree; halves the path to it.
fn root(labels: &mut [u32], mut vertex: u32) -> u32 {
    while labels[vertex as usize] != vertex {
        let next = labels[vertex as usize];
        labels[vertex as usize] = labels[next as usize];
        vertex = labels[vertex as usize];
    }
    vertex
}
