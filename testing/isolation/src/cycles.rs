//! Cycles of dependencies between transactions.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::anomaly::{Anomaly, Report};
use crate::reads::Object;

/// How one transaction depends on another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// Wrote after it (ww).
    Write,
    /// Read what it wrote (wr).
    Read,
    /// Wrote what it had read (rw).
    Overwritten,
}

/// `to` came after `from`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Edge {
    pub from: usize,
    pub to: usize,
    pub kind: Kind,
    pub object: Object,
}

/// Reports the anomalies that are cycles.
pub(crate) fn report(edges: &[Edge], transactions: usize, report: &mut Report) {
    let only = |kinds: &[Kind]| -> Vec<Edge> {
        let wanted = edges.iter().filter(|edge| kinds.contains(&edge.kind));
        wanted.copied().collect()
    };
    let writes = only(&[Kind::Write]);
    for cycle in cyclic(&writes, transactions) {
        report.add(Anomaly::G0, || {
            format!("transactions {cycle:?} wrote over each other")
        });
    }
    let flow = only(&[Kind::Write, Kind::Read]);
    for cycle in cyclic(&flow, transactions) {
        let within: HashSet<usize> = cycle.iter().copied().collect();
        let has_read = flow.iter().any(|edge| {
            edge.kind == Kind::Read && within.contains(&edge.from) && within.contains(&edge.to)
        });
        if has_read {
            report.add(Anomaly::G1c, || {
                format!("transactions {cycle:?} saw each other")
            });
        }
    }
    for cycle in cyclic(edges, transactions) {
        let within: HashSet<usize> = cycle.iter().copied().collect();
        classify(edges, &flow, &within, report);
    }
}

/// Tells lost updates, read skew and write skew of transactions that can all
/// reach each other.
fn classify(edges: &[Edge], flow: &[Edge], within: &HashSet<usize>, report: &mut Report) {
    let is_within = |edge: &&Edge| within.contains(&edge.from) && within.contains(&edge.to);
    let flow = successors(flow.iter().filter(is_within));
    let mut all_single = true;
    let mut has_any = false;
    for edge in edges.iter().filter(is_within) {
        if edge.kind != Kind::Overwritten {
            continue;
        }
        has_any = true;
        // A cycle whose only such edge is this one.
        let Some(path) = path(&flow, edge.to, edge.from) else {
            all_single = false;
            continue;
        };
        let (reader, writer, object) = (edge.from, edge.to, edge.object);
        let is_one_object = edges.iter().any(|back| {
            back.kind == Kind::Write
                && back.object == object
                && (back.from, back.to) == (writer, reader)
        });
        if is_one_object {
            report.add(Anomaly::LostUpdate, || {
                format!("{reader} read {object:?} before {writer} wrote it, and wrote it after")
            });
        } else {
            report.add(Anomaly::ReadSkew, || {
                format!("{reader} read {object:?} before {writer}, and came after it: {path:?}")
            });
        }
    }
    if has_any && !all_single {
        report.add(Anomaly::WriteSkew, || {
            let mut names: Vec<usize> = within.iter().copied().collect();
            names.sort_unstable();
            names.truncate(20);
            format!("transactions {names:?} each overwrote what another had read")
        });
    }
}

fn successors<'a>(edges: impl Iterator<Item = &'a Edge>) -> HashMap<usize, Vec<usize>> {
    let mut successors: HashMap<usize, Vec<usize>> = HashMap::new();
    for edge in edges {
        successors.entry(edge.from).or_default().push(edge.to);
    }
    successors
}

/// The shortest way from one to the other.
fn path(successors: &HashMap<usize, Vec<usize>>, from: usize, to: usize) -> Option<Vec<usize>> {
    let mut came_from = HashMap::from([(from, from)]);
    let mut queue = VecDeque::from([from]);
    while let Some(at) = queue.pop_front() {
        if at == to {
            let mut path = vec![at];
            while path.last() != Some(&from) {
                path.push(came_from[path.last()?]);
            }
            path.reverse();
            return Some(path);
        }
        for &next in successors.get(&at).into_iter().flatten() {
            came_from.entry(next).or_insert_with(|| {
                queue.push_back(next);
                at
            });
        }
    }
    None
}

/// The strongly connected components of more than one transaction.
fn cyclic(edges: &[Edge], transactions: usize) -> Vec<Vec<usize>> {
    // Kosaraju's two passes, without recursion.
    let forward = successors(edges.iter());
    let turned: Vec<Edge> = edges
        .iter()
        .map(|edge| Edge {
            from: edge.to,
            to: edge.from,
            ..*edge
        })
        .collect();
    let backward = successors(turned.iter());
    let mut finished = Vec::new();
    let mut visited = vec![false; transactions];
    for root in 0..transactions {
        visit(&forward, root, &mut visited, &mut finished);
    }
    let mut components = Vec::new();
    let mut visited = vec![false; transactions];
    for &root in finished.iter().rev() {
        let mut component = Vec::new();
        visit(&backward, root, &mut visited, &mut component);
        if component.len() > 1 {
            component.sort_unstable();
            components.push(component);
        }
    }
    components
}

/// Appends what can be reached and was not visited, in the order in which it is
/// left.
fn visit(
    successors: &HashMap<usize, Vec<usize>>,
    root: usize,
    visited: &mut [bool],
    finished: &mut Vec<usize>,
) {
    if std::mem::replace(&mut visited[root], true) {
        return;
    }
    let mut stack = vec![(root, 0)];
    while let Some((at, next)) = stack.last_mut() {
        let at = *at;
        let successor = successors.get(&at).and_then(|all| all.get(*next)).copied();
        *next += 1;
        match successor {
            None => {
                finished.push(at);
                stack.pop();
            }
            Some(to) if !std::mem::replace(&mut visited[to], true) => stack.push((to, 0)),
            Some(_) => {}
        }
    }
}
