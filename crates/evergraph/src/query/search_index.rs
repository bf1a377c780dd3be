//! Full-text and vector indexes by statements: files in the search directory of the
//! database, which are no part of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_property_graph::Value;
#[cfg(any(feature = "fulltext", feature = "vector"))]
use evergraph_property_graph::graph::Rule;
use evergraph_syntax::tree::{CreateIndex, IndexKind, Name};

use super::error::Error;
use super::options::Options;
use crate::Database;

/// An index beside the database.
pub(super) struct SearchIndex {
    pub(super) name: String,
    /// `FULLTEXT` or `VECTOR`.
    pub(super) kind: &'static str,
    /// `None` if its files cannot be read.
    pub(super) about: Option<About>,
    remove: fn(&std::path::Path, &str) -> Result<(), crate::Error>,
}

/// Definition of an index beside the database.
#[derive(PartialEq)]
pub(super) struct About {
    /// One at least.
    pub(super) labels: Vec<String>,
    pub(super) keys: Vec<String>,
    /// Options in `indexConfig`, by Neo4j's names.
    pub(super) config: BTreeMap<Arc<str>, Value>,
}

impl SearchIndex {
    /// Those that this program can read, by name.
    ///
    /// # Errors
    /// I/O errors.
    pub(super) fn all(db: &Database) -> Result<Vec<Self>, Error> {
        let directory = db.search_directory();
        let mut all: Vec<SearchIndex> = Vec::new();
        #[cfg(feature = "fulltext")]
        all.extend(text::all(&directory)?);
        #[cfg(feature = "vector")]
        all.extend(vector::all(&directory)?);
        let _ = &directory;
        all.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(all)
    }

    /// Removes its files.
    ///
    /// # Errors
    /// I/O errors; an index that is open.
    pub(super) fn remove(&self, db: &Database) -> Result<(), Error> {
        Ok((self.remove)(&db.search_directory(), &self.name)?)
    }
}

/// Makes an index and fills it; whether it is new.
///
/// # Errors
/// Options that there are not; an index of this name, unless that is allowed; a program
/// built without such indexes.
pub(super) fn create(
    db: &Database,
    index: &CreateIndex,
    (name, mut options): (Option<String>, Options),
    text: &str,
) -> Result<bool, Error> {
    let subject = &index.subject;
    if subject.of_relationships {
        let what = "full-text and vector indexes are of nodes";
        let hint = "make one FOR (n:Label)";
        let at = subject.variable.at.range();
        return Err(Error::of_statement("Unsupported", what, hint, text, &at));
    }
    let texts = |names: &[Name]| -> Vec<String> {
        let texts = names.iter().map(|name| name.text.clone());
        texts.collect()
    };
    options.take_provider(match index.kind {
        IndexKind::FullText => "fulltext",
        IndexKind::Vector => "vector",
        IndexKind::Range => "range",
    })?;
    let asked = Asked {
        name,
        labels: texts(&subject.labels),
        keys: texts(&index.properties),
        if_not_exists: index.if_not_exists,
    };
    match index.kind {
        IndexKind::FullText => text::create(db, asked, options),
        IndexKind::Vector => vector::create(db, asked, options),
        IndexKind::Range => Ok(false),
    }
}

/// Refuses the name of an index or a constraint of the database.
///
/// # Errors
/// [`Error::refused`].
#[cfg(any(feature = "fulltext", feature = "vector"))]
fn refuse_known(db: &Database, name: &str) -> Result<(), Error> {
    let states = db.property_graph()?.definition_states();
    match states.iter().find(|(one, _)| one.name == name) {
        None => Ok(()),
        Some((one, _)) => Err(taken(one.rule != Rule::Index, name)),
    }
}

fn taken(is_constraint: bool, name: &str) -> Error {
    let what = match is_constraint {
        true => "a constraint",
        false => "an index",
    };
    let message = format!("there is {what} {name} already");
    Error::refused("IndexExists", message, "choose another name")
}

/// Refuses the name of an index beside the database.
///
/// # Errors
/// [`Error::refused`]; I/O errors.
pub(super) fn refuse_name_of_one(db: &Database, name: &str) -> Result<(), Error> {
    match SearchIndex::all(db)?.iter().any(|one| one.name == name) {
        true => Err(taken(false, name)),
        false => Ok(()),
    }
}

