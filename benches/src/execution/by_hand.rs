//! The same queries written by hand against the store's batch interface.

use std::collections::BTreeMap;

use evergraph_property_graph::KeyCode;
use evergraph_property_graph::graph::{
    Account, Direction, EntityKind, Expanded, Filter, GraphRead, View,
};
use evergraph_property_graph::vector::{Values, Vector};

use super::Groups;
use crate::transactions::graph::text;

/// Reads a graph, by codes.
pub struct Reader<'v> {
    view: &'v View,
    account: Account,
    links: [evergraph_property_graph::TypeCode; 1],
}

/// Nodes that are expanded together.
const NODES: usize = 256;

pub fn integers(vector: &Vector) -> &[i64] {
    match vector.values() {
        Values::Integer(numbers) => numbers,
        _ => &[],
    }
}

impl<'v> Reader<'v> {
    pub fn new(view: &'v View) -> Result<Self, String> {
        Ok(Reader {
            view,
            account: Account::default(),
            links: [view
                .type_code("LINKS")
                .ok_or("there are no relationships")?],
        })
    }

    fn key(&self, key: &str) -> Result<KeyCode, String> {
        self.view.key_code(key).ok_or_else(|| format!("no {key}"))
    }

    pub fn nodes(&self, ids: &[u32], key: &str) -> Result<Vector, String> {
        let (of, key) = (EntityKind::Node, self.key(key)?);
        self.view.gather(of, ids, key, &self.account).map_err(text)
    }

    pub fn relationships(&self, ids: &[u32], key: &str) -> Result<Vector, String> {
        let (of, key) = (EntityKind::Relationship, self.key(key)?);
        self.view.gather(of, ids, key, &self.account).map_err(text)
    }

    pub fn expand(&self, nodes: &[u32]) -> Result<Expanded, String> {
        let (types, direction) = (Some(&self.links[..]), Direction::Outgoing);
        let found = self.view.expand(nodes, types, direction, &self.account);
        found.map_err(text)
    }

    /// Calls `each` with the nodes of each morsel.
    pub fn for_each_morsel(
        &self,
        mut each: impl FnMut(&[u32]) -> Result<(), String>,
    ) -> Result<(), String> {
        let item = Filter::label(self.view.label_code("Item").ok_or("there are no nodes")?);
        let mut ids = Vec::new();
        for morsel in self.view.morsels(EntityKind::Node).iter() {
            ids.clear();
            let scanned = self.view.scan(&morsel, &item, &mut ids, &self.account);
            scanned.map_err(text)?;
            each(&ids)?;
        }
        Ok(())
    }
}

fn one_group(count: i64, sum: i64) -> Groups {
    BTreeMap::from([(0, (count, sum))])
}

pub fn scan_filter_sum(view: &View) -> Result<Groups, String> {
    let reader = Reader::new(view)?;
    let (mut count, mut sum) = (0, 0);
    reader.for_each_morsel(|ids| {
        let (a, c) = (reader.nodes(ids, "a")?, reader.nodes(ids, "c")?);
        for (a, c) in integers(&a).iter().zip(integers(&c)) {
            if a * 3 + c % 7 < 900 {
                count += 1;
                sum += c;
            }
        }
        Ok(())
    })?;
    Ok(one_group(count, sum))
}

pub fn scan_filter_group(view: &View) -> Result<Groups, String> {
    let reader = Reader::new(view)?;
    let mut groups = vec![(0, 0); 50];
    reader.for_each_morsel(|ids| {
        let (a, c) = (reader.nodes(ids, "a")?, reader.nodes(ids, "c")?);
        for (a, c) in integers(&a).iter().zip(integers(&c)) {
            if *a < 500 {
                let group = &mut groups[(c % 50) as usize];
                *group = (group.0 + 1, group.1 + c);
            }
        }
        Ok(())
    })?;
    let groups = (0..).zip(groups).filter(|(_, (count, _))| *count > 0);
    Ok(groups.collect())
}

pub fn one_hop(view: &View) -> Result<Groups, String> {
    let reader = Reader::new(view)?;
    let (mut count, mut sum) = (0, 0);
    reader.for_each_morsel(|ids| {
        let (a, c) = (reader.nodes(ids, "a")?, reader.nodes(ids, "c")?);
        let (a, c) = (integers(&a), integers(&c));
        for first in (0..ids.len()).step_by(NODES) {
            let part = &ids[first..(first + NODES).min(ids.len())];
            let found = reader.expand(part)?;
            let w = reader.relationships(&found.relationships, "w")?;
            let m_a = reader.nodes(&found.neighbors, "a")?;
            let m_c = reader.nodes(&found.neighbors, "c")?;
            let rows = found.rows.iter().zip(integers(&w));
            let ends = integers(&m_a).iter().zip(integers(&m_c));
            for ((&row, w), (m_a, m_c)) in rows.zip(ends) {
                let row = first + row as usize;
                if *w < 50 && a[row] + m_a * 2 < 1500 {
                    count += 1;
                    sum += m_c - c[row];
                }
            }
        }
        Ok(())
    })?;
    Ok(one_group(count, sum))
}

