//! Every algorithm of the library by name, on sealed copies and on the live store
//! in each layout: same graph, same parameters, same threads, trials in turn,
//! with the DRAM that each took.

use std::collections::BTreeMap;

use evergraph::run::{self, Algorithm, Fact, Outcome, Request};
use evergraph::{Batch, Control, Database, Edges, Layout, MediumKind, Mode, Options};
use evergraph_generators::edge_weight;
use evergraph_graph::{StoredLists, Weight};
use serde_json::{Value, json};

use crate::Benchmark;
use crate::graphs::EdgeList;
use crate::meter::{median, minimum};
use crate::place::Place;
use crate::settings::Settings;
use crate::stores::{LARGE_BATCH, options, text};
use crate::table::{Table, number};

pub const BENCHMARK: Benchmark = Benchmark {
    name: "algorithms",
    parameters: &[
        "degree",
        "graph",
        "simple",
        "directed",
        "most-weight",
        "algorithms",
        "graphs",
        "source",
        "verify",
    ],
    run,
};

/// A graph that algorithms are measured on.
#[derive(Clone, Copy)]
struct Subject {
    name: &'static str,
    layout: Layout,
    /// The value of the parameter `graph`.
    form: &'static str,
}

/// The first that is asked for is the yardstick of the others.
const SUBJECTS: [Subject; 4] = [
    subject("sealed", Layout::Pma, "sealed"),
    subject("compressed", Layout::Pma, "compressed"),
    subject("pma", Layout::Pma, "live"),
    subject("blocks", Layout::Blocks, "live"),
];

const fn subject(name: &'static str, layout: Layout, form: &'static str) -> Subject {
    Subject { name, layout, form }
}

/// Parameters without which an algorithm would take hours, or would not do the
/// work that others are compared by.
const PARAMETERS: &[(&str, &str, &str)] = &[
    ("pagerank", "iterations", "20"),
    ("personalized-pagerank", "iterations", "20"),
    ("betweenness", "samples", "1"),
    ("closeness", "samples", "64"),
    ("harmonic", "samples", "64"),
];

const COLUMNS: [&str; 12] = [
    "algorithm",
    "threads",
    "graph",
    "seconds",
    "seconds_best",
    "ratio",
    "ratio_best",
    "dram_bytes",
    "words_per_vertex",
    "medium_writes",
    "prepared",
    "summary",
];

fn run(settings: &Settings<'_>) -> Result<Vec<Table>, String> {
    let directed = settings.flag("directed", false)?;
    let list = EdgeList::load(settings, settings.scale.unwrap_or(14), !directed)?;
    let algorithms = chosen_algorithms(settings)?;
    let subjects = chosen_subjects(settings)?;
    let mut stores = BTreeMap::new();
    for &Subject { layout, .. } in &subjects {
        if !stores.contains_key(layout.name()) {
            settings.progress(&format!("ingesting into {}", layout.name()));
            let store = Store::new(settings, &list, layout, directed)?;
            stores.insert(layout.name(), store);
        }
    }
    let mut table = Table::new(
        format!(
            "algorithms on {}{}, median of {} trials in turn",
            list.name,
            if directed { ", directed" } else { "" },
            trials(settings),
        ),
        &COLUMNS,
    );
    for &threads in &settings.threads {
        for algorithm in &algorithms {
            settings.progress(&format!("{}, {threads} threads", algorithm.name));
            match measure(settings, algorithm, threads, &subjects, &stores)? {
                Ok(outcomes) => {
                    rows(algorithm, threads, &subjects, &outcomes, &list, &mut table)?;
                }
                Err(refusal) => table.row(refused(algorithm, threads, &refusal)),
            }
        }
    }
    Ok(vec![table])
}

/// A database with the graph in one layout.
struct Store {
    // Closed before its directory goes.
    db: Database,
    _place: Place,
}

impl Store {
    fn new(
        settings: &Settings<'_>,
        list: &EdgeList,
        layout: Layout,
        directed: bool,
    ) -> Result<Self, String> {
        let medium = settings.medium.unwrap_or(MediumKind::Dram);
        let direction = match directed {
            true => StoredLists::Both,
            false => StoredLists::Undirected,
        };
        let place = Place::new(settings, medium)?;
        let options = Options {
            layout,
            weighted: true,
            ..options(settings, medium, Mode::Merged, direction)
        };
        let db = Database::create(place.join("graph"), &options).map_err(text)?;
        let mut batch = Batch::new();
        batch.add_vertices(list.vertex_count as u64);
        db.commit(batch).map_err(text)?;
        let logarithm = list.vertex_count.ilog2().max(1);
        let most: u32 = settings.parameter("most-weight", logarithm)?;
        for edges in list.edges.chunks(LARGE_BATCH) {
            let (sources, targets): (Vec<u32>, Vec<u32>) = edges.iter().copied().unzip();
            let weights: Vec<Weight> = edges
                .iter()
                .map(|&(u, v)| edge_weight(u, v, most.max(1)))
                .collect();
            let mut batch = Batch::new();
            batch.insert_columns(Edges {
                sources,
                targets,
                weights,
            });
            db.commit(batch).map_err(text)?;
        }
        db.compact().map_err(text)?;
        Ok(Store { db, _place: place })
    }
}

