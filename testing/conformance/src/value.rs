//! Values as the kit writes them, and those of results.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use evergraph_functions::{Datum, Entities, print};
use evergraph_property_graph::Value;

/// A value, comparable as the kit compares them: nodes by labels and properties.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shown {
    /// `null`, `true`, numbers, in one spelling.
    Word(String),
    /// A string.
    Text(String),
    /// `[1, 2]`
    List(Vec<Shown>),
    /// `{a: 1}`
    Map(BTreeMap<String, Shown>),
    /// `(:A {x: 1})`
    Node(BTreeSet<String>, BTreeMap<String, Shown>),
    /// `[:T {x: 1}]`
    Relationship(String, BTreeMap<String, Shown>),
    /// `<(:A)-[:T]->(:B)>`: nodes, and relationships with whether they go forward
    Path(Vec<Shown>, Vec<(Shown, bool)>),
}

impl Shown {
    /// With the elements of all lists in one order.
    #[must_use]
    pub fn unordered(self) -> Self {
        match self {
            Shown::List(elements) => {
                let mut elements: Vec<Shown> = elements.into_iter().map(Shown::unordered).collect();
                elements.sort();
                Shown::List(elements)
            }
            Shown::Map(entries) => Shown::Map(unordered(entries)),
            Shown::Node(labels, entries) => Shown::Node(labels, unordered(entries)),
            Shown::Relationship(kind, entries) => Shown::Relationship(kind, unordered(entries)),
            other => other,
        }
    }

    /// Of a result.
    ///
    /// # Errors
    /// What cannot be read or printed.
    pub fn of(datum: &Datum, entities: &dyn Entities) -> Result<Self, String> {
        Ok(match datum {
            Datum::Value(Value::Text(text)) => Shown::Text(text.to_string()),
            Datum::Value(Value::Float(number)) => float(*number),
            Datum::Value(
                value @ (Value::Date(_)
                | Value::Time(_)
                | Value::LocalTime(_)
                | Value::DateTime(_)
                | Value::LocalDateTime(_)
                | Value::Duration(_)),
            ) => {
                let environment = evergraph_functions::Environment::new(
                    entities,
                    evergraph_functions::Clock::of_statement(
                        evergraph_property_graph::value::DateTime::EPOCH,
                    ),
                    1,
                );
                let function = evergraph_functions::functions::find("tostring");
                let function = function.map_err(|error| error.to_string())?;
                let datum = Datum::Value(value.clone());
                let text = evergraph_functions::functions::call(function, &[datum], &environment);
                match text.map_err(|error| error.to_string())? {
                    Datum::Value(Value::Text(text)) => Shown::Text(text.to_string()),
                    other => return Err(format!("{other:?}")),
                }
            }
            Datum::Value(Value::List(values)) => {
                let values = values
                    .iter()
                    .map(|one| Shown::of(&one.clone().into(), entities));
                Shown::List(values.collect::<Result<_, _>>()?)
            }
            Datum::List(data) => {
                let data = data.iter().map(|one| Shown::of(one, entities));
                Shown::List(data.collect::<Result<_, _>>()?)
            }
            Datum::Value(Value::Map(entries)) => Shown::Map(of_values(entries.iter(), entities)?),
            Datum::Map(entries) => {
                let entries = entries.iter();
                let entries =
                    entries.map(|(key, one)| Ok((key.to_string(), Shown::of(one, entities)?)));
                Shown::Map(entries.collect::<Result<_, String>>()?)
            }
            Datum::Node(id) => {
                let read = |error: evergraph_functions::ReadError| error.to_string();
                let labels = entities.labels(*id).map_err(read)?;
                let properties = entities.properties((*id).into()).map_err(read)?;
                let labels = labels.iter().map(|label| label.to_string()).collect();
                Shown::Node(labels, of_values(properties.iter(), entities)?)
            }
            Datum::Relationship(id) => {
                let read = |error: evergraph_functions::ReadError| error.to_string();
                let kind = entities.relationship_type(*id).map_err(read)?;
                let properties = entities.properties((*id).into()).map_err(read)?;
                Shown::Relationship(kind.to_string(), of_values(properties.iter(), entities)?)
            }
            Datum::Path(path) => {
                let nodes = path.nodes().iter();
                let nodes = nodes.map(|node| Shown::of(&Datum::Node(*node), entities));
                let mut relationships = Vec::new();
                for (relationship, from) in path.relationships().iter().zip(path.nodes()) {
                    let ends = entities.ends(*relationship);
                    let (source, _) = ends.map_err(|error| error.to_string())?;
                    let shown = Shown::of(&Datum::Relationship(*relationship), entities)?;
                    relationships.push((shown, source == *from));
                }
                Shown::Path(nodes.collect::<Result<_, _>>()?, relationships)
            }
            other => {
                let text = print(other, entities).map_err(|error| error.to_string())?;
                Shown::Word(text)
            }
        })
    }

