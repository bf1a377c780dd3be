//! Expressions: their variables, functions, and types as far as they are known.

use super::functions::{FunctionSignature, Functions};
use super::types::{TEMPORAL, Type, Types};
use super::{Checker, Named, problem};
use crate::error::Detail::*;
use crate::error::{Class, Problem, with_article};
use crate::parse::Parsed;
use crate::tree::{
    Access, Case, Computed, Expression, FunctionCall, Labels, MapItem, MapProjection, Node,
    Operator, Span, StatementLabels, SubqueryKind, TextTest, Typing, When,
};

/// Where an expression stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub aggregation: Aggregation,
    /// Whether a path may stand here, as a condition.
    pub takes_paths: bool,
}

/// Whether an aggregation may stand somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aggregation {
    Allowed,
    /// In an aggregation.
    Nested,
    /// In what has this name.
    Refused(&'static str),
}

impl Place {
    pub(super) fn column() -> Self {
        Place {
            aggregation: Aggregation::Allowed,
            takes_paths: false,
        }
    }

    pub(super) fn without_aggregation(place: &'static str) -> Self {
        Place {
            aggregation: Aggregation::Refused(place),
            takes_paths: false,
        }
    }

    pub(super) fn condition(place: &'static str) -> Self {
        Place {
            takes_paths: true,
            ..Place::without_aggregation(place)
        }
    }

    /// The same place, but of a value that is no condition.
    fn operand(self) -> Self {
        Place {
            takes_paths: false,
            ..self
        }
    }

    /// The same place, but of a condition.
    fn test(self) -> Self {
        Place {
            takes_paths: true,
            ..self
        }
    }
}

