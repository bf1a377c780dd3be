//! Rows become changes of the graph: nodes that are made, found or changed, relationships between
//! nodes of these files and of earlier imports, and rows that are left out.

use std::borrow::Cow;
use std::sync::Arc;

use evergraph_io::interchange::{ExternalId, Id, NodeRow, RelationshipRow, Row, Standing};

use super::fault::{Fault, Why};
use super::ids::NodeIds;
use super::import_options::{Dangling, Duplicates, OnConflict};
use super::keys::{Called, Key, Keys, value_of};
use super::position::{Assigned, Place, Position};
use super::value::Value;
use super::{GraphError, Node, NodeId, View};

/// A row of a file, and where it stands.
pub(super) struct Placed {
    pub row: Row,
    pub place: Place,
    pub line: u64,
    pub standing: Standing,
}

/// Keys and policies that decide about rows.
pub(super) struct Rules {
    pub keys: Keys,
    pub on_conflict: OnConflict,
    pub duplicates: Duplicates,
    pub dangling: Dangling,
    /// Whether the graph had nodes before the files.
    pub may_be_stored: bool,
}

/// Rows of one kind that are to be written, and what they depend on.
#[derive(Clone, Copy)]
pub(super) struct Rows<'r> {
    pub rules: &'r Rules,
    pub position: &'r Position,
    pub rows: &'r [Placed],
    /// Bad rows that may be left out. Writing ends before one more: an import's position
    /// passes a bad row only when it may be left out.
    pub most_bad: u64,
    /// Writing ends at a row that changes a node of the graph.
    pub only_new: bool,
}

/// Writers of nodes and relationships: a transaction, a bulk load, or what only counts.
pub(super) trait Maker {
    fn make_node(&mut self, labels: &[&str], properties: &[Property]) -> Made<NodeId>;
    fn make_relationship(&mut self, row: &RelationshipRow, ends: [NodeId; 2]) -> Made<()>;
}

pub(super) type Property = (Arc<str>, Value);
pub(super) type Made<T> = Result<T, GraphError>;

/// A commit that is being made.
pub(super) struct Draft<'r> {
    /// Position of the import after it.
    pub position: Position,
    /// Node ids of the rows.
    pub assigned: Assigned,
    /// Rows that are left out, by their numbers.
    pub unfit: Vec<(usize, Why)>,
    /// Nodes of the graph that change.
    pub updates: Vec<Update<'r>>,
    pub updated: u64,
    /// Rows whose nodes are there, and stay as they are.
    pub unchanged: u64,
    pub nodes: u64,
    /// Those of them that are made as ends of relationships.
    pub created_ends: u64,
    /// Ids among theirs that are lost, as [`is_lost`] says.
    pub lost_ids: u64,
    pub relationships: u64,
}

/// Labels and values that a node of the graph gets.
pub(super) struct Update<'r> {
    pub node: NodeId,
    pub labels: Vec<&'r str>,
    pub properties: Vec<&'r Property>,
}

/// An end of a relationship.
pub(super) enum End<'k> {
    There(NodeId),
    /// It is to be made, as a node of this key with this id.
    New(&'k Key, ExternalId),
}

struct Drafting<'d, 'r, M> {
    maker: &'d mut M,
    ids: &'d mut NodeIds,
    given: &'d mut Vec<ExternalId>,
    rules: &'r Rules,
    view: &'d View,
    draft: Draft<'r>,
}

/// Makes what rows say. Ids that they give are added to `ids` and to `given`.
pub(super) fn draft<'r>(
    maker: &mut impl Maker,
    ids: &mut NodeIds,
    given: &mut Vec<ExternalId>,
    rows: &Rows<'r>,
    view: &View,
) -> Result<Draft<'r>, GraphError> {
    let mut drafting = Drafting {
        maker,
        ids,
        given,
        rules: rows.rules,
        view,
        draft: Draft::before(rows.position),
    };
    // Behind the last row, unless it ends before.
    let mut next = rows.rows.last().map(|last| Place {
        row: last.place.row + 1,
        ..last.place
    });
    let mut bad = 0;
    for (at, placed) in rows.rows.iter().enumerate() {
        if rows.only_new && !drafting.draft.updates.is_empty() {
            break;
        }
        let taken = match &placed.row {
            Row::Node(row) => drafting.node(placed, row)?,
            Row::Relationship(row) => drafting.relationship(placed, row)?,
        };
        if let Err(why) = taken {
            bad += u64::from(!rows.rules.tolerates(why.fault));
            drafting.draft.unfit.push((at, why));
            if bad > rows.most_bad {
                next = Some(placed.place);
                break;
            }
        }
    }
    let mut draft = drafting.draft;
    if let Some(next) = next
        && draft.has_effects()
    {
        draft.advance(rows.position, next);
    }
    Ok(draft)
}

