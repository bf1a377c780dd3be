//! The power fails everywhere in small random workloads: what was committed is
//! there, what was not is not, and everything agrees.

use std::hash::{Hash, Hasher};

use evergraph_persistence::simulated::{
    Budget, Config, Explorer, Persistence, Progress, Random, Scenario, SimulatedStorage,
};
use evergraph_property_graph::graph::{GraphError, OpenOptions, PropertyGraph};

use super::model::{Model, compare};
use super::random::{index, options};
use super::steps::{Loading, Step, gather, take};

/// What may be there: one of these, or no graph yet.
#[derive(Clone, Debug)]
struct Expected {
    created: bool,
    models: Vec<Model>,
    snapshots: Vec<(String, Model)>,
    /// A snapshot that is being made.
    naming: Option<String>,
    /// How many operations the workload and recoveries have begun.
    begun: u64,
}

impl Hash for Expected {
    fn hash<H: Hasher>(&self, state: &mut H) {
        format!("{self:?}").hash(state);
    }
}

struct Workload {
    name: String,
    seed: u64,
    persistence: Persistence,
    operations: u64,
}

enum Operation {
    Commit(Vec<Step>),
    Load(Loading),
    Checkpoint,
    Snapshot,
    Restart,
}

impl Workload {
    fn operation(&self, number: u64) -> Operation {
        let mut random = Random::new(self.seed * 1000 + number);
        match random.below(10) {
            8 | 9 => Operation::Load(Loading {
                nodes: random.below(10) as u8,
                relationships: random.below(10) as u8,
                seed: random.below(256) as u8,
            }),
            0..=4 => Operation::Commit(
                (0..1 + random.below(5))
                    .map(|_| step(&mut random))
                    .collect(),
            ),
            5 | 6 => Operation::Checkpoint,
            _ if random.below(3) == 0 => Operation::Restart,
            _ => Operation::Snapshot,
        }
    }

    fn perform(
        &self,
        storage: &SimulatedStorage,
        graph: PropertyGraph,
        log: &mut Progress<'_, Expected>,
    ) -> Result<PropertyGraph, GraphError> {
        let number = log.model().begun;
        log.update(|expected| expected.begun += 1);
        match self.operation(number) {
            Operation::Commit(steps) => {
                let mut model = log.model().models[0].clone();
                let mut transaction = graph.begin();
                take(&steps, &mut transaction, &mut model)?;
                let after = model.clone();
                log.update(|expected| expected.models.push(model));
                transaction.commit()?;
                log.update(|expected| expected.models = vec![after]);
            }
            // With indexes, what follows is as if it had not been asked for.
            Operation::Load(_) if !graph.can_load() => {}
            Operation::Load(loading) => {
                let mut model = log.model().models[0].clone();
                let mut load = graph.load();
                gather(loading, &mut load, &mut model)?;
                let after = model.clone();
                log.update(|expected| expected.models.push(model));
                load.commit()?;
                log.update(|expected| expected.models = vec![after]);
            }
            Operation::Checkpoint => graph.checkpoint()?,
            Operation::Snapshot => {
                let name = format!("s{number}");
                let model = log.model().models[0].clone();
                log.update(|expected| expected.naming = Some(name.clone()));
                graph.create_snapshot(&name)?;
                log.update(|expected| {
                    expected.naming = None;
                    expected.snapshots.push((name, model));
                });
            }
            Operation::Restart => {
                graph.close()?;
                drop(graph);
                return Ok(PropertyGraph::open(storage, OpenOptions::default())?.0);
            }
        }
        Ok(graph)
    }
}

fn step(random: &mut Random) -> Step {
    let mut n = || random.below(256) as u8;
    match n() % 16 {
        0..=3 => Step::CreateNode {
            label: n(),
            value: n(),
        },
        4..=7 => Step::CreateRelationship {
            source: n(),
            kind: n(),
            target: n(),
            value: n(),
        },
        8 | 9 => Step::SetOnNode {
            node: n(),
            key: n(),
            value: n(),
        },
        10 => Step::SetOnRelationship {
            relationship: n(),
            key: n(),
            value: n(),
        },
        11 => Step::AddLabel {
            node: n(),
            label: n(),
        },
        12 => Step::RemoveLabel {
            node: n(),
            label: n(),
        },
        13 => Step::DeleteRelationship { relationship: n() },
        14 => Step::DeleteNode { node: n() },
        _ => Step::DetachDeleteNode { node: n() },
    }
}

