//! `WITH` and `RETURN`.

use evergraph_syntax::tree::{self, Comparison, Node};

use super::query::WithColumns;
use super::{Aggregates, Lowering, Scope};
use crate::PlanError;
use crate::plan::{Aggregate, Constant, Expression, Operator, Plan, Slot, SortKey};

impl Lowering<'_> {
    /// Rows of the items; the scope becomes theirs.
    pub(super) fn projection(
        &mut self,
        from: &tree::Projection,
        input: Plan,
        scope: &mut Scope,
    ) -> Result<WithColumns, PlanError> {
        let before = scope.clone();
        let mut columns: Vec<(String, Slot)> = Vec::new();
        if from.all {
            // What is around the query is there anyway, and columns come in place of others.
            let is_replaced = |name: &String| from.items.iter().any(|item| item.name() == name);
            let own = before
                .iter()
                .filter(|(name, _)| !self.around.contains_key(*name) && !is_replaced(name));
            columns.extend(own.map(|(name, &slot)| (name.clone(), slot)));
        }
        let aggregates = from
            .items
            .iter()
            .any(|item| self.has_aggregation(&item.value));
        let (mut plan, known) = match aggregates {
            true => self.grouped(from, input, &before, &mut columns)?,
            false => self.computed(from, input, &before, &mut columns)?,
        };
        let slots: Vec<Slot> = columns.iter().map(|&(_, slot)| slot).collect();
        if from.distinct {
            plan = plan.with(Operator::Distinct(slots.clone()));
        }
        let mut after = self.around.clone();
        after.extend(columns.iter().cloned());
        let mut visible = match from.distinct || aggregates {
            true => Scope::new(),
            false => before,
        };
        visible.extend(after.clone());
        if !from.order.is_empty() && !aggregates {
            self.known = known.clone();
            let keys = self.sort_keys(&from.order, &visible);
            self.known.clear();
            plan = plan.with(Operator::Sort(keys?));
        }
        if let Some(skip) = &from.skip {
            let skip = self.expression(skip, &Scope::new())?;
            plan = plan.with(Operator::Skip(skip));
        }
        if let Some(limit) = &from.limit {
            let limit = self.expression(limit, &Scope::new())?;
            let rows = match &limit {
                Expression::Constant(Constant::Integer(most)) => plan.rows.min(*most as f64),
                _ => plan.rows,
            };
            plan = plan.then(Operator::Limit(limit), rows.max(0.0));
        }
        // The filter sees the variables of before, too.
        if let Some(filter) = &from.filter {
            self.known = known;
            let filter = self.expression(filter, &visible);
            self.known.clear();
            let filter = filter?;
            let rows = plan.rows * 0.5;
            plan = plan.then(Operator::Filter(vec![filter]), rows);
        }
        *scope = after;
        Ok((plan.with(Operator::Keep(slots)), columns))
    }

    /// Each item computed of each row.
    fn computed(
        &mut self,
        from: &tree::Projection,
        input: Plan,
        before: &Scope,
        columns: &mut Vec<(String, Slot)>,
    ) -> Result<(Plan, super::Known), PlanError> {
        let mut computed = Vec::new();
        let mut known = super::Known::new();
        for item in &from.items {
            let slot = match &item.value.node {
                Node::Variable(name) if before.contains_key(name) => {
                    self.variable(name, before, item.value.at)?
                }
                _ => {
                    let value = self.expression(&item.value, before)?;
                    let slot = self.slot(item.name());
                    computed.push((slot, value));
                    known.push((item.value.clone(), slot));
                    slot
                }
            };
            columns.push((item.name().to_string(), slot));
        }
        let plan = match computed.is_empty() {
            true => input,
            false => input.with(Operator::Extend(computed)),
        };
        Ok((plan, known))
    }

    /// Items with aggregations computed of groups, the others of which are the keys. The
    /// order is found here, too: it may use aggregations.
    fn grouped(
        &mut self,
        from: &tree::Projection,
        input: Plan,
        before: &Scope,
        columns: &mut Vec<(String, Slot)>,
    ) -> Result<(Plan, super::Known), PlanError> {
        let mut keys: Vec<(Slot, Expression)> = columns
            .iter()
            .map(|&(_, slot)| (slot, Expression::Slot(slot)))
            .collect();
        let mut known = super::Known::new();
        let mut visible = self.around.clone();
        visible.extend(columns.iter().cloned());
        for item in &from.items {
            if self.has_aggregation(&item.value) {
                continue;
            }
            let value = self.expression(&item.value, before)?;
            let slot = match value {
                Expression::Slot(slot) => slot,
                _ => self.slot(item.name()),
            };
            if let Node::Variable(name) = &item.value.node {
                visible.insert(name.clone(), slot);
            }
            known.push((item.value.clone(), slot));
            keys.push((slot, value));
        }
        self.known = known.clone();
        self.aggregates = Some(Aggregates {
            scope: before.clone(),
            met: Vec::new(),
        });
        let mut computed = Vec::new();
        let mut order = Vec::new();
        let mut lower = || -> Result<(), PlanError> {
            for item in &from.items {
                let value = self.expression(&item.value, &visible)?;
                let slot = match value {
                    Expression::Slot(slot) => slot,
                    value => {
                        let slot = self.slot(item.name());
                        computed.push((slot, value));
                        slot
                    }
                };
                columns.push((item.name().to_string(), slot));
                self.known.push((item.value.clone(), slot));
            }
            let mut after = visible.clone();
            after.extend(columns.iter().cloned());
            order = self.sort_keys(&from.order, &after)?;
            Ok(())
        };
        let lowered = lower();
        self.known.clear();
        let met = self.aggregates.take().map(|aggregates| aggregates.met);
        lowered?;
        let aggregates: Vec<_> = met.unwrap_or_default();
        let aggregates = aggregates
            .into_iter()
            .map(|(_, slot, aggregate)| (slot, aggregate))
            .collect();
        let mut plan = self.aggregated(keys, aggregates, input);
        if !computed.is_empty() {
            plan = plan.with(Operator::Extend(computed));
        }
        if !order.is_empty() {
            plan = plan.with(Operator::Sort(order));
        }
        Ok((plan, known))
    }

    /// A row of each group. Keys that all rows have make no groups; but where there is no
    /// other, no rows are no group.
    fn aggregated(
        &mut self,
        keys: Vec<(Slot, Expression)>,
        mut aggregates: Vec<(Slot, Aggregate)>,
        input: Plan,
    ) -> Plan {
        let is_same = |key: &(Slot, Expression)| {
            matches!(key.1, Expression::Constant(_) | Expression::Parameter(_))
        };
        let (same, keys): (Vec<_>, Vec<_>) = keys.into_iter().partition(is_same);
        let count = (keys.is_empty() && !same.is_empty()).then(|| self.unnamed());
        aggregates.extend(count.map(|count| (count, Aggregate::rows())));
        let rows = match keys.is_empty() {
            true => 1.0,
            false => input.rows.sqrt().max(1.0),
        };
        let mut plan = input.then(Operator::Aggregate { keys, aggregates }, rows);
        if let Some(count) = count {
            let none = Expression::Constant(Constant::Integer(0));
            let more = vec![(Comparison::Greater, none)];
            let is_group = Expression::Comparison(Box::new(Expression::Slot(count)), more);
            plan = plan.with(Operator::Filter(vec![is_group]));
        }
        match same.is_empty() {
            true => plan,
            false => plan.with(Operator::Extend(same)),
        }
    }

    fn sort_keys(
        &mut self,
        order: &[tree::SortItem],
        scope: &Scope,
    ) -> Result<Vec<SortKey>, PlanError> {
        let keys = order.iter().map(|item| {
            Ok(SortKey {
                key: self.expression(&item.key, scope)?,
                descending: item.descending,
            })
        });
        keys.collect()
    }
}