impl<'r, M: Maker> Drafting<'_, 'r, M> {
    fn node(&mut self, placed: &Placed, row: &'r NodeRow) -> Made<Result<(), Why>> {
        let rules = self.rules;
        let called = match rules.keys.call(row) {
            Ok(called) => called,
            Err(why) => return Ok(Err(why)),
        };
        if let Some(known) = called.known(self.ids) {
            return Ok(match rules.repeated(&called, &placed.standing, self.ids) {
                Some(why) => Err(why),
                None => {
                    self.give(&called, known);
                    Ok(())
                }
            });
        }
        if let Some((key, value)) = &called.key
            && rules.may_be_stored
            && let Some(stored) = rules.keys.find(self.view, key, &value.id)?
        {
            if rules.on_conflict == OnConflict::Error && !placed.standing.merges {
                let (label, id) = (key.label(), &value.id);
                let problem =
                    format!("the graph has a node {id} of {label} already (--on-conflict)");
                return Ok(Err(Why::of_column(key.property(), problem)));
            }
            self.update(&stored, row);
            self.draft.assigned.push(placed.place, stored.id());
            self.give(&called, stored.id());
            return Ok(Ok(()));
        }
        let labels: Vec<&str> = row.labels.iter().map(|label| &**label).collect();
        let mut properties = Cow::Borrowed(&row.properties[..]);
        if let Some((key, value)) = &called.key
            && properties.iter().all(|(name, _)| name != key.property())
        {
            let property = (Arc::clone(key.property()), value_of(&value.id));
            properties.to_mut().push(property);
        }
        let made = self.maker.make_node(&labels, &properties)?;
        self.draft.nodes += 1;
        let own = || row.properties.iter().map(|(_, value)| value);
        let is_lost = |id: &ExternalId| called.key.is_none() && is_lost(&id.id, own());
        self.draft.lost_ids += u64::from(called.id.is_some_and(is_lost));
        self.draft.assigned.push(placed.place, made);
        self.give(&called, made);
        Ok(Ok(()))
    }

    /// Notes what a row changes of a node of the graph.
    fn update(&mut self, stored: &Node, row: &'r NodeRow) {
        let (labels, properties) = match self.rules.on_conflict {
            OnConflict::Error | OnConflict::Skip => (false, false),
            OnConflict::Update => (false, true),
            OnConflict::Merge => (true, true),
        };
        let new = row.labels.iter().filter(|label| !stored.has_label(label));
        let update = Update {
            node: stored.id(),
            labels: match labels {
                true => new.map(|label| &**label).collect(),
                false => Vec::new(),
            },
            properties: match properties {
                true => (row.properties.iter())
                    .filter(|(key, value)| stored.get(key) != Some(value))
                    .collect(),
                false => Vec::new(),
            },
        };
        match update.labels.is_empty() && update.properties.is_empty() {
            true => self.draft.unchanged += 1,
            false => {
                self.draft.updated += 1;
                self.draft.updates.push(update);
            }
        }
    }

    fn relationship(&mut self, placed: &Placed, row: &RelationshipRow) -> Made<Result<(), Why>> {
        let found = self
            .rules
            .ends(row, &placed.standing, self.ids, self.view)?;
        let [source, target] = match found {
            Ok(ends) => ends,
            Err(why) => return Ok(Err(why)),
        };
        let ends = [self.end(source)?, self.end(target)?];
        self.maker.make_relationship(row, ends)?;
        self.draft.relationships += 1;
        Ok(Ok(()))
    }

    fn end(&mut self, end: End<'_>) -> Made<NodeId> {
        let (key, id) = match end {
            End::There(node) => return Ok(node),
            End::New(key, id) => (key, id),
        };
        // Both ends may be the same.
        if let Some(node) = self.ids.get(&id) {
            return Ok(node);
        }
        let property = (Arc::clone(key.property()), value_of(&id.id));
        let made = self.maker.make_node(&[key.label()], &[property])?;
        self.draft.nodes += 1;
        self.draft.created_ends += 1;
        for id in [id.clone(), key.value(id.id.clone())] {
            self.give_one(&id, made);
        }
        Ok(made)
    }

    fn give(&mut self, called: &Called<'_, '_>, node: NodeId) {
        called.names().for_each(|id| self.give_one(id, node));
    }

    fn give_one(&mut self, id: &ExternalId, node: NodeId) {
        if self.ids.insert(id, node) {
            self.given.push(id.clone());
        }
    }
}

