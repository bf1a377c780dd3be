//! A store beside a plain model, and a copy of the model for each snapshot.

use std::collections::BTreeMap;

use evergraph_graph::StoredLists;
use evergraph_simulated::{Config as SimConfig, Persistence, SimulatedStorage};
use evergraph_storage::ViewToken;
use evergraph_topology::record::Edges;
use evergraph_topology::{Batch, Config, Layout, ListScratch, Published, Store, Tuning};

use crate::common::{Model, weighted_list};

pub const SECTION_SHIFT: u32 = 2;

/// Changes of a commit.
#[derive(Clone, Debug)]
pub enum Change {
    Insert(Vec<(u32, u32)>),
    Delete(Vec<(u32, u32)>),
    Vertices(u64),
    /// A snapshot at the end of the commit.
    Create,
    /// The snapshot of this number, modulo how many there are.
    Drop(usize),
}

/// A view that is held, and what it has to show.
struct Held {
    token: ViewToken<Published>,
    model: Model,
}

/// A store, the model of now, and those of all snapshots.
pub struct Reference {
    pub storage: SimulatedStorage,
    pub store: Store,
    tuning: Tuning,
    pub now: Model,
    /// By name.
    pub kept: BTreeMap<String, Model>,
    held: Vec<Held>,
    next_name: usize,
    next_weight: u32,
}

impl Reference {
    pub fn new(direction: StoredLists, weighted: bool, layout: Layout, tuning: Tuning) -> Self {
        let config = Config {
            direction,
            weighted,
            layout,
            section_shift: SECTION_SHIFT,
            log_bytes: 16 << 10,
            extent_alignment: 64,
            growth_step: 4096,
            ..Config::default()
        };
        let sim = SimConfig::new(Persistence::Pages).with_capacity(4 << 20);
        let storage = SimulatedStorage::new(sim);
        Reference {
            store: Store::create_with(&storage, config, [7; 16], tuning).unwrap(),
            storage,
            tuning,
            now: Model::default(),
            kept: BTreeMap::new(),
            held: Vec::new(),
            next_name: 0,
            next_weight: 0,
        }
    }

    /// Commits, each of several changes, that share a group if they can.
    pub fn commit(&mut self, commits: &[Vec<Change>]) {
        let direction = self.store.config().direction;
        let weighted = self.store.config().weighted;
        let mut batches = Vec::new();
        for changes in commits {
            let mut batch = Batch::new();
            let mut created = Vec::new();
            for change in changes {
                match change {
                    Change::Insert(edges) => {
                        let first = self.next_weight;
                        let weights = (first..).map(|n| if weighted { n as f32 } else { 0.0 });
                        let weights: Vec<f32> = weights.take(edges.len()).collect();
                        self.next_weight += edges.len() as u32;
                        for (&edge, weight) in edges.iter().zip(&weights) {
                            self.now.insert(direction, edge, weight.to_bits());
                        }
                        batch.insert_columns(Edges {
                            sources: edges.iter().map(|e| e.0).collect(),
                            targets: edges.iter().map(|e| e.1).collect(),
                            weights: weights.into_iter().filter(|_| weighted).collect(),
                        });
                    }
                    Change::Delete(edges) => {
                        for &edge in edges {
                            self.now.delete(direction, edge);
                        }
                        batch.delete(edges);
                    }
                    Change::Vertices(count) => {
                        self.now.vertex_count = self.now.vertex_count.max(*count);
                        batch.add_vertices(*count);
                    }
                    Change::Create => {
                        let name = format!("s{}", self.next_name);
                        self.next_name += 1;
                        batch.create_snapshot(&name, Some(self.next_name as i64));
                        created.push(name);
                    }
                    Change::Drop(number) => {
                        let count = self.kept.len().max(1);
                        if let Some(name) = self.kept.keys().nth(number % count).cloned() {
                            self.kept.remove(&name);
                            batch.drop_snapshot(&name);
                        }
                    }
                }
            }
            for name in created {
                self.kept.insert(name, self.now.clone());
            }
            if !batch.is_empty() {
                batches.push(batch);
            }
        }
        self.store.commit_all(batches).unwrap();
    }

