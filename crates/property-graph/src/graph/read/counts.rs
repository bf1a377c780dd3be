//! Counts as users ask for them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::tabled::Tabled;
use crate::dictionary::Names;
use crate::graph::counts::{Counted, Tally};
use crate::graph::error::GraphError;
use crate::graph::view::View;
use crate::record::{Found, NodeRecord, RelationshipRecord};

/// Numbers of nodes and relationships as of one commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphCounts {
    /// All nodes.
    pub nodes: u64,
    /// Nodes by label; a node with several counts for each.
    pub labels: BTreeMap<Arc<str>, u64>,
    /// Relationships by type.
    pub types: BTreeMap<Arc<str>, u64>,
}

impl View {
    /// Number of nodes with a label, exact. O(log labels); of commits that are older than
    /// the first question to a database of before format 6, and for that question, a pass
    /// over all records.
    ///
    /// # Errors
    /// Damage, where records are read.
    pub fn count_with_label(&self, label: &str) -> Result<u64, GraphError> {
        match self.dictionary().code(Names::Labels, label) {
            Some(code) => self.count(Counted::Label(code)),
            None => Ok(0),
        }
    }

    /// As [`View::count_with_label`], of the relationships of a type.
    ///
    /// # Errors
    /// As there.
    pub fn count_of_type(&self, kind: &str) -> Result<u64, GraphError> {
        let code = self.dictionary().code(Names::Types, kind);
        match code.map(crate::graph::names::type_code).transpose()? {
            Some(code) => self.count(Counted::Type(code)),
            None => Ok(0),
        }
    }

    /// As [`View::count_with_label`], of all nodes.
    ///
    /// # Errors
    /// As there.
    pub fn node_count(&self) -> Result<u64, GraphError> {
        self.count(Counted::Nodes)
    }

    /// All counts that are not 0, as [`View::count_with_label`].
    ///
    /// # Errors
    /// As there.
    pub fn counts(&self) -> Result<GraphCounts, GraphError> {
        let counts = &self.core().state.counts;
        let all = match counts.all_at(self.csn()) {
            Some(all) => all,
            None => {
                let scanned = self.count_by_scan()?.0.into_iter();
                let scanned = scanned.map(|(counted, change)| (counted, change.growth as u64));
                scanned.collect()
            }
        };
        let mut result = GraphCounts::default();
        let name = |names, code| {
            let name = self.dictionary().name(names, code);
            name.unwrap_or_else(|| "".into())
        };
        for (counted, count) in all {
            match counted {
                Counted::Nodes => result.nodes = count,
                Counted::Label(code) => {
                    result.labels.insert(name(Names::Labels, code), count);
                }
                Counted::Type(code) => {
                    result.types.insert(name(Names::Types, code.into()), count);
                }
            }
        }
        Ok(result)
    }

    fn count(&self, counted: Counted) -> Result<u64, GraphError> {
        if let Some(count) = self.core().state.counts.at(counted, self.csn()) {
            return Ok(count);
        }
        let scanned = self.count_by_scan()?;
        Ok(scanned
            .0
            .get(&counted)
            .map_or(0, |change| change.growth as u64))
    }

    /// Counts all records. From then on the counts of newer commits are known, too.
    fn count_by_scan(&self) -> Result<Tally, GraphError> {
        let scanned = self.tally()?;
        let state = &self.core().state;
        state.counts.adopt(self.csn(), scanned.clone());
        Ok(scanned)
    }

    /// What a pass over all records counts: the slow reference of the counts.
    fn tally(&self) -> Result<Tally, GraphError> {
        let mut tally = Tally::default();
        self.each_found::<NodeRecord>(|chunk, found| {
            tally.node(chunk, None, Some(&found.labels()?));
            Ok(())
        })?;
        self.each_found::<RelationshipRecord>(|chunk, found| {
            tally.gain(Counted::Type(found.ends()?.0), chunk, 1);
            Ok(())
        })?;
        Ok(tally)
    }

    fn each_found<R: Tabled>(
        &self,
        mut visit: impl FnMut(u32, &Found<'_, R>) -> Result<(), GraphError>,
    ) -> Result<(), GraphError> {
        let table = R::table(self.core());
        for chunk in 0..table.chunk_count() {
            table.try_for_each_in_chunk(chunk, self.csn(), |_, found| visit(chunk, found))?;
        }
        Ok(())
    }

    /// Holds the counts, and where things may be, against all records.
    pub(in crate::graph) fn check_counts(
        &self,
        problems: &mut Vec<String>,
    ) -> Result<(), GraphError> {
        let counts = &self.core().state.counts;
        let Some(all) = counts.all_at(self.csn()) else {
            return Ok(());
        };
        let scanned = self.tally()?;
        let expected = scanned.0.iter();
        let expected = expected.map(|(counted, change)| (*counted, change.growth as u64));
        let expected: Vec<(Counted, u64)> = expected.collect();
        if all != expected {
            problems.push(format!(
                "counts are {all:?}, and the records are {expected:?}"
            ));
        }
        let state = &self.core().state;
        let end = state.nodes().chunk_count();
        let end = end.max(state.relationships().chunk_count());
        for (counted, change) in &scanned.0 {
            let chunks = counts.chunks_with(*counted, self.csn(), end);
            if let Some(chunk) = change.chunks.iter().find(|chunk| !chunks.contains(chunk)) {
                problems.push(format!("chunk {chunk} is not among those with {counted:?}"));
            }
        }
        Ok(())
    }
}
