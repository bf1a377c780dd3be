//! How many ways there are to choose the relationships of branches.
//!
//! Branches at one node that may have relationships in common are a group. With `S(I)`, the
//! sum over the relationships that all branches of `I` have of the product of what is at
//! their ends, the ways to choose different ones are `S(1) S(2) - S(12)` of two, and
//! `S(1) S(2) S(3) - S(12) S(3) - S(13) S(2) - S(23) S(1) + 2 S(123)` of three.
//! A relationship that the row or the branch around has already is taken out of each
//! `S(I)` whose lists all have it, which its ends and direction tell.

use std::borrow::Cow;
use std::cell::RefCell;

use evergraph_planner::{Beside, Branch, Count, Expand, Slot, Towards};

use super::labels::EndLabels;
use super::memo::Memo;
use super::pairs::Pairs;
use super::too_many;
use crate::graph::Types;
use crate::run::{Result, Run};

/// Nodes whose lists are read together.
pub(super) const NODES: usize = 512;

/// The branches of a count, in groups.
pub(super) struct Sums {
    pub(super) groups: Vec<Group>,
    /// Pairs of branches that do not end in the same node.
    pub(super) apart: Vec<[Group; 2]>,
}

/// Branches at one node that may have relationships in common.
pub(super) struct Group {
    /// The node.
    pub(super) from: Slot,
    /// A node of the row where its only branch ends.
    pub(super) into: Option<Slot>,
    /// Nodes of the row where it does not end.
    pub(super) differs: Vec<Slot>,
    /// Nodes of the row whose neighbor it ends in, or does not.
    pub(super) beside: Vec<Beside>,
    /// A node without any counts once.
    pub(super) optional: bool,
    pub(super) branches: Vec<Step>,
    /// What the lists of each subset of the branches have in common, the subset as bits.
    shared: Vec<Shared>,
    /// Subsets whose lists may all have the relationship around it, which is none of its
    /// own, as bits.
    around: u8,
}

/// Relationships of a branch.
pub(super) struct Step {
    pub(super) towards: Towards,
    pub(super) types: Types,
    plan: Expand,
    /// Between nodes that are known.
    pub(super) pairs: RefCell<Pairs>,
    /// What is at their ends.
    end: End,
}

/// What is at the ends of relationships.
struct End {
    /// Labels of the node.
    labels: Option<EndLabels>,
    groups: Vec<Group>,
    /// Ways to go on from each node.
    values: Memo,
}

/// What the lists of some branches have in common.
struct Shared {
    types: Types,
    lists: Lists,
    sums: Memo,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Lists {
    Towards(Towards),
    /// Loops alone.
    Loops,
}

/// A relationship that is chosen already.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) from: u32,
    pub(super) to: u32,
    /// Direction from `from` to `to`.
    pub(super) towards: Towards,
    /// Subsets of a group whose lists may all have it, as bits.
    pub(super) subsets: u8,
}

impl Sums {
    /// Of a count over about so many rows.
    pub(super) fn new(run: &Run<'_, '_>, count: &Count, rows: f64) -> Self {
        let is_alone = |place: &usize| !count.apart.iter().flatten().any(|one| one == place);
        let alone = (0..count.branches.len()).filter(is_alone);
        let alone = alone.map(|place| &count.branches[place]);
        let group = |place| Group::of(run, &[&count.branches[place]], None);
        let mut groups = groups_of(run, alone, None);
        // Rows that have no ways by lengths of lists alone are compared with nothing.
        groups.sort_by_key(Group::is_of_row);
        let apart: Vec<[Group; 2]> = count.apart.iter().map(|pair| pair.map(group)).collect();
        let all = groups.iter().chain(apart.iter().flatten());
        let steps = all.flat_map(|group| &group.branches);
        for labels in steps.filter_map(|step| step.end.labels.as_ref()) {
            labels.expect(rows);
        }
        Sums { groups, apart }
    }

