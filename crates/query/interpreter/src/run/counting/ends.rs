//! Branches whose ends are compared: with neighbors of nodes of the row, or with the ends
//! of another branch.

use evergraph_planner::{Beside, Expand, Towards};
use evergraph_property_graph::graph::Neighbors;

use super::sums::{Group, NODES, Step};
use super::too_many;
use crate::batch::{Batch, NO_ID, those_kept};
use crate::run::{Result, Run};

/// Two lists with fewer pairs of entries are compared entry by entry.
const FEW_PAIRS: usize = 64;

/// Entries that are read for a row of those, at most.
const FEW_ENTRIES: u64 = 64;

/// A set of nodes as bits, with which lists are compared.
#[derive(Default)]
pub(super) struct Marked {
    words: Vec<u64>,
    nodes: Vec<u32>,
}

impl Marked {
    /// Forgets all nodes. O(marked)
    fn clear(&mut self) {
        for node in self.nodes.drain(..) {
            self.words[node as usize / 64] = 0;
        }
    }

    pub(super) fn mark(&mut self, nodes: &[u32]) {
        for &node in nodes {
            let word = node as usize / 64;
            if word >= self.words.len() {
                self.words.resize(word + 1, 0);
            }
            self.words[word] |= 1 << (node % 64);
        }
        self.nodes.extend_from_slice(nodes);
    }

    #[inline(always)]
    pub(super) fn has(&self, node: u32) -> bool {
        let word = self.words.get(node as usize / 64);
        word.is_some_and(|word| word >> (node % 64) & 1 == 1)
    }
}

/// Neighbors of a node of each row.
struct Beyond<'b> {
    beside: &'b Beside,
    nodes: Vec<u32>,
    /// Place of the list of each row, and the lists.
    places: Vec<Option<u32>>,
    lists: Option<Neighbors>,
}

impl Beyond<'_> {
    /// Reads the lists of some rows, that of a node once where it stands in many rows.
    fn read(&mut self, run: &Run<'_, '_>, rows: std::ops::Range<usize>) -> Result<()> {
        let mut distinct: Vec<u32> = Vec::new();
        self.places.clear();
        for &node in &self.nodes[rows] {
            if node != NO_ID && distinct.last() != Some(&node) {
                distinct.push(node);
            }
            let place = distinct.len().wrapping_sub(1) as u32;
            self.places.push((node != NO_ID).then_some(place));
        }
        let types = run.graph.types(&self.beside.types);
        let lists = run
            .graph
            .neighbors(&distinct, self.beside.towards, &types)?;
        self.lists = Some(lists);
        Ok(())
    }

    fn list(&self, row: usize) -> &[u32] {
        match (&self.lists, self.places[row]) {
            (Some(lists), Some(place)) => lists.get(place as usize),
            _ => &[],
        }
    }
}

