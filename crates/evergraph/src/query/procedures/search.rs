//! `db.index.fulltext.queryNodes` and `db.index.vector.queryNodes`, over the indexes in the
//! search directory of the database.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
#[cfg(any(feature = "fulltext", feature = "vector"))]
use std::time::{Duration, Instant};

use evergraph_analytics::Session;
use evergraph_functions::ReadError;
use evergraph_interpreter::{Datum, ProcedureContext, ProcedureRows, Procedures};
use evergraph_property_graph::Value;
#[cfg(any(feature = "fulltext", feature = "vector"))]
use evergraph_search::StoredFile;
use evergraph_syntax::scope::{Signature, Type};

use super::algorithms::opened;
use crate::Error;

type Find =
    fn(&Session, &Path, &ProcedureContext<'_, '_>, &[Datum]) -> Result<ProcedureRows, ReadError>;

/// Registers both; without the feature of one, it says so when it is called.
pub(super) fn register(procedures: &mut Procedures, session: &Arc<Session>, directory: &Path) {
    let index = ("index", Type::Text);
    let text: Find = text::find;
    let vector: Find = vector::find;
    let all = [
        (
            "db.index.fulltext.queryNodes",
            "The nodes whose words match a query, the best first. Options: limit.",
            vec![index.clone(), ("query", Type::Text), ("options", Type::Map)],
            1,
            text,
        ),
        (
            "db.index.vector.queryNodes",
            "The k nodes whose vectors are nearest to one, the nearest first.",
            vec![index, ("k", Type::Integer), ("vector", Type::list())],
            0,
            vector,
        ),
    ];
    for (name, description, inputs, optional, find) in all {
        let named = |(name, of): (&str, Type)| (name.to_string(), of);
        let signature = Signature {
            inputs: inputs.into_iter().map(named).collect(),
            optional,
            outputs: [("node", Type::Node), ("score", Type::Float)]
                .map(named)
                .to_vec(),
            writes: false,
        };
        let (session, directory): (Weak<Session>, PathBuf) =
            (Arc::downgrade(session), directory.to_path_buf());
        procedures.register(name, description, signature, move |context, arguments| {
            find(&*opened(&session)?, &directory, context, arguments)
        });
    }
}

/// How long an index that is open elsewhere is waited for: another call has it for moments,
/// but while it is made.
#[cfg(any(feature = "fulltext", feature = "vector"))]
const PATIENCE: Duration = Duration::from_secs(10);

