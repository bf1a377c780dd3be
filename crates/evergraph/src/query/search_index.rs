//! Full-text and vector indexes by statements: files in the search directory of the
//! database, which are no part of it.

use evergraph_property_graph::Value;
use evergraph_syntax::tree::{CreateIndex, IndexKind};

use super::error::Error;
use crate::Database;

/// An index beside the database.
pub(super) struct SearchIndex {
    pub(super) name: String,
    /// `FULLTEXT` or `VECTOR`.
    pub(super) kind: &'static str,
    pub(super) label: String,
    pub(super) keys: Vec<String>,
    /// Whether its files can be read.
    pub(super) is_readable: bool,
    remove: fn(&std::path::Path, &str) -> Result<(), crate::Error>,
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
pub(super) fn create(db: &Database, index: &CreateIndex, text: &str) -> Result<bool, Error> {
    let subject = &index.subject;
    let wrong = |what: &str, hint: &str| {
        let at = subject.variable.at.range();
        Error::of_statement("Unsupported", what, hint, text, &at)
    };
    if subject.of_relationships {
        let what = "full-text and vector indexes are of nodes";
        return Err(wrong(what, "make one FOR (n:Label)"));
    }
    let [label] = &subject.labels[..] else {
        let what = "a full-text index is of one label";
        return Err(wrong(what, "make one for each label"));
    };
    let keys: Vec<String> = index
        .properties
        .iter()
        .map(|name| name.text.clone())
        .collect();
    let asked = Asked {
        name: index.name.as_ref().map(|name| name.text.clone()),
        label: label.text.clone(),
        keys,
        options: options(index, text)?,
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
        IndexKind::FullText => text::create(db, asked),
        IndexKind::Vector => vector::create(db, asked),
        IndexKind::Range => Ok(()),
    }?;
    Ok(true)
}

/// What a statement says of an index.
struct Asked {
    name: Option<String>,
    label: String,
    keys: Vec<String>,
    options: Vec<(String, Value)>,
}

impl Asked {
    fn take(&mut self, name: &str) -> Option<Value> {
        let at = self.options.iter().position(|(known, _)| known == name)?;
        Some(self.options.remove(at).1)
    }

    fn finish(&self, known: &str) -> Result<(), Error> {
        match self.options.first() {
            None => Ok(()),
            Some((name, _)) => Err(Error::refused(
                "Options",
                format!("there is no option {name} of this index"),
                &format!("there is {known}"),
            )),
        }
    }
}

/// Options by our names; those of Neo4j stand in `indexConfig` and have longer ones.
fn options(index: &CreateIndex, text: &str) -> Result<Vec<(String, Value)>, Error> {
    use evergraph_syntax::tree::{Map, Node};

    fn add(map: &Map, text: &str, into: &mut Vec<(String, Value)>) -> Result<(), Error> {
        for (name, value) in &map.entries {
            let short = match name.text.as_str() {
                "indexConfig" => {
                    if let Node::Map(inner) = &value.node {
                        add(inner, text, into)?;
                        continue;
                    }
                    "indexConfig"
                }
                "vector.dimensions" => "dimensions",
                "vector.similarity_function" => "metric",
                "fulltext.analyzer" => "language",
                other => other,
            };
            let value = match &value.node {
                Node::Integer(number) => Value::Integer(*number),
                Node::Text(text) => Value::Text(text.as_str().into()),
                _ => {
                    let what = format!("the option {short} is a text or a number");
                    let hint = "such as {dimensions: 384, metric: 'cosine'}";
                    let at = value.at.range();
                    return Err(Error::of_statement(
                        "InvalidArgumentType",
                        what,
                        hint,
                        text,
                        &at,
                    ));
                }
            };
            into.push((short.to_string(), value));
        }
        Ok(())
    }

    let mut all = Vec::new();
    if let Some(map) = &index.options {
        add(map, text, &mut all)?;
    }
    Ok(all)
}

#[cfg(feature = "fulltext")]
mod text {
    use std::path::Path;

    use evergraph_search::fulltext::{FullText, Language, TextDefinition, Tokenizer};

    use super::*;