pub fn two_hops(view: &View) -> Result<Groups, String> {
    let reader = Reader::new(view)?;
    let (mut count, mut sum) = (0, 0);
    reader.for_each_morsel(|ids| {
        let a = reader.nodes(ids, "a")?;
        let kept = ids.iter().zip(integers(&a)).filter(|(_, a)| **a < 20);
        let kept: Vec<u32> = kept.map(|(&id, _)| id).collect();
        let first = reader.expand(&kept)?;
        let w = reader.relationships(&first.relationships, "w")?;
        let passing = (0..first.len()).filter(|&at| integers(&w)[at] < 50);
        let passing: Vec<usize> = passing.collect();
        let nodes: Vec<u32> = passing.iter().map(|&at| first.neighbors[at]).collect();
        let m_c = reader.nodes(&nodes, "c")?;
        for start in (0..nodes.len()).step_by(NODES) {
            let part = &nodes[start..(start + NODES).min(nodes.len())];
            let second = reader.expand(part)?;
            let a = reader.nodes(&second.neighbors, "a")?;
            let c = reader.nodes(&second.neighbors, "c")?;
            let ends = integers(&a).iter().zip(integers(&c)).enumerate();
            for (at, (a, c)) in ends {
                let row = start + second.rows[at] as usize;
                let is_other = second.relationships[at] != first.relationships[passing[row]];
                if *a > 300 && is_other {
                    count += 1;
                    sum += c - integers(&m_c)[row];
                }
            }
        }
        Ok(())
    })?;
    Ok(one_group(count, sum))
}

pub fn hop_group(view: &View) -> Result<Groups, String> {
    let reader = Reader::new(view)?;
    let mut groups = vec![(0, 0); 50];
    reader.for_each_morsel(|ids| {
        let c = reader.nodes(ids, "c")?;
        for first in (0..ids.len()).step_by(NODES) {
            let part = &ids[first..(first + NODES).min(ids.len())];
            let found = reader.expand(part)?;
            let m_a = reader.nodes(&found.neighbors, "a")?;
            let m_c = reader.nodes(&found.neighbors, "c")?;
            let ends = integers(&m_a).iter().zip(integers(&m_c));
            for (&row, (m_a, m_c)) in found.rows.iter().zip(ends) {
                if *m_a < 500 {
                    let group = &mut groups[(integers(&c)[first + row as usize] % 50) as usize];
                    *group = (group.0 + 1, group.1 + m_c);
                }
            }
        }
        Ok(())
    })?;
    let groups = (0..).zip(groups).filter(|(_, (count, _))| *count > 0);
    Ok(groups.collect())
}

/// Nodes whose `b` is the `c` of others.
pub fn join(view: &View) -> Result<Groups, String> {
    let reader = Reader::new(view)?;
    let mut by_b: std::collections::HashMap<i64, i64> = std::collections::HashMap::new();
    reader.for_each_morsel(|ids| {
        let (a, b) = (reader.nodes(ids, "a")?, reader.nodes(ids, "b")?);
        for (a, b) in integers(&a).iter().zip(integers(&b)) {
            if *a < 500 {
                by_b.insert(*b, *a);
            }
        }
        Ok(())
    })?;
    let (mut count, mut sum) = (0, 0);
    reader.for_each_morsel(|ids| {
        let (a, c) = (reader.nodes(ids, "a")?, reader.nodes(ids, "c")?);
        for (a, c) in integers(&a).iter().zip(integers(&c)) {
            if let Some(other) = by_b.get(c) {
                count += 1;
                sum += a + other;
            }
        }
        Ok(())
    })?;
    Ok(one_group(count, sum))
}

/// The ten nodes with the greatest `c`: `b` by `c`.
pub fn top(view: &View) -> Result<Groups, String> {
    let reader = Reader::new(view)?;
    let mut best = std::collections::BinaryHeap::new();
    reader.for_each_morsel(|ids| {
        let (a, b) = (reader.nodes(ids, "a")?, reader.nodes(ids, "b")?);
        let c = reader.nodes(ids, "c")?;
        let rows = integers(&a).iter().zip(integers(&b)).zip(integers(&c));
        for ((a, b), c) in rows {
            let next = std::cmp::Reverse((*c, -*b));
            if *a < 900 && (best.len() < 10 || best.peek().is_some_and(|last| next < *last)) {
                best.push(next);
                if best.len() > 10 {
                    best.pop();
                }
            }
        }
        Ok(())
    })?;
    let best = best
        .into_iter()
        .map(|std::cmp::Reverse((c, b))| (-b, (c, 0)));
    Ok(best.collect())
}
