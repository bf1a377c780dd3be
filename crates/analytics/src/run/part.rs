//! The part of a property graph that a run reads: its selection, and the errors of a
//! request for it.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use evergraph_algorithms::Control;
use evergraph_graph::{Bytes, Graph};
use evergraph_snapshots::View;

use super::Request;
use super::algorithm::{Algorithm, Weights};
use super::canonical::joined;
use super::given::Given;
use super::naming::{Naming, Nodes};
use super::prepare::Projected;
use super::stopped::cancelled;
use crate::condition::known_properties;
use crate::names::check_names;
use crate::{Error, Session};
use evergraph_property_graph::expression::Expression;
use evergraph_property_graph::graph::{
    self as property, NodeId, NodeNames, Orientation, ProjectionOptions,
};

/// Parameter of a result: the properties that nodes go by.
pub(super) const NAME_BY: &str = "projection.name-by";
/// Parameter of a result: the keys of imports, where nodes go by these.
pub(super) const KEYS: &str = "projection.keys";

/// A part of a property graph, as a request asks for it.
pub(super) struct Part {
    view: property::View,
    /// Names are sorted, and known to the graph. Without a weight if the algorithm reads
    /// none.
    options: ProjectionOptions,
    name_by: Vec<String>,
    /// The keys of imports, where nodes go by these.
    names: Option<NodeNames>,
    /// The vertex of each name, if it is of one vertex alone; made when one is asked for.
    named: OnceLock<HashMap<String, Option<u32>>>,
}

impl Part {
    /// Part that a request names; `None` if the database holds plain edges.
    ///
    /// # Errors
    /// Names that the graph does not know; a request for a part of a database of plain
    /// edges.
    pub(super) fn of(
        session: &Session,
        view: &View,
        request: &Request,
        (algorithm, given): (&Algorithm, &Given),
    ) -> Result<Option<Self>, Error> {
        if !session.is_property_graph() {
            return match request.projection.is_some() || !request.name_by.is_empty() {
                true => Err(of_plain_edges()),
                false => Ok(None),
            };
        }
        let graph = session.property_graph()?;
        let view = graph.view_of(view)?;
        let mut options = request.projection.clone().unwrap_or_default();
        check_names("label", &options.labels, &view.known_labels())?;
        check_names("relationship type", &options.types, &view.known_types())?;
        for condition in options.nodes.iter().chain(&options.relationships) {
            known_properties(&view, condition)?;
        }
        let keys = options.weight.iter().chain(&request.name_by);
        check_names("property", keys, &view.known_keys())?;
        if !options.default_weight.is_finite() {
            return Err(Error::argument(
                format!("a weight cannot be {}", options.default_weight),
                "give a number for relationships that have none",
            ));
        }
        for names in [&mut options.labels, &mut options.types] {
            names.sort();
            names.dedup();
        }
        if algorithm.weights == Weights::Required && options.weight.is_none() {
            return Err(Error::usage(
                format!("{} needs weights", algorithm.name),
                "name the property of relationships that is their weight: --weight KEY",
            ));
        }
        if !algorithm.reads_weights(given) {
            options.weight = None;
        }
        let by_key = request.name_by.is_empty() && !request.by_number;
        let names = by_key.then(|| NodeNames::of(graph));
        Ok(Some(Part {
            view,
            options,
            name_by: request.name_by.clone(),
            names: names.filter(|names| !names.is_empty()),
            named: OnceLock::new(),
        }))
    }

