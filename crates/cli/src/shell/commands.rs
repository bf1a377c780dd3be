//! Commands of the shell: lines that begin with a colon.

use clap::ValueEnum;
use evergraph::At;
use evergraph::query::Error;
use serde_json::{Value, json};

use super::{Next, Shell};
use crate::index;
use crate::query::format::Format;
use crate::query::{parameters_of, refused};
use crate::report::{Failure, count, table, write_out};

/// Commands with what they do, in the order of `:help`.
pub const COMMANDS: [(&str, &str); 10] = [
    (":help", "list commands"),
    (
        ":schema",
        "show labels, types, properties, indexes and constraints",
    ),
    (
        ":params {json}",
        "set the parameters of statements; alone, show them",
    ),
    (
        ":format F",
        "print results as table, csv, json, typed-json, jsonl or arrow",
    ),
    (":timing", "say how long statements take, or stop saying it"),
    (
        ":asof AT",
        "read the graph as it was: a snapshot, a date, a commit; `now` ends it",
    ),
    (":begin", "begin a transaction of several statements"),
    (":commit", "commit it"),
    (":rollback", "give it up"),
    (":quit", "end; so do :exit and Ctrl-D"),
];

/// The command that a word without a colon means, as other shells have it.
pub(super) fn command_meant(text: &str) -> Option<&'static str> {
    match text.trim().to_ascii_lowercase().as_str() {
        "quit" | "exit" => Some(":quit"),
        "help" => Some(":help"),
        _ => None,
    }
}

impl Shell<'_> {
    /// Does what a command says.
    pub(super) fn command(&mut self, line: &str) -> Next {
        let (name, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let argument = argument.trim();
        let done = match name {
            ":help" => Ok(help()),
            ":schema" => self.schema(),
            ":timing" => self.timing(argument),
            ":asof" => self.as_of(argument),
            ":format" => self.choose(argument),
            ":params" | ":param" => self.parameters(line, argument),
            ":begin" | ":commit" | ":rollback" if !argument.is_empty() => {
                self.refuse(&format!("{name} takes nothing behind it"), "leave it out")
            }
            ":begin" => self.begin(),
            ":commit" => self.commit(),
            ":rollback" => match self.runner.roll_back() {
                true => Ok(self.answer("rolled back", json!({ "rolledBack": true }))),
                false => self.refuse("there is no transaction", ":begin begins one"),
            },
            ":quit" | ":exit" => return Next::Quit,
            other => Err(Failure::new(
                format!("there is no command {other}"),
                ":help lists them",
            )),
        };
        match done {
            Ok(text) => write_out(&text),
            Err(failure) => self.fail(&failure),
        }
        Next::More
    }

    fn schema(&self) -> Result<String, Failure> {
        let graph = self.db.property_graph()?;
        let (view, statistics) = (graph.view(), graph.statistics());
        let listed = |names: Vec<std::sync::Arc<str>>| match names.is_empty() {
            true => "-".to_string(),
            false => names.join(", "),
        };
        let mut rows = vec![
            ("nodes", count(statistics.nodes.records)),
            ("relationships", count(statistics.relationships.records)),
            ("labels", listed(view.known_labels())),
            ("types", listed(view.known_types())),
            ("properties", listed(view.known_keys())),
        ];
        let definitions = graph.definitions();
        rows.extend(definitions.iter().map(|one| ("rule", index::text(one))));
        Ok(table(&rows))
    }

    fn timing(&mut self, argument: &str) -> Result<String, Failure> {
        self.is_timing = match argument {
            "" => !self.is_timing,
            "on" => true,
            "off" => false,
            _ => return Err(Failure::new("timing is on or off", "write :timing")),
        };
        let state = if self.is_timing { "on" } else { "off" };
        Ok(format!("timing {state}\n"))
    }

    fn as_of(&mut self, argument: &str) -> Result<String, Failure> {
        let at = match argument.trim_matches(['\'', '"']) {
            "" | "now" => None,
            text => Some(At::from_text(text)),
        };
        let Some(at) = at else {
            self.runner.as_of = None;
            let now = json!({ "asOf": "now", "commit": self.db.view().csn() });
            return Ok(self.answer("reading the newest commit", now));
        };
        let moment = self.told(self.db.moment(&at).map_err(Error::from))?;
        let text = match &at {
            At::Csn(csn) => format!("reading commit {csn}"),
            _ => format!("reading {}, commit {}", moment.name(), moment.csn),
        };
        let read = json!({ "asOf": at.to_string(), "commit": moment.csn });
        self.runner.as_of = Some(at);
        Ok(self.answer(&text, read))
    }

    fn choose(&mut self, argument: &str) -> Result<String, Failure> {
        let format = Format::from_str(argument, true);
        self.format = format.map_err(|_| {
            let all = Format::value_variants().iter();
            let names =
                all.filter_map(|format| Some(format.to_possible_value()?.get_name().to_string()));
            Failure::new(
                format!("there is no format {argument:?}"),
                format!("choose one of {}", names.collect::<Vec<_>>().join(", ")),
            )
        })?;
        Ok(String::new())
    }

    fn parameters(&mut self, line: &str, argument: &str) -> Result<String, Failure> {
        if argument.is_empty() {
            let all = self.runner.parameters.iter();
            return Ok(all
                .map(|(name, value)| format!("${name} = {value}\n"))
                .collect());
        }
        let parameters = parameters_of(line);
        self.runner.parameters =
            parameters.map_err(|error| Failure::new(error.message(), error.hint()))?;
        Ok(String::new())
    }

    fn begin(&mut self) -> Result<String, Failure> {
        let begun = self.runner.begin();
        match self.told(begun)? {
            true => Ok(self.answer("begun", json!({ "begun": true }))),
            false => self.refuse(
                "there is a transaction already",
                ":commit or :rollback ends it",
            ),
        }
    }

    fn commit(&mut self) -> Result<String, Failure> {
        let done = self.runner.commit();
        match self.told(done)? {
            Some(Some(csn)) => Ok(self.answer(&format!("commit {csn}"), json!({ "commit": csn }))),
            Some(None) => Ok(self.answer("nothing was written", json!({ "commit": null }))),
            None => self.refuse("there is no transaction", ":begin begins one"),
        }
    }

    /// Refuses a command that a program waits for.
    fn refuse(&self, message: &str, hint: &str) -> Result<String, Failure> {
        self.told(Err(evergraph::Error::usage(message, hint).into()))
    }

    /// A line for a person, or for a program that reads JSON.
    fn answer(&self, text: &str, json: Value) -> String {
        match self.format.is_json() {
            true => format!("{json}\n"),
            false => format!("{text}\n"),
        }
    }

    /// The failure of a command; a program that reads JSON gets a line of it, as of a
    /// statement.
    fn told<T>(&self, done: Result<T, Error>) -> Result<T, Failure> {
        done.map_err(|error| {
            let error = refused(error, self.format);
            Failure::new(error.message(), error.hint())
        })
    }
}

fn help() -> String {
    let rows = COMMANDS.map(|(name, what)| (name, what.to_string()));
    table(&rows)
}
