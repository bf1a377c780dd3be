//! Walks over plans and expressions.

use evergraph_syntax::tree::When;

use super::{
    Create, Expression, InTransactions, Lookup, MapItem, Merge, Operator, Plan, Seek, SetItem,
    Step, WrittenLabel,
};

impl Plan {
    /// Calls `visit` with this plan and all that it is made of, but for those within
    /// expressions.
    pub fn for_each(&self, visit: &mut dyn FnMut(&Plan)) {
        for plan in self.downward() {
            visit(plan);
            for inner in plan.operator.inner() {
                inner.for_each(visit);
            }
        }
    }
}

impl Operator {
    /// Plans within it, beside its input.
    pub fn inner(&self) -> Vec<&Plan> {
        match self {
            Operator::Optional { inner, .. }
            | Operator::Apply { inner, .. }
            | Operator::SemiApply { inner, .. }
            | Operator::HashJoin { inner, .. }
            | Operator::Foreach { inner, .. }
            | Operator::InTransactions(InTransactions { inner, .. }) => vec![inner],
            Operator::Merge(Merge { found, .. }) => vec![found],
            Operator::Union { parts, .. } => parts.iter().map(|(plan, _)| plan).collect(),
            _ => Vec::new(),
        }
    }

    /// As [`Operator::inner`].
    pub fn inner_mut(&mut self) -> Vec<&mut Plan> {
        match self {
            Operator::Optional { inner, .. }
            | Operator::Apply { inner, .. }
            | Operator::SemiApply { inner, .. }
            | Operator::HashJoin { inner, .. }
            | Operator::Foreach { inner, .. }
            | Operator::InTransactions(InTransactions { inner, .. }) => vec![inner],
            Operator::Merge(Merge { found, .. }) => vec![found],
            Operator::Union { parts, .. } => parts.iter_mut().map(|(plan, _)| plan).collect(),
            _ => Vec::new(),
        }
    }

    /// Expressions that it evaluates.
    pub fn expressions(&self) -> Vec<&Expression> {
        match self {
            Operator::NodeSeek { seek, .. } => seek.expressions(),
            Operator::NodeScan { tests, .. } => tests.iter().map(|test| &test.value).collect(),
            Operator::Relationships(found) => match &found.by {
                Lookup::Scan(tests) => tests.iter().map(|test| &test.value).collect(),
                Lookup::Index(seek) => seek.expressions(),
                Lookup::Id(id) => vec![id],
            },
            Operator::NodeById { id, .. } | Operator::NodesByIds { ids: id, .. } => vec![id],
            Operator::VariableExpand(expand) => {
                expand.properties.iter().map(|(_, value)| value).collect()
            }
            Operator::ShortestPath(shortest) => {
                let properties = shortest.paths.properties.iter();
                let properties = properties.map(|(_, value)| value);
                let conditions = shortest.each.iter().chain(&shortest.whole);
                properties.chain(conditions).collect()
            }
            Operator::SearchPaths(search) => search.expressions(),
            Operator::Filter(conditions) => conditions.iter().collect(),
            Operator::Extend(items) => items.iter().map(|(_, value)| value).collect(),
            Operator::Aggregate { keys, aggregates } => {
                let arguments = aggregates.iter().flat_map(|(_, one)| &one.arguments);
                keys.iter().map(|(_, key)| key).chain(arguments).collect()
            }
            Operator::Count(count) => count.keys.iter().map(|(_, key)| key).collect(),
            Operator::Sort(keys) => keys.iter().map(|key| &key.key).collect(),
            Operator::Top(keys, limit) => {
                let keys = keys.iter().map(|key| &key.key);
                keys.chain([limit]).collect()
            }
            Operator::Skip(count) | Operator::Limit(count) => vec![count],
            Operator::Unwind(list, _) | Operator::Foreach { list, .. } => vec![list],
            Operator::LoadCsv(load) => vec![&load.source],
            Operator::HashJoin { keys, .. } => keys
                .iter()
                .flat_map(|(left, right)| [left, right])
                .collect(),
            Operator::Create(create) => created(create),
            Operator::Merge(merge) => {
                let mut all = created(&merge.create);
                all.extend(merge.on_create.iter().flat_map(SetItem::expressions));
                all.extend(merge.on_match.iter().flat_map(SetItem::expressions));
                all
            }
            Operator::Set(items) => items.iter().flat_map(SetItem::expressions).collect(),
            Operator::Delete { items, .. } => items.iter().collect(),
            Operator::Call(call) => call.arguments.iter().collect(),
            Operator::InTransactions(one) => one.rows.iter().collect(),
            _ => Vec::new(),
        }
    }
}