/// Whether an index is to be made: there is none of its name that can be read, and none
/// like it.
///
/// # Errors
/// If there is one, unless that is allowed, or its name is taken; I/O errors.
#[cfg(any(feature = "fulltext", feature = "vector"))]
fn is_new(db: &Database, wanted: &SearchIndex, if_not_exists: bool) -> Result<bool, Error> {
    refuse_known(db, &wanted.name)?;
    for other in SearchIndex::all(db)? {
        let has_name = other.name == wanted.name;
        let is_like = other.kind == wanted.kind && other.about == wanted.about;
        // One that is damaged is made again.
        if is_like || has_name && other.about.is_some() {
            let message = match has_name {
                true => format!("there is an index {} already", other.name),
                false => format!("there is an equivalent index already, {}", other.name),
            };
            let hint = "leave this one out, or drop that one first; IF NOT EXISTS makes none";
            return match if_not_exists {
                true => Ok(false),
                false => Err(Error::refused("IndexExists", message, hint)),
            };
        }
    }
    Ok(true)
}

/// What a statement says of an index.
struct Asked {
    name: Option<String>,
    labels: Vec<String>,
    keys: Vec<String>,
    #[cfg_attr(
        not(any(feature = "fulltext", feature = "vector")),
        expect(dead_code, reason = "nothing is made")
    )]
    if_not_exists: bool,
}

#[cfg(feature = "fulltext")]
mod text {
    use std::path::Path;

    use evergraph_search::fulltext::{FullText, Language, TextDefinition, Tokenizer};

    use super::*;

    /// Neo4j's name of the analyzer that does what [`Tokenizer::Words`] does.
    const PLAIN: &str = "standard-no-stop-words";

    pub(super) fn all(directory: &Path) -> Result<Vec<SearchIndex>, crate::Error> {
        let stored = FullText::stored(directory)?.into_iter();
        let all = stored.map(|one| index(one.place.name, one.about.map(|about| about.definition)));
        Ok(all.collect())
    }

    fn index(name: String, about: Option<TextDefinition>) -> SearchIndex {
        SearchIndex {
            name,
            kind: "FULLTEXT",
            about: about.map(definition),
            remove: |directory, name| Ok(FullText::remove(directory, name).map(drop)?),
        }
    }

    fn definition(one: TextDefinition) -> About {
        let analyzer = match one.tokenizer {
            Tokenizer::Words => PLAIN,
            stems => stems.name(),
        };
        About {
            labels: one.labels,
            keys: one.keys,
            config: BTreeMap::from([("fulltext.analyzer".into(), analyzer.into())]),
        }
    }

    fn tokenizer(value: &Value) -> Result<Tokenizer, Error> {
        let name = value.as_text().unwrap_or_default();
        if name == PLAIN {
            return Ok(Tokenizer::Words);
        }
        let found = Language::ALL.iter().find(|(known, _)| *known == name);
        let found = found.map(|(_, language)| Tokenizer::Stems(*language));
        found.ok_or_else(|| {
            let names: Vec<&str> = Language::ALL.iter().map(|one| one.0).collect();
            let names = names.join(", ");
            Error::refused(
                "Options",
                format!("there is no language and no analyzer {value}"),
                &format!("choose one of {names}, or {PLAIN}, which leaves words as they are"),
            )
        })
    }

    pub(super) fn create(db: &Database, asked: Asked, mut options: Options) -> Result<bool, Error> {
        let tokenizer = match options.take("language") {
            None => Tokenizer::Words,
            Some(value) => tokenizer(&value)?,
        };
        options.finish("language")?;
        let mut definition = TextDefinition::unnamed(&asked.labels, &asked.keys, tokenizer);
        if let Some(name) = asked.name {
            definition.name = name;
        }
        let wanted = index(definition.name.clone(), Some(definition.clone()));
        if !is_new(db, &wanted, asked.if_not_exists)? {
            return Ok(false);
        }
        let graph = db.property_graph()?;
        let index = FullText::open(graph, db.search_directory(), definition);
        let done = index.and_then(|index| index.refresh());
        done.map_err(crate::Error::from)?;
        Ok(true)
    }
}