    /// Bytes that numbers of nodes have taken since the last call.
    pub(super) fn new_bytes(&self) -> usize {
        let groups = self.groups.iter().chain(self.apart.iter().flatten());
        groups.map(Group::new_bytes).sum()
    }
}

/// Branches in groups.
fn groups_of<'b>(
    run: &Run<'_, '_>,
    branches: impl IntoIterator<Item = &'b Branch>,
    around: Option<&Expand>,
) -> Vec<Group> {
    let mut groups: Vec<Vec<&Branch>> = Vec::new();
    for branch in branches {
        let touches = |group: &Vec<&Branch>| {
            let mut others = group.iter();
            others.any(|one| one.step.from == branch.step.from && one.step.may_be(&branch.step))
        };
        let (touching, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(touches);
        groups = others;
        groups.push(touching.into_iter().flatten().chain([branch]).collect());
    }
    let group = |branches: Vec<&Branch>| Group::of(run, &branches, around);
    groups.into_iter().map(group).collect()
}

impl Group {
    fn of(run: &Run<'_, '_>, branches: &[&Branch], around: Option<&Expand>) -> Self {
        let first = branches[0];
        let steps: Vec<Step> = branches.iter().map(|one| Step::of(run, one)).collect();
        let subsets = 1usize << steps.len();
        let shared = (0..subsets)
            .map(|subset| Shared::of(&steps, subset))
            .collect();
        let mut group = Group {
            from: first.step.from,
            into: first.step.into.then_some(first.step.to),
            differs: first.differs.clone(),
            beside: first.beside.clone(),
            optional: first.optional,
            around: 0,
            shared,
            branches: steps,
        };
        group.around = around.map_or(0, |around| group.subsets_of(around));
        group
    }

    /// Whether nodes of the row decide about its ends.
    fn is_of_row(&self) -> bool {
        self.into.is_some() || !self.differs.is_empty() || !self.beside.is_empty()
    }

    fn new_bytes(&self) -> usize {
        let own = self.shared.iter().map(|shared| shared.sums.new_bytes());
        let inner = self.branches.iter().map(|step| {
            let groups = step.end.groups.iter().map(Group::new_bytes);
            let pairs = step.pairs.borrow_mut().new_bytes();
            pairs + step.end.values.new_bytes() + groups.sum::<usize>()
        });
        own.chain(inner).sum()
    }

    /// Subsets whose lists may all have a relationship of a step, which is none of theirs,
    /// as bits.
    pub(super) fn subsets_of(&self, step: &Expand) -> u8 {
        let may_be = |&subset: &usize| self.steps_in(subset).all(|one| one.plan.may_be(step));
        let subsets = (1..self.shared.len()).filter(may_be);
        subsets.fold(0, |all, subset| all | 1 << subset)
    }

    /// Ways to choose relationships of each node, none of those and none to the nodes that
    /// `others` has for it (empty: nothing for any).
    pub(super) fn ways(
        &self,
        run: &Run<'_, '_>,
        nodes: &[u32],
        others: &[(Vec<Seen>, Vec<u32>)],
    ) -> Result<Vec<i64>> {
        self.look(run, nodes.len())?;
        let mut sums: Vec<Vec<i64>> = vec![Vec::new()];
        for subset in 1..self.shared.len() {
            let known = if others.is_empty() { &sums[..] } else { &[] };
            let mut sum = self.sums(run, subset, nodes, known)?;
            if !others.is_empty() {
                self.exclude(run, subset, nodes, others, &mut sum)?;
            }
            sums.push(sum);
        }
        let mut ways = all_different(sums)?;
        if self.optional {
            ways.iter_mut().for_each(|ways| *ways = (*ways).max(1));
        }
        Ok(ways)
    }

    /// Finds out what labels are at the ends, before the lists of so many nodes are read.
    pub(super) fn look(&self, run: &Run<'_, '_>, nodes: usize) -> Result<()> {
        for step in &self.branches {
            if let Some(labels) = &step.end.labels {
                labels.look(run, (step.towards, &step.types), nodes)?;
            }
        }
        Ok(())
    }

    /// Takes out of sums what the row excludes.
    fn exclude(
        &self,
        run: &Run<'_, '_>,
        subset: usize,
        nodes: &[u32],
        others: &[(Vec<Seen>, Vec<u32>)],
        sums: &mut [i64],
    ) -> Result<()> {
        // Pairs of a place and a node, and how many relationships are between them.
        let mut pairs: Vec<(usize, u32, i64)> = Vec::new();
        for (at, (&node, (seen, apart))) in nodes.iter().zip(others).enumerate() {
            for one in seen {
                if let Some(end) = self.end_of(subset, one, node)
                    && !apart.contains(&end)
                {
                    pairs.push((at, end, 1));
                }
            }
        }
        if !self.differs.is_empty() {
            let (mut places, mut from, mut to) = (Vec::new(), Vec::new(), Vec::new());
            for (at, (&node, (_, apart))) in nodes.iter().zip(others).enumerate() {
                for &other in apart {
                    places.push(at);
                    from.push(node);
                    to.push(other);
                }
            }
            let step = &self.branches[0];
            let counts = match run.between_many(step, &from, &to)? {
                Some(counts) => counts,
                None => {
                    let ends = (&from[..], &to[..]);
                    let found = run.graph.expand_into(ends, step.towards, &step.types)?;
                    let mut counts = vec![0; from.len()];
                    found.rows.iter().for_each(|&row| counts[row as usize] += 1);
                    counts
                }
            };
            let between = places.into_iter().zip(to).zip(counts);
            let between = between.filter(|&(_, count)| count > 0);
            pairs.extend(between.map(|((at, end), count)| (at, end, count)));
        }
        for step in self.steps_in(subset) {
            let ends: Vec<u32> = pairs.iter().map(|pair| pair.1).collect();
            let from: Vec<u32> = pairs.iter().map(|pair| nodes[pair.0]).collect();
            step.prepare(run, &from, &ends)?;
        }
        for (at, end, count) in pairs {
            let weight = self.weight(subset, nodes[at], end)?;
            sums[at] -= count.checked_mul(weight).ok_or_else(too_many)?;
        }
        Ok(())
    }

    fn steps_in(&self, subset: usize) -> impl Iterator<Item = &Step> {
        let steps = self.branches.iter().enumerate();
        steps
            .filter(move |(place, _)| subset >> place & 1 == 1)
            .map(|(_, step)| step)
    }

    /// The other end of a relationship that is chosen, if the lists of a node that a subset
    /// has in common have it.
    pub(super) fn end_of(&self, subset: usize, seen: &Seen, node: u32) -> Option<u32> {
        if seen.subsets >> subset & 1 == 0 {
            return None;
        }
        let is_loop = seen.from == seen.to;
        let (end, towards) = match node {
            node if node == seen.from => (seen.to, seen.towards),
            node if node == seen.to => (seen.from, seen.towards.reversed()),
            _ => return None,
        };
        let has = match self.shared[subset].lists {
            Lists::Loops => is_loop,
            Lists::Towards(own) => is_loop || own == Towards::Both || own == towards,
        };
        has.then_some(end)
    }

    /// Sums of a subset at nodes, of which those of the subsets before may be known.
    fn sums(
        &self,
        run: &Run<'_, '_>,
        subset: usize,
        nodes: &[u32],
        known: &[Vec<i64>],
    ) -> Result<Vec<i64>> {
        match self.is_plain(subset) {
            true => self.degrees(run, subset, nodes, known),
            false => {
                self.prepare_sums(run, subset, nodes)?;
                let sums = &self.shared[subset].sums;
                Ok(nodes.iter().map(|&node| sums.get(node)).collect())
            }
        }
    }

    /// Whether any node may be at the ends of a subset, and nothing is there.
    fn is_plain(&self, subset: usize) -> bool {
        self.steps_in(subset).all(|step| step.end.is_plain())
    }

    fn degrees(
        &self,
        run: &Run<'_, '_>,
        subset: usize,
        nodes: &[u32],
        known: &[Vec<i64>],
    ) -> Result<Vec<i64>> {
        let Shared { types, lists, .. } = &self.shared[subset];
        if types.as_ref().is_some_and(Vec::is_empty) {
            return Ok(vec![0; nodes.len()]);
        }
        let degrees = |towards| -> Result<Vec<i64>> {
            let degrees = run.graph.degrees(nodes, towards, types)?;
            Ok(degrees.into_iter().map(|degree| degree as i64).collect())
        };
        let one_way = |towards| {
            let is_it = |&other: &usize| {
                let shared = &self.shared[other];
                let is_same = shared.lists == Lists::Towards(towards) && shared.types == *types;
                is_same && self.is_plain(other)
            };
            match (1..known.len()).find(is_it) {
                Some(other) => Ok(Cow::Borrowed(&known[other])),
                None => degrees(towards).map(Cow::Owned),
            }
        };
        Ok(match *lists {
            Lists::Towards(towards) => degrees(towards)?,
            Lists::Loops => {
                let (out, incoming) = (one_way(Towards::Outgoing)?, one_way(Towards::Incoming)?);
                let both = degrees(Towards::Both)?;
                let sides = out.iter().zip(&**incoming).zip(both);
                sides
                    .map(|((out, incoming), both)| out + incoming - both)
                    .collect()
            }
        })
    }

    /// Makes the sums of a subset known.
    fn prepare_sums(&self, run: &Run<'_, '_>, subset: usize, nodes: &[u32]) -> Result<()> {
        let shared = &self.shared[subset];
        let unknown = shared.sums.unknown(nodes);
        for nodes in unknown.chunks(NODES) {
            run.guard.check()?;
            let sums = match self.is_plain(subset) {
                true => self.degrees(run, subset, nodes, &[])?,
                false => self.weighted(run, subset, nodes)?,
            };
            for (&node, sum) in nodes.iter().zip(sums) {
                shared.sums.set(node, sum);
            }
        }
        Ok(())
    }

    /// The sums of a subset at nodes, from what is at the ends.
    fn weighted(&self, run: &Run<'_, '_>, subset: usize, nodes: &[u32]) -> Result<Vec<i64>> {
        let shared = &self.shared[subset];
        let towards = match shared.lists {
            Lists::Towards(towards) => towards,
            Lists::Loops => {
                let loops = self.degrees(run, subset, nodes, &[])?;
                for step in self.steps_in(subset) {
                    step.prepare(run, nodes, nodes)?;
                }
                let sums = nodes.iter().zip(loops).map(|(&node, loops)| {
                    let weight = self.weight(subset, node, node)?;
                    Ok(loops.checked_mul(weight).ok_or_else(too_many)?)
                });
                return sums.collect();
            }
        };
        let found = run.graph.neighbors(nodes, towards, &shared.types)?;
        for step in self.steps_in(subset) {
            step.prepare(run, nodes, found.all())?;
        }
        let mut steps = self.steps_in(subset);
        if let (Some(only), None) = (steps.next(), steps.next())
            && !only.end.is_of_relationship()
        {
            let sums = (0..nodes.len()).map(|row| {
                let sum = only.end.values.sum(found.get(row), |_| true);
                Ok(sum.ok_or_else(too_many)?)
            });
            return sums.collect();
        }
        let sums = nodes.iter().enumerate().map(|(row, &node)| {
            let mut sum: i64 = 0;
            for &end in found.get(row) {
                let weight = self.weight(subset, node, end)?;
                sum = sum.checked_add(weight).ok_or_else(too_many)?;
            }
            Ok(sum)
        });
        sums.collect()
    }

    /// The product of what is at the end of a relationship, for each branch of a subset.
    pub(super) fn weight(&self, subset: usize, from: u32, to: u32) -> Result<i64> {
        let mut weight: i64 = 1;
        for step in self.steps_in(subset) {
            let own = step.weight(from, to)?;
            weight = weight.checked_mul(own).ok_or_else(too_many)?;
        }
        Ok(weight)
    }

    /// Ways at a node that was reached by a relationship, whose sums are known.
    fn ways_behind(&self, node: u32, seen: Option<&Seen>) -> Result<i64> {
        let mut sums = [0; 8];
        for (subset, shared) in self.shared.iter().enumerate().skip(1) {
            sums[subset] = shared.sums.get(node);
            let end = seen.and_then(|seen| self.end_of(subset, seen, node));
            if let Some(end) = end {
                sums[subset] -= self.weight(subset, node, end)?;
            }
        }
        let ways = different(&sums[..self.shared.len()])?;
        Ok(if self.optional { ways.max(1) } else { ways })
    }
}

/// Ways to choose different relationships at each node, from the sums of each subset there.
fn all_different(mut sums: Vec<Vec<i64>>) -> Result<Vec<i64>> {
    if let [_, _] = sums.as_slice() {
        return Ok(sums.swap_remove(1));
    }
    let mut at_node = vec![0; sums.len()];
    let mut ways = Vec::with_capacity(sums[1].len());
    for at in 0..sums[1].len() {
        if let [_, one, two, both] = sums.as_slice()
            && let Some(pairs) = one[at].checked_mul(two[at])
        {
            ways.push(pairs - both[at]);
            continue;
        }
        for (number, sum) in at_node.iter_mut().zip(&sums).skip(1) {
            *number = sum[at];
        }
        ways.push(different(&at_node)?);
    }
    Ok(ways)
}

/// Ways to choose different relationships, from the sums of each subset.
fn different(sums: &[i64]) -> Result<i64> {
    let product = |factors: &[i64]| {
        let factors = factors.iter().map(|&factor| i128::from(factor));
        let mut product: i128 = 1;
        for factor in factors {
            product = product.checked_mul(factor).ok_or_else(too_many)?;
        }
        Ok::<i128, crate::QueryError>(product)
    };
    let ways = match sums {
        [_, one] => return Ok(*one),
        [_, one, two, both] => product(&[*one, *two])? - i128::from(*both),
        [_, one, two, one_two, three, one_three, two_three, all] => {
            let pairs = [
                product(&[*one_two, *three])?,
                product(&[*one_three, *two])?,
                product(&[*two_three, *one])?,
            ];
            let apart = product(&[*one, *two, *three])?;
            pairs
                .iter()
                .fold(apart, |rest, pair| rest.saturating_sub(*pair))
                + 2 * i128::from(*all)
        }
        _ => return Ok(1),
    };
    Ok(i64::try_from(ways).map_err(|_| too_many())?)
}

impl Step {
    fn of(run: &Run<'_, '_>, branch: &Branch) -> Self {
        Step {
            towards: branch.step.towards,
            types: run.graph.types(&branch.step.types),
            plan: branch.step.clone(),
            pairs: RefCell::default(),
            end: End {
                labels: EndLabels::of(run, &branch.labels),
                groups: groups_of(run, &branch.branches, Some(&branch.step)),
                values: Memo::default(),
            },
        }
    }

    /// Makes known what [`Step::weight`] needs, of relationships from some nodes to others.
    pub(super) fn prepare(&self, run: &Run<'_, '_>, from: &[u32], to: &[u32]) -> Result<()> {
        if self.end.is_plain() {
            return Ok(());
        }
        self.end.prepare(run, to)?;
        for group in self.end.groups.iter().filter(|group| group.around != 0) {
            for step in &group.branches {
                step.prepare(run, to, from)?;
            }
        }
        Ok(())
    }

    /// Ways to go on from those of some nodes that satisfy a condition.
    pub(super) fn weights(
        &self,
        from: u32,
        ends: &[u32],
        holds: impl Fn(u32) -> bool,
    ) -> Result<i64> {
        if self.end.is_plain() {
            return Ok(ends.iter().filter(|end| holds(**end)).count() as i64);
        }
        if !self.end.is_of_relationship() {
            return Ok(self.end.values.sum(ends, holds).ok_or_else(too_many)?);
        }
        let mut sum: i64 = 0;
        for &end in ends.iter().filter(|end| holds(**end)) {
            let weight = self.weight(from, end)?;
            sum = sum.checked_add(weight).ok_or_else(too_many)?;
        }
        Ok(sum)
    }

    /// Ways to go on from a node that was reached from another.
    fn weight(&self, from: u32, to: u32) -> Result<i64> {
        if self.end.is_plain() {
            return Ok(1);
        }
        let value = self.end.values.get(to);
        if value == 0 || !self.end.is_of_relationship() {
            return Ok(value);
        }
        let mut weight: i64 = 1;
        for group in &self.end.groups {
            let seen = Seen {
                from,
                to,
                towards: self.towards,
                subsets: group.around,
            };
            let ways = group.ways_behind(to, Some(&seen))?;
            weight = weight.checked_mul(ways).ok_or_else(too_many)?;
        }
        Ok(weight)
    }
}

impl End {
    fn is_plain(&self) -> bool {
        self.labels_to_check().is_none() && self.groups.is_empty()
    }

    /// Labels that not every node has that a relationship leads to.
    fn labels_to_check(&self) -> Option<&EndLabels> {
        self.labels.as_ref().filter(|labels| !labels.all_have())
    }

    /// Whether its value depends on the relationship by which it was reached.
    fn is_of_relationship(&self) -> bool {
        self.groups.iter().any(|group| group.around != 0)
    }

    /// Makes the values of nodes known, as if they were reached by no relationship.
    fn prepare(&self, run: &Run<'_, '_>, nodes: &[u32]) -> Result<()> {
        let unknown = self.values.unknown(nodes);
        if unknown.is_empty() {
            return Ok(());
        }
        let there = match self.labels_to_check() {
            None => unknown,
            Some(labels) => labels.among(run, unknown)?,
        };
        for group in &self.groups {
            group.look(run, there.len())?;
            for subset in 1..group.shared.len() {
                group.prepare_sums(run, subset, &there)?;
            }
        }
        for node in there {
            let mut value: i64 = 1;
            for group in &self.groups {
                let ways = group.ways_behind(node, None)?;
                value = value.checked_mul(ways).ok_or_else(too_many)?;
            }
            self.values.set(node, value);
        }
        Ok(())
    }
}

impl Shared {
    fn of(steps: &[Step], subset: usize) -> Self {
        let mut shared = Shared {
            types: None,
            lists: Lists::Towards(Towards::Both),
            sums: Memo::default(),
        };
        let steps = steps.iter().enumerate();
        for (_, step) in steps.filter(|(place, _)| subset >> place & 1 == 1) {
            shared.types = match (shared.types.take(), &step.types) {
                (None, types) => types.clone(),
                (types, None) => types,
                (Some(types), Some(own)) => Some(
                    types
                        .into_iter()
                        .filter(|kind| own.contains(kind))
                        .collect(),
                ),
            };
            shared.lists = match (shared.lists, step.towards) {
                (Lists::Towards(Towards::Both), towards) => Lists::Towards(towards),
                (lists, Towards::Both) => lists,
                (Lists::Towards(lists), towards) if lists == towards => Lists::Towards(lists),
                _ => Lists::Loops,
            };
        }
        shared
    }
}
