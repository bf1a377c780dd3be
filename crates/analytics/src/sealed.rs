//! Sealed graphs that are stored in the database.

use std::sync::Arc;

use evergraph_algorithms::{Cancelled, Control};
use evergraph_graph::{Bytes, Shape};
use evergraph_snapshots::View;
use evergraph_storage::memory_bytes;
use evergraph_topology::{Mode, SealedGraph, SealedInfo, SealedName, Store, TopologyError};

use crate::as_of::unknown;
use crate::copies::Content;
use crate::copies::Copy;
use crate::names::nearest;
use crate::run::{Form, Source, seal};
use crate::{Error, Session};

/// Options of sealing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seal {
    /// Edges that the lists keep. A graph that is stored as out-lists alone gets
    /// in-lists, too.
    pub shape: Shape,
    /// Whether lists are coded: about half the bytes, and up to twice the time to
    /// read them.
    pub compressed: bool,
    /// Name of the graph; after its shape if `None`.
    pub name: Option<String>,
    /// DRAM that sealing may take; all that the process may use if `None`. A graph whose
    /// bound is above it is refused; [`Control::with_memory_limit`] ends a run that takes
    /// more nevertheless.
    pub memory_limit: Option<u64>,
}

/// Outcome of sealing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealOutcome {
    /// The graph as it is stored.
    pub graph: SealedInfo,
    /// The same graph was stored already, and nothing was done.
    pub was_there: bool,
    /// The commit of another graph whose name, and whose place, this one has.
    pub replaced: Option<u64>,
}

impl Default for Seal {
    fn default() -> Self {
        Seal {
            shape: Shape::Sorted,
            compressed: false,
            name: None,
            memory_limit: None,
        }
    }
}

impl Seal {
    /// Name that the graph will have.
    pub fn name(&self) -> String {
        let shape = match self.shape {
            Shape::Sorted => "sorted",
            Shape::Simple => "simple",
            Shape::Symmetric => "symmetric",
        };
        let coding = if self.compressed { "-compressed" } else { "" };
        let usual = || format!("{shape}{coding}");
        self.name.clone().unwrap_or_else(usual)
    }
}

impl Session {
    /// Seals the graph as of a view and stores it, durable when this returns, in
    /// place of another sealed graph of that name. Writers go on meanwhile. Runs
    /// on views of the same commit read it instead of making a copy.
    ///
    /// Work O(m log n), parallel; DRAM as a copy takes.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if `control` ends it; then, and after any other
    /// error, nothing has changed. [`Error::Usage`] in direct mode, whose commits
    /// have no lasting numbers, and where a copy would take more than the limit, or
    /// takes more than the limit of `control`.
    ///
    /// ```
    /// use evergraph::{Control, Database, MediumKind, Options, Seal};
    ///
    /// let options = Options { medium: MediumKind::Dram, ..Options::default() };
    /// let db = Database::create("anywhere", &options)?;
    /// db.insert_edges(&[(0, 2), (0, 1), (1, 2)])?;
    /// db.seal(&db.view(), &Seal::default(), &Control::new())?;
    /// assert_eq!(db.sealed_graphs()[0].csn, 1);
    /// # Ok::<(), evergraph::Error>(())
    /// ```
    pub fn seal(
        &self,
        view: &View,
        wanted: &Seal,
        control: &Control<'_>,
    ) -> Result<SealOutcome, Error> {
        self.refuse_property_graph_with(
            "sealing",
            "`evergraph run DB ALGORITHM --param graph=sealed` makes a sealed copy of a projection \
             for the run",
        )?;
        let lists = Content::of_shape(wanted.shape, self.config().direction);
        let name = SealedName::Own(wanted.name());
        store_graph(self.store(), view, name, lists, wanted, control)
    }

    /// Makes a snapshot the one that reads fastest: stores its lists, in their order and
    /// without deleted edges, as one sealed graph, durable when this returns. Runs on
    /// views of that commit read it instead of working out how long each list was. It
    /// goes with the snapshot. Writers and readers go on meanwhile.
    ///
    /// Work O(m), parallel; DRAM as the sealed graph, and the same on the medium.
    ///
    /// # Errors
    /// If there is no snapshot of that name, and as [`Session::seal`].
    pub fn rebase(&self, snapshot: &str) -> Result<SealOutcome, Error> {
        self.rebase_controlled(snapshot, &Control::new())
    }

    /// As [`Session::rebase`], to be followed and stopped.
    ///
    /// # Errors
    /// As [`Session::rebase`]; [`Error::Interrupted`] if `control` ends it.
    pub fn rebase_controlled(
        &self,
        snapshot: &str,
        control: &Control<'_>,
    ) -> Result<SealOutcome, Error> {
        self.refuse_property_graph("rebasing")?;
        let snapshots = self.snapshots();
        let found = snapshots.iter().find(|known| known.name == snapshot);
        let csn = found.ok_or_else(|| unknown(snapshot, &snapshots))?.csn;
        rebase(self.shared_store(), snapshot, csn, control)
    }

    /// The sealed graphs that are stored, in the order in which they were.
    pub fn sealed_graphs(&self) -> Vec<SealedInfo> {
        self.store().sealed_graphs()
    }