impl Checker<'_> {
    /// Checks a value, and returns its type.
    pub(super) fn value(&mut self, of: &Expression, place: Place) -> Parsed<Type> {
        let inner = place.operand();
        Ok(match &of.node {
            Node::Null | Node::Parameter(_) => Type::Any,
            Node::Boolean(_) => Type::Boolean,
            Node::Integer(_) => Type::Integer,
            Node::Float(_) => Type::Float,
            Node::Text(_) => Type::Text,
            Node::Variable(name) => self.need_variable(name, of.at)?.clone(),
            Node::List(parts) => {
                let mut element = None;
                for part in parts {
                    let next = self.value(part, inner)?;
                    element = Some(match element {
                        None => next,
                        Some(element) => next.or(element),
                    });
                }
                Type::List(Box::new(element.unwrap_or(Type::Any)))
            }
            Node::Map(map) => {
                for (_, value) in &map.entries {
                    self.value(value, inner)?;
                }
                Type::Map
            }
            Node::Access(base, steps) => self.access(base, steps, inner)?,
            Node::Negative(part) | Node::Positive(part) => {
                let found = self.value(part, inner)?;
                self.need_types(&found, Types::NUMBER.or(Types::DURATION), part.at)?;
                found
            }
            Node::Arithmetic(first, others) => {
                let mut found = self.value(first, inner)?;
                let mut at = first.at;
                for (operator, other) in others {
                    let next = self.value(other, inner)?;
                    found = self.arithmetic(*operator, (&found, at), (&next, other.at))?;
                    at = at.to(other.at);
                }
                found
            }
            Node::Tested(test, sides) => {
                for side in [&sides.0, &sides.1] {
                    let found = self.value(side, inner)?;
                    if *test == TextTest::Matches {
                        self.need_types(&found, Types::STRING, side.at)?;
                    }
                }
                Type::Boolean
            }
            Node::In(sides) => {
                self.value(&sides.0, inner)?;
                let list = self.value(&sides.1, inner)?;
                self.need_types(&list, Types::LIST, sides.1.at)?;
                Type::Boolean
            }
            Node::IsNull(part) | Node::IsNotNull(part) => {
                self.value(part, inner)?;
                Type::Boolean
            }
            Node::Typed(Typing::Is, part, _) => {
                self.value(part, inner)?;
                Type::Boolean
            }
            Node::Typed(Typing::Cast, part, to) => {
                self.value(part, inner)?;
                match &to.any_of[..] {
                    [one] => Type::of(one.types),
                    _ => Type::Any,
                }
            }
            Node::Labelled(part, labels) => {
                let found = self.value(part, inner)?;
                let named = match found {
                    Type::Relationship => Named::Type,
                    _ => Named::Label,
                };
                if found != Type::Any {
                    self.search(named, Some(labels));
                }
                self.need_types(&found, Types::ENTITY, part.at)?;
                self.asked(part, labels)?;
                Type::Boolean
            }
            Node::Comparison(first, others) => {
                self.value(first, inner)?;
                for (_, other) in others {
                    self.value(other, inner)?;
                }
                Type::Boolean
            }
            Node::Not(part) => {
                self.condition(part, place.test())?;
                Type::Boolean
            }
            Node::And(parts) | Node::Xor(parts) | Node::Or(parts) => {
                for part in parts {
                    self.condition(part, place.test())?;
                }
                Type::Boolean
            }
            Node::Call(call) => self.function(call, of.at, inner)?,
            Node::CountAll => {
                self.need_aggregation(of.at, place)?;
                Type::Integer
            }
            Node::Case(case) => self.case(case, inner)?,
            Node::MapProjection(part) => self.map_projection(part, inner)?,
            _ => return self.with_variables(of, place),
        })
    }

    /// Expressions with variables of their own.
    fn with_variables(&mut self, of: &Expression, place: Place) -> Parsed<Type> {
        let inner = place.operand();
        let each = match place.aggregation {
            Aggregation::Nested => Place {
                aggregation: Aggregation::Nested,
                takes_paths: false,
            },
            _ => Place::without_aggregation("what is done with each element"),
        };
        Ok(match &of.node {
            Node::ListComprehension(part) => {
                let list = self.value(&part.list, inner)?;
                let element = self.element(list, part.list.at)?;
                let variable = (part.variable.text.clone(), element.clone());
                self.within([variable], |checker| {
                    if let Some(filter) = &part.filter {
                        checker.condition(filter, each.test())?;
                    }
                    let value = part.value.as_ref();
                    let value = value.map(|value| checker.value(value, each)).transpose()?;
                    Ok(Type::List(Box::new(value.unwrap_or(element))))
                })?
            }
            Node::Quantified(part) => {
                let list = self.value(&part.list, inner)?;
                let element = self.element(list, part.list.at)?;
                let variable = (part.variable.text.clone(), element);
                self.within([variable], |checker| {
                    checker.condition(&part.filter, each.test())
                })?;
                Type::Boolean
            }
            Node::Reduce(part) => {
                self.value(&part.initial, inner)?;
                let list = self.value(&part.list, inner)?;
                let element = self.element(list, part.list.at)?;
                let variables = [
                    (part.accumulator.text.clone(), Type::Any),
                    (part.variable.text.clone(), element),
                ];
                self.within(variables, |checker| checker.value(&part.step, each))?;
                Type::Any
            }
            Node::PatternComprehension(part) => self.within([], |checker| {
                checker.match_patterns(std::slice::from_ref(&part.pattern))?;
                if let Some(filter) = &part.filter {
                    checker.condition(filter, each.test())?;
                }
                let value = checker.value(&part.value, each)?;
                Ok(Type::List(Box::new(value)))
            })?,
            Node::Subquery(kind, query) => {
                let columns = self.query_in_expression(query)?;
                match kind {
                    SubqueryKind::Exists => Type::Boolean,
                    SubqueryKind::Count => Type::Integer,
                    SubqueryKind::Collect => {
                        let [(_, of)] = &columns[..] else {
                            let what = "COLLECT { ... } returns more or less than one column";
                            let hint = "end it with RETURN and one value";
                            return Err(problem(UnexpectedSyntax, of.at, what, hint));
                        };
                        Type::List(Box::new(of.clone()))
                    }
                }
            }
            Node::PatternSubquery(kind, part) => {
                if *kind == SubqueryKind::Collect {
                    let what = "COLLECT { ... } returns nothing";
                    let hint = "write MATCH ... RETURN ... in it";
                    return Err(problem(UnexpectedSyntax, of.at, what, hint));
                }
                self.within([], |checker| {
                    checker.match_patterns(&part.patterns)?;
                    checker.filter(part.filter.as_ref())
                })?;
                match kind {
                    SubqueryKind::Exists => Type::Boolean,
                    _ => Type::Integer,
                }
            }
            Node::Pattern(pattern) => self.pattern_value(pattern, place)?,
            _ => Type::Any,
        })
    }

    /// Checks a condition.
    pub(super) fn condition(&mut self, of: &Expression, place: Place) -> Parsed<()> {
        let found = self.value(of, place)?;
        self.need_types(&found, Types::BOOLEAN, of.at)
    }

    pub(super) fn need_types(&self, found: &Type, types: Types, at: Span) -> Parsed<()> {
        match found.may_be(types) {
            true => Ok(()),
            false => Err(wrong_type(found, types, at)),
        }
    }

    fn element(&self, list: Type, at: Span) -> Parsed<Type> {
        match list {
            Type::List(element) => Ok(*element),
            other => {
                self.need_types(&other, Types::LIST, at)?;
                Ok(Type::Any)
            }
        }
    }

    fn access(&mut self, base: &Expression, steps: &[Access], place: Place) -> Parsed<Type> {
        let mut found = self.value(base, place)?;
        let mut at = base.at;
        for step in steps {
            found = match step {
                Access::Property(name) => {
                    at = at.to(name.at);
                    self.property(&found, name.at)?;
                    if matches!(found, Type::Node | Type::Relationship) {
                        self.searched.push((Named::Key, name.clone()));
                    }
                    Type::Any
                }
                Access::Index(index) => {
                    at = at.to(index.at);
                    self.value(index, place)?;
                    match found {
                        Type::List(element) => *element,
                        _ => Type::Any,
                    }
                }
                Access::Slice(from, to) => {
                    for bound in [from, to].into_iter().flatten() {
                        at = at.to(bound.at);
                        self.value(bound, place)?;
                    }
                    found
                }
            };
        }
        Ok(found)
    }

    /// Refuses a property of what has none.
    fn property(&self, of: &Type, at: Span) -> Parsed<()> {
        let structured = Types::ENTITY.or(Types::MAP).or(TEMPORAL).or(Types::POINT);
        if of.may_be(structured) {
            return Ok(());
        }
        let what = format!("{} has no properties", with_article(of));
        let hint = "nodes, relationships, maps, dates, times and points have some";
        let problem = problem(InvalidArgumentType, at, what, hint);
        // The kit has it so.
        Err(match of {
            Type::Path => problem,
            _ => problem.of_class(Class::TypeError),
        })
    }

    fn arithmetic(
        &self,
        operator: Operator,
        (left, left_at): (&Type, Span),
        (right, right_at): (&Type, Span),
    ) -> Parsed<Type> {
        if let Some((lefts, rights)) = operands(operator) {
            self.need_types(left, lefts, left_at)?;
            self.need_types(right, rights, right_at)?;
        }
        Ok(match (left, right) {
            (Type::List(a), Type::List(b)) => Type::List(Box::new((**a).clone().or((**b).clone()))),
            (Type::List(_), _) | (_, Type::List(_)) => Type::list(),
            (Type::Integer, Type::Integer) if operator != Operator::Power => Type::Integer,
            (Type::Integer | Type::Float, Type::Integer | Type::Float) => Type::Float,
            (Type::Text, Type::Text) => Type::Text,
            _ => Type::Any,
        })
    }

    fn need_aggregation(&self, at: Span, place: Place) -> Parsed<()> {
        let (detail, what, hint) = match place.aggregation {
            Aggregation::Allowed => return Ok(()),
            Aggregation::Nested => (
                NestedAggregation,
                "an aggregation stands in an aggregation".to_string(),
                "aggregate in a WITH before this",
            ),
            Aggregation::Refused(place) => (
                InvalidAggregation,
                format!("an aggregation stands in {place}"),
                "aggregate in a WITH before this, and use its column",
            ),
        };
        Err(problem(detail, at, what, hint))
    }

    fn function(&mut self, call: &FunctionCall, at: Span, place: Place) -> Parsed<Type> {
        let Some(known) = self.environment.functions else {
            for argument in &call.arguments {
                self.value(argument, place)?;
            }
            return Ok(Type::Any);
        };
        let name = call.full_name();
        let Some(function) = known.find(&name) else {
            return Err(unknown_function(call, &name, known));
        };
        let mut inner = place;
        if function.aggregates {
            self.need_aggregation(at, place)?;
            inner.aggregation = Aggregation::Nested;
        } else if call.distinct {
            let what = format!(
                "DISTINCT stands in {}(), which is no aggregation",
                function.name
            );
            let hint = "leave it out, or write RETURN DISTINCT";
            return Err(problem(InvalidAggregation, at, what, hint));
        }
        let mut types = Vec::with_capacity(call.arguments.len());
        for argument in &call.arguments {
            types.push(self.value(argument, inner)?);
        }
        self.need_arguments(&function, call, &types, at)?;
        if let ("percentileCont" | "percentileDisc", [_, percentile]) =
            (function.name, &call.arguments[..])
        {
            need_percentile(percentile)?;
        }
        if function.aggregates && call.arguments.iter().any(super::aggregation::is_random) {
            let what = "an aggregation of a random value";
            let hint = "make the value in a WITH before this";
            return Err(problem(NonConstantExpression, at, what, hint));
        }
        Ok(function.result(types.first()))
    }

    /// Refuses arguments of another number or of other types than a function takes.
    fn need_arguments(
        &self,
        function: &FunctionSignature,
        call: &FunctionCall,
        types: &[Type],
        at: Span,
    ) -> Parsed<()> {
        let (count, (least, most)) = (call.arguments.len(), function.counts());
        if !(least..=most).contains(&count) {
            let what = format!("{} has {count} arguments", function.name);
            let hint = match (least, most) {
                (least, usize::MAX) => format!("it takes {least} or more"),
                (least, most) if least == most => format!("it takes {least}"),
                (least, most) => format!("it takes {least} to {most}"),
            };
            return Err(problem(InvalidNumberOfArguments, at, what, hint));
        }
        for (place, (found, argument)) in types.iter().zip(&call.arguments).enumerate() {
            if let Some(parameter) = function.parameter(place)
                && !function.is_late
            {
                self.need_types(found, parameter.types, argument.at)?;
            }
        }
        Ok(())
    }

    fn case(&mut self, case: &Case, place: Place) -> Parsed<Type> {
        if let Some(operand) = &case.operand {
            self.value(operand, place)?;
        }
        let mut found: Option<Type> = None;
        for branch in &case.branches {
            for when in &branch.when {
                self.when(when, case.operand.is_some(), place)?;
            }
            let next = self.value(&branch.then, place)?;
            found = Some(found.map_or(next.clone(), |found| found.or(next)));
        }
        let found = found.unwrap_or(Type::Any);
        Ok(match &case.otherwise {
            Some(otherwise) => found.or(self.value(otherwise, place)?),
            None => found,
        })
    }

    fn when(&mut self, when: &When, has_operand: bool, place: Place) -> Parsed<()> {
        let Some(value) = when.value() else {
            return Ok(());
        };
        if !has_operand {
            return self.condition(value, place.test());
        }
        let found = self.value(value, place)?;
        match when {
            When::In(_) => self.need_types(&found, Types::LIST, value.at),
            _ => Ok(()),
        }
    }

    fn map_projection(&mut self, part: &MapProjection, place: Place) -> Parsed<Type> {
        let of = self
            .need_variable(&part.variable.text, part.variable.at)?
            .clone();
        self.need_types(&of, Types::ENTITY.or(Types::MAP), part.variable.at)?;
        for item in &part.items {
            match item {
                MapItem::All | MapItem::Property(_) => {}
                MapItem::Variable(name) => {
                    self.need_variable(&name.text, name.at)?;
                }
                MapItem::Entry(_, value) => {
                    self.value(value, place)?;
                }
            }
        }
        Ok(Type::Map)
    }

    /// Checks labels that a condition asks of something.
    fn asked(&mut self, of: &Expression, labels: &StatementLabels) -> Parsed<()> {
        if !labels.computed().is_empty() && !matches!(of.node, Node::Variable(_)) {
            let what = "labels that are computed are asked of what is no variable";
            let hint = "give it a name, in a WITH before this";
            return Err(problem(UnexpectedSyntax, of.at, what, hint));
        }
        self.computed(Some(labels))
    }

    /// Checks the names of labels that are computed.
    pub(super) fn computed(&mut self, labels: Option<&StatementLabels>) -> Parsed<()> {
        for computed in labels.into_iter().flat_map(Labels::computed) {
            let names = &computed.names;
            let found = self.value(names, Place::without_aggregation("a label"))?;
            self.need_types(&found, Types::STRING.or(Types::LIST), names.at)?;
        }
        Ok(())
    }

    /// Refuses labels that are no list of names.
    pub(super) fn need_names(&self, labels: &StatementLabels, at: Span) -> Parsed<()> {
        let is_any =
            |part: &&StatementLabels| matches!(part, Labels::Computed(Computed { any: true, .. }));
        match labels.all() {
            Some(parts) if !parts.iter().any(is_any) => Ok(()),
            _ => {
                let what = "labels that are written have alternatives";
                let hint = "name each label, such as n:A:B";
                Err(problem(UnexpectedSyntax, at, what, hint))
            }
        }
    }
}

