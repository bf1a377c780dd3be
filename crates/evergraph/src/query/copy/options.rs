//! The file and the options of a `COPY`.

use std::path::PathBuf;

use evergraph_property_graph::Value;
use evergraph_syntax::nearest;
use evergraph_syntax::tree::{Access, CopyOption, Expression, Node};

use super::super::error::Error;
use super::super::statement::Statement;

/// Format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Csv,
    Tsv,
    /// A JSON object a line.
    JsonLines,
    /// A JSON list of objects.
    Json,
    Parquet,
}

const FORMATS: [(&str, Format); 7] = [
    ("csv", Format::Csv),
    ("tsv", Format::Tsv),
    ("jsonl", Format::JsonLines),
    ("ndjson", Format::JsonLines),
    ("json", Format::Json),
    ("parquet", Format::Parquet),
    ("txt", Format::Csv),
];

/// Options that have not been asked for.
pub(super) struct Options<'s> {
    statement: &'s Statement,
    left: Vec<&'s CopyOption>,
    asked: Vec<&'static str>,
}

impl<'s> Options<'s> {
    /// # Errors
    /// If one is given twice.
    pub(super) fn of(options: &'s [CopyOption], statement: &'s Statement) -> Result<Self, Error> {
        for (at, option) in options.iter().enumerate() {
            let is_same =
                |other: &CopyOption| other.name.text.eq_ignore_ascii_case(&option.name.text);
            if options[..at].iter().any(is_same) {
                let what = format!("the option {} is given twice", option.name.text);
                let at = option.name.at.range();
                let text = statement.text();
                return Err(Error::of_statement(
                    "UnexpectedSyntax",
                    what,
                    "give it once",
                    text,
                    &at,
                ));
            }
        }
        Ok(Options {
            statement,
            left: options.iter().collect(),
            asked: Vec::new(),
        })
    }

