//! Indexes and constraints as `SHOW` lists them, in Neo4j's columns.

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{
    Definition, DefinitionState, PropertyGraph, Rule, Subject, ValueType,
};
use evergraph_syntax::tree::{ConstraintFilter, ConstraintRule, Name, Types};

use super::error::Error;
use super::search_index::SearchIndex;
use crate::Database;

/// Columns and rows of a list.
pub(super) type Table = (&'static [&'static str], Vec<Vec<Value>>);

/// Types that properties can be required to have.
pub(super) const TYPES: [(Types, ValueType); 14] = [
    (Types::BOOLEAN, ValueType::Boolean),
    (Types::INTEGER, ValueType::Integer),
    (Types::FLOAT, ValueType::Float),
    (Types::STRING, ValueType::Text),
    (Types::BYTES, ValueType::Bytes),
    (Types::LIST, ValueType::List),
    (Types::MAP, ValueType::Map),
    (Types::DATE, ValueType::Date),
    (Types::TIME, ValueType::Time),
    (Types::LOCAL_TIME, ValueType::LocalTime),
    (Types::DATETIME, ValueType::DateTime),
    (Types::LOCAL_DATETIME, ValueType::LocalDateTime),
    (Types::DURATION, ValueType::Duration),
    (Types::POINT, ValueType::Point),
];

const RANGE_PROVIDER: &str = "range-1.0";

/// Indexes, of all types or of one.
///
/// # Errors
/// I/O errors.
pub(super) fn indexes(db: &Database, of: Option<&str>) -> Result<Table, Error> {
    let columns = &[
        "id",
        "name",
        "state",
        "populationPercent",
        "type",
        "entityType",
        "labelsOrTypes",
        "properties",
        "indexProvider",
        "owningConstraint",
        "lastRead",
        "readCount",
        "trackedSince",
        "options",
        "failureMessage",
        "createStatement",
    ];
    let is_listed = |kind: &str| of.is_none_or(|wanted| wanted == kind);
    let mut rows = Vec::new();
    if is_listed("RANGE") {
        let all = db.property_graph()?.numbered_definitions();
        let all = all.iter().filter(|(_, one, _)| one.rule.has_index());
        rows.extend(all.map(|(number, one, state)| range_index(*number, one, state)));
    }
    let beside = SearchIndex::all(db)?.into_iter();
    let beside = beside.filter(|one| is_listed(one.kind));
    rows.extend(beside.map(search_index));
    Ok((columns, rows))
}

fn range_index(number: u32, one: &Definition, state: &DefinitionState) -> Vec<Value> {
    let owner = match one.rule {
        Rule::Index => Value::Null,
        _ => one.name.as_str().into(),
    };
    let (populated, failure) = match state {
        DefinitionState::Online => (100.0, ""),
        DefinitionState::Populating => (0.0, ""),
        DefinitionState::Failed(reason) => (0.0, reason.as_str()),
    };
    let (kind, of) = subject(one);
    vec![
        number.into(),
        one.name.as_str().into(),
        state.to_string().into(),
        Value::Float(populated),
        "RANGE".into(),
        kind.into(),
        Value::from(vec![of]),
        keys(&one.keys),
        RANGE_PROVIDER.into(),
        owner,
        // Reads are not counted.
        Value::Null,
        Value::Null,
        Value::Null,
        options(RANGE_PROVIDER, BTreeMap::new()),
        failure.into(),
        create_statement(one).into(),
    ]
}

/// An index beside the database, which has no number in it.
fn search_index(one: SearchIndex) -> Vec<Value> {
    let provider = match one.kind {
        "VECTOR" => "vector-2.0",
        _ => "fulltext-1.0",
    };
    let (state, populated, failure) = match one.about {
        Some(_) => ("ONLINE", 100.0, ""),
        None => (
            "FAILED",
            0.0,
            "its files are damaged; drop it and make it again",
        ),
    };
    let (mut labels, mut properties) = (Value::Null, Value::Null);
    let (mut chosen, mut statement) = (Value::Null, Value::Null);
    if let Some(about) = one.about {
        let names: Vec<String> = about.keys.iter().map(|key| property("n", key)).collect();
        let names = names.join(", ");
        let on = match one.kind {
            "VECTOR" => format!("ON ({names})"),
            _ => format!("ON EACH [{names}]"),
        };
        let name = Name::new(&one.name);
        let of = about
            .labels
            .iter()
            .map(|label| Name::new(label).to_string());
        let of = of.collect::<Vec<String>>().join("|");
        labels = keys(&about.labels);
        properties = keys(&about.keys);
        chosen = options(provider, about.config);
        let kind = one.kind;
        let text = format!("CREATE {kind} INDEX {name} FOR (n:{of}) {on} OPTIONS {chosen}");
        statement = text.into();
    }
    vec![
        Value::Null,
        one.name.as_str().into(),
        state.into(),
        Value::Float(populated),
        one.kind.into(),
        "NODE".into(),
        labels,
        properties,
        provider.into(),
        Value::Null,
        Value::Null,
        Value::Null,
        Value::Null,
        chosen,
        failure.into(),
        statement,
    ]
}

