//! Messages by vectors that are made up.

use std::collections::BTreeSet;
use std::path::Path;

use evergraph::property::value::Value;
use evergraph::property::vector::{Metric, VectorDefinition, Vectors};
use evergraph::property::{NodeId, PropertyGraph, View};
use serde_json::json;

use super::steps::{Steps, bytes_in, median_of, timed};
use super::{MESSAGE, Random};
use crate::settings::Settings;
use crate::snb::text;
use crate::table::{Table, number};

const KEY: &str = "embedding";
const SNAPSHOT: &str = "before vectors";
const NEAREST: usize = 10;
/// Vectors written in one transaction.
const TOGETHER: usize = 500;

/// Vectors around centers.
struct Source {
    centers: Vec<Vec<f64>>,
    dimensions: usize,
    random: Random,
}

impl Source {
    fn vector(&mut self) -> Vec<f32> {
        let center = match self.centers.len() {
            0 => vec![0.0; self.dimensions],
            centers => self.centers[self.random.below(centers)].clone(),
        };
        let near = |at: f64| (at + self.random.number()) as f32;
        center.into_iter().map(near).collect()
    }

    fn value(&mut self) -> Value {
        let numbers = self
            .vector()
            .into_iter()
            .map(|number| Value::from(f64::from(number)));
        Value::from(numbers.collect::<Vec<_>>())
    }
}

pub fn table(
    settings: &Settings<'_>,
    graph: &PropertyGraph,
    messages: &[NodeId],
    directory: &Path,
) -> Result<Table, String> {
    let dimensions = settings.parameter("dimensions", 64)?;
    let mut random = Random(settings.seed | 1);
    let centers = settings.parameter("centers", 100)?;
    let center = |_| (0..dimensions).map(|_| random.number()).collect();
    let mut source = Source {
        centers: (0..centers).map(center).collect(),
        dimensions,
        random,
    };
    let count = settings.parameter("vectors", 20_000)?.min(messages.len());
    let messages = &messages[..count];
    settings.progress("search: vectors");
    for some in messages.chunks(TOGETHER) {
        let vectors: Vec<Value> = some.iter().map(|_| source.value()).collect();
        let written = graph.write(|tx| {
            some.iter()
                .zip(&vectors)
                .try_for_each(|(&node, vector)| tx.set(node, KEY, vector.clone()))
        });
        written.map_err(text)?;
    }
    let queries: Vec<Vec<f32>> = (0..settings.parameter("queries", 200)?)
        .map(|_| source.vector())
        .collect();
    let definition = VectorDefinition::unnamed(MESSAGE, KEY, dimensions, Metric::Cosine);
    let now = graph.view();
    let scan = median_of(&queries, |query| exact(&definition, &now, query).map(drop))?;
    let name = format!(
        "{count} vectors of {dimensions} dimensions around {centers} centers, the {NEAREST} nearest"
    );
    let mut steps = Steps::new(name, scan);
    let open = || Vectors::open(graph, directory, definition.clone()).map_err(text);
    let before_vectors = bytes_in(directory);

    let (index, seconds) = timed(|| {
        let index = open()?;
        index.refresh().map_err(text)?;
        index.save().map_err(text)?;
        Ok(index)
    })?;
    let bytes = bytes_in(directory) - before_vectors;
    steps.row("the index is made", seconds, json!(null), json!(bytes));
    drop(index);
    let (index, seconds) = timed(|| {
        let index = open()?;
        nearest(&index, &now, &queries[0])?;
        Ok(index)
    })?;
    steps.row(
        "opened, with the first search",
        seconds,
        json!(null),
        json!(null),
    );
    let mut searches = |step: &str, index: &Vectors<'_>, view: &View| {
        let seconds = median_of(&queries, |query| nearest(index, view, query).map(drop))?;
        let recall = recall(index, view, &queries)?;
        steps.row(step, seconds, number(recall), json!(null));
        Ok::<(), String>(())
    };
    searches("a search", &index, &now)?;

    graph.create_snapshot(SNAPSHOT).map_err(text)?;
    drop(now);
    let updates = settings.parameter("updates", 1_000)?;
    for _ in 0..updates {
        let (node, vector) = (messages[source.random.below(count)], source.value());
        graph
            .write(|tx| tx.set(node, KEY, vector.clone()))
            .map_err(text)?;
    }
    let now = graph.view();
    let (_, first) = timed(|| nearest(&index, &now, &queries[0]))?;
    searches(
        "a search after updates, which it measures itself",
        &index,
        &now,
    )?;
    let (_, taken) = timed(|| index.refresh().map_err(text))?;
    searches("a search when the index has them", &index, &now)?;
    let before = graph.as_of(SNAPSHOT).map_err(text)?;
    searches("a search as of the snapshot before them", &index, &before)?;
    let step = format!("the first search after {updates} updates");
    steps.row(&step, first, json!(null), json!(null));
    steps.row("the index takes them in", taken, json!(null), json!(null));
    Ok(steps.table())
}

fn exact(
    definition: &VectorDefinition,
    view: &View,
    query: &[f32],
) -> Result<BTreeSet<NodeId>, String> {
    let found = definition
        .nearest_exact(view, query, NEAREST)
        .map_err(text)?;
    Ok(found.into_iter().map(|near| near.node).collect())
}

fn nearest(index: &Vectors<'_>, view: &View, query: &[f32]) -> Result<BTreeSet<NodeId>, String> {
    let found = index.nearest(view, query, NEAREST).map_err(text)?;
    Ok(found.into_iter().map(|near| near.node).collect())
}

/// The share of the nearest that an index finds.
fn recall(index: &Vectors<'_>, view: &View, queries: &[Vec<f32>]) -> Result<f64, String> {
    let (mut found, mut all) = (0, 0);
    for query in queries {
        let wanted = exact(index.definition(), view, query)?;
        found += nearest(index, view, query)?.intersection(&wanted).count();
        all += wanted.len();
    }
    Ok(found as f64 / all.max(1) as f64)
}
