//! `evergraph index`: indexes and constraints of a property graph.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use evergraph::Database;
use evergraph::property::{Definition, DefinitionState, PropertyGraph, Rule, Subject, ValueType};
use serde_json::{Value, json};

use crate::medium::{MediumArgs, closing, note_writer};
use crate::report::{Failure, Report, aligned, bytes, count, note, table};

/// Arguments of `index`.
#[derive(clap::Args)]
pub struct Args {
    /// Directory of the database
    db: PathBuf,
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    medium: MediumArgs,
}

#[derive(clap::Subcommand)]
enum Action {
    /// List indexes and constraints (what is done if nothing is said)
    List,
    /// Make an index or a constraint; fails if what there is does not fit it
    Create(CreateArgs),
    /// Drop an index or a constraint
    Drop {
        /// Its name
        name: String,
    },
}

#[derive(clap::Args)]
struct CreateArgs {
    /// What it is called
    name: String,
    /// It is about the nodes with this label
    #[arg(long, value_name = "LABEL", required_unless_present = "relationships")]
    label: Option<String>,
    /// It is about the relationships of this type
    #[arg(long, value_name = "TYPE", conflicts_with = "label")]
    relationships: Option<String>,
    /// The properties, in the order in which an index has them
    #[arg(
        long = "key",
        value_name = "KEY",
        required = true,
        value_delimiter = ','
    )]
    keys: Vec<String>,
    /// What it says: index (found fast), unique, exists, key (exists and is unique), or
    /// the type that values have: boolean, integer, float, text and so on
    #[arg(long, default_value = "index", value_parser = rules(), hide_possible_values = true)]
    rule: Rule,
}

const RULES: [(&str, Rule); 18] = [
    ("index", Rule::Index),
    ("unique", Rule::Unique),
    ("exists", Rule::Exists),
    ("key", Rule::Key),
    ("boolean", Rule::Type(ValueType::Boolean)),
    ("integer", Rule::Type(ValueType::Integer)),
    ("float", Rule::Type(ValueType::Float)),
    ("text", Rule::Type(ValueType::Text)),
    ("bytes", Rule::Type(ValueType::Bytes)),
    ("list", Rule::Type(ValueType::List)),
    ("map", Rule::Type(ValueType::Map)),
    ("date", Rule::Type(ValueType::Date)),
    ("time", Rule::Type(ValueType::Time)),
    ("localtime", Rule::Type(ValueType::LocalTime)),
    ("datetime", Rule::Type(ValueType::DateTime)),
    ("localdatetime", Rule::Type(ValueType::LocalDateTime)),
    ("duration", Rule::Type(ValueType::Duration)),
    ("point", Rule::Type(ValueType::Point)),
];

fn rules() -> impl TypedValueParser<Value = Rule> {
    PossibleValuesParser::new(RULES.map(|(name, _)| name)).map(|given| {
        let found = RULES.iter().find(|(name, _)| *name == given);
        found.expect("one of the possible values").1
    })
}

fn rule_name(rule: Rule) -> &'static str {
    let found = RULES.iter().find(|(_, known)| *known == rule);
    found.map_or("?", |(name, _)| name)
}

/// Runs the command.
pub fn execute(args: &Args) -> Result<Report, Failure> {
    let options = match &args.action {
        None | Some(Action::List) => args.medium.read_only()?,
        Some(_) => args.medium.options()?,
    };
    let db = Database::open(&args.db, &options).inspect(note_writer)?;
    match &args.action {
        None | Some(Action::List) => Ok(list(db.property_graph()?)),
        Some(Action::Create(args)) => closing(db, |db| create(db.property_graph()?, args)),
        Some(Action::Drop { name }) => closing(db, |db| drop_named(db.property_graph()?, name)),
    }
}

