//! The functions of openCypher: numbers of arguments, and types.

use super::types::{Kind, Type};

/// A function.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Its name; the case does not count.
    pub name: &'static str,
    /// The least number of arguments.
    pub least: usize,
    /// The greatest number of arguments.
    pub most: usize,
    /// Whether it is of many rows.
    pub is_aggregation: bool,
    /// What its first argument can be; anything if empty.
    pub(super) takes: &'static [Kind],
    result: Result,
}

#[derive(Clone, Copy, Debug)]
enum Result {
    Any,
    Boolean,
    Integer,
    Float,
    Text,
    List,
    Texts,
    Nodes,
    Relationships,
    Map,
    Node,
    Temporal,
    Point,
    /// The element of a list
    Element,
    /// As the first argument
    Same,
    /// A list of values as the first argument
    Collected,
}

impl Function {
    /// The function of a name.
    pub fn find(name: &str) -> Option<&'static Function> {
        ALL.iter()
            .find(|function| function.name.eq_ignore_ascii_case(name))
    }

    /// Type of its result.
    pub(super) fn result(&self, first: Option<&Type>) -> Type {
        let first = || first.cloned().unwrap_or(Type::Any);
        match self.result {
            Result::Any => Type::Any,
            Result::Boolean => Type::Boolean,
            Result::Integer => Type::Integer,
            Result::Float => Type::Float,
            Result::Text => Type::Text,
            Result::List => Type::list(),
            Result::Texts => Type::List(Box::new(Type::Text)),
            Result::Nodes => Type::List(Box::new(Type::Node)),
            Result::Relationships => Type::List(Box::new(Type::Relationship)),
            Result::Map => Type::Map,
            Result::Node => Type::Node,
            Result::Temporal => Type::Temporal,
            Result::Point => Type::Point,
            Result::Element => match first() {
                Type::List(element) => *element,
                _ => Type::Any,
            },
            Result::Same => first(),
            Result::Collected => Type::List(Box::new(first())),
        }
    }
}

const fn scalar(
    name: &'static str,
    arguments: (usize, usize),
    takes: &'static [Kind],
    result: Result,
) -> Function {
    Function {
        name,
        least: arguments.0,
        most: arguments.1,
        is_aggregation: false,
        takes,
        result,
    }
}

const fn aggregation(name: &'static str, arguments: usize, result: Result) -> Function {
    Function {
        is_aggregation: true,
        ..scalar(name, (arguments, arguments), &[], result)
    }
}

/// Of one number, to a float.
const fn of_number(name: &'static str) -> Function {
    scalar(name, (1, 1), &[Kind::Number], Result::Float)
}

/// Of a date, time or duration, or of a map or text of its parts.
const fn temporal(name: &'static str, least: usize, most: usize) -> Function {
    scalar(name, (least, most), &[], Result::Temporal)
}

const ENTITY: &[Kind] = &[Kind::Node, Kind::Relationship];
const FIELDS: &[Kind] = &[Kind::Node, Kind::Relationship, Kind::Map];
const TEXT: &[Kind] = &[Kind::Text];

