//! Reading in batches: vectors of ids in, vectors of values out.
//!
//! [`GraphRead`] is all that a query engine needs of a graph, of a [`View`] and of a
//! transaction alike. Names are codes, ids are bare numbers. Nothing is decoded but what
//! is asked for, and nothing is interned by reading.
//!
//! ```
//! use evergraph_property_graph::graph::{
//!     Account, Comparison, EntityKind, Filter, GraphError, GraphOptions, GraphRead,
//!     PropertyGraph, Test,
//! };
//! use evergraph_storage::medium::DramStorage;
//!
//! # fn main() -> Result<(), GraphError> {
//! let graph = PropertyGraph::create(&DramStorage::new(), GraphOptions::default(), [1; 16])?;
//! graph.write(|transaction| {
//!     for (name, age) in [("Ann", 30), ("Bob", 20)] {
//!         transaction.create_node(&["Person"], [("name", name.into()), ("age", age.into())])?;
//!     }
//!     Ok(())
//! })?;
//! let view = graph.view();
//! let account = Account::default();
//! let person = view.label_code("Person").expect("a commit has used it");
//! let (name, age) = (view.key_code("name").unwrap(), view.key_code("age").unwrap());
//! let adults = Filter::label(person).and(age, Test::Compares(Comparison::Greater, 25.into()));
//! let mut ids = Vec::new();
//! for morsel in view.morsels(EntityKind::Node).iter() {
//!     view.scan(&morsel, &adults, &mut ids, &account)?;
//! }
//! let names = view.gather(EntityKind::Node, &ids, name, &account)?;
//! assert_eq!(names.get(0), "Ann".into());
//! # Ok(())
//! # }
//! ```

mod account;
mod columns;
mod common;
mod cursor;
mod estimates;
mod expand;
mod filter;
mod gather;
mod listed;
mod morsel;
mod parallel;
mod passing;
mod source;
mod transaction_view;
mod writes;

use std::sync::Arc;

pub use account::Account;
pub use columns::{Ends, Expanded, Labels, Neighbors};
pub use common::{Adjoining, Common, IdBounds, MOST_ADJOINING};
pub use cursor::{IndexCursor, IndexInfo, IndexSubject, Opened, Order, Unavailable};
pub use filter::{Filter, LabelExpression, Test};
pub use morsel::{MORSEL_SLOTS, Morsel, Morsels};

pub use transaction_view::TransactionView;

use self::source::Source;
use super::error::GraphError;
use super::read::direction::Direction;
use super::view::View;
use crate::dictionary::{KeyCode, LabelCode, Names, TypeCode};
use crate::index::KeyRange;
use crate::record::{EntityKind, NodeRecord, RelationshipRecord};
use crate::value::Value;
use crate::vector::{Validity, Vector};

/// Birth of an entity that no commit has created yet.
pub const UNCOMMITTED: u64 = u64::MAX;

mod sealed {
    /// A reader of the graph.
    pub trait Readable: Send + Sync {
        /// What it reads.
        fn source(&self) -> super::Source<'_>;
    }
}

impl sealed::Readable for View {
    fn source(&self) -> Source<'_> {
        Source {
            view: self,
            overlay: None,
            reads: None,
            names: None,
        }
    }
}

impl GraphRead for View {}

/// Reading a graph in batches, as of one commit, or as of a statement of a transaction.
///
/// Ids may come in any order and more than once; neighboring ids in ascending order are
/// the cheapest. An id of nothing is no error: its row is null, empty or zero. Calls may
/// come from many threads.
///
/// # Errors
/// Every call that reads fails on damage, where the damaged part is first read, and if the
/// [`Account`] is exceeded or cancelled.
pub trait GraphRead: sealed::Readable {
    /// The commit that is read, without the writes of a transaction.
    fn commit(&self) -> u64 {
        self.source().view.csn()
    }

    /// A number that grows with every new name and every change of indexes and
    /// constraints: a plan that was made under another one may be wrong. It is of the
    /// newest state, whatever commit is read.
    fn schema_version(&self) -> u64 {
        let state = &self.source().view.core().state;
        state.schema.version() + state.dictionary.committed_names()
    }