fn create(graph: &PropertyGraph, args: &CreateArgs) -> Result<Report, Failure> {
    let definitions = graph.definitions();
    if let Some(taken) = definitions.iter().find(|one| one.name == args.name) {
        return Err(Failure::new(
            format!("the name {:?} is taken by {}", args.name, text(taken)),
            format!(
                "choose another, or drop it first: evergraph index DB drop {}",
                args.name
            ),
        ));
    }
    let view = graph.view();
    let (subject, what, known) = match (&args.label, &args.relationships) {
        (Some(label), _) => (
            Subject::Nodes(label.clone()),
            format!("no node has had the label {label} yet"),
            view.known_labels().iter().any(|known| **known == **label),
        ),
        (None, kind) => {
            let kind = kind.clone().unwrap_or_default();
            let known = view.known_types().iter().any(|known| **known == *kind);
            let what = format!("no relationship has had the type {kind} yet");
            (Subject::Relationships(kind), what, known)
        }
    };
    drop(view);
    if !known {
        note(&what);
    }
    let definition = Definition {
        name: args.name.clone(),
        subject,
        keys: args.keys.clone(),
        rule: args.rule,
    };
    graph.define(&definition).map_err(evergraph::Error::from)?;
    Ok(Report::new(
        json!({ "created": facts(graph, &definition, &DefinitionState::Online) }),
        table(&[("created", text(&definition))]),
    ))
}

fn drop_named(graph: &PropertyGraph, name: &str) -> Result<Report, Failure> {
    let dropped = graph.drop_definition(name);
    dropped.map_err(evergraph::Error::from)?;
    Ok(Report::new(
        json!({ "dropped": name }),
        table(&[("dropped", name.to_string())]),
    ))
}

fn list(graph: &PropertyGraph) -> Report {
    let definitions = graph.definition_states();
    let all: Vec<Value> = all_facts(graph);
    let titles = ["NAME", "OF", "KEYS", "RULE", "STATE", "ENTRIES", "STORED"];
    let mut rows = vec![titles.map(str::to_string)];
    for ((definition, state), facts) in definitions.iter().zip(&all) {
        let number = |name: &str| facts[name].as_u64();
        rows.push([
            definition.name.clone(),
            of(&definition.subject),
            definition.keys.join(","),
            rule_name(definition.rule).to_string(),
            state.to_string(),
            number("entries").map_or("-".to_string(), count),
            number("stored_bytes").map_or("-".to_string(), bytes),
        ]);
    }
    let rows: Vec<Vec<String>> = rows.into_iter().map(Vec::from).collect();
    let text = match definitions.is_empty() {
        true => "there are no indexes and no constraints\n".to_string(),
        false => aligned(&rows),
    };
    Report::new(json!({ "definitions": all }), text)
}

/// All of them, for `--json`.
pub fn all_facts(graph: &PropertyGraph) -> Vec<Value> {
    let definitions = graph.definition_states();
    let facts = definitions
        .iter()
        .map(|(definition, state)| facts(graph, definition, state));
    facts.collect()
}

/// One of them; with sizes if it has an index, and why if it failed.
fn facts(graph: &PropertyGraph, definition: &Definition, state: &DefinitionState) -> Value {
    let (what, name) = match &definition.subject {
        Subject::Nodes(label) => ("label", label),
        Subject::Relationships(kind) => ("relationships", kind),
    };
    let mut facts = json!({
        "name": definition.name,
        what: name,
        "keys": definition.keys,
        "rule": rule_name(definition.rule),
        "state": state.to_string(),
    });
    if let DefinitionState::Failed(reason) = state {
        facts["failure"] = json!(reason);
        return facts;
    }
    let indexes = graph.statistics().indexes;
    let usage = indexes.iter().find(|(name, _)| *name == definition.name);
    if let Some((_, usage)) = usage {
        facts["entries"] = json!(usage.entries);
        facts["stored_bytes"] = json!(usage.stored_bytes);
        facts["dram_bytes"] = json!(usage.page_bytes + usage.unmerged_bytes + usage.watched_bytes);
    }
    facts
}

/// One of them, in words.
pub fn text(definition: &Definition) -> String {
    format!(
        "{}: {} of {} ({})",
        definition.name,
        rule_name(definition.rule),
        of(&definition.subject),
        definition.keys.join(", ")
    )
}

fn of(subject: &Subject) -> String {
    match subject {
        Subject::Nodes(label) => format!("nodes {label}"),
        Subject::Relationships(kind) => format!("relationships {kind}"),
    }
}