/// All functions.
pub const ALL: &[Function] = &[
    aggregation("avg", 1, Result::Any),
    aggregation("collect", 1, Result::Collected),
    aggregation("count", 1, Result::Integer),
    aggregation("max", 1, Result::Any),
    aggregation("min", 1, Result::Any),
    aggregation("percentileCont", 2, Result::Float),
    aggregation("percentileDisc", 2, Result::Any),
    aggregation("stDev", 1, Result::Float),
    aggregation("stDevP", 1, Result::Float),
    aggregation("sum", 1, Result::Any),
    scalar("abs", (1, 1), &[Kind::Number], Result::Same),
    of_number("acos"),
    of_number("asin"),
    of_number("atan"),
    scalar("atan2", (2, 2), &[Kind::Number], Result::Float),
    of_number("ceil"),
    of_number("cos"),
    of_number("cot"),
    of_number("degrees"),
    scalar("e", (0, 0), &[], Result::Float),
    of_number("exp"),
    of_number("floor"),
    of_number("haversin"),
    of_number("log"),
    of_number("log10"),
    scalar("pi", (0, 0), &[], Result::Float),
    of_number("radians"),
    scalar("rand", (0, 0), &[], Result::Float),
    scalar("round", (1, 3), &[Kind::Number], Result::Float),
    scalar("sign", (1, 1), &[Kind::Number], Result::Integer),
    of_number("sin"),
    of_number("sqrt"),
    of_number("tan"),
    scalar("coalesce", (1, usize::MAX), &[], Result::Any),
    scalar("elementId", (1, 1), ENTITY, Result::Text),
    scalar("endNode", (1, 1), &[Kind::Relationship], Result::Node),
    scalar("exists", (1, 1), &[], Result::Boolean),
    scalar("head", (1, 1), &[Kind::List], Result::Element),
    scalar("id", (1, 1), ENTITY, Result::Integer),
    scalar(
        "isEmpty",
        (1, 1),
        &[Kind::List, Kind::Map, Kind::Text],
        Result::Boolean,
    ),
    scalar("keys", (1, 1), FIELDS, Result::Texts),
    scalar("labels", (1, 1), &[Kind::Node], Result::Texts),
    scalar("last", (1, 1), &[Kind::List], Result::Element),
    scalar("length", (1, 1), &[Kind::Path], Result::Integer),
    scalar("nodes", (1, 1), &[Kind::Path], Result::Nodes),
    scalar("nullIf", (2, 2), &[], Result::Any),
    scalar("properties", (1, 1), FIELDS, Result::Map),
    scalar("range", (2, 3), &[], Result::List),
    scalar(
        "relationships",
        (1, 1),
        &[Kind::Path],
        Result::Relationships,
    ),
    scalar("rels", (1, 1), &[Kind::Path], Result::Relationships),
    scalar("reverse", (1, 1), &[Kind::List, Kind::Text], Result::Same),
    scalar(
        "size",
        (1, 1),
        &[Kind::List, Kind::Text, Kind::Map],
        Result::Integer,
    ),
    scalar("startNode", (1, 1), &[Kind::Relationship], Result::Node),
    scalar("tail", (1, 1), &[Kind::List], Result::Same),
    scalar("timestamp", (0, 0), &[], Result::Integer),
    scalar("toBoolean", (1, 1), &[], Result::Boolean),
    scalar("toBooleanOrNull", (1, 1), &[], Result::Boolean),
    scalar("toBooleanList", (1, 1), &[Kind::List], Result::List),
    scalar("toFloat", (1, 1), &[], Result::Float),
    scalar("toFloatOrNull", (1, 1), &[], Result::Float),
    scalar("toFloatList", (1, 1), &[Kind::List], Result::List),
    scalar("toInteger", (1, 1), &[], Result::Integer),
    scalar("toInt", (1, 1), &[], Result::Integer),
    scalar("toIntegerOrNull", (1, 1), &[], Result::Integer),
    scalar("toIntegerList", (1, 1), &[Kind::List], Result::List),
    scalar("toString", (1, 1), &[], Result::Text),
    scalar("toStringOrNull", (1, 1), &[], Result::Text),
    scalar("toStringList", (1, 1), &[Kind::List], Result::List),
    scalar("type", (1, 1), &[Kind::Relationship], Result::Text),
    scalar("valueType", (1, 1), &[], Result::Text),
    scalar("char_length", (1, 1), TEXT, Result::Integer),
    scalar("left", (2, 2), TEXT, Result::Text),
    scalar("lower", (1, 1), TEXT, Result::Text),
    scalar("lTrim", (1, 1), TEXT, Result::Text),
    scalar("replace", (3, 3), TEXT, Result::Text),
    scalar("right", (2, 2), TEXT, Result::Text),
    scalar("rTrim", (1, 1), TEXT, Result::Text),
    scalar("split", (2, 2), TEXT, Result::Texts),
    scalar("substring", (2, 3), TEXT, Result::Text),
    scalar("toLower", (1, 1), TEXT, Result::Text),
    scalar("toUpper", (1, 1), TEXT, Result::Text),
    scalar("trim", (1, 1), TEXT, Result::Text),
    scalar("upper", (1, 1), TEXT, Result::Text),
    temporal("date", 0, 1),
    temporal("date.realtime", 0, 1),
    temporal("date.statement", 0, 1),
    temporal("date.transaction", 0, 1),
    temporal("date.truncate", 1, 3),
    temporal("datetime", 0, 1),
    temporal("datetime.fromEpoch", 2, 2),
    temporal("datetime.fromEpochMillis", 1, 1),
    temporal("datetime.realtime", 0, 1),
    temporal("datetime.statement", 0, 1),
    temporal("datetime.transaction", 0, 1),
    temporal("datetime.truncate", 1, 3),
    temporal("duration", 1, 1),
    temporal("duration.between", 2, 2),
    temporal("duration.inDays", 2, 2),
    temporal("duration.inMonths", 2, 2),
    temporal("duration.inSeconds", 2, 2),
    temporal("localdatetime", 0, 1),
    temporal("localdatetime.realtime", 0, 1),
    temporal("localdatetime.statement", 0, 1),
    temporal("localdatetime.transaction", 0, 1),
    temporal("localdatetime.truncate", 1, 3),
    temporal("localtime", 0, 1),
    temporal("localtime.realtime", 0, 1),
    temporal("localtime.statement", 0, 1),
    temporal("localtime.transaction", 0, 1),
    temporal("localtime.truncate", 1, 3),
    temporal("time", 0, 1),
    temporal("time.realtime", 0, 1),
    temporal("time.statement", 0, 1),
    temporal("time.transaction", 0, 1),
    temporal("time.truncate", 1, 3),
    scalar("distance", (2, 2), &[Kind::Point], Result::Float),
    scalar("point", (1, 1), &[Kind::Map], Result::Point),
    scalar("point.distance", (2, 2), &[Kind::Point], Result::Float),
    scalar("point.withinBBox", (3, 3), &[Kind::Point], Result::Boolean),
];
