//! The printed form of a plan: an operator a line, the last one first.

use std::fmt::Write as _;
use std::sync::Arc;

use evergraph_syntax::tree::{PathMode, Typing, When};

use super::{
    Aggregate, Branch, Choice, Constant, Create, Expand, Expression, LoadCsv, Lookup, MapItem,
    Operator, PathPart, PathSearch, PathStep, PathTest, Plan, ScanTest, Seek, SetItem, Slot,
    SortKey, Step, Towards, WrittenLabel,
};

/// Prints a plan with the names of its slots and estimated rows.
pub fn print(plan: &Plan, names: &[String]) -> String {
    print_with(plan, names, &|plan| print_rows(plan.rows))
}

/// Prints a plan with the names of its slots, and in brackets what is noted of each
/// operator.
pub fn print_with(plan: &Plan, names: &[String], note: &dyn Fn(&Plan) -> String) -> String {
    let mut printer = Printer {
        names,
        text: String::new(),
    };
    printer.plan(plan, 0, note);
    printer.text
}

/// An estimate of rows.
pub fn print_rows(rows: f64) -> String {
    match rows < 10.0 {
        true => format!("{rows:.1}"),
        false => format!("{rows:.0}"),
    }
}

/// The head of an operator, as its line in a printed plan has it.
pub fn print_operator(operator: &Operator, names: &[String]) -> String {
    let text = String::new();
    Printer { names, text }.operator(operator)
}

struct Printer<'a> {
    names: &'a [String],
    text: String,
}

