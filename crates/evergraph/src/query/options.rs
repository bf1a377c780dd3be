//! `OPTIONS` of indexes and constraints.

use std::sync::Arc;

use evergraph_interpreter::Query;
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::PropertyGraph;
use evergraph_syntax::tree::Map;

use super::error::Error;
use super::rows::Rows;
use super::statement::Statement;

/// Options by the names of Neo4j, which stand in `indexConfig`, and ours.
const NAMES: [(&str, &str); 3] = [
    ("vector.dimensions", "dimensions"),
    ("vector.similarity_function", "metric"),
    ("fulltext.analyzer", "language"),
];

/// Options of Neo4j that say how an index is built and how fresh it is, which none of
/// ours has to be told.
const WITHOUT_EFFECT: [&str; 4] = [
    "fulltext.eventually_consistent",
    "vector.hnsw.ef_construction",
    "vector.hnsw.m",
    "vector.quantization.enabled",
];

/// Options that have not been taken.
pub(super) struct Options(Vec<(String, Value)>);

impl Options {
    /// Evaluates them: scripts have parameters and functions there.
    ///
    /// # Errors
    /// Of the evaluation.
    pub(super) fn of(
        map: Option<&Map>,
        graph: &PropertyGraph,
        statement: &Statement,
    ) -> Result<Self, Error> {
        let Some(map) = map else {
            return Ok(Options(Vec::new()));
        };
        let text = format!("RETURN {map} AS options");
        let of_query = |error| Error::of_query(error, &text);
        let query = Query::prepare(graph, &text).map_err(of_query)?;
        let parameters = statement.parameters.data();
        let found = query.read(&graph.view(), parameters).map_err(of_query)?;
        let options: Value = Rows::of_view(found, graph.view()).single()?;
        let mut all = Vec::new();
        for (name, value) in options.as_map().into_iter().flatten() {
            match (&**name, value.as_map()) {
                ("indexConfig", Some(config)) => all.extend(config.iter().map(ours)),
                _ => all.push(ours((name, value))),
            }
        }
        all.retain(|(name, _)| !WITHOUT_EFFECT.contains(&name.as_str()));
        Ok(Options(all))
    }

    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        let at = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.remove(at).1)
    }

    /// Takes the name of the index's provider, of whatever version: each kind has one.
    ///
    /// # Errors
    /// If it is of another kind.
    pub(super) fn take_provider(&mut self, kind: &str) -> Result<(), Error> {
        let Some(provider) = self.take("indexProvider") else {
            return Ok(());
        };
        let text = provider.as_text().unwrap_or_default();
        match text.split('-').next() == Some(kind) {
            true => Ok(()),
            false => Err(Error::refused(
                "Options",
                format!("there is no provider {provider} of this index"),
                "leave indexProvider out",
            )),
        }
    }

    /// # Errors
    /// If an option is left, which there is not.
    pub(super) fn finish(&self, known: &str) -> Result<(), Error> {
        match self.0.first() {
            None => Ok(()),
            Some((name, _)) => Err(Error::refused(
                "Options",
                format!("there is no option {name} of this index"),
                &format!("there is {known}"),
            )),
        }
    }
}

fn ours((name, value): (&Arc<str>, &Value)) -> (String, Value) {
    let known = NAMES.iter().find(|(long, _)| **long == **name);
    let name = known.map_or(&**name, |(_, short)| *short);
    (name.to_string(), value.clone())
}