impl Run<'_, '_> {
    /// Ways of a branch that ends in neighbors of nodes of the row, or in no neighbors.
    pub(super) fn ways_beside(
        &self,
        group: &Group,
        found: &[Expand],
        batch: &Batch,
        (rows, nodes): (&[u32], &[u32]),
    ) -> Result<Vec<i64>> {
        let step = &group.branches[0];
        group.look(self, nodes.len())?;
        let others = self.excluded(group, found, batch, rows)?;
        let mut all = Vec::new();
        for beside in &group.beside {
            let ids = self.ids_of(batch, beside.from)?;
            all.push(Beyond {
                beside,
                nodes: rows.iter().map(|&at| ids[at as usize]).collect(),
                places: Vec::new(),
                lists: None,
            });
        }
        let (mut without, mut within) = (Marked::default(), Vec::new());
        within.resize_with(all.len(), Marked::default);
        let is_free = all.iter().all(|one| one.beside.negated);
        let mut ways = Vec::with_capacity(rows.len());
        for begin in (0..rows.len()).step_by(NODES) {
            self.guard.check()?;
            let part = begin..(begin + NODES).min(rows.len());
            let lists = self
                .graph
                .neighbors(&nodes[part.clone()], step.towards, &step.types)?;
            step.prepare(self, &nodes[part.clone()], lists.all())?;
            for beyond in &mut all {
                beyond.read(self, part.clone())?;
            }
            for row in part.clone() {
                let apart = others.get(row).map_or(&[][..], |other| &other.1);
                let place = row - part.start;
                let before = row.checked_sub(1).filter(|_| place > 0);
                let is_same = before.is_some_and(|before| {
                    (others.is_empty() || apart == others[before].1)
                        && all.iter().all(|one| one.nodes[before] == one.nodes[row])
                });
                if !is_same {
                    without.clear();
                    without.mark(apart);
                    for (beyond, within) in all.iter().zip(&mut within) {
                        match beyond.beside.negated {
                            true => without.mark(beyond.list(place)),
                            false => {
                                within.clear();
                                within.mark(beyond.list(place));
                            }
                        }
                    }
                }
                let holds = |end| {
                    let mut required = within.iter().zip(&all);
                    !without.has(end)
                        && required.all(|(within, one)| one.beside.negated || within.has(end))
                };
                let node = nodes[row];
                let mut sum = match is_free {
                    true => step.weights(node, lists.get(place), |end| !without.has(end))?,
                    false => step.weights(node, lists.get(place), holds)?,
                };
                let seen = others.get(row).map_or(&[][..], |other| &other.0);
                for one in seen {
                    if let Some(end) = group.end_of(1, one, node)
                        && holds(end)
                    {
                        step.prepare(self, &[node], &[end])?;
                        sum -= group.weight(1, node, end)?;
                    }
                }
                ways.push(sum);
            }
        }
        Ok(ways)
    }

    /// How many relationships there are between the nodes of each of many pairs: the list of
    /// a node that is in many of them is read once. `None` where that is more to read.
    pub(super) fn between_many(
        &self,
        step: &Step,
        from: &[u32],
        to: &[u32],
    ) -> Result<Option<Vec<i64>>> {
        let known = step.pairs.borrow_mut().counts(self, step, (from, to))?;
        if known.is_some() {
            return Ok(known);
        }
        let sides = [
            (from, to, step.towards),
            (to, from, step.towards.reversed()),
        ];
        for (near, far, towards) in sides {
            let mut order: Vec<u32> = (0..near.len() as u32).collect();
            order.sort_unstable_by_key(|&at| near[at as usize]);
            let mut nodes: Vec<u32> = order.iter().map(|&at| near[at as usize]).collect();
            nodes.dedup();
            // Else most lists are read for one row.
            if 4 * nodes.len() > 3 * near.len() {
                continue;
            }
            let degrees = self.graph.degrees(&nodes, towards, &step.types)?;
            if degrees.iter().sum::<u64>() <= FEW_ENTRIES * near.len() as u64 {
                return self
                    .between_lists(step, (near, far, towards), &order)
                    .map(Some);
            }
        }
        Ok(None)
    }

    /// The same by the lists of the nodes of one side, in ascending order.
    fn between_lists(
        &self,
        step: &Step,
        (near, far, towards): (&[u32], &[u32], Towards),
        order: &[u32],
    ) -> Result<Vec<i64>> {
        let mut counts = vec![0; near.len()];
        let mut marked = Marked::default();
        let mut left = order;
        while !left.is_empty() {
            self.guard.check()?;
            let mut nodes: Vec<u32> = Vec::new();
            let until = left.iter().position(|&at| {
                let node = near[at as usize];
                if nodes.last() != Some(&node) {
                    nodes.push(node);
                }
                nodes.len() > NODES
            });
            nodes.truncate(NODES);
            let (now, later) = left.split_at(until.unwrap_or(left.len()));
            left = later;
            let lists = self.graph.neighbors(&nodes, towards, &step.types)?;
            let mut place = usize::MAX;
            for &at in now {
                let node = near[at as usize];
                if nodes.get(place) != Some(&node) {
                    place = place.wrapping_add(1);
                    marked.clear();
                    marked.mark(lists.get(place));
                }
                let end = far[at as usize];
                if marked.has(end) {
                    let list = lists.get(place).iter();
                    counts[at as usize] = list.filter(|&&node| node == end).count() as i64;
                }
            }
        }
        Ok(counts)
    }

