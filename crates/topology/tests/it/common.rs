//! Beginnings of several tests.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use evergraph_graph::StoredLists;
use evergraph_simulated::{Config as SimConfig, Persistence};
use evergraph_storage::medium::{FileFaults, FileStorage};
use evergraph_topology::{Batch, Config, Layout, ListScratch, SectionView};
use proptest::prelude::*;

/// Sections of four vertices, a log that is soon full, and space in small steps.
pub fn small_config() -> Config {
    Config {
        direction: StoredLists::Out,
        section_shift: 2,
        log_bytes: 2048,
        extent_alignment: 64,
        growth_step: 1024,
        ..Config::default()
    }
}

pub fn small_pages() -> SimConfig {
    SimConfig::new(Persistence::Pages).with_capacity(64 << 10)
}

pub fn layout() -> impl Strategy<Value = Layout> {
    prop_oneof![Just(Layout::Pma), Just(Layout::Blocks)]
}

/// An edge from vertex 0.
pub fn edge(target: u32) -> Batch {
    let mut batch = Batch::new();
    batch.insert(&[(0, target)]);
    batch
}

pub fn failing(directory: &Path) -> (FileStorage, Arc<FileFaults>) {
    let faults = Arc::new(FileFaults::new());
    let storage = FileStorage::open(directory).unwrap();
    (storage.with_faults(Arc::clone(&faults)), faults)
}

/// A list with the bits of its weights, 0 in a store without.
pub fn weighted_list(
    section: &SectionView,
    list: usize,
    scratch: &mut ListScratch,
) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    let _ = section.for_each_weighted_segment::<()>(list, scratch, |words, weights| {
        let weights = weights.iter().chain(std::iter::repeat(&0));
        found.extend(words.iter().copied().zip(weights.copied()));
        ControlFlow::Continue(())
    });
    found
}

type Lists = BTreeMap<u32, Vec<(u32, u32)>>;

/// The reference implementation: lists of (neighbor, weight), deletions applied at once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    pub out: Lists,
    pub incoming: Lists,
    pub vertex_count: u64,
}

/// Whether there was one.
fn remove_latest(lists: &mut Lists, v: u32, target: u32) -> bool {
    let Some(list) = lists.get_mut(&v) else {
        return false;
    };
    match list.iter().rposition(|&(u, _)| u == target) {
        Some(at) => {
            list.remove(at);
            true
        }
        None => false,
    }
}

impl Model {
    pub fn insert(&mut self, direction: StoredLists, (u, v): (u32, u32), weight: u32) {
        self.out.entry(u).or_default().push((v, weight));
        match direction {
            StoredLists::Undirected => self.out.entry(v).or_default().push((u, weight)),
            StoredLists::Both => self.incoming.entry(v).or_default().push((u, weight)),
            StoredLists::Out => {}
        }
        self.vertex_count = self.vertex_count.max(u64::from(u.max(v)) + 1);
    }

    /// Whether there was one.
    pub fn delete(&mut self, direction: StoredLists, (u, v): (u32, u32)) -> bool {
        let found = remove_latest(&mut self.out, u, v);
        match direction {
            StoredLists::Undirected => {
                remove_latest(&mut self.out, v, u);
            }
            StoredLists::Both => {
                remove_latest(&mut self.incoming, v, u);
            }
            StoredLists::Out => {}
        }
        found
    }

    pub fn delete_vertices(&mut self, vertices: &[u32]) {
        for lists in [&mut self.out, &mut self.incoming] {
            for (v, list) in lists {
                list.retain(|(u, _)| !vertices.contains(v) && !vertices.contains(u));
            }
        }
    }

    pub fn arcs(&self) -> u64 {
        self.out.values().map(|list| list.len() as u64).sum()
    }
}
