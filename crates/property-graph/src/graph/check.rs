//! Whether neighbor lists and records agree, and indexes and constraints with the
//! records.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::error::GraphError;
use super::ids::NodeId;
use super::read::direction::Direction;
use super::read::records::Records;
use super::read::tabled::Tabled;
use super::schema::{Broken, Entry, SubjectCode};
use super::view::View;
use crate::index::KeyRange;
use crate::record::{NodeRecord, RelationshipRecord};

/// Problems that are told of one kind.
const MOST_PROBLEMS: usize = 16;

impl View {
    /// Looks at every entry of every neighbor list and at every relationship:
    /// each has to be in two lists, once, and have both its ends. Then at the counts, and at every record
    /// for every index and constraint: each holds, and each index has exactly what a
    /// scan finds. To be asked of the newest commit. Appends one sentence a problem.
    pub(super) fn check(&self, problems: &mut Vec<String>) {
        if let Err(error) = self.check_lists(problems) {
            problems.push(error.to_string());
        }
        if let Err(error) = self.check_counts(problems) {
            problems.push(error.to_string());
        }
        for entry in self.core().state.schema.entries().iter() {
            let checked = match entry.stored.subject {
                SubjectCode::Label(_) => self.check_entry::<NodeRecord>(entry, problems),
                SubjectCode::Type(_) => self.check_entry::<RelationshipRecord>(entry, problems),
            };
            if let Err(error) = checked {
                problems.push(error.to_string());
            }
        }
    }

    fn check_entry<R: Tabled>(
        &self,
        entry: &Arc<Entry>,
        problems: &mut Vec<String>,
    ) -> Result<(), GraphError> {
        if !entry.is_confirmed() {
            return Ok(());
        }
        let indexed = self.indexed_by(entry, problems)?;
        let mut keys = HashMap::new();
        for found in Records::<R>::of_view(self, Some(entry.stored.subject)) {
            let (id, record) = found?;
            if let Some(what) = entry.violation(&*record) {
                tell(problems, self.violated(entry, id, &record, what));
            }
            let Some(key) = entry.key_of(&*record) else {
                continue;
            };
            if let (Some(indexed), Some(index)) = (&indexed, &entry.index)
                && !indexed.contains(&digest(index.kept(&key), id))
            {
                let (name, kind) = (&entry.stored.name, R::KIND);
                tell(problems, format!("index \"{name}\" lacks {kind} {id}"));
            }
            if entry.stored.rule.is_unique()
                && let Some(first) = keys.insert(digest(&key, 0), id)
            {
                let what = Broken::SameValues(R::entity(first));
                tell(problems, self.violated(entry, id, &record, what));
            }
        }
        Ok(())
    }

    fn violated<R: Tabled>(
        &self,
        entry: &Entry,
        id: u32,
        record: &Arc<R>,
        reason: Broken,
    ) -> String {
        let values = entry.values_of(&**record);
        let error = entry.violated::<R>(self.dictionary(), id, values, reason);
        error.to_string()
    }

    /// Digests of an index's entries; `None` if it cannot answer: it is being built, or
    /// as of a later commit.
    fn indexed_by(
        &self,
        entry: &Entry,
        problems: &mut Vec<String>,
    ) -> Result<Option<HashSet<u64>>, GraphError> {
        let name = &entry.stored.name;
        let Some(index) = &entry.index else {
            return Ok(None);
        };
        if index.is_damaged() {
            let what = "was damaged and has not been built again";
            tell(problems, format!("index \"{name}\" {what}"));
        }
        if !index.covers(self.csn()) {
            return Ok(None);
        }
        let mut digests = HashSet::new();
        let mut entries = index.range(self.csn(), &KeyRange::all())?;
        while let Some((key, id)) = entries.next_entry()? {
            digests.insert(digest(key, id));
        }
        Ok(Some(digests))
    }

    fn check_lists(&self, problems: &mut Vec<String>) -> Result<(), GraphError> {
        let mut relationships = 0u64;
        for found in self.relationships() {
            let found = found?;
            relationships += 1;
            for end in [found.source(), found.target()] {
                if self.node_record(end)?.is_none() {
                    tell(
                        problems,
                        format!("{} ends at {end}, which is not there", found.id()),
                    );
                }
            }
        }
        for direction in [Direction::Outgoing, Direction::Incoming] {
            let mut seen = vec![];
            for node in 0..self.node_bound() {
                self.check_list(NodeId(node), direction, &mut seen, problems)?;
            }
            let listed = seen.len() as u64;
            seen.sort_unstable();
            if seen.windows(2).any(|pair| pair[0] == pair[1]) {
                tell(
                    problems,
                    "a relationship is twice in neighbor lists".to_string(),
                );
            }
            if listed != relationships {
                let lists = format!("{direction:?} lists hold {listed} relationships");
                tell(
                    problems,
                    format!("{lists} and the records are {relationships}"),
                );
            }
        }
        Ok(())
    }

    fn check_list(
        &self,
        node: NodeId,
        direction: Direction,
        seen: &mut Vec<u32>,
        problems: &mut Vec<String>,
    ) -> Result<(), GraphError> {
        for adjacent in self.neighbors(node, direction, &[])? {
            seen.push(adjacent.relationship.0);
            let (source, target) = match adjacent.incoming {
                false => (node.0, adjacent.neighbor.0),
                true => (adjacent.neighbor.0, node.0),
            };
            let is_right = |record: &RelationshipRecord| {
                (record.source, record.target, record.kind) == (source, target, adjacent.kind)
            };
            let record = self.relationship_record(adjacent.relationship)?;
            if !record.is_some_and(|record| is_right(&record)) {
                tell(
                    problems,
                    format!(
                        "a list of {node} names {}, whose record says otherwise",
                        adjacent.relationship
                    ),
                );
            }
        }
        Ok(())
    }
}

/// Stands for an entry in a set of them.
fn digest(key: &[u8], id: u32) -> u64 {
    let mut hasher = DefaultHasher::new();
    (key, id).hash(&mut hasher);
    hasher.finish()
}

fn tell(problems: &mut Vec<String>, problem: String) {
    if problems.len() < MOST_PROBLEMS {
        problems.push(problem);
    }
}
