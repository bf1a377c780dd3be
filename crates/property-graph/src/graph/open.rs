//! Making and opening a graph.

use std::sync::Arc;

use evergraph_storage::failpoint;
use evergraph_storage::{Storage, Uuid};
use evergraph_topology::{OpenReport, Store};

use super::PropertyGraph;
use super::committed::Committed;
use super::core::Core;
use super::definitions::repair::build_missing_indexes;
use super::error::GraphError;
use super::latest::Latest;
use super::options::{GraphOptions, OpenOptions};
use super::read::loops::LoopCounts;
use super::read::sorted::SortedLists;
use super::state::{State, is_chunk};
use crate::transaction::{TransactionManager, TransactionOptions};

impl PropertyGraph {
    /// Makes an empty graph. A crash in between leaves no graph, and it can be made
    /// again; or, just before the end, an empty graph that may have the default number of
    /// records in a chunk.
    ///
    /// # Errors
    /// A storage that holds a database already, and errors of the medium.
    pub fn create(
        storage: &dyn Storage,
        options: GraphOptions,
        uuid: Uuid,
    ) -> Result<Self, GraphError> {
        Self::create_with(storage, options, uuid, OpenOptions::default())
    }

    /// As [`PropertyGraph::create`], with buffers and limits of transactions.
    ///
    /// # Errors
    /// As [`PropertyGraph::create`].
    pub fn create_with(
        storage: &dyn Storage,
        options: GraphOptions,
        uuid: Uuid,
        opening: OpenOptions,
    ) -> Result<Self, GraphError> {
        if !is_chunk(options.chunk_records) {
            return Err(GraphError::BadOptions("a chunk holds 1 to 65536 records"));
        }
        let state = Arc::new(State::new(options.chunk_records));
        let attachment =
            Arc::clone(&state) as Arc<dyn evergraph_topology::extension::StoreExtension>;
        let config = options.config();
        let store =
            Store::create_with_extension(storage, config, uuid, opening.tuning, attachment)?;
        // The options are stored before the first commit, whose replay depends on them. A
        // checkpoint would find nothing new.
        if !failpoint!("graph.choices-not-stored") {
            store.compact()?;
        }
        Ok(Self::over(store, state, opening))
    }

    /// Opens a graph at its newest commit. Work that a crash cut off is brought to an end
    /// or leaves nothing. Costs a replay of the log's unmerged end, and reading the
    /// directory of chunks; records are read when they are asked for.
    ///
    /// Indexes that are damaged, or that no checkpoint has stored, are built from the
    /// records; one that cannot be built is done without.
    ///
    /// # Errors
    /// Damage, and errors of the medium.
    pub fn open(
        storage: &dyn Storage,
        opening: OpenOptions,
    ) -> Result<(Self, OpenReport), GraphError> {
        let state = Arc::new(State::new(GraphOptions::default().chunk_records));
        let attachment =
            Arc::clone(&state) as Arc<dyn evergraph_topology::extension::StoreExtension>;
        let (store, report) =
            Store::open_with_extension(storage, opening.read_only, opening.tuning, attachment)?;
        let is_writable = !opening.read_only;
        let graph = Self::over(store, state, opening);
        if !failpoint!("definitions.unconfirmed-kept") {
            graph.fail_unconfirmed();
        }
        if is_writable {
            build_missing_indexes(&graph.core);
        }
        Ok((graph, report))
    }

    fn over(store: Store, state: Arc<State>, opening: OpenOptions) -> Self {
        let core = Arc::new(Core {
            latest: Latest::default(),
            store: Arc::new(store),
            state,
            sorted: SortedLists::default(),
            loops: LoopCounts::default(),
        });
        let committed = Committed {
            core: Arc::clone(&core),
        };
        let transactions = TransactionManager::new(Arc::new(committed), opening.transactions);
        PropertyGraph {
            core,
            transactions,
            options: TransactionOptions::default(),
        }
    }
}
