//! `evergraph search DB text`.

use std::time::Instant;

use evergraph::property::fulltext::{FullText, Language, TextDefinition, Tokenizer};
use serde_json::json;

use super::hits::{failure, watched};
use super::{Args, TextArgs};
use crate::report::{Failure, Report, count, note, seconds};

/// Runs it.
pub fn search(args: &Args, asked: &TextArgs) -> Result<Report, Failure> {
    let tokenizer = tokenizer(asked.language.as_deref())?;
    let db = args.open()?;
    let graph = db.property_graph()?;
    let view = asked.shown.view(&db, &asked.label, &asked.property)?;
    let definition = TextDefinition::unnamed(
        std::slice::from_ref(&asked.label),
        &asked.property,
        tokenizer,
    );
    let name = definition.name.clone();

    let started = Instant::now();
    let index = FullText::open(graph, args.indexes(&db), definition).map_err(failure)?;
    index.check_query(&asked.query).map_err(failure)?;
    watched(|watch| index.refresh_watched(watch)).map_err(failure)?;
    let opened = started.elapsed().as_secs_f64();
    let started = Instant::now();
    let limit = asked.shown.limit as usize;
    let hits = index.search(&view, &asked.query, limit).map_err(failure)?;
    let elapsed = started.elapsed().as_secs_f64();

    let facts = index.statistics();
    if facts.texts == 0 {
        let keys = asked.property.join(" or ");
        note(&format!(
            "no node with the label {} has a text as {keys}",
            asked.label
        ));
    }
    let found: Vec<_> = hits
        .iter()
        .map(|hit| (hit.node, f64::from(hit.score)))
        .collect();
    let (shown, mut text) = asked
        .shown
        .show((&view, &asked.shown.names(&db)?), "score", &found)?;
    text += &format!(
        "commit {}, {} texts in {name}, {} ({} to open it and bring it up to date)\n",
        count(view.csn()),
        count(facts.texts),
        seconds(elapsed),
        seconds(opened),
    );
    let json = json!({
        "csn": view.csn(),
        "hits": shown,
        "index": { "name": name, "csn": facts.csn, "texts": facts.texts, "made": !facts.was_usable },
        "open_seconds": opened,
        "seconds": elapsed,
    });
    Ok(Report::new(json, text))
}

fn tokenizer(language: Option<&str>) -> Result<Tokenizer, Failure> {
    let Some(language) = language else {
        return Ok(Tokenizer::Words);
    };
    let known = Language::ALL.iter().find(|named| named.0 == language);
    known.map(|named| Tokenizer::Stems(named.1)).ok_or_else(|| {
        let names: Vec<&str> = Language::ALL.iter().map(|named| named.0).collect();
        Failure::usage(
            format!("there is no language {language:?}"),
            format!("choose one of {}", names.join(", ")),
        )
    })
}