/// Whether the id of a node in its file is a name that no property has. One of digits, as `7`
/// or `n7`, is what programs number nodes by.
pub(super) fn is_lost<'v>(id: &Id, mut values: impl Iterator<Item = &'v Value>) -> bool {
    let Id::Text(name) = id else { return false };
    let number = name.strip_prefix('n').unwrap_or(name);
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    !is_number && !values.any(|value| matches!(value, Value::Text(text) if text == name))
}

impl Draft<'_> {
    /// Whether there is anything to commit, be it only which rows are which nodes.
    pub fn has_effects(&self) -> bool {
        self.makes_any() || !self.updates.is_empty() || !self.assigned.is_empty()
    }

    pub fn makes_any(&self) -> bool {
        self.nodes + self.relationships > 0
    }

    /// What was committed, without the rows that it was made of.
    pub fn committed(self) -> Draft<'static> {
        let Draft {
            position,
            assigned,
            unfit,
            updates: _,
            updated,
            unchanged,
            nodes,
            created_ends,
            lost_ids,
            relationships,
        } = self;
        Draft {
            position,
            assigned,
            unfit,
            updates: Vec::new(),
            updated,
            unchanged,
            nodes,
            created_ends,
            lost_ids,
            relationships,
        }
    }

    /// Nothing, behind what an import has committed.
    pub fn before(position: &Position) -> Self {
        Draft {
            position: position.clone(),
            assigned: Assigned::default(),
            unfit: Vec::new(),
            updates: Vec::new(),
            updated: 0,
            unchanged: 0,
            nodes: 0,
            created_ends: 0,
            lost_ids: 0,
            relationships: 0,
        }
    }

    /// Notes that it gets the import from `before` to `next`.
    pub fn advance(&mut self, before: &Position, next: Place) {
        let assigns = !self.assigned.is_empty();
        self.position = before.advance(self.nodes, self.relationships, assigns, next);
    }
}

impl Rules {
    /// Whether rows with such a fault are left out without being bad.
    pub fn tolerates(&self, fault: Fault) -> bool {
        match fault {
            Fault::Bad => false,
            Fault::Duplicate => self.duplicates == Duplicates::Skip,
            Fault::Dangling => self.dangling == Dangling::Skip,
        }
    }

    /// The problem of a row whose id or key another row has; `None` if it may merge.
    pub fn repeated(
        &self,
        called: &Called<'_, '_>,
        standing: &Standing,
        ids: &NodeIds,
    ) -> Option<Why> {
        let why = match (called.id, &called.key) {
            (Some(id), _) if ids.get(id).is_some() => {
                Why::of_row(format!("there is a node {id} already"))
            }
            (_, Some((key, value))) => {
                let (id, label) = (&value.id, key.label());
                let problem = format!("there is a node {id} of {label} already");
                Why::of_column(key.property(), problem)
            }
            (_, None) => return None,
        };
        let fault = Fault::Duplicate;
        (!standing.merges).then_some(Why { fault, ..why })
    }

    /// The ends of a relationship, or which of them is not there. Those of earlier
    /// imports are added to `ids`.
    pub fn ends(
        &self,
        row: &RelationshipRow,
        standing: &Standing,
        ids: &mut NodeIds,
        view: &View,
    ) -> Made<Result<[End<'_>; 2], Why>> {
        let mut ends = [const { End::There(NodeId(0)) }; 2];
        for (at, id) in [&row.source, &row.target].into_iter().enumerate() {
            match self.end(id, standing.follows[at], ids, view)? {
                Ok(end) => ends[at] = end,
                Err(why) => {
                    let columns = standing.ends.as_ref();
                    let column = columns.map(|columns| Arc::clone(&columns[at]));
                    return Ok(Err(Why { column, ..why }));
                }
            }
        }
        Ok(Ok(ends))
    }

