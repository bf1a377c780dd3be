//! Whether a count by branches is exact: relationships of one pattern differ, and what two
//! branches have in common has to be known.

use crate::plan::{Branch, Expand, Towards};

/// Branches beside each other that may have relationships in common, at most.
const MOST_TOGETHER: usize = 3;

/// Whether branches at a row that has found `core` count what differs.
pub(super) fn is_exact(branches: &[Branch], core: &[&Expand]) -> bool {
    let mut all = Vec::new();
    branches.iter().for_each(|one| flatten(one, None, &mut all));
    let known = |slot| {
        let steps = all
            .iter()
            .map(|(one, _)| &one.step)
            .chain(core.iter().copied());
        let mut relationships = steps.map(|step| step.relationship);
        relationships.any(|other| other == slot)
    };
    for (place, &(one, around)) in all.iter().enumerate() {
        if !one.step.unlike.iter().all(|&slot| known(slot)) {
            return false;
        }
        let overlapping = core.iter().filter(|other| one.step.may_be(other));
        for other in overlapping {
            let is_fine = around.is_none() && (one.step.into || is_seen(other, &one.step));
            if !is_fine {
                return false;
            }
        }
        for &(other, other_around) in &all[place + 1..] {
            if !one.step.may_be(&other.step) {
                continue;
            }
            let is_beside = around.map(std::ptr::from_ref) == other_around.map(std::ptr::from_ref)
                && one.step.from == other.step.from;
            let is_around = other_around.is_some_and(|around| std::ptr::eq(around, one));
            let is_fine = match (is_beside, is_around) {
                (true, _) => !one.step.into && !other.step.into,
                (false, true) => is_seen(&one.step, &other.step),
                (false, false) => false,
            };
            if !is_fine {
                return false;
            }
        }
    }
    let mut groups = vec![(branches, None)];
    groups.extend(all.iter().map(|&(one, _)| (&one.branches[..], Some(one))));
    groups
        .into_iter()
        .all(|(beside, around)| are_grouped(beside, around, core))
}

fn flatten<'b>(
    branch: &'b Branch,
    around: Option<&'b Branch>,
    all: &mut Vec<(&'b Branch, Option<&'b Branch>)>,
) {
    all.push((branch, around));
    for inner in &branch.branches {
        flatten(inner, Some(branch), all);
    }
}

/// Whether the branches at one node that have relationships in common are few, each of
/// them of the others, and of the same ones around.
fn are_grouped(beside: &[Branch], around: Option<&Branch>, core: &[&Expand]) -> bool {
    for group in groups(beside) {
        if group.len() < 2 {
            continue;
        }
        let all_differ = group.iter().enumerate().all(|(place, one)| {
            let others = &group[place + 1..];
            others
                .iter()
                .all(|other| one.step.may_be(&other.step) || !one.step.shares_types(&other.step))
        });
        let fixed = around
            .map(|around| &around.step)
            .into_iter()
            .chain(core.iter().copied());
        let same_fixed = fixed.into_iter().all(|fixed| {
            let mut may = group.iter().filter(|one| one.step.shares_types(fixed));
            let may: Vec<bool> = may.by_ref().map(|one| one.step.may_be(fixed)).collect();
            may.iter().all(|&one| one) || may.iter().all(|&one| !one)
        });
        let is_plain = |one: &&Branch| !one.is_of_row() && !one.optional && !one.step.into;
        if group.len() > MOST_TOGETHER || !all_differ || !same_fixed || !group.iter().all(is_plain)
        {
            return false;
        }
    }
    true
}

/// Branches at one node, in groups that may have relationships in common.
fn groups(beside: &[Branch]) -> Vec<Vec<&Branch>> {
    let mut groups: Vec<Vec<&Branch>> = Vec::new();
    for branch in beside {
        let touches = |group: &Vec<&Branch>| {
            group
                .iter()
                .any(|other| other.step.from == branch.step.from && other.step.may_be(&branch.step))
        };
        let (touching, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(touches);
        groups = others;
        let mut group: Vec<&Branch> = touching.into_iter().flatten().collect();
        group.push(branch);
        groups.push(group);
    }
    groups
}

/// Whether it can be told of any relationship of a step whether it is in a list of another
/// step, by its ends alone.
fn is_seen(fixed: &Expand, list: &Expand) -> bool {
    let directions = list.towards == Towards::Both || fixed.towards != Towards::Both;
    let types = list.types.is_empty()
        || !fixed.types.is_empty() && fixed.types.iter().all(|kind| list.types.contains(kind));
    directions && types
}
