//! Prepares the graph that an algorithm reads: the stored one if that will do, a view of
//! it if possible, and otherwise a sealed graph: one that is stored, a copy that was made
//! before, or a new one.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use evergraph_algorithms::Control;
use evergraph_graph::{Graph, Induced, StoredLists, Symmetric};
use evergraph_property_graph::graph::{Projection, Weighted};
use evergraph_results::GraphIdentity;
use evergraph_snapshots::{GraphView, View};
use evergraph_topology::{SealedGraph, SealedInfo, TopologyError};

use super::algorithm::Size;
use super::component::Component;
use super::graph::AnyGraph;
use super::plan::{Form, Plan, Wanted, plan};
use super::sealing::{Source, is_doubled, seal};
use super::stopped::cancelled;
use crate::copies::Content;
use crate::copies::{Copy, Key};
use crate::{Error, Session};

/// Description of a graph that was made of the stored one for an algorithm.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepared {
    /// In words.
    pub what: String,
    /// DRAM that a copy takes.
    pub bytes: u64,
    /// Seconds that it took.
    pub seconds: f64,
}

/// The graph as it was prepared; lends an [`AnyGraph`].
pub(super) enum Held {
    Live(GraphView),
    /// Of a graph whose lists are not those of an undirected one.
    Symmetric(GraphView),
    Copy(Copy),
    Projected(Projection),
}

/// A projection of a property graph.
pub(super) struct Projected {
    pub projection: Projection,
    /// Key that tells it from others of the same commit.
    pub key: Arc<str>,
    /// Seconds that it took.
    pub seconds: f64,
}

/// A choice, and its cost.
pub(super) struct Preparation<'a> {
    session: &'a Session,
    view: &'a View,
    /// Instead of the lists of the view.
    projected: Option<Projected>,
    /// The part of it that is read, if not all.
    component: Option<Component>,
    source: Source,
    plan: Plan,
    compressed: bool,
    /// A stored graph with the lists that are planned.
    stored: Option<SealedInfo>,
}

impl<'a> Preparation<'a> {
    /// Description of the lists that the algorithm reads: the same words, the same lists
    /// in the same order. States of runs keep them, and go on only if they are the same.
    pub(super) fn reads(&self) -> String {
        let what = match self.plan {
            Plan::Live => "the stored lists".to_string(),
            Plan::Symmetric => "both lists of each vertex".to_string(),
            Plan::Copy(content) => format!("a sealed copy ({})", content.word()),
        };
        match self.compressed {
            true => format!("{what}, compressed"),
            false => what,
        }
    }

    /// Of a view's own lists, or of a projection as of it.
    pub(super) fn new(
        session: &'a Session,
        view: &'a View,
        (projected, component): (Option<Projected>, Option<Component>),
        wanted: Wanted,
    ) -> Result<Self, Error> {
        let mut source = match &projected {
            Some(projected) => Source::of_graph(&projected.projection),
            None => Source::of(&session.config(), view, view.arc_count()?),
        };
        let mut plan = plan(wanted, source.direction);
        if let Some(component) = &component {
            source.vertices = component.subset.vertices().len() as u64;
            source.arcs = component.arcs;
            plan = plan.as_copy();
        }
        let lists = match plan {
            Plan::Live => Some(Content::InOrder),
            Plan::Symmetric => None,
            Plan::Copy(lists) => Some(lists),
        };
        let lists = lists.filter(|_| projected.is_none() && component.is_none());
        let form = wanted.form;
        Ok(Preparation {
            session,
            view,
            projected,
            component,
            source,
            plan,
            compressed: form == Form::Compressed,
            stored: lists.and_then(|lists| session.stored_graph(view.csn(), lists, form)),
        })
    }

    /// Bytes of DRAM that a projection takes, and a copy at most while it is made.
    pub(super) fn bytes(&self) -> u64 {
        let copy = match self.plan {
            Plan::Copy(lists) if self.stored.is_none() && self.cached(lists).is_none() => {
                self.source.peak_bytes(lists, self.compressed)
            }
            _ => 0,
        };
        let projected = self.projected.as_ref();
        let subset = self
            .component
            .as_ref()
            .map(|component| component.subset.bytes());
        copy + projected.map_or(0, |projected| projected.projection.size_bytes())
            + subset.unwrap_or(0)
    }

