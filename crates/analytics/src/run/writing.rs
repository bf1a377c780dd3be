//! Results as properties of the nodes that they are of.

use evergraph_algorithms::UNREACHED;
use evergraph_snapshots::View;

use super::algorithm::Algorithm;
use super::naming::Nodes;
use super::{Outcome, Values};
use crate::{Error, Session};
use evergraph_property_graph::graph::{NodeId, Transaction};
use evergraph_property_graph::value::Value;

/// A name of a property has at most so many bytes.
const MOST_KEY_BYTES: usize = 1 << 16;

/// Algorithms that may leave vertices without a value, of which nothing is written.
const PARTIAL: [&str; 8] = [
    "bfs",
    "weighted-bfs",
    "delta-stepping",
    "bellman-ford",
    "widest-path",
    "influence-maximization",
    "rumor-sources",
    "set-cover",
];

/// A transaction that waits for a result to write. It is begun before the run, so that
/// other writes to the nodes meanwhile are a conflict, and not lost.
///
/// ```
/// use evergraph::run::{Request, WriteBack, run};
/// use evergraph::{Control, Database, MediumKind, Options};
///
/// let options = Options {
///     medium: MediumKind::Dram,
///     property_graph: true,
///     ..Options::default()
/// };
/// let db = Database::create("anywhere", &options)?;
/// let ann = db.property_graph()?.write(|tx| {
///     let ann = tx.create_node(&["Person"], [])?;
///     let bob = tx.create_node(&["Person"], [])?;
///     tx.create_relationship(ann, "KNOWS", bob, [])?;
///     Ok(ann)
/// })?;
/// let request = Request {
///     algorithm: "degrees".to_string(),
///     write_back: true,
///     ..Request::default()
/// };
/// let view = db.view();
/// let writing = WriteBack::begin(&db, &view, "degree")?;
/// let outcome = run(&db, &view, &request, &Control::new(), None)?;
/// assert_eq!(writing.write(&outcome)?.nodes, 2);
/// let ann = db.property_graph()?.view().node(ann)?.expect("it is there");
/// assert_eq!(ann.get_as::<i64>("degree")?, Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct WriteBack {
    transaction: Transaction,
    key: String,
}

/// Counts of a result written into nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Nodes that have the property now.
    pub nodes: u64,
    /// Nodes of the result that have no value: they lose the property.
    pub without_value: u64,
    /// The commit; `None` if there was nothing to write.
    pub csn: Option<u64>,
}

impl WriteBack {
    /// Begins the transaction that will write the result of a run on `view` as the
    /// property `key`.
    ///
    /// # Errors
    /// If the view is not of now, the key is no name, or the database holds plain
    /// edges.
    pub fn begin(session: &Session, view: &View, key: &str) -> Result<Self, Error> {
        if !(1..=MOST_KEY_BYTES).contains(&key.len()) {
            return Err(Error::argument(
                format!("a property cannot have a name of {} bytes", key.len()),
                format!("use 1 to {MOST_KEY_BYTES} bytes"),
            ));
        }
        if !session.is_property_graph() {
            return Err(Error::usage(
                "this database holds edges without properties: no result can be written to them",
                "keep the result in the database with --keep NAME, or write a file with -o FILE",
            ));
        }
        let transaction = session.property_graph()?.begin();
        let newest = transaction.snapshot().csn();
        if newest != view.csn() {
            return Err(Error::usage(
                format!(
                    "results are written to the graph of now, commit {newest}, and this run is \
                     of commit {}",
                    view.csn()
                ),
                "run it on the graph of now, or keep the result of the past with --keep NAME",
            ));
        }
        Ok(WriteBack {
            transaction,
            key: key.to_string(),
        })
    }