    /// Parameters of a result that tell this part from others.
    pub(super) fn parameters(&self) -> Vec<(String, String)> {
        let options = &self.options;
        let orientation = match options.orientation {
            Orientation::Natural => None,
            Orientation::Reversed => Some("reversed".to_string()),
            Orientation::Undirected => Some("undirected".to_string()),
        };
        let keys = self
            .names
            .as_ref()
            .map(NodeNames::texts)
            .unwrap_or_default();
        let default = options.weight.as_ref().map(|_| options.default_weight);
        let all = [
            ("labels", joined(options.labels.iter().map(String::as_str))),
            ("types", joined(options.types.iter().map(String::as_str))),
            ("where", text_of(options.nodes.as_ref())),
            (
                "where-relationship",
                text_of(options.relationships.as_ref()),
            ),
            ("orientation", orientation),
            ("weight", options.weight.clone()),
            ("default-weight", default.map(|weight| weight.to_string())),
        ];
        let given = all.into_iter().filter_map(|(name, value)| {
            let value = value?;
            Some((format!("projection.{name}"), value))
        });
        let names = [
            (NAME_BY, joined(self.name_by.iter().map(String::as_str))),
            (KEYS, joined(keys.iter().map(String::as_str))),
        ];
        let names = names.into_iter();
        let names = names.filter_map(|(name, value)| Some((name.to_string(), value?)));
        given.chain(names).collect()
    }

    /// Makes the projection; `None` if it has no nodes. Runs in the caller's thread
    /// pool.
    ///
    /// # Errors
    /// If it could take more than `limit` bytes; a weight that no relationship has;
    /// damage; and errors of `control`.
    pub(super) fn project(
        &self,
        limit: u64,
        control: &Control<'_>,
    ) -> Result<Option<Projected>, Error> {
        let most = self.view.projection_bytes(&self.options);
        if most > limit {
            return Err(Error::usage(
                format!(
                    "the run may take {} of memory for the projection alone; the limit is {}",
                    Bytes(most),
                    Bytes(limit)
                ),
                "raise the limit; without a weight it takes less",
            ));
        }
        let started = Instant::now();
        control.report("reading nodes and relationships", 0, Some(1));
        let check = || control.check().map_err(cancelled);
        let projection = self.view.project_checked(&self.options, &check)?;
        if projection.vertex_count() == 0 {
            return Ok(None);
        }
        if let Some(key) = &self.options.weight
            && let Some(weighted) = projection.weighted()
            && weighted.relationships > 0
            && weighted.with_weight == 0
        {
            return Err(Error::usage(
                format!("no relationship of the projection has a number as {key:?}"),
                "name another property of relationships, or leave --weight out: then each counts 1",
            ));
        }
        Ok(Some(Projected {
            projection,
            key: format!("{:?}", self.options).into(),
            seconds: started.elapsed().as_secs_f64(),
        }))
    }

    /// External names of the vertices of a result that is of `nodes` of this part.
    pub(super) fn naming(&self, count: u32, nodes: Option<Arc<[u32]>>) -> Naming {
        let nodes = Nodes::new(count, nodes);
        Naming::Nodes(match &self.names {
            Some(names) => nodes.by_keys(&self.view, names),
            None => nodes.by(&self.view, &self.name_by),
        })
    }

    /// The property that nodes are named by.
    pub(super) fn named_by(&self) -> Option<&str> {
        self.name_by.first().map(String::as_str)
    }

    /// The keys of imports, where nodes go by these.
    pub(super) fn names(&self) -> Option<&NodeNames> {
        self.names.as_ref()
    }

    /// The vertex of the one node of a name, among those that vertices stand for.
    ///
    /// # Errors
    /// None, or several; damage.
    pub(super) fn by_key(
        &self,
        place: &str,
        names: &NodeNames,
        nodes: &Nodes,
        name: &str,
    ) -> Result<u32, Error> {
        let found = names.find(&self.view, name)?;
        let vertices = found.iter().filter_map(|&node| nodes.vertex(node));
        let vertices: Vec<u32> = vertices.collect();
        match (&vertices[..], &found[..]) {
            ([vertex], _) => Ok(*vertex),
            ([], []) => Err(Error::usage(
                format!("{place}there is no node {name:?}"),
                format!(
                    "give a value of {}; --numbers takes internal numbers",
                    names.texts().join(" or ")
                ),
            )),
            ([], _) => Err(self.left_out(place, name)),
            _ => Err(Error::usage(
                format!("{place}several nodes are called {name:?}"),
                format!(
                    "choose one of {} with --labels",
                    names.texts().join(" and ")
                ),
            )),
        }
    }

