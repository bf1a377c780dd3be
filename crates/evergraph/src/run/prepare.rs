//! Makes of the stored graph what an algorithm reads: nothing where that will
//! do, a view where it can, and where it must a sealed graph: one that is stored, a
//! copy that was made before, or a new one.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use evergraph_algorithms::Control;
use evergraph_graph::{Compressed, Csr, Direction, Graph, Shape, Symmetric};
use evergraph_snapshots::{GraphView, View};
use evergraph_topology::{Config, SealedGraph, SealedInfo, TopologyError};

use super::algorithm::{Needs, Size};
use super::cancelled;
use super::graph::AnyGraph;
use crate::copies::{Copy, Key};
use crate::{Database, Error};

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

/// The lists that a sealed graph holds; sorted but for the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Content {
    /// Those that are stored, in their order.
    InOrder,
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
    Live(GraphView),
    /// Of a graph whose lists are not those of an undirected one.
    Symmetric(GraphView),
    Copy(Copy),
}

/// A choice, and what it costs.
pub(super) struct Preparation<'a> {
    db: &'a Database,
    view: &'a View,
    arcs: u64,
    plan: Plan,
    compressed: bool,
    /// A stored graph with the lists that are planned.
    stored: Option<SealedInfo>,
}

impl<'a> Preparation<'a> {
    /// What the algorithm reads, in words: the same words, the same lists in the
    /// same order.
    pub fn reads(&self) -> String {
        let what = match self.plan {
            Plan::Live => "the stored lists".to_string(),
            Plan::Symmetric => "both lists of each vertex".to_string(),
            Plan::Copy(content) => format!("a sealed copy ({content:?})"),
        };
        match self.compressed {
            true => format!("{what}, compressed"),
            false => what,
        }
    }

    pub fn new(db: &'a Database, view: &'a View, needs: Needs, form: Form) -> Result<Self, Error> {
        let plan = plan(needs, form, db.config().direction);
        let lists = match plan {
            Plan::Live => Some(Content::InOrder),
            Plan::Symmetric => None,
            Plan::Copy(lists) => Some(lists),
        };
        Ok(Preparation {
            db,
            view,
            arcs: view.arc_count()?,
            plan,
            compressed: form == Form::Compressed,
            stored: lists.and_then(|lists| db.stored_graph(view.csn(), lists, form)),
        })
    }

    /// Bytes of DRAM that the copy takes at most while it is made.
    pub fn bytes(&self) -> u64 {
        match self.plan {
            Plan::Copy(lists) if self.stored.is_none() && self.cached(lists).is_none() => {
                self.source().peak_bytes(lists, self.compressed)
            }
            _ => 0,
        }
    }

    /// Bytes of the lists that the algorithm reads from the medium, again and again:
    /// none of a copy in DRAM.
    pub fn bytes_on_medium(&self) -> u64 {
        let is_copied = matches!(self.plan, Plan::Copy(_)) && self.stored.is_none();
        let entry = if self.db.config().weighted { 8 } else { 4 };
        if is_copied {
            0
        } else {
            entry * self.size().arcs
        }
    }

    /// Size of the graph that the algorithm gets; a copy may turn out smaller.
    pub fn size(&self) -> Size {
        let doubled = match self.plan {
            Plan::Live => false,
            Plan::Symmetric => true,
            Plan::Copy(lists) => is_doubled(lists, self.db.config().direction),
        };
        Size {
            vertices: self.view.vertex_count() as u64,
            arcs: if doubled { 2 * self.arcs } else { self.arcs },
        }
    }