    /// Name of what takes those bytes, for messages.
    pub(super) fn what(&self) -> &'static str {
        match (self.projected.is_some(), self.plan) {
            (false, _) => "a sealed copy of the graph",
            (true, Plan::Copy(_)) => "the projection and a sealed copy of it",
            (true, _) => "the projection",
        }
    }

    /// Vertices and edges of the graph, or nodes and relationships of the projection.
    pub(super) fn counts(&self) -> Result<(u64, u64), Error> {
        let edges = match &self.projected {
            _ if self.component.is_some() => self.source.edges(),
            Some(projected) => projected.projection.relationship_count(),
            None => self.view.edge_count()?,
        };
        Ok((self.source.vertices, edges))
    }

    /// Whether the graph is directed and whether it has weights, as it is stored or
    /// projected.
    pub(super) fn is_directed_and_weighted(&self) -> (bool, bool) {
        let is_directed = self.source.direction != StoredLists::Undirected;
        (is_directed, self.source.weighted)
    }

    /// The nodes of a projection, or else vertices of the database, that the vertices
    /// stand for, where they are not the same.
    pub(super) fn nodes(&self) -> Option<Arc<[u32]>> {
        let projected = self.projected.as_ref();
        let nodes = projected.and_then(|projected| projected.projection.nodes());
        match &self.component {
            Some(component) => Some(component.nodes(nodes)),
            None => nodes.cloned(),
        }
    }

    /// Identity that a result of this graph has.
    pub(super) fn identity(&self) -> GraphIdentity {
        GraphIdentity {
            csn: self.view.csn(),
            vertex_count: self.source.vertices,
            arc_count: self.source.arcs,
            direction: self.source.direction,
            weighted: self.source.weighted,
        }
    }

    /// Bytes of the lists that the algorithm reads from the medium, again and again:
    /// none of a copy in DRAM.
    pub(super) fn bytes_on_medium(&self) -> u64 {
        let is_copied = matches!(self.plan, Plan::Copy(_)) && self.stored.is_none();
        let entry = if self.source.weighted { 8 } else { 4 };
        if is_copied {
            0
        } else {
            entry * self.size().arcs
        }
    }

    /// Size of the graph that the algorithm gets; a copy may turn out smaller.
    pub(super) fn size(&self) -> Size {
        let doubled = match self.plan {
            Plan::Live => false,
            Plan::Symmetric => true,
            Plan::Copy(lists) => is_doubled(lists, self.source.direction),
        };
        let Source { vertices, arcs, .. } = self.source;
        Size {
            vertices,
            arcs: if doubled { 2 * arcs } else { arcs },
        }
    }

    /// Makes it.
    pub(super) fn prepare(
        mut self,
        control: &Control<'_>,
    ) -> Result<(Held, Option<Prepared>), Error> {
        if let Some(projected) = self.projected.take() {
            let (held, prepared) = self.prepare_projected(projected, control)?;
            return Ok((held, Some(prepared)));
        }
        if let Some(stored) = &self.stored
            && let Some((graph, prepared)) = open_stored(self.session, stored, control)?
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
        let (copy, prepared) = self.copied(lists, self.key(lists, None), |compressed| {
            self.seal(lists, compressed, control)
        })?;
        Ok((Held::Copy(copy), Some(prepared)))
    }

    /// Makes it of a projection.
    fn prepare_projected(
        &self,
        projected: Projected,
        control: &Control<'_>,
    ) -> Result<(Held, Prepared), Error> {
        let made = projected.prepared();
        let Projected {
            projection, key, ..
        } = projected;
        let lists = match self.plan {
            Plan::Live => return Ok((Held::Projected(projection), made)),
            Plan::Symmetric => {
                let prepared = Prepared {
                    what: format!("{}, read as undirected", made.what),
                    ..made
                };
                return Ok((Held::Projected(projection.undirected()), prepared));
            }
            Plan::Copy(lists) => lists,
        };
        let key = self.key(lists, Some(key));
        let (copy, prepared) = self.copied(lists, key, |compressed| {
            control.report("sealing the projection", 0, Some(1));
            self.seal_part(&projection, lists, compressed, control)
        })?;
        let prepared = Prepared {
            what: format!("{} of a {}", prepared.what, made.what),
            seconds: made.seconds + prepared.seconds,
            ..prepared
        };
        Ok((Held::Copy(copy), prepared))
    }

    /// The copy that is kept, or else a new one, which is kept then.
    fn copied(
        &self,
        lists: Content,
        key: Key,
        make: impl FnOnce(bool) -> Result<Copy, Error>,
    ) -> Result<(Copy, Prepared), Error> {
        if let Some(known) = self.session.copies().get(&key) {
            let prepared = self.prepared("cached ", lists, &known, 0.0);
            return Ok((known, prepared));
        }
        let started = Instant::now();
        let sealed = make(self.compressed)?;
        self.session.copies().keep(key, &sealed);
        let seconds = started.elapsed().as_secs_f64();
        let prepared = self.prepared("", lists, &sealed, seconds);
        Ok((sealed, prepared))
    }

    /// Makes a copy of the source that reads fastest: a sealed graph with the same lists,
    /// if there is one, else the view.
    fn seal(&self, lists: Content, compressed: bool, control: &Control<'_>) -> Result<Copy, Error> {
        let rebased = self
            .session
            .stored_graph(self.view.csn(), Content::InOrder, Form::Live);
        let opened = rebased.map(|stored| open_stored(self.session, &stored, control));
        control.report("sealing the graph", 0, Some(1));
        match opened.transpose()?.flatten() {
            Some((Copy::Sealed(source), _)) => self.seal_part(&*source, lists, compressed, control),
            _ => {
                let graph = self.view.graph()?;
                // Memory held for the stored graph is not counted as the run's.
                let control = control.clone().with_memory_counted_from_now();
                self.seal_part(&graph, lists, compressed, &control)
            }
        }
    }

    /// Makes a copy of a graph, or of its component that is wanted.
    fn seal_part<G: Graph>(
        &self,
        graph: &G,
        lists: Content,
        compressed: bool,
        control: &Control<'_>,
    ) -> Result<Copy, Error> {
        let check = || control.check();
        let sealed = match &self.component {
            None => seal(graph, lists, compressed, &check),
            Some(component) => {
                let part = Induced::of(graph, &component.subset);
                seal(&part, lists, compressed, &check)
            }
        };
        sealed.map_err(cancelled)
    }

    fn cached(&self, lists: Content) -> Option<Copy> {
        let projected = self.projected.as_ref();
        let key = projected.map(|projected| Arc::clone(&projected.key));
        self.session.copies().get(&self.key(lists, key))
    }

    fn prepared(&self, known: &str, lists: Content, copy: &Copy, seconds: f64) -> Prepared {
        let form = match self.compressed {
            true => "compressed copy",
            false => "sealed copy",
        };
        Prepared {
            what: match self.component {
                None => format!("{known}{form} ({})", lists.text()),
                Some(_) => format!("{known}{form} ({}) of the largest component", lists.text()),
            },
            bytes: copy.bytes(),
            seconds,
        }
    }

    fn key(&self, lists: Content, projection: Option<Arc<str>>) -> Key {
        let part = match &self.component {
            None => projection,
            Some(_) => {
                let of = projection.as_deref().unwrap_or_default();
                Some(format!("largest component of {of}").into())
            }
        };
        Key {
            csn: self.view.csn(),
            part,
            lists,
            compressed: self.compressed,
        }
    }
}