#[cfg(not(feature = "fulltext"))]
mod text {
    use super::*;

    pub(super) fn create(_: &Database, asked: Asked, _: Options) -> Result<bool, Error> {
        super::without(&asked, "full-text search", "fulltext")
    }
}

#[cfg(feature = "vector")]
mod vector {
    use std::path::Path;

    use evergraph_search::vector::{Metric, VectorDefinition, Vectors};

    use super::*;

    pub(super) fn all(directory: &Path) -> Result<Vec<SearchIndex>, crate::Error> {
        let stored = Vectors::stored(directory)?.into_iter();
        let all = stored.map(|one| index(one.place.name, one.about.map(|about| about.definition)));
        Ok(all.collect())
    }

    fn index(name: String, about: Option<VectorDefinition>) -> SearchIndex {
        SearchIndex {
            name,
            kind: "VECTOR",
            about: about.map(definition),
            remove: |directory, name| Ok(Vectors::remove(directory, name).map(drop)?),
        }
    }

    /// Metrics in capitals, as Neo4j lists them.
    fn definition(one: VectorDefinition) -> About {
        let dimensions = i64::try_from(one.dimensions).unwrap_or(i64::MAX);
        let metric = one.metric.name().to_uppercase();
        About {
            labels: vec![one.label],
            keys: vec![one.key],
            config: BTreeMap::from([
                ("vector.dimensions".into(), dimensions.into()),
                ("vector.similarity_function".into(), metric.into()),
            ]),
        }
    }

    pub(super) fn create(db: &Database, asked: Asked, mut options: Options) -> Result<bool, Error> {
        let wrong = |what: &str, hint: &str| Error::refused("Options", what, hint);
        let dimensions = match options.take("dimensions") {
            Some(Value::Integer(number)) if number > 0 => number as usize,
            _ => {
                let what = "dimensions has to say how many numbers a vector has, from 1";
                return Err(wrong(what, "write OPTIONS {dimensions: 384}"));
            }
        };
        let metric = match options.take("metric") {
            None => Metric::Cosine,
            Some(value) => {
                let name = value.as_text().unwrap_or_default().to_lowercase();
                let name = match &*name {
                    "cos" => "cosine",
                    "l2" => "euclidean",
                    "ip" => "inner-product",
                    name => name,
                };
                Metric::named(name).ok_or_else(|| {
                    let hint = "choose cosine, euclidean or inner-product";
                    wrong("there is no such metric", hint)
                })?
            }
        };
        options.finish("dimensions, metric")?;
        let [key] = &asked.keys[..] else {
            return Err(wrong("a vector index is of one property", "name one"));
        };
        let [label] = &asked.labels[..] else {
            return Err(wrong("a vector index is of one label", "name one"));
        };
        let mut definition = VectorDefinition::unnamed(label, key, dimensions, metric);
        if let Some(name) = asked.name {
            definition.name = name;
        }
        let wanted = index(definition.name.clone(), Some(definition.clone()));
        if !is_new(db, &wanted, asked.if_not_exists)? {
            return Ok(false);
        }
        let graph = db.property_graph()?;
        let index = Vectors::open(graph, db.search_directory(), definition);
        let done = index.and_then(|index| {
            index.refresh()?;
            index.save()
        });
        done.map_err(crate::Error::from)?;
        Ok(true)
    }
}

#[cfg(not(feature = "vector"))]
mod vector {
    use super::*;

    pub(super) fn create(_: &Database, asked: Asked, _: Options) -> Result<bool, Error> {
        super::without(&asked, "vector search", "vector")
    }
}

#[cfg(not(all(feature = "fulltext", feature = "vector")))]
fn without(asked: &Asked, what: &str, feature: &str) -> Result<bool, Error> {
    let Asked {
        name, labels, keys, ..
    } = asked;
    let of = format!("{}.{}", labels.join("|"), keys.join(","));
    let named = name.as_deref().unwrap_or(&of);
    Err(Error::refused(
        "Unsupported",
        format!("index {named}: this program was built without {what}"),
        &super::feature_hint(feature),
    ))
}