    /// Makes it.
    pub fn prepare(self, control: &Control<'_>) -> Result<(Held, Option<Prepared>), Error> {
        if let Some(stored) = &self.stored
            && let Some((graph, prepared)) = open_stored(self.db, stored, control)?
        {
            return Ok((Held::Copy(graph), Some(prepared)));
        }
        let lists = match self.plan {
            Plan::Live => return Ok((Held::Live(self.view.graph()?), None)),
            Plan::Symmetric => {
                let held = Held::Symmetric(self.view.graph()?);
                return Ok((held, Some(Prepared::symmetrised())));
            }
            Plan::Copy(lists) => lists,
        };
        if let Some(known) = self.cached(lists) {
            let prepared = self.prepared("cached ", lists, &known, 0.0);
            return Ok((Held::Copy(known), Some(prepared)));
        }
        let started = Instant::now();
        let sealed = self.seal(lists, control)?;
        self.db.copies().keep(self.key(lists), &sealed);
        let seconds = started.elapsed().as_secs_f64();
        let prepared = self.prepared("", lists, &sealed, seconds);
        Ok((Held::Copy(sealed), Some(prepared)))
    }

    /// Makes a copy of what is read fastest: a sealed graph with the same lists, if
    /// there is one, else of the view.
    fn seal(&self, lists: Content, control: &Control<'_>) -> Result<Copy, Error> {
        let check = || control.check();
        let rebased = self
            .db
            .stored_graph(self.view.csn(), Content::InOrder, Form::Live);
        let opened = rebased.map(|stored| open_stored(self.db, &stored, control));
        control.report("sealing the graph", 0, Some(1));
        let sealed = match opened.transpose()?.flatten() {
            Some((Copy::Sealed(source), _)) => seal(&*source, lists, self.compressed, &check),
            _ => seal(&self.view.graph()?, lists, self.compressed, &check),
        };
        sealed.map_err(cancelled)
    }

    fn source(&self) -> Source {
        Source::of(&self.db.config(), self.view, self.arcs)
    }

    fn cached(&self, lists: Content) -> Option<Copy> {
        self.db.copies().get(self.key(lists))
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
            csn: self.view.csn(),
            lists,
            compressed: self.compressed,
        }
    }
}

/// A stored graph, verified if nobody has read it yet; `None` if it was dropped
/// meanwhile.
fn open_stored(
    db: &Database,
    stored: &SealedInfo,
    control: &Control<'_>,
) -> Result<Option<(Copy, Prepared)>, Error> {
    let started = Instant::now();
    control.report("reading the sealed graph", 0, Some(1));
    let opened = db
        .store()
        .sealed_graph(&stored.name, &|| control.check().is_ok());
    let opened = match (opened, control.check()) {
        (Err(TopologyError::Cancelled), Err(why)) => return Err(cancelled(why)),
        (opened, _) => opened?,
    };
    let Some(graph) = opened else {
        return Ok(None);
    };
    let (copy, form) = match graph {
        SealedGraph::Plain(graph) => (Copy::Sealed(graph), ""),
        SealedGraph::Compressed(graph) => (Copy::Compressed(graph), ", compressed"),
    };
    let lists = Content::of(stored, db.config().direction).text();
    let prepared = Prepared {
        what: format!("stored {} ({lists}{form})", stored.name),
        bytes: copy.bytes(),
        seconds: started.elapsed().as_secs_f64(),
    };
    Ok(Some((copy, prepared)))
}

