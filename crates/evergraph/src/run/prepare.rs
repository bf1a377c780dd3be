//! Makes of the stored graph what an algorithm reads: nothing where that will
//! do, a view where it can, and a sealed copy where it must.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use evergraph_algorithms::{Cancelled, Control};
use evergraph_graph::{Compressed, Csr, Direction, Graph, Shape, Symmetric};
use evergraph_snapshots::GraphView;

use super::algorithm::{Needs, Size};
use super::graph::AnyGraph;
use crate::sealed::{Copy, Key, SealedGraphs};

/// Which form of the graph the caller wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// The stored lists where that is possible.
    #[default]
    Live,
    /// A sealed copy: sorted lists in memory.
    Sealed,
    /// A compressed sealed copy.
    Compressed,
    /// A sealed copy without self-loops and parallel edges.
    Simple,
}

/// What was made of the stored graph for an algorithm.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepared {
    /// In words.
    pub what: String,
    /// DRAM that a copy takes.
    pub bytes: u64,
    /// Seconds that it took.
    pub seconds: f64,
}

/// The lists that a copy holds; sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Content {
    /// Those that are stored.
    Stored,
    /// Out- and in-lists.
    InLists,
    /// Of out- and in-lists a simple graph.
    Simple,
    /// Each edge at both ends.
    Undirected,
    /// Each edge at both ends, once.
    SimpleUndirected,
}

/// What is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plan {
    Live,
    Symmetric,
    Copy(Content),
}

/// The graph as it was prepared; lends an [`AnyGraph`].
pub(super) enum Held {
    Live,
    Symmetric,
    Copy(Copy),
}

/// A choice, and what it costs.
pub(super) struct Preparation<'a> {
    graph: &'a GraphView,
    kept: &'a SealedGraphs,
    csn: u64,
    plan: Plan,
    compressed: bool,
}

impl<'a> Preparation<'a> {
    pub fn new(
        graph: &'a GraphView,
        kept: &'a SealedGraphs,
        csn: u64,
        needs: Needs,
        form: Form,
    ) -> Self {
        Preparation {
            graph,
            kept,
            csn,
            compressed: form == Form::Compressed,
            plan: plan(needs, form, graph.direction()),
        }
    }

    /// Bytes of DRAM that the copy takes at most while it is made.
    pub fn bytes(&self) -> u64 {
        match self.plan {
            Plan::Copy(lists) if self.kept.get(self.key(lists)).is_none() => {
                peak_bytes(self.graph, lists, self.compressed)
            }
            _ => 0,
        }
    }

    /// Size of the graph that the algorithm gets; a copy may turn out smaller.
    pub fn size(&self) -> Size {
        let arcs = self.graph.arc_count();
        let doubled = match self.plan {
            Plan::Live => false,
            Plan::Symmetric => true,
            Plan::Copy(lists) => is_doubled(lists, self.graph.direction()),
        };
        Size {
            vertices: self.graph.vertex_count() as u64,
            arcs: if doubled { 2 * arcs } else { arcs },
        }
    }

    /// Makes it.
    pub fn prepare(self, control: &Control<'_>) -> Result<(Held, Option<Prepared>), Cancelled> {
        let lists = match self.plan {
            Plan::Live => return Ok((Held::Live, None)),
            Plan::Symmetric => return Ok((Held::Symmetric, Some(Prepared::symmetrised()))),
            Plan::Copy(lists) => lists,
        };
        let key = self.key(lists);
        if let Some(known) = self.kept.get(key) {
            let prepared = self.prepared("cached ", lists, &known, 0.0);
            return Ok((Held::Copy(known), Some(prepared)));
        }
        let started = Instant::now();
        control.report("sealing the graph", 0, Some(1));
        let sealed = copy(self.graph, lists, self.compressed, &|| control.check())?;
        self.kept.keep(key, &sealed);
        let seconds = started.elapsed().as_secs_f64();
        let prepared = self.prepared("", lists, &sealed, seconds);
        Ok((Held::Copy(sealed), Some(prepared)))
    }