/// Tries to open an index until it succeeds. An attempt gives `None` while the index is open
/// elsewhere.
#[cfg(any(feature = "fulltext", feature = "vector"))]
fn when_free<T>(
    context: &ProcedureContext<'_, '_>,
    mut attempt: impl FnMut() -> Result<Option<T>, Error>,
) -> Result<T, ReadError> {
    let began = Instant::now();
    loop {
        if let Some(index) = attempt()? {
            return Ok(index);
        }
        context.check()?;
        if began.elapsed() > PATIENCE {
            let what = "another search has this index open";
            return Err(Error::usage(what, "try again when it has ended").into());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The index of a name among those that there are; `None` of one that is just being made.
#[cfg(any(feature = "fulltext", feature = "vector"))]
fn named<T>(
    kind: &str,
    name: &str,
    all: impl IntoIterator<Item = (StoredFile, Option<T>)>,
) -> Result<Option<T>, Error> {
    let mut names = Vec::new();
    for (place, definition) in all {
        if place.name == name {
            return match definition.is_some() || place.is_open() {
                true => Ok(definition),
                false => Err(Error::usage(
                    format!("the files of the {kind} index {name:?} are damaged"),
                    "drop it and make it again: DROP INDEX, CREATE ... INDEX",
                )),
            };
        }
        names.push(place.name);
    }
    let near = evergraph_syntax::nearest(name, names.iter().map(String::as_str));
    let hint = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None if names.is_empty() => format!(
            "there is none; CREATE {} INDEX makes one",
            kind.replace('-', "").to_uppercase()
        ),
        None => format!("there are {}", names.join(", ")),
    };
    Err(Error::argument(
        format!("there is no {kind} index {name:?}"),
        hint,
    ))
}

#[cfg(not(all(feature = "fulltext", feature = "vector")))]
fn not_there(what: &str, feature: &str) -> ReadError {
    Box::new(Error::usage(
        format!("this program was built without {what}"),
        super::super::feature_hint(feature),
    ))
}

fn text_of(arguments: &[Datum], at: usize) -> &str {
    match arguments.get(at) {
        Some(Datum::Value(Value::Text(text))) => text,
        _ => "",
    }
}

#[cfg(feature = "fulltext")]
mod text {
    use evergraph_interpreter::Seen;
    use evergraph_search::IndexFileError;
    use evergraph_search::fulltext::{FullText, TextError};
    use evergraph_syntax::with_article;

    use super::*;

    pub(super) fn find(
        session: &Session,
        directory: &Path,
        context: &ProcedureContext<'_, '_>,
        arguments: &[Datum],
    ) -> Result<ProcedureRows, ReadError> {
        let name = text_of(arguments, 0);
        let graph = session.property_graph()?;
        let index = when_free(context, || {
            let stored = FullText::stored(directory)?.into_iter();
            let all = stored.map(|one| (one.place, one.about.map(|about| about.definition)));
            let Some(definition) = named("full-text", name, all)? else {
                return Ok(None);
            };
            match FullText::open(graph, directory, definition) {
                Err(TextError::IndexFile(IndexFileError::InUse { .. })) => Ok(None),
                opened => Ok(Some(opened?)),
            }
        })?;
        let query = text_of(arguments, 1);
        index.check_query(query).map_err(Error::from)?;
        let watch = |_, _| context.check().is_ok();
        index.refresh_watched(&watch).map_err(Error::from)?;
        let limit = limit(arguments.get(2))?;
        let hits = context.seen(|seen| match seen {
            Seen::View(view) => index.search(view, query, limit),
            Seen::Transaction(transaction) => index.search(transaction, query, limit),
        });
        let rows = hits.map_err(Error::from)?.into_iter();
        let rows = rows.map(|hit| vec![Datum::Node(hit.node), f64::from(hit.score).into()]);
        Ok(ProcedureRows::new(rows))
    }

    /// The option `limit`; without it all.
    fn limit(options: Option<&Datum>) -> Result<usize, Error> {
        let Some(Datum::Value(Value::Map(options))) = options else {
            return Ok(usize::MAX);
        };
        if let Some(key) = options.keys().find(|key| &***key != "limit") {
            return Err(Error::argument(
                format!("there is no option {key:?}"),
                "there is limit",
            ));
        }
        match options.get("limit") {
            Some(Value::Integer(limit)) if *limit >= 0 => {
                Ok(usize::try_from(*limit).unwrap_or(usize::MAX))
            }
            None => Ok(usize::MAX),
            Some(limit @ Value::Integer(_)) => Err(Error::argument(
                format!("limit is {limit}"),
                "give a whole number from 0",
            )),
            Some(other) => Err(Error::argument(
                format!("limit is {}", with_article(other.type_name())),
                "give a whole number from 0",
            )),
        }
    }
}

#[cfg(not(feature = "fulltext"))]
mod text {
    use super::*;

    pub(super) fn find(
        _: &Session,
        _: &Path,
        _: &ProcedureContext<'_, '_>,
        _: &[Datum],
    ) -> Result<ProcedureRows, ReadError> {
        let _ = text_of;
        Err(not_there("full-text search", "fulltext"))
    }
}

#[cfg(feature = "vector")]
mod vector {
    use evergraph_interpreter::Seen;
    use evergraph_search::IndexFileError;
    use evergraph_search::vector::{Metric, VectorError, Vectors};

    use super::*;

    pub(super) fn find(
        session: &Session,
        directory: &Path,
        context: &ProcedureContext<'_, '_>,
        arguments: &[Datum],
    ) -> Result<ProcedureRows, ReadError> {
        let name = text_of(arguments, 0);
        let k = match arguments.get(1) {
            Some(Datum::Value(Value::Integer(k))) if *k >= 0 => usize::try_from(*k)?,
            _ => return Err(wrong("k", "a whole number from 0").into()),
        };
        let vector =
            numbers(arguments.get(2)).ok_or_else(|| wrong("vector", "a list of numbers"))?;
        let graph = session.property_graph()?;
        let index = when_free(context, || {
            let stored = Vectors::stored(directory)?.into_iter();
            let all = stored.map(|one| (one.place, one.about.map(|about| about.definition)));
            let Some(definition) = named("vector", name, all)? else {
                return Ok(None);
            };
            match Vectors::open(graph, directory, definition) {
                Err(VectorError::IndexFile(IndexFileError::InUse { .. })) => Ok(None),
                opened => Ok(Some(opened?)),
            }
        })?;
        let metric = index.definition().metric;
        let before = index.statistics().csn;
        let watch = |_, _| context.check().is_ok();
        index.refresh_watched(&watch).map_err(Error::from)?;
        // The next call opens it as it is now.
        if index.statistics().csn > before {
            index.save().map_err(Error::from)?;
        }
        let near = context.seen(|seen| match seen {
            Seen::View(view) => index.nearest(view, &vector, k),
            Seen::Transaction(transaction) => index.nearest(transaction, &vector, k),
        });
        let rows = near.map_err(Error::from)?.into_iter();
        let rows =
            rows.map(move |near| vec![Datum::Node(near.node), score(metric, near.distance).into()]);
        Ok(ProcedureRows::new(rows))
    }

    /// The nearer, the larger, as Neo4j has it: between 0 and 1 but of inner products.
    fn score(metric: Metric, distance: f64) -> f64 {
        match metric {
            Metric::Cosine => 1.0 - distance / 2.0,
            Metric::Euclidean => 1.0 / (1.0 + distance * distance),
            Metric::InnerProduct => -distance,
        }
    }

    fn wrong(what: &str, wanted: &str) -> Error {
        Error::argument(
            format!("{what} is not {wanted}"),
            "docs/search.md has examples",
        )
    }

    fn numbers(vector: Option<&Datum>) -> Option<Vec<f32>> {
        let Some(Datum::Value(Value::List(values))) = vector else {
            return None;
        };
        let numbers = values.iter().map(|value| match value {
            Value::Float(number) => Some(*number as f32),
            Value::Integer(number) => Some(*number as f32),
            _ => None,
        });
        numbers.collect()
    }
}

#[cfg(not(feature = "vector"))]
mod vector {
    use super::*;

    pub(super) fn find(
        _: &Session,
        _: &Path,
        _: &ProcedureContext<'_, '_>,
        _: &[Datum],
    ) -> Result<ProcedureRows, ReadError> {
        Err(not_there("vector search", "vector"))
    }
}