/// Refuses a literal that is no percentile, of which no row may tell.
fn need_percentile(of: &Expression) -> Parsed<()> {
    let is_one = match of.node {
        Node::Null => false,
        Node::Integer(number) => (0..=1).contains(&number),
        Node::Float(number) => (0.0..=1.0).contains(&number),
        _ => true,
    };
    if is_one {
        return Ok(());
    }
    let (what, hint) = ("this is no percentile", "write a number from 0.0 to 1.0");
    Err(problem(NumberOutOfRange, of.at, what, hint))
}

/// Types of both sides; of `+` and `||` any.
fn operands(operator: Operator) -> Option<(Types, Types)> {
    let scaled = Types::NUMBER.or(Types::DURATION);
    match operator {
        Operator::Add | Operator::Concatenate => None,
        Operator::Subtract => Some((Types::NUMBER.or(TEMPORAL), Types::NUMBER.or(TEMPORAL))),
        Operator::Multiply => Some((scaled, scaled)),
        Operator::Divide => Some((scaled, Types::NUMBER)),
        Operator::Modulo | Operator::Power => Some((Types::NUMBER, Types::NUMBER)),
    }
}

/// Functions of other languages, and of this one in earlier times, and what to write here.
const FOREIGN_FUNCTIONS: [(&str, &str); 12] = [
    ("toInt", "toInteger"),
    ("rels", "relationships"),
    ("len", "size"),
    ("upperCase", "toUpper"),
    ("lowerCase", "toLower"),
    ("pow", "a ^ b"),
    ("if", "CASE WHEN a THEN b ELSE c END"),
    ("substr", "substring"),
    ("concat", "a + b"),
    ("isNull", "a IS NULL"),
    ("now", "datetime()"),
    ("current_timestamp", "datetime()"),
];

/// The way to write a function of another language here.
pub(super) fn foreign_function(name: &str) -> Option<&'static str> {
    let mut all = FOREIGN_FUNCTIONS.into_iter();
    let found = all.find(|(foreign, _)| foreign.eq_ignore_ascii_case(name));
    found.map(|(_, here)| here)
}

fn unknown_function(call: &FunctionCall, name: &str, known: &dyn Functions) -> Problem {
    let (detail, at) = (UnknownFunction, call.name[0].at);
    let what = format!("there is no function {name}");
    let hint = "SHOW FUNCTIONS lists those that there are";
    let problem = problem(detail, at, what, hint);
    match foreign_function(name) {
        Some(here) => problem.meant(here),
        None => problem.near(name, known.names()),
    }
}

fn wrong_type(found: &Type, types: Types, at: Span) -> Problem {
    let wanted = types.to_string().replace(" | ", " or ");
    let (found, wanted) = (with_article(found), with_article(wanted));
    let what = format!("this is {found} where {wanted} should be");
    let hint = match types {
        Types::BOOLEAN => "write a comparison, such as n.age > 1",
        Types::LIST => "write a list, such as [1, 2]",
        _ => "convert it, or use another value",
    };
    problem(InvalidArgumentType, at, what, hint)
}