/// Opens a stored graph, verifying it at the first opening; `None` if it was dropped
/// meanwhile.
fn open_stored(
    session: &Session,
    stored: &SealedInfo,
    control: &Control<'_>,
) -> Result<Option<(Copy, Prepared)>, Error> {
    let started = Instant::now();
    control.report("reading the sealed graph", 0, Some(1));
    let opened = session
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
    let lists = Content::of(stored, session.config().direction).text();
    let prepared = Prepared {
        what: format!("stored {} ({lists}{form})", stored.name),
        bytes: copy.bytes(),
        seconds: started.elapsed().as_secs_f64(),
    };
    Ok(Some((copy, prepared)))
}

impl Projected {
    /// Description of the projection without a copy.
    fn prepared(&self) -> Prepared {
        let what = match self.projection.weighted() {
            None => "projection".to_string(),
            Some(Weighted {
                relationships,
                with_weight,
            }) => {
                format!("projection with weights of {with_weight} of {relationships} relationships")
            }
        };
        Prepared {
            what,
            bytes: self.projection.size_bytes(),
            seconds: self.seconds,
        }
    }
}

impl Held {
    pub(super) fn graph(&self) -> AnyGraph<'_> {
        match self {
            Held::Live(graph) => AnyGraph::Live(graph),
            Held::Symmetric(graph) => match Symmetric::of(graph) {
                Some(graph) => AnyGraph::Symmetric(graph),
                None => AnyGraph::Live(graph),
            },
            Held::Projected(projection) => AnyGraph::Projected(projection),
            Held::Copy(Copy::Sealed(graph)) => AnyGraph::Sealed(graph),
            Held::Copy(Copy::Compressed(graph)) => AnyGraph::Compressed(graph),
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