/// Which of the expected graphs it is.
fn check(graph: &PropertyGraph, expected: &Expected) -> Result<Model, String> {
    let report = graph.check();
    if let Some(problem) = report.problems.first() {
        return Err(format!("check: {problem}"));
    }
    let view = graph.view();
    let mut why = String::new();
    for model in expected.models.iter().rev() {
        match compare(&view, model) {
            Ok(()) => {
                check_snapshots(graph, expected)?;
                return Ok(model.clone());
            }
            Err(error) => why = error,
        }
    }
    Err(why)
}

fn check_snapshots(graph: &PropertyGraph, expected: &Expected) -> Result<(), String> {
    for (name, model) in &expected.snapshots {
        let view = graph.as_of(name).map_err(|error| error.to_string())?;
        compare(&view, model).map_err(|error| format!("snapshot {name}: {error}"))?;
    }
    Ok(())
}

impl Scenario for Workload {
    type Model = Expected;

    fn name(&self) -> &str {
        &self.name
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn config(&self) -> Config {
        Config::new(self.persistence).with_capacity(1 << 18)
    }

    fn initial(&self) -> Expected {
        Expected {
            created: false,
            models: vec![Model::default()],
            snapshots: Vec::new(),
            naming: None,
            begun: 0,
        }
    }

    fn run(
        &self,
        storage: &SimulatedStorage,
        log: &mut Progress<'_, Expected>,
    ) -> Result<(), String> {
        let graph = PropertyGraph::create(storage, options(), [7; 16]);
        let mut graph = graph.map_err(|error| error.to_string())?;
        log.update(|expected| expected.created = true);
        if self.seed.is_multiple_of(2) {
            index(&graph);
        }
        for _ in 0..self.operations {
            let done = self.perform(storage, graph, log);
            graph = done.map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn recover(
        &self,
        storage: &SimulatedStorage,
        log: &mut Progress<'_, Expected>,
    ) -> Result<(), String> {
        let opened = PropertyGraph::open(storage, OpenOptions::default());
        let graph = match opened {
            Ok((graph, _)) => graph,
            Err(_) if !log.model().created => return Ok(()),
            Err(error) => return Err(error.to_string()),
        };
        let found = check(&graph, log.model())?;
        let named = log.model().naming.clone();
        let named = named.filter(|name| graph.as_of(name).is_ok());
        log.update(|expected| {
            expected.created = true;
            expected.models = vec![found.clone()];
            if let Some(name) = named {
                expected.snapshots.push((name, found));
            }
            expected.naming = None;
        });
        let mut graph = graph;
        for _ in 0..3 {
            graph = self
                .perform(storage, graph, log)
                .map_err(|error| error.to_string())?;
        }
        check(&graph, log.model()).map(drop)
    }
}

#[test]
fn every_power_cut_is_recovered_from() {
    let deep = std::env::var("EVERGRAPH_CAMPAIGN").is_ok_and(|value| value == "deep");
    let media = [
        ("pages", Persistence::Pages),
        ("lines", Persistence::Lines),
        ("eadr", Persistence::LinesEadr),
    ];
    let mut workloads = Vec::new();
    for (medium, persistence) in media {
        for seed in 1..=if deep { 64 } else { 2 } {
            workloads.push(Workload {
                name: format!("property-graph-{medium}"),
                seed,
                persistence,
                operations: if deep { 20 } else { 8 },
            });
        }
    }
    let explorer = Explorer::new(if deep {
        Budget::thorough()
    } else {
        Budget::quick()
    });
    for report in explorer.explore_all(&workloads, 2) {
        report.assert_clean();
    }
}
