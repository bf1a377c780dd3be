//! From a text to an expression: the language's parser reads it, and what a condition on
//! properties cannot evaluate is refused at its place.

use std::ops::Range;
use std::sync::Arc;

use evergraph_syntax::tree::{self, Access, Span};
use evergraph_syntax::with_article;

use super::{Comparison, Expression, Key, Node, Part, SyntaxError, TextTest};
use crate::value::Value;

const FUNCTIONS: &[&str] = &[
    "date",
    "datetime",
    "duration",
    "localdatetime",
    "localtime",
    "time",
];

/// Reads a text as a predicate.
pub(super) fn predicate(text: &str) -> Result<Expression, SyntaxError> {
    let tree = evergraph_syntax::parse_expression(text);
    let tree = tree.map_err(|error| SyntaxError::of(text, &error))?;
    let mut reader = Reader {
        text,
        keys: Vec::new(),
    };
    let root = reader.boolean(&tree)?;
    Ok(Expression {
        text: text.to_string(),
        root,
        keys: reader.keys,
    })
}

struct Reader<'t> {
    text: &'t str,
    keys: Vec<Key>,
}

type Read<T> = Result<T, SyntaxError>;

impl Reader<'_> {
    fn part(&mut self, of: &tree::Expression) -> Read<Part> {
        let node = match &of.node {
            tree::Node::Null => Node::Literal(Value::Null),
            tree::Node::Boolean(truth) => Node::Literal((*truth).into()),
            tree::Node::Integer(number) => Node::Literal(Value::Integer(*number)),
            tree::Node::Float(number) => Node::Literal(Value::Float(*number)),
            tree::Node::Text(text) => Node::Literal(text.as_str().into()),
            tree::Node::Positive(part) if is_number(part) => self.part(part)?.node,
            tree::Node::Variable(name) => self.property(name, of.at)?,
            tree::Node::List(parts) => self.list(parts)?,
            tree::Node::Call(call) => self.function(call, of.at)?,
            tree::Node::Not(part) => Node::Not(Box::new(self.boolean(part)?)),
            tree::Node::And(parts) => Node::And(self.booleans(parts)?),
            tree::Node::Xor(parts) => Node::Xor(self.booleans(parts)?),
            tree::Node::Or(parts) => Node::Or(self.booleans(parts)?),
            tree::Node::Comparison(first, others) => {
                let first = self.part(first)?;
                let others = others.iter().map(|(comparison, other)| {
                    Ok((Comparison::of(*comparison), self.part(other)?))
                });
                Node::Comparison(Box::new(first), others.collect::<Read<_>>()?)
            }
            tree::Node::Tested(test, sides) => {
                let test = self.text_test(*test, of.at)?;
                Node::Text(test, Box::new((self.part(&sides.0)?, self.part(&sides.1)?)))
            }
            tree::Node::In(sides) => {
                let member = self.part(&sides.0)?;
                let list = self.part(&sides.1)?;
                self.check_type(&list, "LIST", "a list, such as [1, 2]")?;
                Node::In(Box::new((member, list)))
            }
            tree::Node::IsNull(part) => Node::IsNull(Box::new(self.part(part)?)),
            tree::Node::IsNotNull(part) => Node::IsNotNull(Box::new(self.part(part)?)),
            other => return Err(self.unsupported(other, of.at)),
        };
        Ok(Part {
            node,
            at: of.at.range(),
        })
    }

    /// A part that can be true or false.
    fn boolean(&mut self, of: &tree::Expression) -> Read<Part> {
        let part = self.part(of)?;
        self.check_type(&part, "BOOLEAN", "a comparison, such as x = 1")?;
        Ok(part)
    }

    fn booleans(&mut self, parts: &[tree::Expression]) -> Read<Vec<Part>> {
        parts.iter().map(|part| self.boolean(part)).collect()
    }

    fn property(&mut self, name: &str, at: Span) -> Read<Node> {
        if name.is_empty() {
            return Err(self.error(at, "this name is empty", "name a property"));
        }
        let known = self.keys.iter().position(|key| key.name == name);
        let place = known.unwrap_or_else(|| {
            self.keys.push(Key {
                name: name.to_string(),
                at: at.range(),
            });
            self.keys.len() - 1
        });
        Ok(Node::Property(place))
    }

    fn list(&mut self, parts: &[tree::Expression]) -> Read<Node> {
        let parts = parts.iter().map(|part| self.part(part));
        let parts: Vec<Part> = parts.collect::<Read<_>>()?;
        let literals: Option<Arc<[Value]>> = parts.iter().map(Part::literal).collect();
        Ok(match literals {
            Some(values) => Node::Literal(Value::List(values)),
            None => Node::List(parts),
        })
    }

    /// A function of one text, whose value is known at once.
    fn function(&self, call: &tree::FunctionCall, at: Span) -> Read<Node> {
        let name: Vec<&str> = call.name.iter().map(|name| name.text.as_str()).collect();
        let name = name.join(".");
        let lower = name.to_ascii_lowercase();
        if !FUNCTIONS.contains(&lower.as_str()) {
            let what = format!("there is no function {name} in conditions");
            let hint = format!("there are {}", FUNCTIONS.join(", "));
            let mut error = self.error(call.name[0].at, what, hint);
            let near = evergraph_syntax::nearest(&lower, FUNCTIONS.iter().copied());
            error.near = near.map(str::to_string);
            return Err(error);
        }
        let hint = "such as date('2001-09-11') or datetime('2001-09-11T08:46:00Z')";
        let [argument] = &call.arguments[..] else {
            let what = format!("{name} takes one text in quotes");
            return Err(self.error(at, what, hint));
        };
        let tree::Node::Text(text) = &argument.node else {
            let what = "this stands where a text in quotes should be";
            return Err(self.error(argument.at, what, hint));
        };
        let value = match lower.as_str() {
            "date" => text.parse().map(Value::Date),
            "time" => text.parse().map(Value::Time),
            "localtime" => text.parse().map(Value::LocalTime),
            "datetime" => text.parse().map(Value::DateTime),
            "localdatetime" => text.parse().map(Value::LocalDateTime),
            _ => text.parse().map(Value::Duration),
        };
        let value = value.map_err(|error| self.error(argument.at, error.to_string(), hint))?;
        Ok(Node::Literal(value))
    }

    fn text_test(&self, test: tree::TextTest, at: Span) -> Read<TextTest> {
        match test {
            tree::TextTest::StartsWith => Ok(TextTest::StartsWith),
            tree::TextTest::EndsWith => Ok(TextTest::EndsWith),
            tree::TextTest::Contains => Ok(TextTest::Contains),
            tree::TextTest::Matches => {
                let what = "regular expressions cannot stand in conditions";
                Err(self.error(at, what, "use STARTS WITH, ENDS WITH or CONTAINS"))
            }
        }
    }

    /// The error for what the language has, and conditions have not.
    fn unsupported(&self, node: &tree::Node, at: Span) -> SyntaxError {
        let only = "a condition compares properties with values";
        let (what, hint) = match node {
            tree::Node::Access(base, steps) => {
                let is_property = matches!(
                    (&base.node, &steps[..]),
                    (tree::Node::Variable(_), [Access::Property(_)])
                );
                match is_property {
                    true => (
                        "properties stand without a variable here",
                        "write the name of the property alone",
                    ),
                    false => ("parts of values cannot stand in conditions", only),
                }
            }
            tree::Node::Parameter(_) => (
                "parameters cannot stand in conditions",
                "write the value itself",
            ),
            tree::Node::Negative(_) | tree::Node::Positive(_) | tree::Node::Arithmetic(..) => {
                ("arithmetic cannot stand in conditions", "write the result")
            }
            tree::Node::Labelled(..) => (
                "labels cannot stand in conditions",
                "choose labels and types beside the condition",
            ),
            tree::Node::Map(_) | tree::Node::MapProjection(_) => {
                ("maps cannot stand in conditions", only)
            }
            tree::Node::CountAll => ("aggregations cannot stand in conditions", only),
            tree::Node::Case(_) => (
                "CASE cannot stand in conditions",
                "write it with AND, OR and NOT",
            ),
            tree::Node::Quantified(_)
            | tree::Node::Reduce(_)
            | tree::Node::ListComprehension(_) => (
                "what is done with each element of a list cannot stand in conditions",
                only,
            ),
            _ => ("paths and subqueries cannot stand in conditions", only),
        };
        self.error(at, what, hint)
    }

    fn error(&self, at: Span, what: impl Into<String>, hint: impl Into<Box<str>>) -> SyntaxError {
        SyntaxError::new(self.text, at.range(), what, hint)
    }

    /// Refuses what can have no value of a type.
    fn check_type(&self, part: &Part, wanted: &str, such_as: &str) -> Read<()> {
        match part.static_type() {
            Some(found) if found != wanted => {
                let (found, wanted) = (with_article(found), with_article(wanted));
                let what = format!("this is {found} where {wanted} should be");
                let hint = format!("write {such_as}");
                let at: Range<usize> = part.at.clone();
                Err(SyntaxError::new(self.text, at, what, hint))
            }
            _ => Ok(()),
        }
    }
}

fn is_number(of: &tree::Expression) -> bool {
    matches!(of.node, tree::Node::Integer(_) | tree::Node::Float(_))
}

impl Comparison {
    fn of(comparison: tree::Comparison) -> Self {
        match comparison {
            tree::Comparison::Equal => Comparison::Equal,
            tree::Comparison::Unequal => Comparison::Unequal,
            tree::Comparison::Less => Comparison::Less,
            tree::Comparison::LessOrEqual => Comparison::LessOrEqual,
            tree::Comparison::Greater => Comparison::Greater,
            tree::Comparison::GreaterOrEqual => Comparison::GreaterOrEqual,
        }
    }
}

impl Part {
    fn literal(&self) -> Option<Value> {
        match &self.node {
            Node::Literal(value) => Some(value.clone()),
            _ => None,
        }
    }

    /// Type of its value, where that is known and it is not null.
    fn static_type(&self) -> Option<&'static str> {
        match &self.node {
            Node::Literal(Value::Null) | Node::Property(_) => None,
            Node::Literal(value) => Some(value.type_name()),
            Node::List(_) => Some("LIST"),
            _ => Some("BOOLEAN"),
        }
    }
}
