//! The cases of LDBC's ACID test suite (Waudby and others, 2020), as plans.
//!
//! The suite runs them on many threads and hopes for the interleaving that shows
//! the anomaly. Here they are small enough to be run in every order of their
//! moves.

use crate::anomaly::{Anomaly, Level};
use crate::history::{History, Key};
use crate::run::interleave;
use crate::subject::{Plan, Step, Subject};

/// A case: transactions, and the anomaly that they would show.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Name in the suite.
    pub name: &'static str,
    /// Shown by a store without isolation in some order of the moves.
    pub anomaly: Anomaly,
    /// The transactions.
    pub plans: Vec<Plan>,
    /// Lists that they use, from 0.
    pub lists: Key,
    /// Sets that they use, from 0.
    pub sets: Key,
}

/// All cases, with transactions of one level.
pub fn all(level: Level) -> Vec<Scenario> {
    let plan = |steps: &[Step]| Plan::new(level, steps);
    use Step::{Append, Insert, Read, RemoveFirst, Scan};
    let scenario = |name, anomaly, lists, sets, plans: Vec<Plan>| Scenario {
        name,
        anomaly,
        plans,
        lists,
        sets,
    };
    vec![
        // Both ends of a relationship get the number of their writer.
        scenario("G0", Anomaly::G0, 2, 0, {
            vec![plan(&[Append(0), Append(1)]), plan(&[Append(1), Append(0)])]
        }),
        scenario("G1a", Anomaly::G1a, 1, 0, {
            vec![
                plan(&[Append(0)]).aborted(),
                plan(&[Read(0)]),
                plan(&[Read(0)]),
            ]
        }),
        scenario("G1b", Anomaly::G1b, 1, 0, {
            vec![
                plan(&[Append(0), Append(0)]),
                plan(&[Read(0)]),
                plan(&[Read(0)]),
            ]
        }),
        scenario("G1c", Anomaly::G1c, 2, 0, {
            vec![plan(&[Append(0), Read(1)]), plan(&[Append(1), Read(0)])]
        }),
        scenario("IMP", Anomaly::ItemManyPreceders, 1, 0, {
            vec![plan(&[Append(0)]), plan(&[Read(0), Read(0)])]
        }),
        scenario("PMP", Anomaly::PredicateManyPreceders, 0, 1, {
            vec![plan(&[Insert(0)]), plan(&[Scan(0), Scan(0)])]
        }),
        scenario("PMP by label", Anomaly::PredicateManyPreceders, 0, 2, {
            vec![plan(&[Insert(1)]), plan(&[Scan(1), Scan(1)])]
        }),
        scenario("OTV", Anomaly::ObservedTransactionVanishes, 2, 0, {
            vec![plan(&[Append(0), Append(1)]), plan(&[Read(0), Read(1)])]
        }),
        scenario("FR", Anomaly::FracturedRead, 2, 0, {
            vec![plan(&[Append(0), Append(1)]), plan(&[Read(1), Read(0)])]
        }),
        scenario("FR of list and set", Anomaly::FracturedRead, 1, 1, {
            vec![plan(&[Append(0), Insert(0)]), plan(&[Read(0), Scan(0)])]
        }),
        scenario("LU", Anomaly::LostUpdate, 1, 0, {
            vec![plan(&[Read(0), Append(0)]), plan(&[Read(0), Append(0)])]
        }),
        scenario("WS", Anomaly::WriteSkew, 2, 0, {
            vec![
                plan(&[Read(0), Read(1), Append(0)]),
                plan(&[Read(0), Read(1), Append(1)]),
            ]
        }),
        scenario("WS of predicates", Anomaly::WriteSkew, 0, 2, {
            vec![plan(&[Scan(0), Insert(1)]), plan(&[Scan(1), Insert(0)])]
        }),
        scenario("WS of other predicates", Anomaly::WriteSkew, 0, 3, {
            vec![plan(&[Scan(2), Insert(1)]), plan(&[Scan(1), Insert(2)])]
        }),
        scenario("WS of one predicate", Anomaly::WriteSkew, 0, 1, {
            vec![plan(&[Scan(0), Insert(0)]), plan(&[Scan(0), Insert(0)])]
        }),
        scenario("removed twice", Anomaly::WriteSkew, 0, 2, {
            vec![
                plan(&[Insert(0), Insert(1)]),
                plan(&[Scan(1), RemoveFirst(0)]),
                plan(&[Scan(0), RemoveFirst(1)]),
            ]
        }),
    ]
}

impl Scenario {
    /// Runs it in every order of its moves, or in `limit` orders that are spread
    /// over all, each on a store of its own, and gives the histories to `each`.
    pub fn run<T: Subject>(
        &self,
        limit: usize,
        mut new: impl FnMut() -> T,
        mut each: impl FnMut(&[usize], History),
    ) {
        let moves: Vec<usize> = self.plans.iter().map(Plan::moves).collect();
        let all = count(&moves);
        let step = (all / limit.max(1) as u128).max(1);
        let mut number = 0;
        while number < all {
            let schedule = schedule(&moves, number);
            let history = interleave(&new(), &self.plans, &schedule, self.lists, self.sets);
            each(&schedule, history);
            number += step;
        }
    }
}

/// Number of orders in which so many moves of each plan can be made.
fn count(moves: &[usize]) -> u128 {
    let mut total = 0;
    let mut orders = 1;
    for &own in moves {
        for place in 1..=own as u128 {
            total += 1;
            orders = orders * total / place;
        }
    }
    orders
}

/// The order with a number.
fn schedule(moves: &[usize], mut number: u128) -> Vec<usize> {
    let mut left = moves.to_vec();
    let mut schedule = Vec::new();
    while left.iter().any(|&left| left > 0) {
        for plan in 0..left.len() {
            if left[plan] == 0 {
                continue;
            }
            left[plan] -= 1;
            let orders = count(&left);
            if number < orders {
                schedule.push(plan);
                break;
            }
            number -= orders;
            left[plan] += 1;
        }
    }
    schedule
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_order_occurs_once() {
        let moves = [2, 1, 2];
        assert_eq!(count(&moves), 30);
        let all: BTreeSet<_> = (0..30).map(|number| schedule(&moves, number)).collect();
        assert_eq!(all.len(), 30);
        assert!(
            all.iter()
                .all(|s| (0..3).all(|p| s.iter().filter(|&&x| x == p).count() == moves[p]))
        );
    }
}
