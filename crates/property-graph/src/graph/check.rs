//! Whether neighbor lists and records agree.

use super::adjacency::Towards;
use super::error::GraphError;
use super::ids::NodeId;
use super::view::View;
use crate::records::RelationshipRecord;

/// Problems that are told of one kind.
const MOST_PROBLEMS: usize = 16;

impl View {
    /// Looks at every entry of every neighbor list and at every relationship:
    /// each has to be in two lists, once, and have both its ends. Appends one
    /// sentence a problem.
    pub(super) fn check(&self, problems: &mut Vec<String>) {
        if let Err(error) = self.check_lists(problems) {
            problems.push(error.to_string());
        }
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
        for towards in [Towards::Outgoing, Towards::Incoming] {
            let mut seen = vec![];
            for node in 0..self.node_bound() {
                self.check_list(NodeId(node), towards, &mut seen, problems)?;
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
                let lists = format!("{towards:?} lists hold {listed} relationships");
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
        towards: Towards,
        seen: &mut Vec<u32>,
        problems: &mut Vec<String>,
    ) -> Result<(), GraphError> {
        for adjacent in self.neighbors(node, towards, &[])? {
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

fn tell(problems: &mut Vec<String>, problem: String) {
    if problems.len() < MOST_PROBLEMS {
        problems.push(problem);
    }
}