fn trials(settings: &Settings<'_>) -> usize {
    settings.trials.unwrap_or(3)
}

fn chosen_algorithms(settings: &Settings<'_>) -> Result<Vec<&'static Algorithm>, String> {
    match settings.optional::<String>("algorithms")? {
        None => Ok(run::algorithms().collect()),
        Some(names) => names
            .split(',')
            .map(|name| run::find(name).map_err(text))
            .collect(),
    }
}

fn chosen_subjects(settings: &Settings<'_>) -> Result<Vec<Subject>, String> {
    let known = SUBJECTS.map(|subject| subject.name);
    let names = settings.list("graphs", &known.map(str::to_string))?;
    let named = |name: &String| {
        let subject = SUBJECTS.into_iter().find(|subject| subject.name == name);
        subject.ok_or_else(|| format!("there is no graph {name:?}; there are {}", known.join(", ")))
    };
    names.iter().map(named).collect()
}

/// The outcomes of trials in turn on all subjects, or why the algorithm refuses.
fn measure(
    settings: &Settings<'_>,
    algorithm: &Algorithm,
    threads: usize,
    subjects: &[Subject],
    stores: &BTreeMap<&'static str, Store>,
) -> Result<Result<Vec<Vec<Outcome>>, String>, String> {
    let mut outcomes: Vec<Vec<Outcome>> = subjects.iter().map(|_| Vec::new()).collect();
    for _ in 0..trials(settings) {
        for (subject, outcomes) in subjects.iter().zip(&mut outcomes) {
            let request = request(settings, algorithm, threads, subject.form)?;
            let db = &stores[subject.layout.name()].db;
            match run::run(db, &db.view(), &request, &Control::new(), settings.memory) {
                Ok(outcome) => outcomes.push(outcome),
                Err(error) => return Ok(Err(error.to_string())),
            }
        }
    }
    Ok(Ok(outcomes))
}

fn request(
    settings: &Settings<'_>,
    algorithm: &Algorithm,
    threads: usize,
    form: &str,
) -> Result<Request, String> {
    let mut parameters = vec![("graph".to_string(), form.to_string())];
    for &(name, parameter, value) in PARAMETERS {
        if name == algorithm.name {
            parameters.push((parameter.to_string(), value.to_string()));
        }
    }
    let takes = |name: &str| algorithm.all_parameters().any(|known| known.name == name);
    if let Some(source) = settings.optional::<String>("source")?
        && takes("source")
    {
        parameters.push(("source".to_string(), source));
    }
    if settings.flag("verify", false)? {
        parameters.push(("verify".to_string(), "true".to_string()));
    }
    Ok(Request {
        algorithm: algorithm.name.to_string(),
        parameters,
        threads: Some(threads),
        ..Request::default()
    })
}

/// A row for each subject.
fn rows(
    algorithm: &Algorithm,
    threads: usize,
    subjects: &[Subject],
    outcomes: &[Vec<Outcome>],
    list: &EdgeList,
    table: &mut Table,
) -> Result<(), String> {
    let seconds: Vec<Vec<f64>> = outcomes
        .iter()
        .map(|outcomes| outcomes.iter().map(|outcome| outcome.seconds).collect())
        .collect();
    for ((subject, outcomes), of_subject) in subjects.iter().zip(outcomes).zip(&seconds) {
        let last = outcomes.last().expect("at least one trial");
        if let Some(Err(complaint)) = &last.verified {
            return Err(format!(
                "{} on {}: {complaint}",
                algorithm.name, subject.name
            ));
        }
        let words = |bytes: u64| number(bytes as f64 / 4.0 / list.vertex_count as f64);
        table.row(vec![
            json!(algorithm.name),
            json!(threads),
            json!(subject.name),
            number(median(of_subject)),
            number(minimum(of_subject)),
            number(median(of_subject) / median(&seconds[0])),
            number(minimum(of_subject) / minimum(&seconds[0])),
            json!(last.dram_bytes),
            last.dram_bytes.map_or(Value::Null, words),
            json!(last.medium_writes),
            json!(last.prepared.as_ref().map(|prepared| &prepared.what)),
            json!(summary(last)),
        ]);
    }
    Ok(())
}

fn refused(algorithm: &Algorithm, threads: usize, why: &str) -> Vec<Value> {
    let mut row = vec![json!(algorithm.name), json!(threads), json!("refused")];
    row.resize(COLUMNS.len() - 1, Value::Null);
    row.push(json!(why));
    row
}

fn summary(outcome: &Outcome) -> String {
    let facts = outcome.result.iter();
    let shown = facts.map(|(name, fact)| match fact {
        Fact::Whole(count) => format!("{name}={count}"),
        Fact::Real(measure) => format!("{name}={measure:.6}"),
        other => format!("{name}={other}"),
    });
    shown.collect::<Vec<_>>().join(" ")
}