    /// Reads what the kit writes.
    ///
    /// # Errors
    /// What is left of it where it has no known form.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut reader = Reader { rest: text.trim() };
        let shown = reader.value()?;
        match reader.rest.trim().is_empty() {
            true => Ok(shown),
            false => Err(reader.rest.to_string()),
        }
    }

    /// As a parameter.
    pub fn datum(&self) -> Datum {
        match self {
            Shown::Text(text) => Datum::from(text.as_str()),
            Shown::List(elements) => Datum::list(elements.iter().map(Shown::datum).collect()),
            Shown::Map(entries) => {
                let entries = entries.iter();
                Datum::map(
                    entries
                        .map(|(key, one)| (Arc::from(&**key), one.datum()))
                        .collect(),
                )
            }
            Shown::Word(word) => match word.as_str() {
                "true" => true.into(),
                "false" => false.into(),
                "NaN" => f64::NAN.into(),
                word => match (word.parse::<i64>(), word.parse::<f64>()) {
                    (Ok(number), _) => number.into(),
                    (_, Ok(number)) => number.into(),
                    _ => Datum::NULL,
                },
            },
            _ => Datum::NULL,
        }
    }
}

fn float(number: f64) -> Shown {
    match number {
        0.0 => Shown::Word("0.0".into()),
        number => Shown::Word(format!("{number:?}")),
    }
}

fn unordered(entries: BTreeMap<String, Shown>) -> BTreeMap<String, Shown> {
    let entries = entries.into_iter();
    entries
        .map(|(key, shown)| (key, shown.unordered()))
        .collect()
}

fn of_values<'v>(
    entries: impl Iterator<Item = (&'v Arc<str>, &'v Value)>,
    entities: &dyn Entities,
) -> Result<BTreeMap<String, Shown>, String> {
    entries
        .map(|(key, value)| Ok((key.to_string(), Shown::of(&value.clone().into(), entities)?)))
        .collect()
}

struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    fn take(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        match self.take(token) {
            true => Ok(()),
            false => Err(format!("no {token} at {}", self.rest)),
        }
    }

    fn value(&mut self) -> Result<Shown, String> {
        self.rest = self.rest.trim_start();
        if self.rest.starts_with("[:") {
            return self.relationship();
        }
        if self.rest.starts_with('(') {
            return self.node();
        }
        if self.take("<") {
            return self.path();
        }
        if self.take("[") {
            let mut elements = Vec::new();
            while !self.take("]") {
                elements.push(self.value()?);
                self.take(",");
            }
            return Ok(Shown::List(elements));
        }
        if self.rest.starts_with('{') {
            return Ok(Shown::Map(self.entries()?));
        }
        if self.take("'") {
            return self.text();
        }
        let is_end = |letter: char| ",]})|".contains(letter) || letter.is_whitespace();
        let end = self.rest.find(is_end).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        if word.is_empty() {
            return Err(format!("no value at {rest}"));
        }
        self.rest = rest;
        let is_integer = word.parse::<i64>().is_ok();
        Ok(match word.parse::<f64>() {
            Ok(number) if !is_integer => float(number),
            _ => Shown::Word(word.to_string()),
        })
    }

    fn text(&mut self) -> Result<Shown, String> {
        let mut text = String::new();
        let mut letters = self.rest.char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '\'' => {
                    self.rest = &self.rest[at + 1..];
                    return Ok(Shown::Text(text));
                }
                '\\' => match letters.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, other)) => text.push(other),
                    None => {}
                },
                letter => text.push(letter),
            }
        }
        Err("a string without an end".into())
    }

    fn name(&mut self) -> Result<String, String> {
        self.rest = self.rest.trim_start();
        if self.take("`") {
            let (name, rest) = self.rest.split_once('`').ok_or("a name without an end")?;
            self.rest = rest;
            return Ok(name.to_string());
        }
        let is_end = |letter: char| !letter.is_alphanumeric() && letter != '_';
        let end = self.rest.find(is_end).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        Ok(name.to_string())
    }

    fn entries(&mut self) -> Result<BTreeMap<String, Shown>, String> {
        let mut entries = BTreeMap::new();
        if !self.take("{") {
            return Ok(entries);
        }
        while !self.take("}") {
            let name = self.name()?;
            self.expect(":")?;
            entries.insert(name, self.value()?);
            self.take(",");
        }
        Ok(entries)
    }

    fn node(&mut self) -> Result<Shown, String> {
        self.expect("(")?;
        let mut labels = BTreeSet::new();
        while self.take(":") {
            labels.insert(self.name()?);
        }
        let entries = self.entries()?;
        self.expect(")")?;
        Ok(Shown::Node(labels, entries))
    }

    fn relationship(&mut self) -> Result<Shown, String> {
        self.expect("[:")?;
        let kind = self.name()?;
        let entries = self.entries()?;
        self.expect("]")?;
        Ok(Shown::Relationship(kind, entries))
    }

    fn path(&mut self) -> Result<Shown, String> {
        let mut nodes = vec![self.node()?];
        let mut relationships = Vec::new();
        while !self.take(">") {
            let backward = self.take("<-");
            if !backward {
                self.expect("-")?;
            }
            let relationship = self.relationship()?;
            let forward = self.take("->");
            if !forward {
                self.expect("-")?;
            }
            relationships.push((relationship, !backward));
            nodes.push(self.node()?);
        }
        Ok(Shown::Path(nodes, relationships))
    }
}
