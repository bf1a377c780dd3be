//! Which nodes have labels, asked for many nodes of one commit.

use evergraph_planner::Expression;
use evergraph_property_graph::graph::{EntityKind, Filter, LabelExpression, Morsel};
use evergraph_syntax::tree::Labels;

use super::{Result, Run};
use crate::batch::{Batch, Column, NO_ID, those_kept};

/// For fewer rows at a time labels are read node by node.
const ROWS: usize = 64;
/// All nodes are looked at once when one of so many was asked for: of one alone, labels
/// take some tens of times as long.
const MANY: usize = 64;

/// Nodes that have labels, as far as they are known.
pub(crate) struct Labelled {
    labels: Labels,
    known: Known,
}

enum Known {
    /// So many nodes were asked for.
    Nothing(usize),
    AllHave,
    /// A bit for each node.
    Bits(Vec<u64>),
}

impl Known {
    /// Whether a node has them; null does not.
    #[inline(always)]
    fn have(&self, id: u32) -> bool {
        match self {
            Known::Bits(bits) => has(bits, id),
            _ => id != NO_ID,
        }
    }
}

impl Run<'_, '_> {
    /// Which of some nodes have labels; `None` where they are better read one by one.
    pub(crate) fn labelled_of_many(
        &self,
        labels: &Labels,
        ids: &[u32],
    ) -> Result<Option<Vec<bool>>> {
        self.with_known(labels, ids.len(), |known| {
            ids.iter().map(|&id| known.have(id)).collect()
        })
    }

    /// Those of some rows that have labels, where this is a condition and they are not
    /// better read one by one.
    pub(super) fn rows_labelled(
        &self,
        condition: &Expression,
        batch: &Batch,
        rows: &[u32],
    ) -> Result<Option<Vec<u32>>> {
        let Expression::Labelled(of, labels) = condition else {
            return Ok(None);
        };
        let Expression::Slot(slot) = **of else {
            return Ok(None);
        };
        let Column::Nodes(ids) = batch.column(slot) else {
            return Ok(None);
        };
        self.with_known(labels, rows.len(), |known| {
            let rows = rows.iter();
            those_kept(rows.map(|&row| (row, known.have(ids[row as usize]))))
        })
    }

    /// Does something with what is known of labels, for which so many nodes are asked for.
    fn with_known<T>(
        &self,
        labels: &Labels,
        nodes: usize,
        body: impl FnOnce(&Known) -> T,
    ) -> Result<Option<T>> {
        if nodes < ROWS {
            return Ok(None);
        }
        let Some(view) = self.graph.committed() else {
            return Ok(None);
        };
        self.work(nodes)?;
        let mut all = self.labelled.borrow_mut();
        let place = match all.iter().position(|one| one.labels == *labels) {
            Some(place) => place,
            None => {
                let all_have = match labels {
                    Labels::Name(name) => self.graph.all_have(&name.text),
                    _ => false,
                };
                all.push(Labelled {
                    labels: labels.clone(),
                    known: if all_have {
                        Known::AllHave
                    } else {
                        Known::Nothing(0)
                    },
                });
                all.len() - 1
            }
        };
        let known = &mut all[place].known;
        if let Known::Nothing(asked) = known {
            *asked += nodes;
            if asked.saturating_mul(MANY) < view.node_count()? as usize {
                return Ok(None);
            }
            *known = Known::Bits(self.bits_of(labels)?);
        }
        Ok(Some(body(known)))
    }

    fn bits_of(&self, labels: &Labels) -> Result<Vec<u64>> {
        let filter = Filter::labels(expression_of(self, labels));
        // They are few beside what else is read; it is enough that there is memory for them.
        let mut account = self.guard.account("labels of nodes");
        let mut bits: Vec<u64> = Vec::new();
        for morsel in self.graph.reader().morsels(EntityKind::Node).iter() {
            self.guard.check()?;
            let ids = scanned(self, &morsel, &filter)?;
            // Ascending: the last one is the greatest.
            let words = ids.last().map_or(0, |&last| last as usize / 64 + 1);
            if words > bits.len() {
                account.set(8 * words)?;
                bits.resize(words, 0);
            }
            for id in ids {
                bits[id as usize / 64] |= 1 << (id % 64);
            }
        }
        Ok(bits)
    }
}

fn has(bits: &[u64], id: u32) -> bool {
    let word = bits.get(id as usize / 64);
    word.is_some_and(|word| word >> (id % 64) & 1 == 1)
}

/// Nodes of a morsel that pass a filter, ascending.
pub(super) fn scanned(run: &Run<'_, '_>, morsel: &Morsel, filter: &Filter) -> Result<Vec<u32>> {
    let mut ids = Vec::new();
    let account = run.graph.account();
    run.graph.reader().scan(morsel, filter, &mut ids, account)?;
    account.release(4 * ids.len() as u64);
    Ok(ids)
}

/// Labels as a filter has them.
pub(super) fn expression_of(run: &Run<'_, '_>, labels: &Labels) -> LabelExpression {
    let all = |parts: &[Labels]| parts.iter().map(|part| expression_of(run, part)).collect();
    match labels {
        Labels::Name(name) => match run.graph.reader().label_code(&name.text) {
            Some(code) => LabelExpression::Has(code),
            // What no node has.
            None => LabelExpression::Or(Vec::new()),
        },
        Labels::Any => LabelExpression::Any,
        Labels::Computed(never) => match *never {},
        Labels::Not(inner) => LabelExpression::Not(Box::new(expression_of(run, inner))),
        Labels::And(parts) => LabelExpression::And(all(parts)),
        Labels::Or(parts) => LabelExpression::Or(all(parts)),
    }
}