    /// The code of a label; `None` if no commit has used it.
    fn label_code(&self, name: &str) -> Option<LabelCode> {
        self.source().code(Names::Labels, name)
    }

    /// The code of a type of relationships; `None` if no commit has used it.
    fn type_code(&self, name: &str) -> Option<TypeCode> {
        let code = self.source().code(Names::Types, name)?;
        code.try_into().ok()
    }

    /// The code of a property key; `None` if no commit has used it.
    fn key_code(&self, name: &str) -> Option<KeyCode> {
        self.source().code(Names::Keys, name)
    }

    /// The label of a code.
    fn label_name(&self, code: LabelCode) -> Option<Arc<str>> {
        self.source().view.dictionary().name(Names::Labels, code)
    }

    /// The type of a code.
    fn type_name(&self, code: TypeCode) -> Option<Arc<str>> {
        let dictionary = self.source().view.dictionary();
        dictionary.name(Names::Types, code.into())
    }

    /// The property key of a code.
    fn key_name(&self, code: KeyCode) -> Option<Arc<str>> {
        self.source().view.dictionary().name(Names::Keys, code)
    }

    /// The parts of a scan. O(1).
    fn morsels(&self, of: EntityKind) -> Morsels {
        let source = self.source();
        let bound = match of {
            EntityKind::Node => source.bound::<NodeRecord>(),
            EntityKind::Relationship => source.bound::<RelationshipRecord>(),
        };
        Morsels::below(of, bound)
    }

    /// Appends the ids in a morsel that a filter gives, ascending.
    fn scan(
        &self,
        morsel: &Morsel,
        filter: &Filter,
        ids: &mut Vec<u32>,
        account: &Account,
    ) -> Result<(), GraphError> {
        let (source, range) = (self.source(), morsel.ids());
        match morsel.kind() {
            EntityKind::Node => source.scan::<NodeRecord>(range, filter, ids, account),
            EntityKind::Relationship => {
                source.scan::<RelationshipRecord>(range, filter, ids, account)
            }
        }
    }

    /// The values of one property, one a row.
    fn gather(
        &self,
        of: EntityKind,
        ids: &[u32],
        key: KeyCode,
        account: &Account,
    ) -> Result<Vector, GraphError> {
        match of {
            EntityKind::Node => self.source().gather::<NodeRecord>(ids, key, account),
            EntityKind::Relationship => self
                .source()
                .gather::<RelationshipRecord>(ids, key, account),
        }
    }

    /// Gives the values of one property one by one, null where there is none: for few ids
    /// what costs less than a vector. The memory of each is looked at, and not charged.
    fn properties(
        &self,
        of: EntityKind,
        ids: &[u32],
        key: KeyCode,
        account: &Account,
        each: &mut dyn FnMut(Value) -> Result<(), GraphError>,
    ) -> Result<(), GraphError> {
        let source = self.source();
        match of {
            EntityKind::Node => source.properties::<NodeRecord>(ids, key, account, each),
            EntityKind::Relationship => {
                source.properties::<RelationshipRecord>(ids, key, account, each)
            }
        }
    }

    /// Which of these there are.
    fn exist(&self, of: EntityKind, ids: &[u32]) -> Result<Validity, GraphError> {
        match of {
            EntityKind::Node => self.source().exist::<NodeRecord>(ids),
            EntityKind::Relationship => self.source().exist::<RelationshipRecord>(ids),
        }
    }

    /// The commits that created them: an id together with its birth never names another
    /// entity. [`UNCOMMITTED`] of an entity that the transaction made, 0 where there is
    /// none; of one that the transaction deleted still its birth.
    fn born(&self, of: EntityKind, ids: &[u32], account: &Account) -> Result<Vec<u64>, GraphError> {
        match of {
            EntityKind::Node => self.source().born::<NodeRecord>(ids, account),
            EntityKind::Relationship => self.source().born::<RelationshipRecord>(ids, account),
        }
    }

    /// The labels of nodes.
    fn labels(&self, nodes: &[u32], account: &Account) -> Result<Labels, GraphError> {
        self.source().labels(nodes, account)
    }

