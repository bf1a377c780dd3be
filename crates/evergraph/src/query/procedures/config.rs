//! The map that says what an algorithm reads and how.

use std::sync::Arc;

use evergraph_analytics::names::nearest;
use evergraph_analytics::run::{Algorithm, Kind, Parameter, Request, Weights};
use evergraph_interpreter::Datum;
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{Orientation, ProjectionOptions};
use evergraph_syntax::with_article;

use super::algorithms::{Mode, has_edges, has_nodes};
use crate::Error;
use crate::property::condition;

/// A map that was read.
pub(super) struct Config {
    pub(super) request: Request,
    /// The property that the values become.
    pub(super) write_property: Option<String>,
    /// The type of the relationships that edges become.
    pub(super) write_type: Option<String>,
}

/// What is read of the graph, and how.
const KEYS: [&str; 10] = [
    "labels",
    "relationshipTypes",
    "where",
    "whereRelationship",
    "orientation",
    "weight",
    "defaultWeight",
    "threads",
    "writeProperty",
    "writeRelationshipType",
];

/// What other systems and the command line call them.
const MEANT: [(&str, &str); 12] = [
    ("nodeLabels", "labels"),
    ("label", "labels"),
    ("types", "relationshipTypes"),
    ("relTypes", "relationshipTypes"),
    ("direction", "orientation"),
    ("relationshipWeightProperty", "weight"),
    ("weightProperty", "weight"),
    ("relationshipFilter", "whereRelationship"),
    ("nodeFilter", "where"),
    ("concurrency", "threads"),
    ("sourceNode", "source"),
    ("targetNode", "target"),
];

/// A name as Cypher has it: `k-core` is `kCore`, `first_seed` is `firstSeed`.
pub(super) fn camel(name: &str) -> String {
    let mut parts = name.split(['-', '_']);
    let mut camel = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let mut letters = part.chars();
        camel.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        camel.push_str(letters.as_str());
    }
    camel
}

impl Config {
    /// Reads the map of a call.
    ///
    /// # Errors
    /// Keys that there are not, with the nearest that there is; values of other types.
    pub(super) fn of(
        algorithm: &Algorithm,
        mode: Mode,
        map: Option<&Datum>,
    ) -> Result<Self, Error> {
        let mut config = Config {
            request: Request {
                algorithm: algorithm.name.to_string(),
                by_number: true,
                ..Request::default()
            },
            write_property: None,
            write_type: None,
        };
        let mut options = ProjectionOptions::default();
        let mut has_default = false;
        for (key, value) in entries(map)? {
            if value.is_null() && !names_nodes(algorithm, &key) {
                continue;
            }
            has_default |= &*key == "defaultWeight";
            if !config.take_option(&mut options, &key, &value, mode)? {
                config.take_parameter(algorithm, &key, &value)?;
            }
        }
        if has_default && options.weight.is_none() {
            return Err(Error::argument(
                "`defaultWeight` is given, and no `weight`",
                "name the property that is the weight: weight: 'km'; without it each \
                 relationship counts 1",
            ));
        }
        if let (Some(weight), Weights::Ignored) = (&options.weight, algorithm.weights) {
            return Err(Error::argument(
                format!("it does not read weights, such as `{weight}`"),
                "leave the weight out: each relationship counts 1",
            ));
        }
        if mode == Mode::Write {
            config.check_written(algorithm)?;
        }
        config.request.projection = Some(options);
        Ok(config)
    }

    /// Whether it says what the result becomes.
    fn check_written(&mut self, algorithm: &Algorithm) -> Result<(), Error> {
        let (message, hint) = match (&self.write_type, &self.write_property) {
            (Some(_), _) if has_edges(algorithm) => return Ok(()),
            (Some(_), _) => (
                "`writeRelationshipType` is of algorithms that give edges or walks",
                "name a property of the nodes: writeProperty: 'score'",
            ),
            (None, _) if !has_nodes(algorithm) => (
                "nothing says which relationships the edges become",
                "name their type: writeRelationshipType: 'SIMILAR'; writeProperty names the \
                 property of their number",
            ),
            (None, None) => (
                "nothing says which property the values become",
                "name it: writeProperty: 'score'",
            ),
            (None, Some(_)) => {
                self.request.write_back = true;
                return Ok(());
            }
        };
        Err(Error::argument(message, hint))
    }

