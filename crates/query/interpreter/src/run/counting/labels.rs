//! Labels of the nodes at the ends of relationships that are counted.
//!
//! Most often all relationships of a type lead to nodes of the same labels. Then no list
//! has to be read for them. Whether it is so is told by the lengths of the lists in the
//! other direction: each node that has such a relationship has to have the labels.

use std::cell::Cell;

use evergraph_planner::Towards;
use evergraph_property_graph::graph::{EntityKind, Filter, LabelExpression, Morsel};
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
        let asked = asked + nodes;
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
        let mut all_have = true;
        for morsel in run.graph.reader().morsels(EntityKind::Node).iter() {
            run.guard.check()?;
            let nodes = self.lacking(run, &morsel)?;
            for &direction in directions {
                let degrees = run.graph.degrees(&nodes, direction, types)?;
                all_have &= degrees.iter().all(|&degree| degree == 0);
            }
            if !all_have {
                break;
            }
        }
        self.known.set(match all_have {
            true => Known::AllHave,
            false => Known::NotAllHave,
        });
        Ok(())
    }

    /// Nodes of a morsel that do not have them.
    fn lacking(&self, run: &Run<'_, '_>, morsel: &Morsel) -> Result<Vec<u32>> {
        let (all, with) = (Filter::default(), scanned(run, morsel, &self.filter)?);
        let mut with = with.into_iter().peekable();
        let mut nodes = scanned(run, morsel, &all)?;
        nodes.retain(|&node| with.next_if_eq(&node).is_none());
        Ok(nodes)
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