    /// The types and ends of relationships, also of those that the transaction deleted.
    fn ends(&self, relationships: &[u32], account: &Account) -> Result<Ends, GraphError> {
        self.source().ends(relationships, account)
    }

    /// The relationships of each node, of some types or of all (`None`), in the order of
    /// [`View::neighbors`].
    fn expand(
        &self,
        nodes: &[u32],
        types: Option<&[TypeCode]>,
        direction: Direction,
        account: &Account,
    ) -> Result<Expanded, GraphError> {
        self.source().expand(nodes, types, direction, account)
    }

    /// The nodes at the other ends of the relationships of each node, in the order of
    /// [`GraphRead::expand`]: less is read and written than for it.
    fn expand_neighbors(
        &self,
        nodes: &[u32],
        types: Option<&[TypeCode]>,
        direction: Direction,
        account: &Account,
    ) -> Result<Neighbors, GraphError> {
        self.source()
            .expand_neighbors(nodes, types, direction, account)
    }

    /// The relationships between the nodes of each pair, as if [`GraphRead::expand`] of
    /// the sources were filtered by the targets. Reads the shorter list of each pair.
    ///
    /// # Panics
    /// If there are not as many targets as sources.
    fn expand_into(
        &self,
        sources: &[u32],
        targets: &[u32],
        types: Option<&[TypeCode]>,
        direction: Direction,
        account: &Account,
    ) -> Result<Expanded, GraphError> {
        let pairs = (sources, targets);
        self.source().expand_into(pairs, types, direction, account)
    }

    /// The nodes that are neighbors of all nodes of a row, each with the relationships that
    /// connect them, one for each node of the row: parallel relationships give several
    /// choices. A relationship may be chosen for two nodes of a row. Lists are
    /// intersected in the order of ids, in copies that are kept for the next call
    /// ([`PropertyGraph::set_sorted_bytes`](crate::graph::PropertyGraph::set_sorted_bytes));
    /// the first call for many rows sorts the lists of the sections that it meets.
    ///
    /// # Panics
    /// If there are not as many rows of each, or more than [`MOST_ADJOINING`] nodes a row.
    fn common_neighbors(
        &self,
        of: &[Adjoining<'_>],
        bounds: IdBounds<'_>,
        account: &Account,
    ) -> Result<Common, GraphError> {
        self.source().common_neighbors(of, bounds, account)
    }

    /// How many relationships [`GraphRead::expand`] gives for each node. Reads lengths
    /// alone, but in both directions together: then loops are looked for, in each section
    /// once after a change of its lists.
    fn degrees(
        &self,
        nodes: &[u32],
        types: Option<&[TypeCode]>,
        direction: Direction,
        account: &Account,
    ) -> Result<Vec<u64>, GraphError> {
        self.source().degrees(nodes, types, direction, account)
    }

    /// The indexes that there are, of constraints too, and whether this reader can use
    /// them.
    fn indexes(&self) -> Vec<IndexInfo> {
        self.source().indexes()
    }

    /// The number of an index over exactly these keys, in this order, that this reader can
    /// use.
    fn index_over(&self, subject: IndexSubject, keys: &[KeyCode]) -> Option<u32> {
        self.source().index_over(subject, keys)
    }

    /// The ids with one key of an index, which [`encode_equal`] gives, ascending: `None` if
    /// it does not know them without a look at records, and a cursor is to be asked. A
    /// serializable transaction notes the key.
    ///
    /// [`encode_equal`]: crate::index::key::encode_equal
    fn ids_of_key(&self, index: u32, key: &[u8]) -> Option<Vec<u32>> {
        self.source().ids_of_key(index, key)
    }

    /// A cursor over the entries of an index in a range: of some values
    /// ([`KeyRange::equal`], also of the first keys of several), between two
    /// ([`KeyRange::between`]), or all. A serializable transaction notes the range. What
    /// the index cannot answer is told, and not answered otherwise.
    fn cursor(&self, index: u32, range: &KeyRange, order: Order) -> Result<Opened, GraphError> {
        self.source().cursor(index, range, order)
    }
}