impl Printer<'_> {
    fn plan(&mut self, plan: &Plan, depth: usize, note: &dyn Fn(&Plan) -> String) {
        let mut next = Some(plan);
        while let Some(plan) = next {
            let head = self.operator(&plan.operator);
            let _ = writeln!(self.text, "{:depth$}{head} [{}]", "", note(plan));
            for inner in plan.operator.inner() {
                let _ = writeln!(self.text, "{:depth$}  |", "");
                self.plan(inner, depth + 4, note);
            }
            next = plan.input.as_deref();
        }
    }

    /// Tests of a scan.
    fn tests(&self, tests: &[ScanTest]) -> String {
        let tests = tests.iter().map(|test| {
            let (sign, value) = (test.comparison.sign(), &test.value);
            format!("{} {sign} {}", test.key, self.operand(value))
        });
        let tests: Vec<String> = tests.collect();
        match tests.is_empty() {
            true => String::new(),
            false => format!(" with {}", tests.join(" AND ")),
        }
    }

    fn name(&self, slot: Slot) -> &str {
        self.names.get(slot).map_or("?", String::as_str)
    }

    fn slots(&self, slots: &[Slot]) -> String {
        let names: Vec<&str> = slots.iter().map(|&slot| self.name(slot)).collect();
        names.join(", ")
    }

    fn operator(&self, operator: &Operator) -> String {
        match operator {
            Operator::Argument => "Argument".into(),
            Operator::NodeScan { node, label, tests } => {
                let label = label
                    .as_ref()
                    .map_or(String::new(), |label| format!(":{label}"));
                let tests = self.tests(tests);
                format!("NodeScan {}{label}{tests}", self.name(*node))
            }
            Operator::NodeSeek { node, label, seek } => {
                let seek = self.seek(seek);
                format!("NodeSeek {}:{label} {seek}", self.name(*node))
            }
            Operator::NodesByIds { node, ids } => {
                let ids = self.expression(ids);
                format!("NodesByIds {} IN {ids}", self.name(*node))
            }
            Operator::NodeById { node, id } => {
                format!("NodeById {} = {}", self.name(*node), self.expression(id))
            }
            Operator::Relationships(found) => {
                let step = match found.ends_unread {
                    false => self.expand(&found.step, ""),
                    true => {
                        let name = self.name(found.step.relationship);
                        format!("[{name}{}]", names_of_types(&found.step.types))
                    }
                };
                match &found.by {
                    Lookup::Scan(tests) => {
                        format!("RelationshipScan {step}{}", self.tests(tests))
                    }
                    Lookup::Index(seek) => {
                        format!("RelationshipSeek {step} {}", self.seek(seek))
                    }
                    Lookup::Id(id) => {
                        format!("RelationshipById {step} = {}", self.expression(id))
                    }
                }
            }
            Operator::Expand(expand) => {
                let name = if expand.into { "ExpandInto" } else { "Expand" };
                format!("{name} {}", self.expand(expand, ""))
            }
            Operator::Intersect(one) => {
                let steps: Vec<String> =
                    one.steps.iter().map(|step| self.expand(step, "")).collect();
                let to = self.name(one.to);
                let above = one
                    .above
                    .iter()
                    .map(|&slot| format!(" > {}", self.name(slot)));
                let below = one
                    .below
                    .iter()
                    .map(|&slot| format!(" < {}", self.name(slot)));
                let bounds: String = above.chain(below).collect();
                format!("Intersect {to}{bounds} of {}", steps.join(", "))
            }
            Operator::VariableExpand(paths) => {
                let most = paths.most.map_or(String::new(), |most| most.to_string());
                let length = format!("*{}..{most}", paths.least);
                let once = if paths.ends_once {
                    ", each end once"
                } else {
                    ""
                };
                format!("VariableExpand {}{once}", self.expand(&paths.step, &length))
            }
            Operator::ShortestPath(shortest) => {
                let name = if shortest.all {
                    "ShortestPaths"
                } else {
                    "ShortestPath"
                };
                let step = self.expand(&shortest.paths.step, "*");
                let [each, whole] = [("each", &shortest.each), ("where", &shortest.whole)].map(
                    |(name, conditions)| match conditions.is_empty() {
                        true => String::new(),
                        false => format!(" {name} {}", self.list(conditions, " AND ")),
                    },
                );
                format!("{name} {step}{each}{whole}")
            }
            Operator::SearchPaths(search) => format!("SearchPaths {}", self.search(search)),
            Operator::Endpoints(expand, _) => format!("Endpoints {}", self.expand(expand, "")),
            Operator::Filter(conditions) => {
                format!("Filter {}", self.list(conditions, " AND "))
            }
            Operator::Extend(items) => format!("Extend {}", self.items(items)),
            Operator::Keep(slots) => format!("Keep {}", self.slots(slots)),
            Operator::Aggregate { keys, aggregates } => {
                let aggregates = aggregates.iter().map(|(slot, aggregate)| {
                    format!("{} = {}", self.name(*slot), self.aggregate(aggregate))
                });
                let aggregates: Vec<String> = aggregates.collect();
                let keys = self.items(keys);
                format!("Aggregate [{}] by [{keys}]", aggregates.join(", "))
            }
            Operator::Count(count) => {
                let branches: Vec<String> =
                    count.branches.iter().map(|one| self.branch(one)).collect();
                let (counts, keys) = (self.slots(&count.counts), self.items(&count.keys));
                let ends = |at: usize| self.name(count.branches[at].step.to);
                let apart = count.apart.iter();
                let apart: String = apart
                    .map(|&[one, other]| format!(", {} <> {}", ends(one), ends(other)))
                    .collect();
                let branches = branches.join(", ");
                format!("Count [{counts}] by [{keys}] of {branches}{apart}")
            }
            Operator::Distinct(slots) => format!("Distinct {}", self.slots(slots)),
            Operator::Sort(keys) => format!("Sort {}", self.sort_keys(keys)),
            Operator::Top(keys, limit) => {
                format!("Top {} of {}", self.expression(limit), self.sort_keys(keys))
            }
            Operator::Skip(count) => format!("Skip {}", self.expression(count)),
            Operator::Limit(count) => format!("Limit {}", self.expression(count)),
            Operator::Unwind(list, slot) => {
                format!("Unwind {} = {}", self.name(*slot), self.expression(list))
            }
            Operator::LoadCsv(load) => self.load_csv(load),
            Operator::Optional { brings, .. } => format!("Optional {}", self.slots(brings)),
            Operator::Apply { brings, .. } => match brings {
                Some(brings) => format!("Apply {}", self.slots(brings)),
                None => "Apply".into(),
            },
            Operator::SemiApply { negated, .. } => match negated {
                false => "SemiApply".into(),
                true => "AntiApply".into(),
            },
            Operator::HashJoin { keys, .. } => {
                let keys = keys.iter().map(|(left, right)| {
                    format!("{} = {}", self.expression(left), self.expression(right))
                });
                let keys: Vec<String> = keys.collect();
                format!("HashJoin {}", keys.join(", "))
            }
            Operator::Union { columns, .. } => format!("Union {}", self.slots(columns)),
            Operator::Eager => "Eager".into(),
            Operator::Create(create) => format!("Create {}", self.create(create)),
            Operator::Merge(merge) => format!("Merge {}", self.create(&merge.create)),
            Operator::Set(items) => {
                let items: Vec<String> = items.iter().map(|item| self.set_item(item)).collect();
                format!("Set {}", items.join(", "))
            }
            Operator::Delete { detach, items } => {
                let name = if *detach { "DetachDelete" } else { "Delete" };
                format!("{name} {}", self.list(items, ", "))
            }
            Operator::InTransactions(one) => {
                let rows = one.rows.as_ref().map(|rows| self.expression(rows));
                let rows = rows.map_or(String::new(), |rows| format!(" of {rows} rows"));
                let status = one
                    .status
                    .map(|slot| format!(", status {}", self.name(slot)));
                let status = status.unwrap_or_default();
                let on_error = one.on_error.word().to_lowercase();
                format!("InTransactions{rows}, on error {on_error}{status}")
            }
            Operator::Foreach { list, variable, .. } => {
                format!(
                    "Foreach {} IN {}",
                    self.name(*variable),
                    self.expression(list)
                )
            }
            Operator::Call(call) => {
                format!("Call {}({})", call.name, self.list(&call.arguments, ", "))
            }
        }
    }

    fn load_csv(&self, load: &LoadCsv) -> String {
        let headers = if load.headers { ", with headers" } else { "" };
        let terminator = match load.terminator {
            b',' => String::new(),
            other => format!(", fields end with {:?}", char::from(other)),
        };
        let (variable, source) = (self.name(load.variable), self.expression(&load.source));
        format!("LoadCsv {variable} = {source}{headers}{terminator}")
    }

    fn seek(&self, seek: &Seek) -> String {
        match seek {
            Seek::Equal(values) => {
                let values = values.iter();
                let values: Vec<String> = values
                    .map(|(key, value)| format!("{key} = {}", self.expression(value)))
                    .collect();
                values.join(" AND ")
            }
            Seek::AnyOf(key, list) => format!("{key} IN {}", self.expression(list)),
            Seek::Prefix(key, prefix) => format!("{key} STARTS WITH {}", self.expression(prefix)),
            Seek::Range(key, from, to) => {
                let bound = |bound: &Option<(Expression, bool)>, signs: [&str; 2]| {
                    bound.as_ref().map(|(value, with)| {
                        let sign = signs[usize::from(*with)];
                        format!("{key} {sign} {}", self.expression(value))
                    })
                };
                let bounds = [bound(from, [">", ">="]), bound(to, ["<", "<="])];
                let bounds: Vec<String> = bounds.into_iter().flatten().collect();
                bounds.join(" AND ")
            }
        }
    }

    fn expand(&self, expand: &Expand, length: &str) -> String {
        let types = names_of_types(&expand.types);
        let relationship = self.name(expand.relationship);
        let (from, to) = (self.name(expand.from), self.name(expand.to));
        let [left, right] = arrow(expand.towards);
        format!("({from}){left}[{relationship}{types}{length}]{right}({to})")
    }

    fn search(&self, search: &PathSearch) -> String {
        let mut text = match &search.choice {
            Choice::All => String::new(),
            Choice::Shortest(count) => format!("SHORTEST {} ", self.expression(count)),
            Choice::Groups(count) => format!("SHORTEST {} GROUPS ", self.expression(count)),
        };
        text += match search.mode {
            PathMode::Trail => "",
            PathMode::Walk => "WALK ",
            PathMode::Acyclic => "ACYCLIC ",
            PathMode::Simple => "SIMPLE ",
        };
        text += &format!("({})", self.name(search.nodes[0]));
        for (part, &node) in search.parts.iter().zip(&search.nodes[1..]) {
            match part {
                PathPart::Step(step) => text += &self.path_step(step),
                PathPart::Repeat(repeat) => {
                    text += &format!("(({})", self.name(repeat.nodes[0]));
                    for (step, &node) in repeat.steps.iter().zip(&repeat.nodes[1..]) {
                        text += &format!("{}({})", self.path_step(step), self.name(node));
                    }
                    text += &self.path_tests(&repeat.tests);
                    let most = repeat.most.map_or(String::new(), |most| most.to_string());
                    text += &format!("){{{},{most}}}", repeat.least);
                }
            }
            text += &format!("({})", self.name(node));
        }
        text + &self.path_tests(&search.tests)
    }

    fn path_step(&self, step: &PathStep) -> String {
        let types = names_of_types(&step.types);
        let [left, right] = arrow(step.towards);
        format!("{left}[{}{types}]{right}", self.name(step.relationship))
    }

    fn path_tests(&self, tests: &[PathTest]) -> String {
        if tests.is_empty() {
            return String::new();
        }
        let tests: Vec<String> = tests
            .iter()
            .map(|test| self.expression(&test.condition))
            .collect();
        format!(" WHERE {}", tests.join(" AND "))
    }

    fn branch(&self, branch: &Branch) -> String {
        let labels = branch.labels.iter().map(|labels| format!(":{labels}"));
        let labels: String = labels.collect();
        let differs = branch.differs.iter();
        let differs: String = differs
            .map(|&slot| format!(" <> {}", self.name(slot)))
            .collect();
        let beside = branch.beside.iter();
        let beside: String = beside
            .map(|one| {
                let not = if one.negated { " NOT" } else { "" };
                let types = names_of_types(&one.types);
                let (from, to) = (self.name(one.from), self.name(branch.step.to));
                let [left, right] = arrow(one.towards);
                format!("{not} ({from}){left}[{types}]{right}({to})")
            })
            .collect();
        let optional = if branch.optional { "optional " } else { "" };
        let inner: Vec<String> = branch.branches.iter().map(|one| self.branch(one)).collect();
        let inner = match inner.is_empty() {
            true => String::new(),
            false => format!(" {{ {} }}", inner.join(", ")),
        };
        let step = self.expand(&branch.step, "");
        format!("{optional}{step}{labels}{differs}{beside}{inner}")
    }

    fn items(&self, items: &[(Slot, Expression)]) -> String {
        let items = items.iter().map(|(slot, value)| match value {
            Expression::Slot(same) if same == slot => self.name(*slot).to_string(),
            _ => format!("{} = {}", self.name(*slot), self.expression(value)),
        });
        items.collect::<Vec<_>>().join(", ")
    }

    fn aggregate(&self, aggregate: &Aggregate) -> String {
        let distinct = if aggregate.distinct { "DISTINCT " } else { "" };
        let arguments = match aggregate.arguments.is_empty() {
            true => "*".into(),
            false => self.list(&aggregate.arguments, ", "),
        };
        format!("{}({distinct}{arguments})", aggregate.name)
    }

    fn sort_keys(&self, keys: &[SortKey]) -> String {
        let keys = keys.iter().map(|key| match key.descending {
            false => self.expression(&key.key),
            true => format!("{} DESC", self.expression(&key.key)),
        });
        keys.collect::<Vec<_>>().join(", ")
    }

    fn create(&self, create: &Create) -> String {
        let nodes = create.nodes.iter().map(|node| {
            let labels = self.written_labels(&node.labels);
            format!("({}{labels})", self.name(node.node))
        });
        let relationships = create.relationships.iter().map(|one| {
            let (from, to) = (self.name(one.source), self.name(one.target));
            let kind = self.written_labels(std::slice::from_ref(&one.kind));
            let name = self.name(one.relationship);
            format!("({from})-[{name}{kind}]->({to})")
        });
        nodes.chain(relationships).collect::<Vec<_>>().join(", ")
    }

    fn set_item(&self, item: &SetItem) -> String {
        match item {
            SetItem::Property(of, key, value) => {
                format!("{}.{key} = {}", self.expression(of), self.expression(value))
            }
            SetItem::Computed(of, key, value) => {
                let (of, key) = (self.expression(of), self.expression(key));
                format!("{of}[{key}] = {}", self.expression(value))
            }
            SetItem::Replace(of, value) => {
                format!("{} = {}", self.name(*of), self.expression(value))
            }
            SetItem::Update(of, value) => {
                format!("{} += {}", self.name(*of), self.expression(value))
            }
            SetItem::AddLabels(of, labels) => {
                format!("{}{}", self.name(*of), self.written_labels(labels))
            }
            SetItem::RemoveLabels(of, labels) => {
                format!("REMOVE {}{}", self.name(*of), self.written_labels(labels))
            }
        }
    }

    fn written_labels(&self, labels: &[WrittenLabel]) -> String {
        let labels = labels.iter().map(|label| match label {
            WrittenLabel::Name(name) => format!(":{name}"),
            WrittenLabel::Computed(names) => format!(":$({})", self.expression(names)),
        });
        labels.collect()
    }

    fn list(&self, expressions: &[Expression], between: &str) -> String {
        let parts: Vec<String> = expressions.iter().map(|one| self.expression(one)).collect();
        parts.join(between)
    }

    /// An operand, in parentheses unless it is simple.
    fn operand(&self, of: &Expression) -> String {
        match of {
            Expression::And(_)
            | Expression::Or(_)
            | Expression::Xor(_)
            | Expression::Not(_)
            | Expression::Comparison(..)
            | Expression::Arithmetic(..)
            | Expression::Tested(..)
            | Expression::In(_)
            | Expression::IsNull(_)
            | Expression::IsNotNull(_)
            | Expression::Typed(Typing::Is, ..)
            | Expression::Negative(_) => format!("({})", self.expression(of)),
            _ => self.expression(of),
        }
    }

    fn operands(&self, of: &[Expression], between: &str) -> String {
        let parts: Vec<String> = of.iter().map(|one| self.operand(one)).collect();
        parts.join(between)
    }

    fn expression(&self, of: &Expression) -> String {
        match of {
            Expression::Constant(constant) => print_constant(constant),
            Expression::Parameter(name) => format!("${name}"),
            Expression::Slot(slot) => self.name(*slot).to_string(),
            Expression::List(items) => format!("[{}]", self.list(items, ", ")),
            Expression::Map(entries) => {
                let entries = entries.iter();
                let entries: Vec<String> = entries
                    .map(|(key, value)| format!("{key}: {}", self.expression(value)))
                    .collect();
                format!("{{{}}}", entries.join(", "))
            }
            Expression::Access(of, steps) => {
                let steps: String = steps.iter().map(|step| self.step(step)).collect();
                format!("{}{steps}", self.operand(of))
            }
            Expression::Negative(of) => format!("-{}", self.operand(of)),
            Expression::Positive(of) => format!("+{}", self.operand(of)),
            Expression::Arithmetic(first, others) => {
                let others = others.iter();
                let others: String = others
                    .map(|(sign, operand)| format!(" {} {}", sign.sign(), self.operand(operand)))
                    .collect();
                format!("{}{others}", self.operand(first))
            }
            Expression::Tested(test, pair) => {
                let [left, right] = pair.each_ref().map(|side| self.operand(side));
                format!("{left} {} {right}", test.words())
            }
            Expression::In(pair) => {
                format!("{} IN {}", self.operand(&pair[0]), self.operand(&pair[1]))
            }
            Expression::IsNull(of) => format!("{} IS NULL", self.operand(of)),
            Expression::IsNotNull(of) => format!("{} IS NOT NULL", self.operand(of)),
            Expression::Typed(Typing::Is, of, to) => format!("{} IS :: {to}", self.operand(of)),
            Expression::Typed(Typing::Cast, of, to) => {
                format!("CAST({} AS {to})", self.expression(of))
            }
            Expression::Labelled(of, labels) => format!("{}:{labels}", self.operand(of)),
            Expression::LabelledBy(pair, any) => {
                let any = if *any { "any" } else { "" };
                let names = self.expression(&pair[1]);
                format!("{}:${any}({names})", self.operand(&pair[0]))
            }
            Expression::Comparison(first, others) => {
                let others = others.iter();
                let others: String = others
                    .map(|(sign, operand)| format!(" {} {}", sign.sign(), self.operand(operand)))
                    .collect();
                format!("{}{others}", self.operand(first))
            }
            Expression::Not(of) => format!("NOT {}", self.operand(of)),
            Expression::And(parts) => self.operands(parts, " AND "),
            Expression::Or(parts) => self.operands(parts, " OR "),
            Expression::Xor(parts) => self.operands(parts, " XOR "),
            Expression::Call(name, arguments) => {
                format!("{name}({})", self.list(arguments, ", "))
            }
            Expression::Case(case) => self.case(case),
            Expression::Comprehension(one) => {
                let mut text = format!("[{} IN ", self.name(one.variable));
                text += &self.expression(&one.list);
                if let Some(filter) = &one.filter {
                    text += &format!(" WHERE {}", self.expression(filter));
                }
                if let Some(value) = &one.value {
                    text += &format!(" | {}", self.expression(value));
                }
                text + "]"
            }
            Expression::Quantified(one) => {
                let name = one.quantity.word();
                let (variable, list) = (self.name(one.variable), self.expression(&one.list));
                let filter = self.expression(&one.filter);
                format!("{name}({variable} IN {list} WHERE {filter})")
            }
            Expression::Reduce(one) => format!(
                "reduce({} = {}, {} IN {} | {})",
                self.name(one.accumulator),
                self.expression(&one.initial),
                self.name(one.variable),
                self.expression(&one.list),
                self.expression(&one.step)
            ),
            Expression::MapProjection(one) => {
                let items = one.items.iter().map(|item| match item {
                    MapItem::All => ".*".to_string(),
                    MapItem::Property(key) => format!(".{key}"),
                    MapItem::Entry(key, value) => format!("{key}: {}", self.expression(value)),
                });
                let items: Vec<String> = items.collect();
                format!("{} {{{}}}", self.expression(&one.source), items.join(", "))
            }
            Expression::Subquery(one) => {
                let kind = one.kind.word();
                let mut operators = Vec::new();
                let mut next = Some(&one.plan);
                while let Some(plan) = next {
                    operators.push(self.operator(&plan.operator));
                    next = plan.input.as_deref();
                }
                operators.reverse();
                format!("{kind} {{{}}}", operators.join("; "))
            }
            Expression::Path(slots) => format!("path({})", self.slots(slots)),
        }
    }

    fn step(&self, step: &Step) -> String {
        let bound = |of: &Option<Expression>| of.as_ref().map(|of| self.expression(of));
        match step {
            Step::Property(key) => format!(".{key}"),
            Step::Index(index) => format!("[{}]", self.expression(index)),
            Step::Slice(from, to) => {
                let [from, to] = [bound(from), bound(to)].map(Option::unwrap_or_default);
                format!("[{from}..{to}]")
            }
        }
    }

    fn case(&self, case: &super::Case) -> String {
        let mut text = String::from("CASE");
        if let Some(operand) = &case.operand {
            text += &format!(" {}", self.expression(operand));
        }
        for (when, then) in &case.branches {
            let when: Vec<String> = when.iter().map(|one| self.when(one)).collect();
            let (when, then) = (when.join(", "), self.expression(then));
            text += &format!(" WHEN {when} THEN {then}");
        }
        if let Some(otherwise) = &case.otherwise {
            text += &format!(" ELSE {}", self.expression(otherwise));
        }
        text + " END"
    }

    fn when(&self, of: &When<Expression>) -> String {
        match of {
            When::Value(value) => self.expression(value),
            When::Compared(sign, value) => format!("{} {}", sign.sign(), self.operand(value)),
            When::Tested(test, value) => format!("{} {}", test.words(), self.operand(value)),
            When::In(value) => format!("IN {}", self.operand(value)),
            When::Is { not, what } => format!("IS {}{what}", if *not { "NOT " } else { "" }),
        }
    }
}

/// Types as they stand in a pattern.
fn names_of_types(types: &[Arc<str>]) -> String {
    match types.is_empty() {
        true => String::new(),
        false => format!(":{}", types.join("|")),
    }
}

/// Both sides of a relationship.
fn arrow(towards: Towards) -> [&'static str; 2] {
    match towards {
        Towards::Outgoing => ["-", "->"],
        Towards::Incoming => ["<-", "-"],
        Towards::Both => ["-", "-"],
    }
}

fn print_constant(constant: &Constant) -> String {
    match constant {
        Constant::Null => "null".into(),
        Constant::Boolean(value) => value.to_string(),
        Constant::Integer(value) => value.to_string(),
        Constant::Float(value) => format!("{value:?}"),
        Constant::Text(value) => format!("{value:?}"),
    }
}
