//! Full-text and vector indexes by statements: files in the search directory of the
//! database, which are no part of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_property_graph::Value;
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
    };
    if let Some(name) = &asked.name
        && SearchIndex::all(db)?
            .iter()
            .any(|other| other.name == *name)
    {
        return match index.if_not_exists {
            true => Ok(false),
            false => Err(Error::refused(
                "IndexExists",
                format!("there is an index {name} already"),
                "choose another name, or write IF NOT EXISTS",
            )),
        };
    }
    match index.kind {
        IndexKind::FullText => text::create(db, asked, options),
        IndexKind::Vector => vector::create(db, asked, options),
        IndexKind::Range => Ok(()),
    }?;
    Ok(true)
}

/// What a statement says of an index.
struct Asked {
    name: Option<String>,
    labels: Vec<String>,
    keys: Vec<String>,
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
        let all = stored.map(|one| SearchIndex {
            name: one.place.name,
            kind: "FULLTEXT",
            about: one.about.map(|about| definition(about.definition)),
            remove: |directory, name| Ok(FullText::remove(directory, name).map(drop)?),
        });
        Ok(all.collect())
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

    pub(super) fn create(db: &Database, asked: Asked, mut options: Options) -> Result<(), Error> {
        let tokenizer = match options.take("language") {
            None => Tokenizer::Words,
            Some(value) => tokenizer(&value)?,
        };
        options.finish("language")?;
        let mut definition = TextDefinition::unnamed(&asked.labels, &asked.keys, tokenizer);
        if let Some(name) = asked.name {
            definition.name = name;
        }
        let graph = db.property_graph()?;
        let index = FullText::open(graph, db.search_directory(), definition);
        let done = index.and_then(|index| index.refresh());
        Ok(done.map_err(crate::Error::from)?)
    }
}

#[cfg(not(feature = "fulltext"))]
mod text {
    use super::*;

    pub(super) fn create(_: &Database, asked: Asked, _: Options) -> Result<(), Error> {
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
        let all = stored.map(|one| SearchIndex {
            name: one.place.name,
            kind: "VECTOR",
            about: one.about.map(|about| definition(about.definition)),
            remove: |directory, name| Ok(Vectors::remove(directory, name).map(drop)?),
        });
        Ok(all.collect())
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

    pub(super) fn create(db: &Database, asked: Asked, mut options: Options) -> Result<(), Error> {
        let wrong = |what: &str, hint: &str| Error::refused("Options", what, hint);
        let dimensions = match options.take("dimensions") {
            Some(Value::Integer(number)) if number > 0 => number as usize,
            _ => {
                let what = "nothing says how many numbers a vector has";
                return Err(wrong(what, "write OPTIONS {dimensions: 384}"));
            }
        };
        let metric = match options.take("metric") {
            None => Metric::Cosine,
            Some(value) => {
                let name = value.as_text().unwrap_or_default().to_lowercase();
                Metric::named(&name).ok_or_else(|| {
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
        let graph = db.property_graph()?;
        let index = Vectors::open(graph, db.search_directory(), definition);
        let done = index.and_then(|index| {
            index.refresh()?;
            index.save()
        });
        Ok(done.map_err(crate::Error::from)?)
    }
}

#[cfg(not(feature = "vector"))]
mod vector {
    use super::*;

    pub(super) fn create(_: &Database, asked: Asked, _: Options) -> Result<(), Error> {
        super::without(&asked, "vector search", "vector")
    }
}

#[cfg(not(all(feature = "fulltext", feature = "vector")))]
fn without(asked: &Asked, what: &str, feature: &str) -> Result<(), Error> {
    let Asked { name, labels, keys } = asked;
    let of = format!("{}.{}", labels.join("|"), keys.join(","));
    let named = name.as_deref().unwrap_or(&of);
    Err(Error::refused(
        "Unsupported",
        format!("index {named}: this program was built without {what}"),
        &super::feature_hint(feature),
    ))
}