    fn prepared(&self, known: &str, lists: Content, copy: &Copy, seconds: f64) -> Prepared {
        let form = match self.compressed {
            true => "compressed copy",
            false => "sealed copy",
        };
        Prepared {
            what: format!("{known}{form} ({})", lists.text()),
            bytes: copy.bytes(),
            seconds,
        }
    }

    fn key(&self, lists: Content) -> Key {
        Key {
            csn: self.csn,
            lists,
            compressed: self.compressed,
        }
    }
}

impl Held {
    pub fn graph<'g>(&'g self, live: &'g GraphView) -> AnyGraph<'g> {
        match self {
            Held::Live => AnyGraph::Live(live),
            Held::Symmetric => match Symmetric::of(live) {
                Some(graph) => AnyGraph::Symmetric(graph),
                None => AnyGraph::Live(live),
            },
            Held::Copy(Copy::Sealed(graph)) => AnyGraph::Sealed(graph),
            Held::Copy(Copy::Compressed(graph)) => AnyGraph::Compressed(graph),
        }
    }
}

fn plan(needs: Needs, form: Form, direction: Direction) -> Plan {
    let wanted = match needs {
        Needs::OutLists | Needs::AnyLists => Content::Stored,
        Needs::InLists => Content::InLists,
        Needs::Undirected => Content::Undirected,
        Needs::SimpleDirected => Content::Simple,
        Needs::Simple => Content::SimpleUndirected,
    };
    let lists = match (wanted, direction) {
        (Content::Undirected, _) if form == Form::Simple => Content::SimpleUndirected,
        (Content::Stored | Content::InLists, Direction::Undirected) if form == Form::Simple => {
            Content::SimpleUndirected
        }
        (Content::Stored | Content::InLists, _) if form == Form::Simple => Content::Simple,
        (Content::InLists, Direction::Undirected | Direction::Both)
        | (Content::Undirected, Direction::Undirected) => Content::Stored,
        (Content::Simple, Direction::Undirected) => Content::SimpleUndirected,
        _ => wanted,
    };
    match (form, lists) {
        (Form::Live, Content::Stored) => Plan::Live,
        (Form::Live, Content::Undirected) if direction == Direction::Both => Plan::Symmetric,
        _ => Plan::Copy(lists),
    }
}

fn copy<E: Send>(
    graph: &GraphView,
    lists: Content,
    compressed: bool,
    check: &(impl Fn() -> Result<(), E> + Sync),
) -> Result<Copy, E> {
    let lacks_in_lists = graph.direction() == Direction::Out;
    match lists {
        Content::Stored => seal(graph, Shape::Sorted, compressed, check),
        Content::SimpleUndirected => seal(graph, Shape::Symmetric, compressed, check),
        Content::Simple if !lacks_in_lists => seal(graph, Shape::Simple, compressed, check),
        Content::InLists if !lacks_in_lists => seal(graph, Shape::Sorted, compressed, check),
        Content::Simple | Content::InLists => {
            let both = Csr::seal_with_in_lists(graph, lists == Content::Simple, check)?;
            match compressed {
                true => seal(&both, lists.shape(), true, check),
                false => Ok(Copy::Sealed(Arc::new(both))),
            }
        }
        Content::Undirected => match Symmetric::of(graph) {
            Some(symmetric) => seal(&symmetric, Shape::Sorted, compressed, check),
            None => {
                let both = Csr::seal_with_in_lists(graph, false, check)?;
                let symmetric = Symmetric::of(&both).expect("it was made with in-lists");
                seal(&symmetric, Shape::Sorted, compressed, check)
            }
        },
    }
}

fn seal<G: Graph, E: Send>(
    graph: &G,
    shape: Shape,
    compressed: bool,
    check: &(impl Fn() -> Result<(), E> + Sync),
) -> Result<Copy, E> {
    Ok(match compressed {
        true => {
            let block = Compressed::BLOCK_EDGES;
            Copy::Compressed(Arc::new(Compressed::seal(graph, shape, block, check)?))
        }
        false => Copy::Sealed(Arc::new(Csr::seal(graph, shape, check)?)),
    })
}

