//! Labels of the nodes at the ends of relationships that are counted.
//!
//! Most often all relationships of a type lead to nodes of the same labels. Then no list
//! has to be read for them. Whether it is so is told by the lengths of the lists in the
//! other direction: those of nodes with the labels have to have all relationships.

use std::cell::Cell;

use evergraph_planner::Towards;
use evergraph_property_graph::graph::{EntityKind, Filter, GraphRead, LabelExpression};
use evergraph_syntax::tree::Labels;

use crate::graph::Types;
use crate::run::labelled::{expression_of, scanned};
use crate::run::{Result, Run};

/// All nodes are looked at when the lists of one of so many were asked for.
const MANY: usize = 16;

/// Labels of the nodes that relationships lead to.
pub(super) struct EndLabels {
    filter: Filter,
    known: Cell<Known>,
}

#[derive(Clone, Copy)]
enum Known {
    /// So many lists were asked for.
    Nothing(usize),
    AllHave,
    NotAllHave,
}

impl EndLabels {
    /// `None` if any node has them.
    pub(super) fn of(run: &Run<'_, '_>, labels: &[Labels]) -> Option<Self> {
        let is_of_all = |labels: &Labels| match labels {
            Labels::Name(name) => run.graph.all_have(&name.text),
            _ => false,
        };
        let all = labels.iter().filter(|labels| !is_of_all(labels));
        let all: Vec<_> = all.map(|labels| expression_of(run, labels)).collect();
        (!all.is_empty()).then(|| EndLabels {
            filter: Filter::labels(LabelExpression::And(all)),
            known: Cell::new(Known::Nothing(0)),
        })
    }

    /// Whether all nodes have them that the relationships lead to.
    pub(super) fn all_have(&self) -> bool {
        matches!(self.known.get(), Known::AllHave)
    }

    /// Finds out whether all nodes have them that some relationships lead to, if so many
    /// lists are read that it is worth it. Of a transaction that has written it is not.
    pub(super) fn look(
        &self,
        run: &Run<'_, '_>,
        (towards, types): (Towards, &Types),
        nodes: usize,
    ) -> Result<()> {
        let Known::Nothing(asked) = self.known.get() else {
            return Ok(());
        };
        let asked = asked.saturating_add(nodes);
        self.known.set(Known::Nothing(asked));
        let Some(view) = run.graph.committed() else {
            return Ok(());
        };
        if asked.saturating_mul(MANY) < view.node_count()? as usize {
            return Ok(());
        }
        let directions = match towards {
            Towards::Both => &[Towards::Outgoing, Towards::Incoming][..],
            Towards::Outgoing => &[Towards::Incoming],
            Towards::Incoming => &[Towards::Outgoing],
        };
        // As many as there are lead to nodes that have them.
        let mut reached = vec![0; directions.len()];
        for morsel in run.graph.reader().morsels(EntityKind::Node).iter() {
            run.guard.check()?;
            let nodes = scanned(run, &morsel, &self.filter)?;
            for (&direction, reached) in directions.iter().zip(&mut reached) {
                *reached += run
                    .graph
                    .degrees(&nodes, direction, types)?
                    .iter()
                    .sum::<u64>();
            }
        }
        let all = match types {
            None => view.relationship_count()?,
            Some(types) => {
                let names = types.iter().filter_map(|&code| view.type_name(code));
                let counts = names.map(|name| view.count_of_type(&name));
                counts.sum::<std::result::Result<u64, _>>()?
            }
        };
        self.known
            .set(match reached.iter().all(|&reached| reached == all) {
                true => Known::AllHave,
                false => Known::NotAllHave,
            });
        Ok(())
    }

    /// About so many lists will be asked for.
    pub(super) fn expect(&self, nodes: f64) {
        self.known.set(Known::Nothing(nodes as usize));
    }

    /// Those of some nodes that have them.
    pub(super) fn among(&self, run: &Run<'_, '_>, mut nodes: Vec<u32>) -> Result<Vec<u32>> {
        nodes.sort_unstable();
        let mut there = Vec::new();
        let mut left = &nodes[..];
        for morsel in run.graph.reader().morsels(EntityKind::Node).iter() {
            let end = morsel.ids().end;
            let (here, others) = left.split_at(left.partition_point(|&node| node < end));
            left = others;
            if here.is_empty() {
                continue;
            }
            let mut with = scanned(run, &morsel, &self.filter)?.into_iter().peekable();
            for &node in here {
                while with.next_if(|&id| id < node).is_some() {}
                if with.peek() == Some(&node) {
                    there.push(node);
                }
            }
        }
        Ok(there)
    }
}