    fn take(&mut self, name: &'static str) -> Option<&'s CopyOption> {
        self.asked.push(name);
        let at = self
            .left
            .iter()
            .position(|option| option.name.text.eq_ignore_ascii_case(name))?;
        Some(self.left.remove(at))
    }

    fn wrong(&self, option: &CopyOption, wanted: &str) -> Error {
        let at = match &option.value {
            Some(value) => value.at.range(),
            None => option.name.at.range(),
        };
        let what = format!("the option {} is {wanted}", option.name.text);
        let hint = "such as (header false, delimiter '|', key id)";
        Error::of_statement(
            "InvalidArgumentType",
            what,
            hint,
            self.statement.text(),
            &at,
        )
    }

    /// The value of an option as it is written; a plain name is a text.
    fn value(&self, expression: &Expression) -> Option<Value> {
        Some(match &expression.node {
            Node::Null => Value::Null,
            Node::Boolean(truth) => Value::Boolean(*truth),
            Node::Integer(number) => Value::Integer(*number),
            Node::Float(number) => Value::Float(*number),
            Node::Text(text) | Node::Variable(text) => Value::Text(text.as_str().into()),
            Node::Parameter(name) => {
                let mut all = self.statement.parameters.iter();
                all.find(|(known, _)| known == name)?.1.clone()
            }
            Node::List(elements) => {
                let elements = elements.iter().map(|element| self.value(element));
                elements
                    .collect::<Option<Vec<Value>>>()?
                    .into_iter()
                    .collect()
            }
            _ => return None,
        })
    }

    /// Whether something is switched on.
    pub(super) fn flag(&mut self, name: &'static str, default: bool) -> Result<bool, Error> {
        let Some(option) = self.take(name) else {
            return Ok(default);
        };
        match &option.value {
            None => Ok(true),
            Some(value) => match self.value(value) {
                Some(Value::Boolean(truth)) => Ok(truth),
                _ => Err(self.wrong(option, "true or false")),
            },
        }
    }

    pub(super) fn number(&mut self, name: &'static str) -> Result<Option<u64>, Error> {
        let Some(option) = self.take(name) else {
            return Ok(None);
        };
        match option.value.as_ref().and_then(|value| self.value(value)) {
            Some(Value::Integer(number)) if number >= 0 => Ok(Some(number.unsigned_abs())),
            _ => Err(self.wrong(option, "a whole number from 0")),
        }
    }

    pub(super) fn text(&mut self, name: &'static str) -> Result<Option<String>, Error> {
        let Some(option) = self.take(name) else {
            return Ok(None);
        };
        match option.value.as_ref().and_then(|value| self.value(value)) {
            Some(Value::Text(text)) => Ok(Some(text.to_string())),
            _ => Err(self.wrong(option, "a text")),
        }
    }

    /// A text, or a list of texts.
    pub(super) fn texts(&mut self, name: &'static str) -> Result<Option<Vec<String>>, Error> {
        let Some(option) = self.take(name) else {
            return Ok(None);
        };
        let found = match option.value.as_ref().and_then(|value| self.value(value)) {
            Some(Value::Text(text)) => Some(vec![text.to_string()]),
            Some(Value::List(elements)) => {
                let texts = elements
                    .iter()
                    .map(|element| element.as_text().map(str::to_string));
                texts.collect()
            }
            _ => None,
        };
        found
            .map(Some)
            .ok_or_else(|| self.wrong(option, "a text, or a list of texts"))
    }

    /// Texts by name: `{born: 'INTEGER'}`.
    pub(super) fn pairs(&mut self, name: &'static str) -> Result<Vec<(String, String)>, Error> {
        let Some(option) = self.take(name) else {
            return Ok(Vec::new());
        };
        let Some(Node::Map(map)) = option.value.as_ref().map(|value| &value.node) else {
            return Err(self.wrong(option, "a map, such as {born: 'INTEGER'}"));
        };
        let pairs = map
            .entries
            .iter()
            .map(|(key, value)| match self.value(value) {
                Some(Value::Text(text)) => Ok((key.text.clone(), text.to_string())),
                _ => Err(self.wrong(option, "a map to names of types")),
            });
        pairs.collect()
    }

    /// `Label.key`
    pub(super) fn key(&mut self, name: &'static str) -> Result<Option<(String, String)>, Error> {
        let Some(option) = self.take(name) else {
            return Ok(None);
        };
        if let Some(Node::Access(of, steps)) = option.value.as_ref().map(|value| &value.node)
            && let (Node::Variable(label), [Access::Property(key)]) = (&of.node, &steps[..])
        {
            return Ok(Some((label.clone(), key.text.clone())));
        }
        Err(self.wrong(option, "a label and its key, such as Person.id"))
    }

    /// The format of a file, by the option `format` or else its name.
    pub(super) fn format(&mut self, file: &std::path::Path) -> Result<Format, Error> {
        let named = |name: &str| {
            let found = FORMATS
                .iter()
                .find(|(known, _)| known.eq_ignore_ascii_case(name));
            found.map(|(_, format)| *format)
        };
        let known = "csv, tsv, jsonl, json and parquet";
        if let Some(name) = self.text("format")? {
            return named(&name).ok_or_else(|| {
                Error::of_file(
                    format!("there is no format {name:?}"),
                    &format!("there are {known}"),
                )
            });
        }
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let name = name
            .strip_suffix(".gz")
            .or(name.strip_suffix(".zst"))
            .unwrap_or(&name);
        let extension = name.rsplit_once('.').map(|(_, extension)| extension);
        extension.and_then(named).ok_or_else(|| {
            Error::of_file(
                format!("{}: the name does not say the format", file.display()),
                &format!("say it: (format csv); there are {known}"),
            )
        })
    }

    /// # Errors
    /// An option that there is not, with the nearest that there is.
    pub(super) fn finish(self) -> Result<(), Error> {
        let Some(option) = self.left.first() else {
            return Ok(());
        };
        let name = &option.name;
        let mut what = format!("there is no option {} here", name.text);
        if let Some(near) = nearest(&name.text, self.asked.iter().copied()) {
            what += &format!(": did you mean {near}?");
        }
        let hint = format!("there are {}", self.asked.join(", "));
        let text = self.statement.text();
        Err(Error::of_statement(
            "UnexpectedSyntax",
            what,
            &hint,
            text,
            &name.at.range(),
        ))
    }
}

/// The file that a statement names.
///
/// # Errors
/// A parameter that is no text.
pub(super) fn file(expression: &Expression, statement: &Statement) -> Result<PathBuf, Error> {
    let name = match &expression.node {
        Node::Text(text) => text.clone(),
        Node::Parameter(name) => {
            let hint = "give it the name of a file";
            statement.text_of(name, expression.at, hint)?
        }
        _ => String::new(),
    };
    match name.is_empty() {
        false => Ok(PathBuf::from(name)),
        true => Err(Error::of_file(
            "the name of the file is empty",
            "give the path of a file",
        )),
    }
}