impl Seek {
    /// Values that are looked for.
    fn expressions(&self) -> Vec<&Expression> {
        match self {
            Seek::Equal(values) => values.iter().map(|(_, value)| value).collect(),
            Seek::AnyOf(_, value) | Seek::Prefix(_, value) => vec![value],
            Seek::Range(_, from, to) => from.iter().chain(to).map(|(value, _)| value).collect(),
        }
    }
}

fn operands<'e, O>(first: &'e Expression, others: &'e [(O, Expression)]) -> Vec<&'e Expression> {
    let others = others.iter().map(|(_, operand)| operand);
    std::iter::once(first).chain(others).collect()
}

fn created(create: &Create) -> Vec<&Expression> {
    let mut all = Vec::new();
    for node in &create.nodes {
        all.extend(node.labels.iter().filter_map(WrittenLabel::computed));
        all.extend(&node.properties);
    }
    for one in &create.relationships {
        all.extend(one.kind.computed());
        all.extend(&one.properties);
    }
    all
}

impl WrittenLabel {
    /// The expression that names it, if it is computed.
    pub fn computed(&self) -> Option<&Expression> {
        match self {
            WrittenLabel::Name(_) => None,
            WrittenLabel::Computed(names) => Some(names),
        }
    }
}

impl SetItem {
    /// Expressions that it evaluates.
    pub fn expressions(&self) -> Vec<&Expression> {
        match self {
            SetItem::Property(of, _, value) => vec![of, value],
            SetItem::Computed(of, key, value) => vec![of, key, value],
            SetItem::Replace(_, value) | SetItem::Update(_, value) => vec![value],
            SetItem::AddLabels(_, labels) | SetItem::RemoveLabels(_, labels) => {
                labels.iter().filter_map(WrittenLabel::computed).collect()
            }
        }
    }
}

impl Expression {
    /// The expressions that it is made of.
    pub fn children(&self) -> Vec<&Expression> {
        match self {
            Expression::Constant(_)
            | Expression::Parameter(_)
            | Expression::Slot(_)
            | Expression::Subquery(_)
            | Expression::Path(_) => Vec::new(),
            Expression::List(items)
            | Expression::And(items)
            | Expression::Or(items)
            | Expression::Xor(items)
            | Expression::Call(_, items) => items.iter().collect(),
            Expression::Map(entries) => entries.iter().map(|(_, value)| value).collect(),
            Expression::Access(of, steps) => {
                let mut all = vec![&**of];
                for step in steps {
                    match step {
                        Step::Property(_) => {}
                        Step::Index(index) => all.push(index),
                        Step::Slice(from, to) => all.extend(from.iter().chain(to)),
                    }
                }
                all
            }
            Expression::Negative(of)
            | Expression::Positive(of)
            | Expression::IsNull(of)
            | Expression::IsNotNull(of)
            | Expression::Labelled(of, _)
            | Expression::Typed(_, of, _)
            | Expression::Not(of) => vec![of],
            Expression::Arithmetic(first, others) => operands(first, others),
            Expression::Comparison(first, others) => operands(first, others),
            Expression::Tested(_, pair)
            | Expression::In(pair)
            | Expression::LabelledBy(pair, _) => pair.iter().collect(),
            Expression::Case(case) => {
                let mut all: Vec<_> = case.operand.iter().chain(&case.otherwise).collect();
                for (when, then) in &case.branches {
                    all.extend(when.iter().filter_map(When::value));
                    all.push(then);
                }
                all
            }
            Expression::Comprehension(list) => {
                let rest = list.filter.iter().chain(&list.value);
                std::iter::once(&list.list).chain(rest).collect()
            }
            Expression::Quantified(one) => vec![&one.list, &one.filter],
            Expression::Reduce(one) => vec![&one.initial, &one.list, &one.step],
            Expression::MapProjection(one) => {
                let entries = one.items.iter().filter_map(|item| match item {
                    MapItem::Entry(_, value) => Some(value),
                    _ => None,
                });
                std::iter::once(&one.source).chain(entries).collect()
            }
        }
    }

    /// Whether it, or what it is made of, asks for rows of another plan.
    pub fn has_subquery(&self) -> bool {
        matches!(self, Expression::Subquery(_))
            || self.children().into_iter().any(Expression::has_subquery)
    }
}