/// Constraints, all or some.
pub(super) fn constraints(graph: &PropertyGraph, of: ConstraintFilter) -> Table {
    let columns = &[
        "id",
        "name",
        "type",
        "entityType",
        "labelsOrTypes",
        "properties",
        "ownedIndex",
        "propertyType",
        "options",
        "createStatement",
        "state",
    ];
    let all = graph.numbered_definitions();
    let all = all.iter().filter(|(_, one, _)| is_of(one, of));
    let rows = all.map(|(number, one, state)| constraint(*number, one, state));
    (columns, rows.collect())
}

fn is_of(one: &Definition, of: ConstraintFilter) -> bool {
    let ConstraintFilter {
        of_relationships,
        rule,
    } = of;
    let own = match one.rule {
        Rule::Index => return false,
        Rule::Unique => ConstraintRule::Unique,
        Rule::Exists => ConstraintRule::Exists,
        Rule::Key => ConstraintRule::Key,
        Rule::Type(_) => ConstraintRule::Type,
    };
    let is_of_relationships = matches!(one.subject, Subject::Relationships(_));
    rule.is_none_or(|wanted| wanted == own)
        && of_relationships.is_none_or(|wanted| wanted == is_of_relationships)
}

fn constraint(number: u32, one: &Definition, state: &DefinitionState) -> Vec<Value> {
    let (kind, of) = subject(one);
    let rule = match one.rule {
        Rule::Unique if kind == "NODE" => "UNIQUENESS".to_string(),
        Rule::Unique => format!("{kind}_UNIQUENESS"),
        Rule::Exists => format!("{kind}_PROPERTY_EXISTENCE"),
        Rule::Key => format!("{kind}_KEY"),
        Rule::Type(_) => format!("{kind}_PROPERTY_TYPE"),
        Rule::Index => "INDEX".to_string(),
    };
    let (index, options) = match one.rule.has_index() {
        true => (
            one.name.as_str().into(),
            options(RANGE_PROVIDER, BTreeMap::new()),
        ),
        false => (Value::Null, Value::Null),
    };
    let value_type = match one.rule {
        Rule::Type(of) => type_name(of).into(),
        _ => Value::Null,
    };
    vec![
        number.into(),
        one.name.as_str().into(),
        rule.into(),
        kind.into(),
        Value::from(vec![of]),
        keys(&one.keys),
        index,
        value_type,
        options,
        create_statement(one).into(),
        state.to_string().into(),
    ]
}

fn subject(one: &Definition) -> (&'static str, &str) {
    match &one.subject {
        Subject::Nodes(label) => ("NODE", label.as_str()),
        Subject::Relationships(kind) => ("RELATIONSHIP", kind.as_str()),
    }
}

fn keys(keys: &[String]) -> Value {
    keys.iter().map(String::as_str).collect()
}

fn options(provider: &str, config: BTreeMap<Arc<str>, Value>) -> Value {
    Value::from(BTreeMap::from([
        ("indexConfig", Value::from(config)),
        ("indexProvider", provider.into()),
    ]))
}

fn type_name(of: ValueType) -> String {
    let found = TYPES.iter().find(|(_, known)| *known == of);
    found.map_or(String::new(), |(types, _)| types.to_string())
}

fn property(variable: &str, key: &str) -> String {
    format!("{variable}.{}", Name::new(key))
}

/// The statement that makes it again.
fn create_statement(one: &Definition) -> String {
    let (kind, of) = subject(one);
    let (name, of) = (Name::new(&one.name), Name::new(of));
    let (variable, pattern) = match one.subject {
        Subject::Nodes(_) => ("n", format!("(n:{of})")),
        Subject::Relationships(_) => ("r", format!("()-[r:{of}]-()")),
    };
    let keys = one.keys.iter().map(|key| property(variable, key));
    let keys = keys.collect::<Vec<String>>().join(", ");
    let requirement = match one.rule {
        Rule::Index => return format!("CREATE RANGE INDEX {name} FOR {pattern} ON ({keys})"),
        Rule::Unique => "UNIQUE".to_string(),
        Rule::Exists => "NOT NULL".to_string(),
        Rule::Key => format!("{kind} KEY"),
        Rule::Type(of) => format!(":: {}", type_name(of)),
    };
    format!("CREATE CONSTRAINT {name} FOR {pattern} REQUIRE ({keys}) IS {requirement}")
}
