//! WITH and RETURN.

use std::collections::BTreeMap;

use super::aggregation::{Keys, own_variables};
use super::types::{Type, Types};
use super::value::Place;
use super::{Checker, Layer, problem};
use crate::error::Detail::*;
use crate::error::with_article;
use crate::parse::Parsed;
use crate::tree::{Expression, Item, Node, Projection, Span};

/// Columns of a projection.
type Columns = Vec<(String, Type)>;

impl Checker<'_> {
    pub(super) fn with(&mut self, projection: &Projection, at: Span) -> Parsed<()> {
        self.need_other_names(projection)?;
        let columns = self.project(projection, true, at)?;
        // What `*` keeps is there already.
        if let Some(layer) = self.layers.last_mut() {
            if !projection.all {
                layer.variables.clear();
            }
            layer.variables.extend(columns);
        }
        Ok(())
    }

    /// Refuses columns with the name of a variable around the query, which stays there.
    fn need_other_names(&self, projection: &Projection) -> Parsed<()> {
        let hides = |item: &&Item| {
            let is_it = matches!(&item.value.node, Node::Variable(name) if name == item.name());
            !is_it && self.find_below(1, item.name()).is_some()
        };
        match projection.items.iter().find(hides) {
            None => Ok(()),
            Some(item) => {
                let what = format!(
                    "{} is a variable of the query around this one already",
                    item.name()
                );
                let hint = "give the column another name, with AS";
                Err(problem(VariableAlreadyBound, item.value.at, what, hint))
            }
        }
    }

    /// The columns: of WITH without those of `*`.
    pub(super) fn project(
        &mut self,
        projection: &Projection,
        is_with: bool,
        at: Span,
    ) -> Parsed<Columns> {
        if projection.all && !is_with && self.own_variables().is_empty() {
            let hint = "name what is to be returned";
            let what = "there are no variables that * could return";
            return Err(problem(NoVariablesInScope, at, what, hint));
        }
        let columns = self.items(projection)?;
        let (aggregated, keys): (Vec<&Expression>, Vec<&Expression>) = {
            let values = projection.items.iter().map(|item| &item.value);
            values.partition(|value| self.has_aggregation(value))
        };
        let keys = Keys {
            values: keys,
            all: projection.all,
        };
        for value in &aggregated {
            keys.check(value, &mut Vec::new(), self)?;
        }
        let hides = projection.distinct || !aggregated.is_empty();
        let new = Layer {
            variables: columns.iter().cloned().collect(),
            is_closed: false,
        };
        self.in_layer(new, |checker| {
            for item in &projection.order {
                checker.sort_key(&item.key, projection, &keys, !aggregated.is_empty())?;
            }
            if let Some(filter) = &projection.filter {
                checker.filter(Some(filter))?;
                if hides {
                    checker.sees_columns(filter, projection, &keys, false, &mut Vec::new())?;
                }
            }
            Ok(())
        })?;
        for (bound, word) in [(&projection.skip, "SKIP"), (&projection.limit, "LIMIT")] {
            if let Some(bound) = bound {
                self.count(bound, word)?;
            }
        }
        if is_with {
            need_names(projection)?;
        }
        if projection.all && !is_with {
            let mut all: BTreeMap<String, Type> = self.own_variables().clone();
            all.extend(columns);
            return Ok(all.into_iter().collect());
        }
        Ok(columns)
    }

    fn items(&mut self, projection: &Projection) -> Parsed<Columns> {
        let mut columns = Columns::new();
        let mut names = std::collections::BTreeSet::new();
        let place = match projection.is_let {
            true => Place::without_aggregation("LET or WHEN, which are of each row by itself"),
            false => Place::column(),
        };
        // A column takes the place of a variable that * has, but for groups: it is their key.
        let values = || projection.items.iter().map(|item| &item.value);
        let keeps_all = projection.is_let || values().any(|value| self.has_aggregation(value));
        for item in &projection.items {
            let of = self.value(&item.value, place)?;
            let name = item.name();
            let is_own = || self.own_variables().contains_key(name);
            let is_kept = keeps_all && projection.all && is_own();
            if !names.insert(name) || is_kept {
                let what = format!("there are two columns {name}");
                let hint = "give one another name, with AS";
                return Err(problem(ColumnNameConflict, item.value.at, what, hint));
            }
            columns.push((name.to_string(), of));
        }
        Ok(columns)
    }

    /// The number of SKIP or LIMIT.
    fn count(&mut self, bound: &Expression, word: &str) -> Parsed<()> {
        let of = self.constant(bound, word)?;
        let hint = "write an integer of 0 or more, or a parameter";
        if matches!(bound.node, Node::Integer(number) if number < 0) {
            let what = format!("{word} is less than 0");
            return Err(problem(NegativeIntegerArgument, bound.at, what, hint));
        }
        if of == Type::Float || !of.may_be(Types::NUMBER) {
            let what = format!("{word} is {}, and no INTEGER", with_article(of));
            return Err(problem(InvalidArgumentType, bound.at, what, hint));
        }
        Ok(())
    }

    /// A key of ORDER BY, with the columns as the innermost layer: it sees them, and what
    /// they are made of, unless rows were put together.
    fn sort_key(
        &mut self,
        key: &Expression,
        projection: &Projection,
        keys: &Keys<'_>,
        is_grouped: bool,
    ) -> Parsed<()> {
        let place = match is_grouped {
            true => Place::column(),
            false => Place::without_aggregation("ORDER BY of rows that are not aggregated"),
        };
        self.value(key, place)?;
        if !is_grouped && !projection.distinct {
            return Ok(());
        }
        let is_ambiguous = is_grouped && self.has_aggregation(key);
        self.sees_columns(key, projection, keys, is_ambiguous, &mut Vec::new())
    }

    fn sees_columns<'t>(
        &self,
        of: &'t Expression,
        projection: &Projection,
        keys: &Keys<'_>,
        is_ambiguous: bool,
        own: &mut Vec<&'t str>,
    ) -> Parsed<()> {
        if projection
            .items
            .iter()
            .any(|item| item.value.node == of.node)
        {
            return Ok(());
        }
        if let Node::Variable(name) = &of.node {
            let is_column = self.own_variables().contains_key(name);
            let is_around = self.find_below(2, name).is_some();
            if is_column || is_around || projection.all || own.contains(&name.as_str()) {
                return Ok(());
            }
            if is_ambiguous && keys.values.iter().any(|value| mentions(value, name)) {
                let what = format!("{name} may differ within the group that is aggregated");
                let hint = "return it as a column of its own, and order by that";
                return Err(problem(AmbiguousAggregationExpression, of.at, what, hint));
            }
            let what = format!("{name} is no column, and rows were put together");
            let hint = "order by columns, or by what they are";
            return Err(problem(UndefinedVariable, of.at, what, hint));
        }
        // As of subqueries: what its pattern names is its own.
        if matches!(of.node, Node::PatternComprehension(_)) {
            return Ok(());
        }
        let before = own.len();
        own.extend(own_variables(of));
        let is_ambiguous = is_ambiguous && !self.aggregates(of);
        for part in of.parts() {
            self.sees_columns(part, projection, keys, is_ambiguous, own)?;
        }
        own.truncate(before);
        Ok(())
    }
}

/// Refuses columns without a name, which become variables.
pub(super) fn need_names(projection: &Projection) -> Parsed<()> {
    let has_name = |item: &&Item| {
        let names_itself = matches!(item.value.node, Node::Variable(_) | Node::MapProjection(_));
        item.alias.is_some() || names_itself
    };
    match projection.items.iter().find(|item| !has_name(item)) {
        None => Ok(()),
        Some(item) => {
            let what = format!("{} has no name", item.written);
            let hint = "give it one, with AS";
            Err(problem(NoExpressionAlias, item.value.at, what, hint))
        }
    }
}

fn mentions(of: &Expression, name: &str) -> bool {
    of.has(&|part| matches!(&part.node, Node::Variable(found) if found == name))
}