    /// Takes what is read of the graph, and how; whether the key is of that.
    fn take_option(
        &mut self,
        options: &mut ProjectionOptions,
        key: &str,
        value: &Datum,
        mode: Mode,
    ) -> Result<bool, Error> {
        match key {
            "labels" => options.labels = texts(key, value)?,
            "relationshipTypes" => options.types = texts(key, value)?,
            "where" => options.nodes = Some(condition(&text(key, value)?)?),
            "whereRelationship" => options.relationships = Some(condition(&text(key, value)?)?),
            "orientation" => options.orientation = orientation(&text(key, value)?)?,
            "weight" => options.weight = Some(text(key, value)?),
            "defaultWeight" => options.default_weight = number(key, value)? as f32,
            "threads" => {
                let threads = number(key, value)?;
                if threads < 1.0 || threads.fract() != 0.0 {
                    return Err(wrong(key, "a whole number from 1", value));
                }
                self.request.threads = Some(threads as usize);
            }
            "writeProperty" if mode == Mode::Write => {
                self.write_property = Some(text(key, value)?);
            }
            "writeRelationshipType" if mode == Mode::Write => {
                self.write_type = Some(text(key, value)?);
            }
            "writeProperty" | "writeRelationshipType" | "write" => {
                return Err(Error::argument(
                    format!("`{key}` is of the procedure that writes"),
                    format!(
                        "call algo.{}.write({{writeProperty: ...}})",
                        camel(&self.request.algorithm)
                    ),
                ));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn take_parameter(
        &mut self,
        algorithm: &Algorithm,
        key: &str,
        value: &Datum,
    ) -> Result<(), Error> {
        let mut all = algorithm.all_parameters();
        let found = all.find(|parameter| camel(parameter.name) == key || parameter.name == key);
        let parameter = found.ok_or_else(|| unknown(algorithm, key))?;
        let values = values_of(parameter, key, value)?;
        let values = values.into_iter();
        let values = values.map(|value| (parameter.name.to_string(), value));
        self.request.parameters.extend(values);
        Ok(())
    }
}

/// Whether a key is a parameter that names nodes: null is none, such as one that was not
/// found, and a default would be another one.
fn names_nodes(algorithm: &Algorithm, key: &str) -> bool {
    let mut all = algorithm.all_parameters();
    all.any(|parameter| {
        let is_named = camel(parameter.name) == key || parameter.name == key;
        is_named && matches!(parameter.kind, Kind::Vertex | Kind::Vertices | Kind::Pairs)
    })
}

/// The entries of a map of either form.
fn entries(map: Option<&Datum>) -> Result<Vec<(Arc<str>, Datum)>, Error> {
    match map {
        None | Some(Datum::Value(Value::Null)) => Ok(Vec::new()),
        Some(Datum::Value(Value::Map(entries))) => Ok(entries
            .iter()
            .map(|(key, value)| (Arc::clone(key), Datum::Value(value.clone())))
            .collect()),
        Some(Datum::Map(entries)) => Ok(entries
            .iter()
            .map(|(key, value)| (Arc::clone(key), value.clone()))
            .collect()),
        Some(other) => Err(Error::argument(
            format!(
                "the argument is {}, and not a map",
                with_article(other.type_name())
            ),
            "write {relationshipTypes: ['KNOWS']}, or nothing",
        )),
    }
}

fn unknown(algorithm: &Algorithm, key: &str) -> Error {
    let parameters: Vec<String> = algorithm
        .all_parameters()
        .map(|parameter| camel(parameter.name))
        .collect();
    let known = || {
        KEYS.into_iter()
            .chain(parameters.iter().map(String::as_str))
    };
    let meant = MEANT.iter().find(|(other, _)| *other == key);
    let meant = meant.map(|(_, meant)| *meant);
    let meant = meant.filter(|meant| known().any(|known| known == *meant));
    let hint = match meant.or_else(|| nearest(key, known())) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("it takes {}", known().collect::<Vec<_>>().join(", ")),
    };
    Error::argument(format!("there is no parameter {key:?}"), hint)
}

fn wrong(key: &str, wanted: &str, value: &Datum) -> Error {
    // An integer may be of the right type, and too small.
    let found = match value {
        Datum::Value(Value::Integer(number)) => number.to_string(),
        other => with_article(other.type_name()),
    };
    Error::argument(format!("`{key}` is {found}"), format!("give {wanted}"))
}

fn text(key: &str, value: &Datum) -> Result<String, Error> {
    match value {
        Datum::Value(Value::Text(text)) => Ok(text.to_string()),
        other => Err(wrong(key, "a text", other)),
    }
}

fn number(key: &str, value: &Datum) -> Result<f64, Error> {
    match value {
        Datum::Value(Value::Integer(number)) => Ok(*number as f64),
        Datum::Value(Value::Float(number)) => Ok(*number),
        other => Err(wrong(key, "a number", other)),
    }
}

fn refuse_empty(key: &str, value: &Datum) -> Result<(), Error> {
    match elements(value).is_empty() {
        false => Ok(()),
        true => Err(Error::argument(
            format!("`{key}` is an empty list"),
            "leave it out for the default, or call nothing where it is empty: WHERE size(...) > 0",
        )),
    }
}

/// A text, or a list of texts.
fn texts(key: &str, value: &Datum) -> Result<Vec<String>, Error> {
    refuse_empty(key, value)?;
    let all = elements(value);
    let all = all.iter().map(|value| match value {
        Datum::Value(Value::Text(text)) => Ok(text.to_string()),
        other => Err(wrong(key, "a list of texts", other)),
    });
    all.collect()
}

/// The elements of a list; another value is the only one.
fn elements(value: &Datum) -> Vec<Datum> {
    match value {
        Datum::Value(Value::List(values)) => values.iter().cloned().map(Datum::Value).collect(),
        Datum::List(data) => data.to_vec(),
        other => vec![other.clone()],
    }
}

fn orientation(text: &str) -> Result<Orientation, Error> {
    match text.to_lowercase().as_str() {
        "natural" => Ok(Orientation::Natural),
        "reversed" | "reverse" => Ok(Orientation::Reversed),
        "undirected" => Ok(Orientation::Undirected),
        _ => Err(Error::argument(
            format!("`orientation` cannot be {text:?}"),
            "it is 'natural', 'reversed' or 'undirected'",
        )),
    }
}

/// The values of a parameter as the registry takes them: texts, nodes by their ids. An empty
/// list would be as none, which means all or a default.
fn values_of(parameter: &Parameter, key: &str, value: &Datum) -> Result<Vec<String>, Error> {
    refuse_empty(key, value)?;
    match parameter.kind {
        Kind::Vertex => Ok(vec![node(key, value)?]),
        Kind::Vertices => elements(value)
            .iter()
            .map(|value| node(key, value))
            .collect(),
        Kind::Pairs => elements(value)
            .iter()
            .map(|value| pair(key, value))
            .collect(),
        Kind::Wholes(..) => {
            let parts = elements(value);
            let parts = parts.iter().map(|part| scalar(parameter, key, part));
            Ok(vec![parts.collect::<Result<Vec<_>, _>>()?.join(",")])
        }
        _ => Ok(vec![scalar(parameter, key, value)?]),
    }
}

fn scalar(parameter: &Parameter, key: &str, value: &Datum) -> Result<String, Error> {
    match value {
        Datum::Value(Value::Text(text)) => Ok(text.to_string()),
        Datum::Value(Value::Integer(number)) => Ok(number.to_string()),
        Datum::Value(Value::Float(number)) => Ok(number.to_string()),
        Datum::Value(Value::Boolean(is_so)) => Ok(is_so.to_string()),
        other => Err(wrong(key, &parameter.kind.range(), other)),
    }
}

fn node(key: &str, value: &Datum) -> Result<String, Error> {
    match value {
        Datum::Node(node) => Ok(node.0.to_string()),
        Datum::Value(Value::Integer(id)) if *id >= 0 => Ok(id.to_string()),
        other => Err(wrong(
            key,
            "a node, such as one that MATCH has found, or its id",
            other,
        )),
    }
}

fn pair(key: &str, value: &Datum) -> Result<String, Error> {
    match &elements(value)[..] {
        [from, to] => Ok(format!("{}:{}", node(key, from)?, node(key, to)?)),
        _ => Err(wrong(key, "a list of pairs [a, b] of nodes", value)),
    }
}

#[cfg(test)]
mod tests {
    use super::camel;

    #[test]
    fn names_are_those_of_cypher() {
        for (name, expected) in [
            ("bfs", "bfs"),
            ("k-core", "kCore"),
            (
                "strongly-connected-components",
                "stronglyConnectedComponents",
            ),
            ("first_seed", "firstSeed"),
        ] {
            assert_eq!(camel(name), expected);
        }
    }
}