/// Whether the lists hold each edge of a directed graph at both ends.
fn is_doubled(lists: Content, direction: Direction) -> bool {
    let undirected = matches!(lists, Content::Undirected | Content::SimpleUndirected);
    undirected && direction != Direction::Undirected
}

/// What [`copy`] takes at its peak, but for the longest lists of its tasks. A
/// compressed copy is counted as large as another: how small it will be is not
/// known before.
fn peak_bytes(graph: &GraphView, lists: Content, compressed: bool) -> u64 {
    let (n, m) = (graph.vertex_count() as u64, graph.arc_count());
    let entry = if graph.is_weighted() { 8 } else { 4 };
    let plane = 8 * (n + 1) + entry * m;
    let joined = plane + entry * m;
    match (graph.direction(), lists) {
        (Direction::Undirected, _) | (Direction::Out, Content::Stored) => plane,
        (Direction::Both, Content::Stored | Content::InLists | Content::Simple) => 2 * plane,
        (Direction::Out, Content::InLists | Content::Simple) if compressed => 4 * plane,
        (Direction::Out, Content::InLists | Content::Simple) => 2 * plane,
        (Direction::Out, Content::Undirected) => 2 * plane + joined,
        (Direction::Out, Content::SimpleUndirected) if compressed => 2 * joined,
        (_, Content::Undirected | Content::SimpleUndirected) => joined,
    }
}

impl Content {
    fn shape(self) -> Shape {
        match self {
            Content::Stored | Content::InLists | Content::Undirected => Shape::Sorted,
            Content::Simple => Shape::Simple,
            Content::SimpleUndirected => Shape::Symmetric,
        }
    }

    fn text(self) -> &'static str {
        match self {
            Content::Stored => "sorted",
            Content::InLists => "sorted, with in-lists",
            Content::Simple => "sorted, simple, with in-lists",
            Content::Undirected => "sorted, undirected",
            Content::SimpleUndirected => "sorted, simple, undirected",
        }
    }
}

impl Prepared {
    fn symmetrised() -> Self {
        Prepared {
            what: "symmetrised view".to_string(),
            bytes: 0,
            seconds: 0.0,
        }
    }
}

impl fmt::Display for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.what)?;
        if self.bytes > 0 {
            write!(f, ", {:.1} MiB", self.bytes as f64 / f64::from(1 << 20))?;
        }
        if self.seconds > 0.0 {
            write!(f, ", {:.3} s", self.seconds)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Direction::{Both, Out, Undirected};

    #[test]
    fn nothing_is_copied_without_need() {
        for (needs, direction, expected) in [
            (Needs::OutLists, Out, Plan::Live),
            (Needs::AnyLists, Both, Plan::Live),
            (Needs::InLists, Both, Plan::Live),
            (Needs::InLists, Undirected, Plan::Live),
            (Needs::InLists, Out, Plan::Copy(Content::InLists)),
            (Needs::Undirected, Undirected, Plan::Live),
            (Needs::Undirected, Both, Plan::Symmetric),
            (Needs::Undirected, Out, Plan::Copy(Content::Undirected)),
            (Needs::Simple, Both, Plan::Copy(Content::SimpleUndirected)),
            (
                Needs::Simple,
                Undirected,
                Plan::Copy(Content::SimpleUndirected),
            ),
            (Needs::SimpleDirected, Out, Plan::Copy(Content::Simple)),
            (
                Needs::SimpleDirected,
                Undirected,
                Plan::Copy(Content::SimpleUndirected),
            ),
        ] {
            let found = plan(needs, Form::Live, direction);
            assert_eq!(found, expected, "{needs:?} {direction:?}");
        }
    }

    #[test]
    fn a_sealed_copy_is_made_where_it_is_wanted() {
        for (needs, direction, lists) in [
            (Needs::OutLists, Out, Content::Stored),
            (Needs::InLists, Both, Content::Stored),
            (Needs::Undirected, Undirected, Content::Stored),
            (Needs::Undirected, Both, Content::Undirected),
        ] {
            assert_eq!(plan(needs, Form::Sealed, direction), Plan::Copy(lists));
        }
    }
}