    /// An end of a relationship, or why there is none. If it `follows`, its file does not
    /// say what its ids are, and it is a number or a text as the node's.
    pub fn end(
        &self,
        id: &ExternalId,
        follows: bool,
        ids: &mut NodeIds,
        view: &View,
    ) -> Made<Result<End<'_>, Why>> {
        let mut found = self.node_of(id, ids, view)?;
        let other = match (&found, follows) {
            (Ok(None), true) => in_other_kind(id),
            _ => None,
        };
        if let Some(other) = &other {
            found = self.node_of(other, ids, view)?;
        }
        match found {
            Ok(Some(node)) => return Ok(Ok(End::There(node))),
            Ok(None) => {}
            Err(why) => return Ok(Err(why)),
        }
        let mut keys = self.keys.of_end(&id.space);
        Ok(match (self.dangling, keys.next(), keys.next()) {
            (Dangling::Create, Some(key), None) => {
                let known = key.kinds(&id.space, ids);
                let other = other.filter(|other| match other.id {
                    Id::Integer(_) => known == (true, false),
                    Id::Text(_) => known == (false, true),
                });
                Ok(End::New(key, other.unwrap_or_else(|| id.clone())))
            }
            (Dangling::Create, _, _) => Err(Why::dangling(format!(
                "there is no node {id}, and not one key that says how to make it"
            ))),
            _ => {
                let is_there = self.is_there_otherwise(id, ids, view)?;
                let other = is_there.unwrap_or_default();
                Err(Why::dangling(format!("there is no node {id}{other}")))
            }
        })
    }

    /// The node of the files or of the graph that is called so; or that two are.
    fn node_of(
        &self,
        id: &ExternalId,
        ids: &mut NodeIds,
        view: &View,
    ) -> Made<Result<Option<NodeId>, Why>> {
        if let Some(node) = ids.get(id) {
            return Ok(Ok(Some(node)));
        }
        let mut found: Option<(&Key, NodeId, bool)> = None;
        for key in self.keys.of_end(&id.space) {
            let of_files = ids.get(&key.value(id.id.clone()));
            let node = match of_files {
                Some(node) => Some(node),
                None => self.keys.find(view, key, &id.id)?.map(|node| node.id()),
            };
            match (node, found) {
                (Some(node), Some((other, first, _))) if node != first => {
                    let (one, two) = (other.label(), key.label());
                    let problem = format!("{id} is the key of two nodes, of {one} and of {two}");
                    return Ok(Err(Why::of_row(problem)));
                }
                (Some(node), None) => found = Some((key, node, of_files.is_none())),
                _ => {}
            }
        }
        // Ids of the files can be taken back; those of the graph stay.
        if let Some((_, node, true)) = found {
            ids.insert(id, node);
        }
        Ok(Ok(found.map(|(_, node, _)| node)))
    }

    /// Says so if there is a node whose id is a number of these digits, or a text.
    fn is_there_otherwise(
        &self,
        id: &ExternalId,
        ids: &NodeIds,
        view: &View,
    ) -> Made<Option<&'static str>> {
        let Some(other) = in_other_kind(id) else {
            return Ok(None);
        };
        let said = match &other.id {
            Id::Text(_) => "; there is one whose id is a text",
            Id::Integer(_) => {
                "; there is one whose id is an integer, as in a column {id-type:long}"
            }
        };
        let mut is_there = ids.get(&other).is_some();
        for key in self.keys.of_end(&id.space) {
            is_there = is_there || self.keys.find(view, key, &other.id)?.is_some();
        }
        Ok(is_there.then_some(said))
    }
}

/// The integer whose digits a text is, or the text of an integer's digits.
fn in_other_kind(id: &ExternalId) -> Option<ExternalId> {
    let other = match &id.id {
        Id::Integer(number) => Id::Text(number.to_string().into()),
        Id::Text(text) => {
            let number = text.parse::<i64>().ok();
            Id::Integer(number.filter(|number| number.to_string() == **text)?)
        }
    };
    let space = Arc::clone(&id.space);
    Some(ExternalId { space, id: other })
}