    /// Multiplies the number of each row by the ways to choose relationships of two
    /// branches that do not end in the same node: all ways but those that do.
    pub(super) fn multiply_apart(
        &self,
        pair: &[Group; 2],
        batch: &Batch,
        numbers: &mut [i64],
    ) -> Result<()> {
        let ids = [&pair[0], &pair[1]].map(|group| self.ids_of(batch, group.from));
        let [one, other] = ids;
        let ids = [one?, other?];
        for (at, number) in numbers.iter_mut().enumerate() {
            *number *= i64::from(ids.iter().all(|ids| ids[at] != NO_ID));
        }
        let ways_of = |place: usize, numbers: &[i64]| -> Result<(Vec<usize>, Vec<i64>)> {
            let rows = rows_with(numbers);
            let nodes: Vec<u32> = rows.iter().map(|&at| ids[place][at]).collect();
            let ways = pair[place].ways(self, &nodes, &[])?;
            Ok((rows, ways))
        };
        // Those that have none by the first branch are not looked at by the second. Nodes in
        // order are looked at sooner.
        let [one, other] = match !ids[0].is_sorted() && ids[1].is_sorted() {
            true => [1, 0],
            false => [0, 1],
        };
        let (rows, first) = ways_of(one, numbers)?;
        let mut ways = vec![0; numbers.len()];
        rows.iter()
            .zip(&first)
            .for_each(|(&at, &own)| ways[at] = own);
        let (rows, second) = ways_of(other, &ways)?;
        let of_row = |place: usize, row: usize| ids[place][rows[row]];
        let both = rows_with(&second);
        let mut common = vec![0i64; rows.len()];
        let mut marked = Marked::default();
        for part in both.chunks(NODES) {
            self.guard.check()?;
            let mut lists = Vec::with_capacity(2);
            for (side, group) in pair.iter().enumerate() {
                let step = &group.branches[0];
                let nodes: Vec<u32> = part.iter().map(|&row| of_row(side, row)).collect();
                lists.push(self.graph.neighbors(&nodes, step.towards, &step.types)?);
            }
            for (place, &row) in part.iter().enumerate() {
                let (one, other) = (lists[0].get(place), lists[1].get(place));
                let is_short = one.len() * other.len() <= FEW_PAIRS;
                if !is_short {
                    marked.clear();
                    marked.mark(other);
                }
                for &end in one {
                    let is_met = match is_short {
                        true => other.contains(&end),
                        false => marked.has(end),
                    };
                    if !is_met {
                        continue;
                    }
                    let mut product = other.iter().filter(|&&node| node == end).count() as i64;
                    for (side, group) in pair.iter().enumerate() {
                        let node = of_row(side, row);
                        group.branches[0].prepare(self, &[node], &[end])?;
                        let weight = group.weight(1, node, end)?;
                        product = product.checked_mul(weight).ok_or_else(too_many)?;
                    }
                    common[row] = common[row].checked_add(product).ok_or_else(too_many)?;
                }
            }
        }
        let mut apart = vec![0; numbers.len()];
        for (row, at) in rows.into_iter().enumerate() {
            let all = i128::from(ways[at]) * i128::from(second[row]);
            apart[at] = i64::try_from(all - i128::from(common[row])).map_err(|_| too_many())?;
        }
        for (number, apart) in numbers.iter_mut().zip(apart) {
            *number = number.checked_mul(apart).ok_or_else(too_many)?;
        }
        Ok(())
    }
}

/// Places of the numbers that are not 0.
fn rows_with(numbers: &[i64]) -> Vec<usize> {
    let numbers = numbers.iter().enumerate();
    those_kept(numbers.map(|(at, &number)| (at, number != 0)))
}