impl Held {
    pub fn graph(&self) -> AnyGraph<'_> {
        match self {
            Held::Live(graph) => AnyGraph::Live(graph),
            Held::Symmetric(graph) => match Symmetric::of(graph) {
                Some(graph) => AnyGraph::Symmetric(graph),
                None => AnyGraph::Live(graph),
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

/// The sealed graph of a view; coded if it is to be compressed.
pub(crate) fn seal<G: Graph, E: Send>(
    graph: &G,
    lists: Content,
    compressed: bool,
    check: &(impl Fn() -> Result<(), E> + Sync),
) -> Result<Copy, E> {
    let lacks_in_lists = graph.direction() == Direction::Out;
    match lists {
        Content::InOrder => Ok(Copy::Sealed(Arc::new(Csr::copy(graph, check)?))),
        Content::Stored => shaped(graph, Shape::Sorted, compressed, check),
        Content::SimpleUndirected => shaped(graph, Shape::Symmetric, compressed, check),
        Content::Simple if !lacks_in_lists => shaped(graph, Shape::Simple, compressed, check),
        Content::InLists if !lacks_in_lists => shaped(graph, Shape::Sorted, compressed, check),
        Content::Simple | Content::InLists => {
            let both = Csr::seal_with_in_lists(graph, lists == Content::Simple, check)?;
            match compressed {
                true => shaped(&both, lists.shape(), true, check),
                false => Ok(Copy::Sealed(Arc::new(both))),
            }
        }
        Content::Undirected => match Symmetric::of(graph) {
            Some(symmetric) => shaped(&symmetric, Shape::Sorted, compressed, check),
            None => {
                let both = Csr::seal_with_in_lists(graph, false, check)?;
                let symmetric = Symmetric::of(&both).expect("it was made with in-lists");
                shaped(&symmetric, Shape::Sorted, compressed, check)
            }
        },
    }
}

fn shaped<G: Graph, E: Send>(
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

/// What a sealed graph is made of.
#[derive(Clone, Copy)]
pub(crate) struct Source {
    vertices: u64,
    arcs: u64,
    direction: Direction,
    weighted: bool,
}

impl Source {
    pub fn of(config: &Config, view: &View, arcs: u64) -> Self {
        Source {
            vertices: view.vertex_count() as u64,
            arcs,
            direction: config.direction,
            weighted: config.weighted,
        }
    }

    /// What [`seal`] takes at its peak, but for the longest lists of its tasks. A
    /// compressed graph is counted as large as another: how small it will be is
    /// not known before.
    pub fn peak_bytes(self, lists: Content, compressed: bool) -> u64 {
        let entry = if self.weighted { 8 } else { 4 };
        let plane = 8 * (self.vertices + 1) + entry * self.arcs;
        let joined = plane + entry * self.arcs;
        match (self.direction, lists) {
            (Direction::Undirected, _) => plane,
            (Direction::Out, Content::Stored | Content::InOrder) => plane,
            (Direction::Both, Content::Undirected | Content::SimpleUndirected) => joined,
            (Direction::Both, _) => 2 * plane,
            (Direction::Out, Content::InLists | Content::Simple) if compressed => 4 * plane,
            (Direction::Out, Content::InLists | Content::Simple) => 2 * plane,
            (Direction::Out, Content::Undirected) => 2 * plane + joined,
            (Direction::Out, Content::SimpleUndirected) if compressed => 2 * joined,
            (Direction::Out, Content::SimpleUndirected) => joined,
        }
    }
}

impl Content {
    /// What a graph of this shape holds that serves most algorithms: in-lists too,
    /// where only out-lists are stored.
    pub fn of_shape(shape: Shape, direction: Direction) -> Self {
        match (shape, direction) {
            (Shape::Sorted, Direction::Out) => Content::InLists,
            (Shape::Sorted, _) => Content::Stored,
            (Shape::Simple, Direction::Undirected) => Content::SimpleUndirected,
            (Shape::Simple, _) => Content::Simple,
            (Shape::Symmetric, _) => Content::SimpleUndirected,
        }
    }

    /// What a stored graph holds in a database of `direction`.
    pub fn of(stored: &SealedInfo, direction: Direction) -> Self {
        match stored.shape {
            None => Content::InOrder,
            Some(Shape::Sorted) if stored.direction == direction => Content::Stored,
            Some(Shape::Sorted) if stored.direction == Direction::Undirected => Content::Undirected,
            Some(Shape::Sorted) => Content::InLists,
            Some(Shape::Simple) => Content::Simple,
            Some(Shape::Symmetric) => Content::SimpleUndirected,
        }
    }

    /// Whether an algorithm that is to get `wanted` can read these lists.
    pub fn serves(self, wanted: Content) -> bool {
        self == wanted || (self, wanted) == (Content::InLists, Content::Stored)
    }

    fn shape(self) -> Shape {
        match self {
            Content::Simple => Shape::Simple,
            Content::SimpleUndirected => Shape::Symmetric,
            _ => Shape::Sorted,
        }
    }

    pub fn text(self) -> &'static str {
        match self {
            Content::InOrder => "in stored order",
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