    /// Drops the snapshots before one of them.
    pub fn flatten(&mut self, number: usize) {
        let snapshots = self.store.snapshots();
        let chosen = snapshots.get(number % (snapshots.len() + 1));
        let until = chosen.map_or(u64::MAX, |snapshot| snapshot.csn);
        let before = snapshots.iter().filter(|snapshot| snapshot.csn < until);
        let before: Vec<String> = before.map(|snapshot| snapshot.name.clone()).collect();
        for name in &before {
            self.kept.remove(name);
        }
        let dropped = self.store.drop_snapshots_where(|now| {
            assert_eq!(now, snapshots);
            before.clone()
        });
        assert_eq!(dropped.unwrap(), before);
        self.store.rewrite_history().unwrap();
    }

    /// Takes a view of a snapshot, or of now.
    pub fn hold(&mut self, number: usize) {
        let chosen = self.kept.iter().nth(number % (self.kept.len() + 1));
        let held = match chosen {
            Some((name, model)) => {
                let csn = self.store.snapshot(name).unwrap().csn;
                Held {
                    token: self.store.register_at(csn).unwrap(),
                    model: model.clone(),
                }
            }
            None => Held {
                token: self.store.register(),
                model: self.now.clone(),
            },
        };
        self.held.push(held);
    }

    /// Lets the oldest view go.
    pub fn let_go(&mut self) {
        if !self.held.is_empty() {
            self.held.remove(0);
        }
    }

    /// Opens the store again, after a clean stop or without.
    pub fn reopen(mut self, clean: bool) -> Self {
        self.held.clear();
        if clean {
            self.store.close().unwrap();
        }
        let Reference { store, storage, .. } = self;
        drop(store);
        let (store, report) = Store::open_with(&storage, false, self.tuning).unwrap();
        assert_eq!(report.clean, clean);
        let used = store.stats().extent_bytes;
        let again = Store::open_with(&storage, true, self.tuning).unwrap().0;
        assert_eq!(
            again.stats().extent_bytes,
            used,
            "what is used is reachable"
        );
        drop(again);
        Reference {
            store,
            storage,
            ..self
        }
    }

    /// Everything that is kept or held, against the model.
    pub fn compare(&self) {
        let snapshots = self.store.snapshots();
        let mut names: Vec<&String> = snapshots.iter().map(|s| &s.name).collect();
        names.sort();
        assert_eq!(names, self.kept.keys().collect::<Vec<_>>());
        assert!(snapshots.is_sorted_by_key(|s| s.csn));
        for snapshot in &snapshots {
            let model = &self.kept[&snapshot.name];
            assert_eq!(snapshot.arc_count, model.arcs(), "arcs of {snapshot:?}");
            assert_eq!(snapshot.vertex_count, model.vertex_count);
            let number: i64 = snapshot.name[1..].parse().unwrap();
            assert_eq!(snapshot.time_us, number + 1);
            let token = self.store.register_at(snapshot.csn).unwrap();
            compare(&self.store, &token, model, &snapshot.name);
        }
        for held in &self.held {
            compare(&self.store, &held.token, &held.model, "a view");
        }
        compare(&self.store, &self.store.register(), &self.now, "now");
    }
}

/// A view shows a model: by all sections, list by list, and by reader.
fn compare(store: &Store, token: &ViewToken<Published>, model: &Model, what: &str) {
    assert_eq!(token.state().vertex_count, model.vertex_count, "{what}");
    assert_eq!(store.arc_count(token).unwrap(), model.arcs(), "{what}");
    let adjacencies = [&model.out, &model.incoming];
    for (adjacency, lists) in adjacencies
        .into_iter()
        .enumerate()
        .take(store.adjacencies().len())
    {
        let sections = store.pin(token, adjacency).unwrap();
        let mut reader = store.reader(token, adjacency);
        let mut scratch = ListScratch::default();
        for v in 0..sections.len() << SECTION_SHIFT {
            let section = &sections[v >> SECTION_SHIFT];
            let local = v & ((1 << SECTION_SHIFT) - 1);
            let list = weighted_list(section, local, &mut scratch);
            let expected = lists.get(&(v as u32)).cloned().unwrap_or_default();
            assert_eq!(list, expected, "{what}, adjacency {adjacency}, vertex {v}");
            assert_eq!(section.degree(local), list.len(), "{what}, degree of {v}");
            let neighbors: Vec<u32> = list.iter().map(|entry| entry.0).collect();
            assert_eq!(reader.neighbors(v as u32).unwrap(), neighbors);
        }
        let last = (sections.len() << SECTION_SHIFT) as u32;
        assert!(lists.iter().all(|(&v, list)| v < last || list.is_empty()));
    }
}
