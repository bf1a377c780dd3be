//! Functions of nodes, relationships and paths.

use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{Entity, RelationshipId};

use evergraph_syntax::scope::{Returns, Types};

use super::definition::{Category, Function, needs};
use super::unreachable_type;
use crate::datum::{Datum, Path};
use crate::environment::Environment;
use crate::error::EvaluationError;

type Result = std::result::Result<Datum, EvaluationError>;

const GRAPH: Category = Category::Graph;
const WITH_KEYS: Types = Types::ENTITY.or(Types::MAP);

#[rustfmt::skip] // Rows of a table.
pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(GRAPH, "id", &[needs("entity", Types::ENTITY)], Types::INTEGER,
        "Number of a node or relationship; numbers of what is gone are used again.",
        ("id(n)", "0"), |arguments, _| Ok(number(&arguments[0])?.into())),
    Function::new(GRAPH, "elementId", &[needs("entity", Types::ENTITY)], Types::STRING,
        "The number of a node or relationship, as a text.",
        ("elementId(n)", "'0'"), |arguments, _| Ok(number(&arguments[0])?.to_string().into())),
    Function::new(GRAPH, "labels", &[needs("node", Types::NODE)], Types::LIST,
        "Labels of a node.",
        ("labels(n)", "['Person']"), labels).that(Returns::ListOf(Types::STRING)),
    Function::new(GRAPH, "type", &[needs("relationship", Types::RELATIONSHIP)], Types::STRING,
        "Type of a relationship.",
        ("type(r)", "'KNOWS'"), |arguments, environment| {
            let name = environment
                .entities
                .relationship_type(relationship(&arguments[0])?)?;
            Ok(name.into())
        }),
    Function::new(GRAPH, "startNode", &[needs("relationship", Types::RELATIONSHIP)], Types::NODE,
        "The node that a relationship comes from.",
        ("startNode(r) = n", "true"), |arguments, environment| {
            Ok(Datum::Node(
                environment.entities.ends(relationship(&arguments[0])?)?.0,
            ))
        }),
    Function::new(GRAPH, "endNode", &[needs("relationship", Types::RELATIONSHIP)], Types::NODE,
        "The node that a relationship goes to.",
        ("endNode(r) = n", "false"), |arguments, environment| {
            Ok(Datum::Node(
                environment.entities.ends(relationship(&arguments[0])?)?.1,
            ))
        }),
    Function::new(GRAPH, "properties", &[needs("value", WITH_KEYS)], Types::MAP,
        "Properties of a node or relationship as a map; a map itself.",
        ("properties(n)", "{name: 'Ann'}"), properties),
    Function::new(GRAPH, "keys", &[needs("value", WITH_KEYS)], Types::LIST,
        "Keys of the properties of a node or relationship, or of a map.",
        ("keys({name: 'Ann', born: null})", "['born', 'name']"), keys).that(Returns::ListOf(Types::STRING)),
    Function::new(GRAPH, "length", &[needs("path", Types::PATH)], Types::INTEGER,
        "Number of relationships of a path.",
        ("length(p)", "1"),
        |arguments, _| Ok((path(&arguments[0])?.relationships().len() as i64).into())),
    Function::new(GRAPH, "nodes", &[needs("path", Types::PATH)], Types::LIST,
        "Nodes of a path, in order.",
        ("size(nodes(p))", "2"), |arguments, _| {
            let nodes = path(&arguments[0])?.nodes();
            Ok(Datum::list(
                nodes.iter().copied().map(Datum::Node).collect(),
            ))
        }).that(Returns::ListOf(Types::NODE)),
    Function::new(GRAPH, "relationships", &[needs("path", Types::PATH)], Types::LIST,
        "Relationships of a path, in order.",
        ("relationships(p) = [r]", "true"), |arguments, _| {
            let relationships = path(&arguments[0])?.relationships().iter().copied();
            Ok(Datum::list(
                relationships.map(Datum::Relationship).collect(),
            ))
        }).that(Returns::ListOf(Types::RELATIONSHIP)),
];

fn number(datum: &Datum) -> std::result::Result<i64, EvaluationError> {
    match datum {
        Datum::Node(node) => Ok(node.0.into()),
        Datum::Relationship(relationship) => Ok(relationship.0.into()),
        _ => Err(unreachable_type()),
    }
}

fn relationship(datum: &Datum) -> std::result::Result<RelationshipId, EvaluationError> {
    match datum {
        Datum::Relationship(relationship) => Ok(*relationship),
        _ => Err(unreachable_type()),
    }
}

fn path(datum: &Datum) -> std::result::Result<&Path, EvaluationError> {
    match datum {
        Datum::Path(path) => Ok(path),
        _ => Err(unreachable_type()),
    }
}

fn labels(arguments: &[Datum], environment: &Environment<'_>) -> Result {
    let Datum::Node(node) = arguments[0] else {
        return Err(unreachable_type());
    };
    let labels = environment.entities.labels(node)?;
    Ok(Datum::Value(labels.into_iter().collect()))
}

fn properties(arguments: &[Datum], environment: &Environment<'_>) -> Result {
    let entity = match &arguments[0] {
        Datum::Node(node) => Entity::Node(*node),
        Datum::Relationship(relationship) => Entity::Relationship(*relationship),
        map => return Ok(map.clone()),
    };
    Ok(Datum::from(environment.entities.properties(entity)?))
}

fn keys(arguments: &[Datum], environment: &Environment<'_>) -> Result {
    let map = properties(arguments, environment)?;
    let entries = map.entries().ok_or_else(unreachable_type)?;
    Ok(Datum::Value(entries.into_keys().collect::<Value>()))
}
