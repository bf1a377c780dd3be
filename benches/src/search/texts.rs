//! Messages by two of their words.

use std::collections::BTreeSet;
use std::path::Path;

use evergraph::property::fulltext::{FullText, TextDefinition, Tokenizer};
use evergraph::property::value::Value;
use evergraph::property::{NodeId, PropertyGraph, View};
use serde_json::json;

use super::steps::{Steps, bytes_in, median_of, timed};
use super::{MESSAGE, Random};
use crate::settings::Settings;
use crate::snb::text;
use crate::table::Table;

const KEY: &str = "content";
const SNAPSHOT: &str = "before texts";
/// Searches that read every node, which take long.
const SCANS: usize = 5;

pub fn table(
    settings: &Settings<'_>,
    graph: &PropertyGraph,
    messages: &[NodeId],
    directory: &Path,
) -> Result<Table, String> {
    let definition =
        TextDefinition::unnamed(&[MESSAGE.to_string()], &[KEY.to_string()], Tokenizer::Words);
    let mut random = Random(settings.seed | 1);
    let queries = queries(
        graph,
        messages,
        settings.parameter("queries", 200)?,
        &mut random,
    )?;
    let few = &queries[..SCANS.min(queries.len())];

    settings.progress("search: texts");
    let now = graph.view();
    let scan = median_of(few, |query| found_by_reading(&now, query).map(drop))?;
    let mut steps = Steps::new(format!("{} messages by two words", messages.len()), scan);
    let open = || FullText::open(graph, directory, definition.clone()).map_err(text);
    let compare = |index: &FullText<'_>, view: &View| {
        few.iter().try_for_each(|query| {
            let hits = index
                .search(view, &query.join(" "), usize::MAX)
                .map_err(text)?;
            let found: BTreeSet<NodeId> = hits.iter().map(|hit| hit.node).collect();
            match found == found_by_reading(view, query)? {
                true => Ok(()),
                false => Err(format!("{query:?}: the index finds other nodes")),
            }
        })
    };
    let one = |index: &FullText<'_>, view: &View, query: &[String; 2]| {
        index
            .search(view, &query.join(" "), 10)
            .map(drop)
            .map_err(text)
    };

    let (index, seconds) = timed(|| {
        let index = open()?;
        index.refresh().map_err(text)?;
        Ok(index)
    })?;
    steps.row(
        "the index is made",
        seconds,
        json!(null),
        json!(bytes_in(directory)),
    );
    drop(index);
    let (index, seconds) = timed(|| {
        let index = open()?;
        one(&index, &now, &queries[0])?;
        Ok(index)
    })?;
    compare(&index, &now)?;
    steps.row(
        "opened, with the first search",
        seconds,
        json!(1.0),
        json!(null),
    );
    let seconds = median_of(&queries, |query| one(&index, &now, query))?;
    steps.row("a search", seconds, json!(1.0), json!(null));

    graph.create_snapshot(SNAPSHOT).map_err(text)?;
    drop(now);
    let updates = settings.parameter("updates", 1_000)?;
    for _ in 0..updates {
        let (from, to) = (
            messages[random.below(messages.len())],
            messages[random.below(messages.len())],
        );
        let moved = graph.write(|tx| {
            let content = tx.node(from)?.and_then(|node| node.get(KEY).cloned());
            tx.set(to, KEY, content.unwrap_or(Value::Null))
        });
        moved.map_err(text)?;
    }
    let now = graph.view();
    let (_, seconds) = timed(|| one(&index, &now, &queries[0]))?;
    compare(&index, &now)?;
    let step = format!("the first search after {updates} updates");
    steps.row(&step, seconds, json!(1.0), json!(null));
    let seconds = median_of(&queries, |query| one(&index, &now, query))?;
    steps.row("a search after them", seconds, json!(1.0), json!(null));
    let before = graph.as_of(SNAPSHOT).map_err(text)?;
    compare(&index, &before)?;
    let seconds = median_of(&queries, |query| one(&index, &before, query))?;
    steps.row(
        "a search as of the snapshot before them",
        seconds,
        json!(1.0),
        json!(null),
    );
    Ok(steps.table())
}

fn words_of(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// Two words each, which stand in one message.
fn queries(
    graph: &PropertyGraph,
    messages: &[NodeId],
    count: usize,
    random: &mut Random,
) -> Result<Vec<[String; 2]>, String> {
    let (view, mut queries) = (graph.view(), Vec::new());
    for _ in 0..100 * count {
        let id = messages[random.below(messages.len())];
        let node = view.node(id).map_err(text)?;
        let Some(Value::Text(content)) = node.as_ref().and_then(|node| node.get(KEY)) else {
            continue;
        };
        // Those that mean something to the library, too: OR, AND, NOT, IN and TO.
        let words: Vec<String> = words_of(content).filter(|word| word.len() > 3).collect();
        if words.len() > 1 {
            let mut word = || words[random.below(words.len())].clone();
            queries.push([word(), word()]);
        }
        if queries.len() == count {
            return Ok(queries);
        }
    }
    Err("the messages have too few words".to_string())
}

/// The reference: every message is read and cut into words.
fn found_by_reading(view: &View, query: &[String; 2]) -> Result<BTreeSet<NodeId>, String> {
    let mut found = BTreeSet::new();
    for node in view.nodes_with_label(MESSAGE) {
        let node = node.map_err(text)?;
        let Some(Value::Text(content)) = node.get(KEY) else {
            continue;
        };
        let words: Vec<String> = words_of(content).collect();
        if query.iter().all(|word| words.contains(word)) {
            found.insert(node.id());
        }
    }
    Ok(found)
}