    /// Drops a stored sealed graph. Its space is free when the last run that reads
    /// it has ended.
    ///
    /// # Errors
    /// [`Error::Usage`] if there is none of that name.
    pub fn drop_sealed(&self, name: &str) -> Result<(), Error> {
        let known = self.sealed_graphs();
        let own = SealedName::Own(name.to_string());
        if known.iter().any(|graph| graph.name == own) {
            return Ok(self.store().drop_sealed(&[own])?);
        }
        let names = known.iter().filter_map(|graph| match &graph.name {
            SealedName::Own(name) => Some(&**name),
            SealedName::Snapshot(_) => None,
        });
        let hint = match nearest(name, names) {
            Some(similar) => format!("did you mean `{similar}`?"),
            None => "`evergraph seal DB --list` shows those that there are".to_string(),
        };
        Err(Error::usage(
            format!("there is no sealed graph {name:?}"),
            hint,
        ))
    }

    /// A stored graph of a commit with these lists, that a run which wants `form`
    /// can read; plain rather than coded, where either will do.
    pub(crate) fn stored_graph(&self, csn: u64, lists: Content, form: Form) -> Option<SealedInfo> {
        let direction = self.config().direction;
        let fits = |graph: &SealedInfo| {
            let coding = match form {
                Form::Live | Form::Simple => true,
                Form::Sealed => graph.block_edges.is_none(),
                Form::Compressed => graph.block_edges.is_some(),
            };
            graph.csn == csn && coding && Content::of(graph, direction).serves(lists)
        };
        let mut found: Vec<SealedInfo> = self.sealed_graphs();
        found.retain(fits);
        found.sort_by_key(|graph| graph.block_edges.is_some());
        found.into_iter().next()
    }
}

/// Stores the lists of a snapshot, which is that of commit `csn`.
pub(crate) fn rebase(
    store: &Arc<Store>,
    snapshot: &str,
    csn: u64,
    control: &Control<'_>,
) -> Result<SealOutcome, Error> {
    let view = View::as_of(store, csn)?;
    let name = SealedName::Snapshot(snapshot.to_string());
    store_graph(
        store,
        &view,
        name,
        Content::InOrder,
        &Seal::default(),
        control,
    )
}

fn store_graph(
    store: &Store,
    view: &View,
    name: SealedName,
    lists: Content,
    wanted: &Seal,
    control: &Control<'_>,
) -> Result<SealOutcome, Error> {
    let config = store.config();
    if config.mode == Mode::Direct {
        return Err(Error::usage(
            "a database in direct mode keeps no sealed graphs",
            "import its edges into a database in merged mode",
        ));
    }
    store.refuse_sealing(&name, view.csn())?;
    let known = store.sealed_graphs();
    let known = known.into_iter().find(|graph| graph.name == name);
    if let Some(graph) = &known
        && graph.csn == view.csn()
        && graph.block_edges.is_some() == wanted.compressed
        && Content::of(graph, config.direction) == lists
    {
        return Ok(SealOutcome {
            graph: graph.clone(),
            was_there: true,
            replaced: None,
        });
    }
    let limit = wanted.memory_limit.unwrap_or_else(memory_bytes);
    let source = Source::of(&config, view, view.arc_count()?);
    let needed = source.peak_bytes(lists, wanted.compressed);
    if needed > limit {
        return Err(Error::usage(
            format!(
                "sealing may take {} of memory; the limit is {}",
                Bytes(needed),
                Bytes(limit)
            ),
            "raise the limit",
        ));
    }
    control.report("sealing the graph", 0, Some(1));
    let live = view.graph()?;
    let sealed = seal(&live, lists, wanted.compressed, &|| control.check());
    let graph = match sealed.map_err(not_sealed)? {
        Copy::Sealed(graph) => SealedGraph::Plain(graph),
        Copy::Compressed(graph) => SealedGraph::Compressed(graph),
    };
    drop(live);
    let mut checked = Ok(());
    let mut go_on = |done: u64, total: u64| {
        control.report("bytes written", done, Some(total));
        checked = control.check();
        checked.is_ok()
    };
    let stored = store.store_sealed(name, view.csn(), &graph, &mut go_on);
    let graph = match stored {
        Err(TopologyError::Cancelled) => {
            checked.map_err(not_sealed)?;
            return Err(TopologyError::Cancelled.into());
        }
        stored => stored?,
    };
    Ok(SealOutcome {
        graph,
        was_there: false,
        replaced: known.map(|graph| graph.csn),
    })
}

fn not_sealed(why: Cancelled) -> Error {
    match why {
        Cancelled::Requested | Cancelled::DeadlinePassed => Error::Interrupted {
            message: "the graph was not sealed".to_string(),
            hint: "nothing was changed; run it again".to_string(),
        },
        Cancelled::MemoryLimit { needed, limit } => Error::usage(
            format!(
                "sealing needs {} of memory; the limit is {}",
                Bytes(needed),
                Bytes(limit)
            ),
            "raise the limit",
        ),
        Cancelled::OutOfMemory { bytes } => Error::usage(
            format!(
                "sealing needs {} of memory, more than the system has",
                Bytes(bytes)
            ),
            "free memory",
        ),
    }
}
