//! Commands of the shell: lines that begin with a colon.

use clap::ValueEnum;
use evergraph::At;
use evergraph::interchange::json_lines::to_json;
use evergraph::query::Error;
use serde_json::{Map, Value, json};

use super::{Next, Shell};
use crate::index;
use crate::query::format::Format;
use crate::query::parameters_of;
use crate::report::{aligned, count, table};

/// Commands with what they do, in the order of `:help`.
pub const COMMANDS: [(&str, &str); 12] = [
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
    (":snapshot NAME", "name the graph as it is now"),
    (":snapshots", "list the snapshots"),
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

/// The answer of a command: text for people, JSON for programs; nothing if that is null.
type Answer = Result<(String, Value), Error>;

impl Shell<'_> {
    /// Does what a command says.
    pub(super) fn command(&mut self, line: &str) -> Next {
        let (name, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let argument = argument.trim();
        let answer = match name {
            ":help" | ":schema" | ":snapshots" | ":begin" | ":commit" | ":rollback" | ":quit"
            | ":exit"
                if !argument.is_empty() =>
            {
                refuse(format!("{name} takes nothing behind it"), "leave it out")
            }
            ":help" => Ok(help()),
            ":schema" => self.schema(),
            ":timing" => self.timing(argument),
            ":asof" => self.as_of(argument),
            ":snapshot" => self.snapshot(argument),
            ":snapshots" => self.snapshots(),
            ":format" => self.choose(argument),
            ":params" | ":param" => self.parameters(line, argument),
            ":begin" => self.begin(),
            ":commit" => self.commit(),
            ":rollback" => match self.runner.roll_back() {
                true => Ok(("rolled back".to_string(), json!({ "rolledBack": true }))),
                false => refuse("there is no transaction", ":begin begins one"),
            },
            ":quit" | ":exit" => return Next::Quit,
            ":auto" => refuse(
                "there is no command :auto",
                "leave it out: a statement commits by itself",
            ),
            other => refuse(format!("there is no command {other}"), ":help lists them"),
        };
        match answer {
            Ok((text, json)) => self.say(&text, &json),
            Err(error) => self.refuse(error),
        }
        Next::More
    }

    fn schema(&self) -> Answer {
        if let Some(at) = &self.runner.as_of {
            return refuse(
                format!(":schema shows the graph of now, and :asof is {at}"),
                ":asof now ends it; CALL db.labels() and the like read the past",
            );
        }
        let graph = self.db.property_graph()?;
        let (view, statistics) = (graph.view(), graph.statistics());
        let (labels, types) = (view.known_labels(), view.known_types());
        let keys = view.known_keys();
        let (nodes, relationships) = (statistics.nodes.records, statistics.relationships.records);
        let listed = |names: &[std::sync::Arc<str>]| match names.is_empty() {
            true => "-".to_string(),
            false => names.join(", "),
        };
        let mut rows = vec![
            ("nodes", count(nodes)),
            ("relationships", count(relationships)),
            ("labels", listed(&labels)),
            ("types", listed(&types)),
            ("properties", listed(&keys)),
        ];
        let definitions = graph.definitions();
        rows.extend(definitions.iter().map(|one| ("rule", index::text(one))));
        let list = |names: &[std::sync::Arc<str>]| names.iter().map(|name| json!(**name)).collect();
        let json = json!({
            "nodes": nodes,
            "relationships": relationships,
            "labels": Value::Array(list(&labels)),
            "types": Value::Array(list(&types)),
            "properties": Value::Array(list(&keys)),
            "definitions": index::all_facts(graph),
        });
        Ok((table(&rows), json))
    }

    fn timing(&mut self, argument: &str) -> Answer {
        self.is_timing = match argument {
            "" => !self.is_timing,
            "on" => true,
            "off" => false,
            _ => return refuse("timing is on or off", "write :timing"),
        };
        let state = if self.is_timing { "on" } else { "off" };
        let json = json!({ "timing": self.is_timing });
        Ok((format!("timing {state}"), json))
    }

    fn as_of(&mut self, argument: &str) -> Answer {
        let at = match argument.trim_matches(['\'', '"']) {
            "" | "now" => None,
            text => Some(At::from_text(text)),
        };
        let Some(at) = at else {
            self.runner.as_of = None;
            let now = json!({ "asOf": "now", "commit": self.db.view().csn() });
            return Ok(("reading the newest commit".to_string(), now));
        };
        let moment = self.db.moment(&at)?;
        let text = match &at {
            At::Csn(csn) => format!("reading commit {csn}"),
            _ => format!("reading {}, commit {}", moment.name(), moment.csn),
        };
        let read = json!({ "asOf": at.to_string(), "commit": moment.csn });
        self.runner.as_of = Some(at);
        Ok((text, read))
    }

    /// Names the newest commit.
    fn snapshot(&self, name: &str) -> Answer {
        if name.is_empty() {
            return refuse(
                "a snapshot needs a name",
                ":snapshots lists those that there are",
            );
        }
        if self.runner.is_in_transaction() {
            return refuse("a transaction is open", ":commit or :rollback ends it");
        }
        let made = self.db.create_snapshot(name, None)?;
        let text = format!(
            "snapshot {}, commit {}; :asof {name} reads it",
            made.name, made.csn
        );
        Ok((text, json!({ "snapshot": made.name, "commit": made.csn })))
    }

    fn snapshots(&self) -> Answer {
        let all = self.db.snapshots();
        let rows = all.iter().map(|one| {
            let time = evergraph::time_text(one.time_us);
            vec![one.name.clone(), one.csn.to_string(), time]
        });
        let titles = ["NAME", "COMMIT", "TIME"].map(str::to_string).to_vec();
        let rows: Vec<Vec<String>> = std::iter::once(titles).chain(rows).collect();
        let json = all.iter().map(|one| {
            let time = evergraph::time_text(one.time_us);
            json!({ "name": one.name, "commit": one.csn, "time": time })
        });
        let text = match all.is_empty() {
            true => "no snapshots".to_string(),
            false => aligned(&rows),
        };
        Ok((text, json!({ "snapshots": json.collect::<Vec<_>>() })))
    }

    fn choose(&mut self, argument: &str) -> Answer {
        let Ok(format) = Format::from_str(argument, true) else {
            let all = Format::value_variants().iter();
            let names =
                all.filter_map(|format| Some(format.to_possible_value()?.get_name().to_string()));
            return refuse(
                format!("there is no format {argument:?}"),
                format!("choose one of {}", names.collect::<Vec<_>>().join(", ")),
            );
        };
        self.format = format;
        Ok((String::new(), Value::Null))
    }

    fn parameters(&mut self, line: &str, argument: &str) -> Answer {
        if !argument.is_empty() {
            self.runner.parameters = parameters_of(line)?;
            return Ok((String::new(), Value::Null));
        }
        let all = self.runner.parameters.iter();
        let lines = all.map(|(name, value)| format!("${name} = {value}\n"));
        let text = lines.collect();
        let all = self.runner.parameters.iter();
        let members = all.map(|(name, value)| (name.to_string(), to_json(value)));
        let members: Map<String, Value> = members.collect();
        Ok((text, json!({ "parameters": members })))
    }

    fn begin(&mut self) -> Answer {
        match self.runner.begin()? {
            true => Ok(("begun".to_string(), json!({ "begun": true }))),
            false => refuse(
                "there is a transaction already",
                ":commit or :rollback ends it",
            ),
        }
    }

    fn commit(&mut self) -> Answer {
        match self.runner.commit()? {
            Some(Some(csn)) => Ok((format!("commit {csn}"), json!({ "commit": csn }))),
            Some(None) => Ok(("nothing was written".to_string(), json!({ "commit": null }))),
            None => refuse("there is no transaction", ":begin begins one"),
        }
    }
}

fn refuse<T>(message: impl Into<String>, hint: impl Into<String>) -> Result<T, Error> {
    Err(evergraph::Error::usage(message, hint).into())
}

fn help() -> (String, Value) {
    let commands = COMMANDS.map(|(name, what)| (name.to_string(), json!(what)));
    let rows = COMMANDS.map(|(name, what)| (name, what.to_string()));
    (
        table(&rows),
        json!({ "commands": Map::from_iter(commands) }),
    )
}