    pub(super) fn all(directory: &Path) -> Result<Vec<SearchIndex>, crate::Error> {
        let stored = FullText::stored(directory)?.into_iter();
        Ok(stored
            .map(|one| {
                let definition = one.about.map(|about| about.definition);
                SearchIndex {
                    name: one.place.name,
                    kind: "FULLTEXT",
                    is_readable: definition.is_some(),
                    label: definition
                        .as_ref()
                        .map_or(String::new(), |one| one.label.clone()),
                    keys: definition.map_or(Vec::new(), |one| one.keys),
                    remove: |directory, name| Ok(FullText::remove(directory, name).map(drop)?),
                }
            })
            .collect())
    }

    pub(super) fn create(db: &Database, mut asked: Asked) -> Result<(), Error> {
        let tokenizer = match asked.take("language") {
            None => Tokenizer::Words,
            Some(value) => {
                let name = value.as_text().unwrap_or_default().to_string();
                let found = Language::ALL.iter().find(|(known, _)| *known == name);
                let found = found.map(|(_, language)| Tokenizer::Stems(*language));
                found.ok_or_else(|| {
                    let names: Vec<&str> = Language::ALL.iter().map(|one| one.0).collect();
                    Error::refused(
                        "Options",
                        format!("there is no language {name:?}"),
                        &format!("choose one of {}", names.join(", ")),
                    )
                })?
            }
        };
        asked.finish("language")?;
        let mut definition = TextDefinition::unnamed(&asked.label, &asked.keys, tokenizer);
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

    pub(super) fn create(_: &Database, asked: Asked) -> Result<(), Error> {
        super::without(asked, "full-text search", "fulltext")
    }
}

#[cfg(feature = "vector")]
mod vector {
    use std::path::Path;

    use evergraph_search::vector::{Metric, VectorDefinition, Vectors};

    use super::*;

    pub(super) fn all(directory: &Path) -> Result<Vec<SearchIndex>, crate::Error> {
        let stored = Vectors::stored(directory)?.into_iter();
        Ok(stored
            .map(|one| {
                let definition = one.about.map(|about| about.definition);
                SearchIndex {
                    name: one.place.name,
                    kind: "VECTOR",
                    is_readable: definition.is_some(),
                    label: definition
                        .as_ref()
                        .map_or(String::new(), |one| one.label.clone()),
                    keys: definition.map_or(Vec::new(), |one| vec![one.key]),
                    remove: |directory, name| Ok(Vectors::remove(directory, name).map(drop)?),
                }
            })
            .collect())
    }

    pub(super) fn create(db: &Database, mut asked: Asked) -> Result<(), Error> {
        let wrong = |what: &str, hint: &str| Error::refused("Options", what, hint);
        let dimensions = match asked.take("dimensions") {
            Some(Value::Integer(number)) if number > 0 => number as usize,
            _ => {
                let what = "nothing says how many numbers a vector has";
                return Err(wrong(what, "write OPTIONS {dimensions: 384}"));
            }
        };
        let metric = match asked.take("metric") {
            None => Metric::Cosine,
            Some(value) => {
                let name = value.as_text().unwrap_or_default().to_lowercase();
                Metric::named(&name).ok_or_else(|| {
                    let hint = "choose cosine, euclidean or inner-product";
                    wrong("there is no such metric", hint)
                })?
            }
        };
        asked.finish("dimensions, metric")?;
        let [key] = &asked.keys[..] else {
            return Err(wrong("a vector index is of one property", "name one"));
        };
        let mut definition = VectorDefinition::unnamed(&asked.label, key, dimensions, metric);
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

    pub(super) fn create(_: &Database, asked: Asked) -> Result<(), Error> {
        super::without(asked, "vector search", "vector")
    }
}

#[cfg(not(all(feature = "fulltext", feature = "vector")))]
fn without(mut asked: Asked, what: &str, feature: &str) -> Result<(), Error> {
    let Asked {
        name, label, keys, ..
    } = &asked;
    let of = format!("{label}.{}", keys.join(","));
    let named = name.as_deref().unwrap_or(&of).to_string();
    asked.take("");
    asked.finish("none in this program")?;
    Err(Error::refused(
        "Unsupported",
        format!("index {named}: this program was built without {what}"),
        &format!("build it with the feature `{feature}`"),
    ))
}