    /// Gives each node of the result its value, and commits that. A value that says
    /// there is none, such as the distance of a node that is not reached, removes
    /// the property. Vertices are written as ids of nodes.
    ///
    /// # Errors
    /// A result that is no value of each node, or of another commit; a node that was changed since
    /// [`WriteBack::begin`] ([`Error::is_retryable`]); a constraint that does not
    /// hold; more than the log takes at once. Then nothing is written.
    pub fn write(mut self, outcome: &Outcome) -> Result<Written, Error> {
        let read = self.transaction.snapshot().csn();
        if outcome.csn != read {
            return Err(Error::usage(
                format!(
                    "the result is of commit {}, and the transaction that is to write it of {read}",
                    outcome.csn
                ),
                "give `WriteBack::begin` the view that the run reads; nothing was written",
            ));
        }
        let values = outcome.values_of_nodes();
        let values = values.ok_or_else(|| unwritable(outcome))?;
        let (mut with_value, mut without_value) = (0, 0);
        for (node, value) in values {
            match &value {
                Value::Null => {
                    without_value += 1;
                    let found = self.transaction.node(node)?;
                    if found.is_none_or(|node| node.get(&self.key).is_none()) {
                        continue;
                    }
                }
                _ => with_value += 1,
            }
            self.transaction.set(node, &self.key, value)?;
        }
        let commit = self.transaction.commit()?;
        Ok(Written {
            nodes: with_value,
            without_value,
            csn: commit.map(|commit| commit.csn),
        })
    }
}

impl Outcome {
    /// Each node and its value, null where it has none; `None` if the result is not one
    /// value of each node.
    pub fn values_of_nodes(&self) -> Option<impl Iterator<Item = (NodeId, Value)>> {
        let nodes = self.naming.nodes()?;
        let values = of_nodes(&self.values, nodes)?;
        Some((0..).map(|vertex| nodes.node(vertex)).zip(values))
    }
}

impl Algorithm {
    /// Whether a run may leave vertices without a value, such as those that a search
    /// does not reach.
    pub fn leaves_vertices_out(&self) -> bool {
        PARTIAL.contains(&self.name)
    }
}

/// Refuses more nodes than one transaction can write, as far as that is known before
/// the run.
pub(super) fn check_fits(
    session: &Session,
    algorithm: &Algorithm,
    nodes: u64,
) -> Result<(), Error> {
    let most = session.property_graph()?.most_nodes_written_at_once();
    if algorithm.leaves_vertices_out() || nodes <= most {
        return Ok(());
    }
    Err(Error::usage(
        format!("one transaction writes at most {most} nodes, and the graph has {nodes}"),
        "keep the result with --keep NAME, write a file with -o FILE, or open the graph with more \
         DRAM for a transaction (`Settings::overlay_bytes`)",
    ))
}

fn unwritable(outcome: &Outcome) -> Error {
    Error::usage(
        format!(
            "the result of {} is not one value of each node",
            outcome.algorithm
        ),
        "write a file with -o FILE; nothing was written to the graph",
    )
}

/// The value of each vertex; `None` if the result is something else.
fn of_nodes(values: &Values, nodes: &Nodes) -> Option<Vec<Value>> {
    let count = nodes.count() as usize;
    let values: Vec<Value> = match values {
        Values::Reals(values) => values.iter().map(|&value| real(value)).collect(),
        Values::Depths(values) => {
            let known = |&value: &u32| (value != UNREACHED).then_some(i64::from(value));
            values.iter().map(|value| known(value).into()).collect()
        }
        Values::Counts(values) => {
            let known = |&value: &u64| i64::try_from(value).ok();
            values.iter().map(|value| known(value).into()).collect()
        }
        Values::Vertices(values) | Values::Headed(values, _) => {
            let id = |&vertex: &u32| {
                let known = vertex != UNREACHED;
                known.then(|| i64::from(nodes.node(vertex).0))
            };
            values.iter().map(|value| id(value).into()).collect()
        }
        Values::Members(members) => members.iter().map(|&member| member.into()).collect(),
        Values::Ranked(ranked) => {
            let mut values = vec![Value::Null; count];
            for &(vertex, score) in ranked {
                if let Some(value) = values.get_mut(vertex as usize) {
                    *value = real(score);
                }
            }
            values
        }
        Values::Edges(_)
        | Values::EdgeReals(_)
        | Values::EdgeCounts(_)
        | Values::Lists(_)
        | Values::Nothing => return None,
    };
    (values.len() == count).then_some(values)
}

/// An infinite value stands for a missing one.
fn real(value: f64) -> Value {
    match value.is_finite() {
        true => Value::Float(value),
        false => Value::Null,
    }
}