    /// The vertex of each name of the `count` vertices, `None` where several have it.
    /// O(count) the first time.
    pub(super) fn named(
        &self,
        count: u32,
        name: impl Fn(u32) -> String,
    ) -> &HashMap<String, Option<u32>> {
        self.named.get_or_init(|| {
            let mut named = HashMap::with_capacity(count as usize);
            for vertex in 0..count {
                let other = named.entry(name(vertex));
                other
                    .and_modify(|other| *other = None)
                    .or_insert(Some(vertex));
            }
            named
        })
    }

    /// The error for a name that no node of the part has.
    pub(super) fn not_named(&self, place: &str, key: &str, name: &str) -> Error {
        let of = self.chosen();
        Error::usage(
            format!("{place}no node{of} has {name:?} as {key}"),
            format!("give a value of {key}; without --name-by, give the number of a node"),
        )
    }

    /// The error for a node that is not in the part.
    fn left_out(&self, place: &str, name: &str) -> Error {
        let hint = match (&self.options.labels[..], &self.options.nodes) {
            ([], None) => "it is not in the largest component".to_string(),
            (labels, None) => format!("it has no {}", any_of(labels)),
            _ => format!("the projection has nodes{}", self.chosen()),
        };
        Error::usage(format!("{place}node {name} is not in the projection"), hint)
    }

    /// The error for a part that has no nodes.
    pub(super) fn without_nodes(&self) -> Error {
        match (&self.options.labels[..], &self.options.nodes) {
            ([], None) => Error::usage("the graph has no nodes", "import nodes first"),
            (labels, None) => Error::usage(
                format!(
                    "at commit {} no node has {}",
                    self.view.csn(),
                    any_of(labels)
                ),
                "`evergraph stats DB` counts the nodes of each label",
            ),
            (_, Some(_)) => Error::usage(
                format!(
                    "at commit {} there is no node{}",
                    self.view.csn(),
                    self.chosen()
                ),
                "`evergraph show DB node` shows the properties of a node",
            ),
        }
    }

    /// Which nodes are chosen, in words that follow "node".
    fn chosen(&self) -> String {
        let labels = match &self.options.labels[..] {
            [] => String::new(),
            labels => format!(" with {}", any_of(labels)),
        };
        match &self.options.nodes {
            None => labels,
            Some(condition) => format!("{labels} where {condition}"),
        }
    }

    /// The error for a name that is none of a node of this part.
    pub(super) fn not_a_vertex(&self, place: &str, name: &str) -> Error {
        let node = name.parse().ok().map(NodeId);
        let exists = node.is_some_and(|node| matches!(self.view.node(node), Ok(Some(_))));
        match exists {
            true => self.left_out(place, name),
            false => Error::usage(
                format!("{place}there is no node {name:?}"),
                "give the id of a node, as results have it (in a query: a node that MATCH has \
                 found), or name nodes with --name-by KEY",
            ),
        }
    }
}

/// Error of a request for a part of plain edges.
fn of_plain_edges() -> Error {
    Error::usage(
        "this database holds edges without labels, types and properties: it has no projections",
        "leave --labels, --types, --where, --where-relationship, --orientation, --weight, \
         --default-weight and --name-by out",
    )
}

fn text_of(condition: Option<&Expression>) -> Option<String> {
    condition.map(|condition| condition.text().to_string())
}

/// Labels, in words.
fn any_of(labels: &[String]) -> String {
    match labels {
        [label] => format!("label {label}"),
        labels => format!("label of {}", labels.join(", ")),
    }
}
