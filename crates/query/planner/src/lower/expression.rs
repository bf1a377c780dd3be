//! Expressions.

use std::sync::Arc;

use evergraph_syntax::scope::float_of;
use evergraph_syntax::tree::{self, Node, SubqueryKind};

use super::{Lowering, Scope, text};
use crate::PlanError;
use crate::plan::{
    Aggregate, Case, Comprehension, Constant, Expression, MapItem, MapProjection, Operator, Plan,
    Quantified, Reduce, Slot, Step, Subquery,
};

impl Lowering<'_> {
    pub(crate) fn expression(
        &mut self,
        from: &tree::Expression,
        scope: &Scope,
    ) -> Result<Expression, PlanError> {
        if let Some(&(_, slot)) = self.known.iter().find(|(known, _)| known == from) {
            self.used.push(slot);
            return Ok(Expression::Slot(slot));
        }
        if let Some(slot) = self.aggregation(from)? {
            return Ok(Expression::Slot(slot));
        }
        Ok(match &from.node {
            Node::Null => Expression::NULL,
            Node::Boolean(value) => Expression::Constant(Constant::Boolean(*value)),
            Node::Integer(value) => Expression::Constant(Constant::Integer(*value)),
            Node::Float(value) => Expression::Constant(Constant::Float(*value)),
            Node::Text(value) => Expression::Constant(Constant::Text(value.as_str().into())),
            Node::Parameter(name) => Expression::Parameter(name.as_str().into()),
            Node::Variable(name) => match (scope.contains_key(name), float_of(name)) {
                (false, Some(value)) => Expression::Constant(Constant::Float(value)),
                _ => self.variable_value(name, scope, from.at)?,
            },
            Node::List(items) => Expression::List(self.expressions(items, scope)?),
            Node::Map(map) => Expression::Map(self.map(map, scope)?),
            Node::Access(of, steps) => {
                let of = self.boxed(of, scope)?;
                let steps = steps.iter().map(|step| self.step(step, scope));
                Expression::Access(of, steps.collect::<Result<_, _>>()?)
            }
            Node::Negative(of) => Expression::Negative(self.boxed(of, scope)?),
            Node::Positive(of) => Expression::Positive(self.boxed(of, scope)?),
            Node::Arithmetic(first, others) => {
                let first = self.boxed(first, scope)?;
                Expression::Arithmetic(first, self.operands(others, scope)?)
            }
            Node::Tested(test, pair) => Expression::Tested(*test, self.pair(pair, scope)?),
            Node::In(pair) => Expression::In(self.pair(pair, scope)?),
            Node::Typed(typing, of, to) => {
                Expression::Typed(*typing, self.boxed(of, scope)?, to.clone())
            }
            Node::IsNull(of) => Expression::IsNull(self.boxed(of, scope)?),
            Node::IsNotNull(of) => Expression::IsNotNull(self.boxed(of, scope)?),
            Node::Labelled(of, labels) => {
                let of = self.expression(of, scope)?;
                self.labelled(of, labels, scope)?
            }
            Node::Comparison(first, others) => {
                let first = self.boxed(first, scope)?;
                Expression::Comparison(first, self.operands(others, scope)?)
            }
            Node::Not(of) => Expression::Not(self.boxed(of, scope)?),
            Node::And(parts) => Expression::And(self.expressions(parts, scope)?),
            Node::Xor(parts) => Expression::Xor(self.expressions(parts, scope)?),
            Node::Or(parts) => Expression::Or(self.expressions(parts, scope)?),
            Node::Call(call) => {
                let arguments = self.expressions(&call.arguments, scope)?;
                let name = call.full_name().to_lowercase();
                let place = match (self.line, name.as_str()) {
                    (Some((number, _)), "linenumber") => Some(number),
                    (Some((_, file)), "file") => Some(file),
                    _ => None,
                };
                self.used.extend(place);
                match place {
                    Some(slot) => Expression::Slot(slot),
                    None => Expression::Call(name.into(), arguments),
                }
            }
            Node::CountAll => {
                let message = "count(*) stands only in WITH and RETURN";
                return Err(PlanError::syntax("InvalidAggregation", from.at, message));
            }
            Node::Case(case) => self.case(case, scope)?,
            Node::ListComprehension(list) => self.comprehension(list, scope)?,
            Node::Quantified(quantified) => self.quantified(quantified, scope)?,
            Node::Reduce(reduce) => self.reduce(reduce, scope)?,
            Node::MapProjection(projection) => self.map_projection(projection, scope)?,
            Node::PatternComprehension(found) => {
                self.apart(|own| own.pattern_comprehension(found, scope))?
            }
            Node::Subquery(kind, query) => self.apart(|own| {
                let (plan, columns) = own.query_seeing(query, scope)?;
                let value = columns.first().map(|&(_, slot)| slot);
                Ok(subquery(*kind, plan, value))
            })?,
            Node::PatternSubquery(kind, patterns) => self.apart(|own| {
                let mut inner = scope.clone();
                let filter = patterns.filter.as_ref();
                let plan =
                    own.match_patterns(&patterns.patterns, filter, Plan::argument(), &mut inner)?;
                Ok(subquery(*kind, plan, None))
            })?,
            Node::Pattern(pattern) => self.apart(|own| own.pattern_condition(pattern, scope))?,
        })
    }

    pub(super) fn expressions(
        &mut self,
        from: &[tree::Expression],
        scope: &Scope,
    ) -> Result<Vec<Expression>, PlanError> {
        from.iter().map(|one| self.expression(one, scope)).collect()
    }

    /// The operands of a chain behind the first, each with the sign before it.
    fn operands<S: Copy>(
        &mut self,
        from: &[(S, tree::Expression)],
        scope: &Scope,
    ) -> Result<Vec<(S, Expression)>, PlanError> {
        let operands = from.iter();
        operands
            .map(|(sign, operand)| Ok((*sign, self.expression(operand, scope)?)))
            .collect()
    }

    fn boxed(
        &mut self,
        from: &tree::Expression,
        scope: &Scope,
    ) -> Result<Box<Expression>, PlanError> {
        self.expression(from, scope).map(Box::new)
    }

    /// A condition on labels. What those that are computed are asked of is small: it is
    /// repeated for each part.
    pub(super) fn labelled(
        &mut self,
        of: Expression,
        labels: &tree::StatementLabels,
        scope: &Scope,
    ) -> Result<Expression, PlanError> {
        if let Some(known) = labels.known() {
            return Ok(Expression::Labelled(Box::new(of), known));
        }
        let parts = match labels {
            tree::Labels::Computed(computed) => {
                let names = self.expression(&computed.names, scope)?;
                return Ok(Expression::LabelledBy(Box::new([of, names]), computed.any));
            }
            tree::Labels::Not(part) => {
                let part = self.labelled(of, part, scope)?;
                return Ok(Expression::Not(Box::new(part)));
            }
            tree::Labels::And(parts) | tree::Labels::Or(parts) => parts,
            tree::Labels::Any => return Ok(Expression::Labelled(Box::new(of), tree::Labels::Any)),
            tree::Labels::Name(name) => {
                let known = tree::Labels::Name(name.clone());
                return Ok(Expression::Labelled(Box::new(of), known));
            }
        };
        let parts = parts.iter();
        let parts = parts.map(|part| self.labelled(of.clone(), part, scope));
        let parts = parts.collect::<Result<_, _>>()?;
        Ok(match labels {
            tree::Labels::Or(_) => Expression::Or(parts),
            _ => Expression::And(parts),
        })
    }

    pub(super) fn optional(
        &mut self,
        from: Option<&tree::Expression>,
        scope: &Scope,
    ) -> Result<Option<Expression>, PlanError> {
        from.map(|one| self.expression(one, scope)).transpose()
    }

    fn pair(
        &mut self,
        pair: &(tree::Expression, tree::Expression),
        scope: &Scope,
    ) -> Result<Box<[Expression; 2]>, PlanError> {
        let left = self.expression(&pair.0, scope)?;
        Ok(Box::new([left, self.expression(&pair.1, scope)?]))
    }

    pub(super) fn map(
        &mut self,
        map: &tree::Map,
        scope: &Scope,
    ) -> Result<Vec<(Arc<str>, Expression)>, PlanError> {
        let entries = map.entries.iter();
        entries
            .map(|(key, value)| Ok((text(key), self.expression(value, scope)?)))
            .collect()
    }

    fn step(&mut self, step: &tree::Access, scope: &Scope) -> Result<Step, PlanError> {
        Ok(match step {
            tree::Access::Property(name) => Step::Property(text(name)),
            tree::Access::Index(index) => Step::Index(self.expression(index, scope)?),
            tree::Access::Slice(from, to) => Step::Slice(
                self.optional(from.as_ref(), scope)?,
                self.optional(to.as_ref(), scope)?,
            ),
        })
    }

    /// Whether an expression has an aggregation of the rows where it stands.
    pub(super) fn has_aggregation(&self, of: &tree::Expression) -> bool {
        of.has(&|part| match &part.node {
            Node::CountAll => true,
            Node::Call(call) => self.catalog.aggregates(&call.full_name()),
            _ => false,
        })
    }

    /// Slot of an aggregation, which is computed before the expression it is part of.
    fn aggregation(&mut self, from: &tree::Expression) -> Result<Option<Slot>, PlanError> {
        let (name, distinct, arguments) = match &from.node {
            Node::CountAll => ("count".to_string(), false, &[][..]),
            Node::Call(call) => {
                let name = call.full_name().to_lowercase();
                if !self.catalog.aggregates(&name) {
                    return Ok(None);
                }
                (name, call.distinct, &call.arguments[..])
            }
            _ => return Ok(None),
        };
        let Some(mut aggregates) = self.aggregates.take() else {
            let message = format!("{name}() stands only in WITH and RETURN");
            return Err(PlanError::syntax("InvalidAggregation", from.at, message));
        };
        if let Some((_, slot, _)) = aggregates.met.iter().find(|(met, _, _)| met == from) {
            let slot = *slot;
            self.aggregates = Some(aggregates);
            return Ok(Some(slot));
        }
        let scope = aggregates.scope.clone();
        let arguments = self.apart(|own| own.expressions(arguments, &scope))?;
        let slot = self.unnamed();
        let aggregate = Aggregate {
            name: name.into(),
            distinct,
            arguments,
        };
        aggregates.met.push((from.clone(), slot, aggregate));
        self.aggregates = Some(aggregates);
        Ok(Some(slot))
    }

    fn case(&mut self, case: &tree::Case, scope: &Scope) -> Result<Expression, PlanError> {
        let operand = self.optional(case.operand.as_ref(), scope)?;
        let mut branches = Vec::with_capacity(case.branches.len());
        for branch in &case.branches {
            let when = branch.when.iter();
            let when = when.map(|one| one.try_map(|value| self.expression(value, scope)));
            let when = when.collect::<Result<_, _>>()?;
            branches.push((when, self.expression(&branch.then, scope)?));
        }
        Ok(Expression::Case(Box::new(Case {
            operand,
            branches,
            otherwise: self.optional(case.otherwise.as_ref(), scope)?,
        })))
    }

    /// A scope with one more variable.
    pub(super) fn local(&mut self, name: &tree::Name, scope: &Scope) -> (Slot, Scope) {
        let mut inner = scope.clone();
        (self.bind(&name.text, &mut inner), inner)
    }

    fn comprehension(
        &mut self,
        from: &tree::ListComprehension,
        scope: &Scope,
    ) -> Result<Expression, PlanError> {
        let list = self.expression(&from.list, scope)?;
        let (variable, inner) = self.local(&from.variable, scope);
        Ok(Expression::Comprehension(Box::new(Comprehension {
            variable,
            list,
            filter: self.optional(from.filter.as_ref(), &inner)?,
            value: self.optional(from.value.as_ref(), &inner)?,
        })))
    }

    fn quantified(
        &mut self,
        from: &tree::Quantified,
        scope: &Scope,
    ) -> Result<Expression, PlanError> {
        let list = self.expression(&from.list, scope)?;
        let (variable, inner) = self.local(&from.variable, scope);
        Ok(Expression::Quantified(Box::new(Quantified {
            quantity: from.quantity,
            variable,
            list,
            filter: self.expression(&from.filter, &inner)?,
        })))
    }

    fn reduce(&mut self, from: &tree::Reduce, scope: &Scope) -> Result<Expression, PlanError> {
        let initial = self.expression(&from.initial, scope)?;
        let list = self.expression(&from.list, scope)?;
        let (accumulator, inner) = self.local(&from.accumulator, scope);
        let (variable, inner) = self.local(&from.variable, &inner);
        Ok(Expression::Reduce(Box::new(Reduce {
            accumulator,
            initial,
            variable,
            list,
            step: self.expression(&from.step, &inner)?,
        })))
    }

    fn map_projection(
        &mut self,
        from: &tree::MapProjection,
        scope: &Scope,
    ) -> Result<Expression, PlanError> {
        let source = self.variable(&from.variable.text, scope, from.variable.at)?;
        let mut items = Vec::with_capacity(from.items.len());
        for item in &from.items {
            items.push(match item {
                tree::MapItem::All => MapItem::All,
                tree::MapItem::Property(name) => MapItem::Property(text(name)),
                tree::MapItem::Variable(name) => {
                    let slot = self.variable(&name.text, scope, name.at)?;
                    MapItem::Entry(text(name), Expression::Slot(slot))
                }
                tree::MapItem::Entry(name, value) => {
                    MapItem::Entry(text(name), self.expression(value, scope)?)
                }
            });
        }
        Ok(Expression::MapProjection(Box::new(MapProjection {
            source: Expression::Slot(source),
            items,
        })))
    }

    fn pattern_comprehension(
        &mut self,
        from: &tree::PatternComprehension,
        scope: &Scope,
    ) -> Result<Expression, PlanError> {
        let mut inner = scope.clone();
        let patterns = std::slice::from_ref(&from.pattern);
        let plan =
            self.match_patterns(patterns, from.filter.as_ref(), Plan::argument(), &mut inner)?;
        let value = self.expression(&from.value, &inner)?;
        let slot = self.unnamed();
        let plan = plan.with(Operator::Extend(vec![(slot, value)]));
        Ok(subquery(SubqueryKind::Collect, plan, Some(slot)))
    }

    /// Whether a pattern has any match; of `shortestPath` the path itself.
    fn pattern_condition(
        &mut self,
        pattern: &tree::PathPattern,
        scope: &Scope,
    ) -> Result<Expression, PlanError> {
        let mut inner = scope.clone();
        let one_path = match pattern.selector {
            tree::Selector::ShortestPath => Some(true),
            tree::Selector::AllShortestPaths => Some(false),
            _ => None,
        };
        let Some(one) = one_path else {
            let patterns = std::slice::from_ref(pattern);
            let plan = self.match_patterns(patterns, None, Plan::argument(), &mut inner)?;
            return Ok(subquery(SubqueryKind::Exists, plan, None));
        };
        let mut named = pattern.clone();
        named.variable = Some(tree::Name::new(" path"));
        let plan = self.match_patterns(&[named], None, Plan::argument(), &mut inner)?;
        let path = inner.get(" path").copied();
        let paths = subquery(SubqueryKind::Collect, plan, path);
        Ok(match one {
            true => Expression::Call("head".into(), vec![paths]),
            false => paths,
        })
    }
}

fn subquery(kind: SubqueryKind, plan: Plan, value: Option<Slot>) -> Expression {
    Expression::Subquery(Box::new(Subquery { kind, plan, value }))
}

/// The parts of a conjunction.
pub(super) fn conjuncts(of: &tree::Expression) -> Vec<&tree::Expression> {
    match &of.node {
        Node::And(parts) => parts.iter().flat_map(conjuncts).collect(),
        _ => vec![of],
    }
}
