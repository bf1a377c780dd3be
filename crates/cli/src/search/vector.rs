//! `evergraph search DB vector`.

use std::time::Instant;

use evergraph::property::value::Value;
use evergraph::property::vector::{Metric, Near, VectorDefinition, Vectors};
use evergraph::property::{Node, View};
use evergraph::{Database, Error};
use serde_json::json;

use super::hits::{failure, watched};
use super::{Args, VectorArgs};
use crate::report::{Failure, Report, count, note, seconds};
use crate::show::the_one;

/// Hits of a search by an index, and its cost.
struct Found {
    near: Vec<Near>,
    index: serde_json::Value,
    /// Description of the vectors searched, in words.
    among: String,
    opened: f64,
    elapsed: f64,
}

/// Runs it.
pub fn search(args: &Args, asked: &VectorArgs) -> Result<Report, Failure> {
    let db = args.open()?;
    let key = std::slice::from_ref(&asked.property);
    let view = asked.shown.view(&db, &asked.label, key)?;
    let names = asked.shown.names(&db)?;
    let near_node = match &asked.near_node {
        Some(name) => Some(the_one(&view, &names, name)?),
        None => None,
    };
    let query = query(asked, near_node.as_ref())?;
    let metric = Metric::named(asked.metric).expect("a name of one");
    let definition = VectorDefinition::unnamed(&asked.label, &asked.property, query.len(), metric);
    let mut found = match asked.exact {
        true => measure(asked, &definition, &view, &query)?,
        false => look_up(args, asked, &db, definition, &view, &query)?,
    };
    if found.near.is_empty() {
        explain(asked, &view, query.len())?;
    }
    // It is the nearest to itself, and asked for as one more.
    found
        .near
        .retain(|near| Some(near.node) != near_node.as_ref().map(Node::id));
    found.near.truncate(asked.shown.limit as usize);

    let pairs: Vec<_> = found
        .near
        .iter()
        .map(|near| (near.node, near.distance))
        .collect();
    let (shown, mut text) = asked.shown.show((&view, &names), "distance", &pairs)?;
    text += &format!(
        "commit {}, {}, {}",
        count(view.csn()),
        found.among,
        seconds(found.elapsed)
    );
    text += &match asked.exact {
        true => "\n".to_string(),
        false => format!(
            " ({} to open it and bring it up to date)\n",
            seconds(found.opened)
        ),
    };
    let json = json!({
        "csn": view.csn(),
        "dimensions": query.len(),
        "metric": metric.name(),
        "exact": asked.exact,
        "hits": shown,
        "index": found.index,
        "open_seconds": found.opened,
        "seconds": found.elapsed,
    });
    Ok(Report::new(json, text))
}

/// One more than are shown, if the node itself may be among them.
fn limit(asked: &VectorArgs) -> usize {
    asked.shown.limit as usize + usize::from(asked.near_node.is_some())
}

fn measure(
    asked: &VectorArgs,
    definition: &VectorDefinition,
    view: &View,
    query: &[f32],
) -> Result<Found, Failure> {
    let started = Instant::now();
    let near = definition
        .nearest_exact(view, query, limit(asked))
        .map_err(failure)?;
    Ok(Found {
        near,
        index: serde_json::Value::Null,
        among: "every node measured".to_string(),
        opened: 0.0,
        elapsed: started.elapsed().as_secs_f64(),
    })
}

fn look_up(
    args: &Args,
    asked: &VectorArgs,
    db: &Database,
    definition: VectorDefinition,
    view: &View,
    query: &[f32],
) -> Result<Found, Failure> {
    let name = definition.name.clone();
    let started = Instant::now();
    let index =
        Vectors::open(db.property_graph()?, args.indexes(db), definition).map_err(failure)?;
    let before = index.statistics().csn;
    watched(|watch| index.refresh_watched(watch)).map_err(failure)?;
    // The next search, a process of its own, finds it as it is now.
    if index.statistics().csn > before {
        index.save().map_err(failure)?;
    }
    let opened = started.elapsed().as_secs_f64();
    let started = Instant::now();
    let near = index.nearest(view, query, limit(asked)).map_err(failure)?;
    let elapsed = started.elapsed().as_secs_f64();
    let facts = index.statistics();
    Ok(Found {
        near,
        index: json!({
            "name": name,
            "csn": facts.csn,
            "vectors": facts.vectors,
            "made": !facts.was_usable,
        }),
        among: format!("{} vectors in {name}", count(facts.vectors as u64)),
        opened,
        elapsed,
    })
}

/// The vector that is asked for.
fn query(asked: &VectorArgs, near: Option<&Node>) -> Result<Vec<f32>, Failure> {
    let Some(node) = near else {
        let near = asked.near.as_deref().unwrap_or_default();
        let numbers: Vec<f64> = serde_json::from_str(near).map_err(|error| {
            Failure::usage(
                format!("--near is no list of numbers: {error}"),
                "write it as JSON: --near \"[0.1, 0.2]\"",
            )
        })?;
        return Ok(numbers.into_iter().map(|number| number as f32).collect());
    };
    node.get(&asked.property).and_then(numbers).ok_or_else(|| {
        Failure::usage(
            format!(
                "node {} has no list of numbers as {}",
                asked.near_node.as_deref().unwrap_or_default(),
                asked.property
            ),
            "give another node, or a vector with --near",
        )
    })
}

/// The numbers of a list that has nothing else.
fn numbers(value: &Value) -> Option<Vec<f32>> {
    let Value::List(values) = value else {
        return None;
    };
    let numbers = values.iter().map(|value| match value {
        Value::Float(number) => Some(*number as f32),
        Value::Integer(number) => Some(*number as f32),
        _ => None,
    });
    numbers
        .collect::<Option<Vec<f32>>>()
        .filter(|numbers| !numbers.is_empty())
}

/// Nothing was found: says why, which may be that vectors have another length.
fn explain(asked: &VectorArgs, view: &View, dimensions: usize) -> Result<(), Failure> {
    let VectorArgs {
        label, property, ..
    } = asked;
    for node in view.nodes_with_label(label) {
        let node = node.map_err(Error::from)?;
        let Some(vector) = node.get(property).and_then(numbers) else {
            continue;
        };
        if vector.len() != dimensions {
            return Err(Failure::usage(
                format!(
                    "the vector that is asked for has {dimensions} dimensions, \
                     and {property} of node {} has {}",
                    node.id().0,
                    vector.len()
                ),
                "no node with this label has a vector of that length",
            ));
        }
    }
    note(&format!(
        "no node with the label {label} has a list of numbers as {property}"
    ));
    Ok(())
}
