//! The printed form of a plan: an operator a line, the last one first.

use std::fmt::Write as _;
use std::sync::Arc;

use evergraph_syntax::tree::{self, Comparison, PathMode, Typing, When};

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
        for plan in plan.downward() {
            let head = self.operator(&plan.operator);
            let _ = writeln!(self.text, "{:depth$}{head} [{}]", "", note(plan));
            for inner in plan.operator.inner() {
                let _ = writeln!(self.text, "{:depth$}  |", "");
                self.plan(inner, depth + 4, note);
            }
        }
    }

    /// Tests of a scan.
    fn tests(&self, tests: &[ScanTest]) -> String {
        let tests = joined(tests, " AND ", |test| {
            let (sign, value) = (test.comparison.sign(), &test.value);
            format!("{} {sign} {}", test.key, self.operand(value))
        });
        behind(" with ", tests)
    }

    fn name(&self, slot: Slot) -> &str {
        self.names.get(slot).map_or("?", String::as_str)
    }

    fn slots(&self, slots: &[Slot]) -> String {
        joined(slots, ", ", |&slot| self.name(slot).to_string())
    }

    fn operator(&self, operator: &Operator) -> String {
        match operator {
            Operator::Argument => "Argument".into(),
            Operator::NodeScan { node, label, tests } => {
                let label = behind(":", label.as_deref().unwrap_or_default());
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
                let steps = joined(&one.steps, ", ", |step| self.expand(step, ""));
                let to = self.name(one.to);
                let above = joined(&one.above, "", |&slot| format!(" > {}", self.name(slot)));
                let below = joined(&one.below, "", |&slot| format!(" < {}", self.name(slot)));
                format!("Intersect {to}{above}{below} of {steps}")
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
                let each = behind(" each ", self.list(&shortest.each, " AND "));
                let whole = behind(" where ", self.list(&shortest.whole, " AND "));
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
                let aggregates = joined(aggregates, ", ", |(slot, aggregate)| {
                    format!("{} = {}", self.name(*slot), self.aggregate(aggregate))
                });
                format!("Aggregate [{aggregates}] by [{}]", self.items(keys))
            }
            Operator::Count(count) => {
                let branches = joined(&count.branches, ", ", |one| self.branch(one));
                let (counts, keys) = (self.slots(&count.counts), self.items(&count.keys));
                let ends = |at: usize| self.name(count.branches[at].step.to);
                let apart = joined(&count.apart, "", |&[one, other]| {
                    format!(", {} <> {}", ends(one), ends(other))
                });
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
                let keys = joined(keys, ", ", |(left, right)| {
                    format!("{} = {}", self.expression(left), self.expression(right))
                });
                format!("HashJoin {keys}")
            }
            Operator::Union { columns, .. } => format!("Union {}", self.slots(columns)),
            Operator::Eager => "Eager".into(),
            Operator::Create(create) => format!("Create {}", self.create(create)),
            Operator::Merge(merge) => format!("Merge {}", self.create(&merge.create)),
            Operator::Set(items) => {
                format!("Set {}", joined(items, ", ", |item| self.set_item(item)))
            }
            Operator::Delete { detach, items } => {
                let name = if *detach { "DetachDelete" } else { "Delete" };
                format!("{name} {}", self.list(items, ", "))
            }
            Operator::InTransactions(one) => {
                let rows = joined(&one.rows, "", |rows| {
                    format!(" of {} rows", self.expression(rows))
                });
                let status = behind(", status ", self.slots(one.status.as_slice()));
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
            Seek::Equal(values) => joined(values, " AND ", |(key, value)| {
                format!("{key} = {}", self.expression(value))
            }),
            Seek::AnyOf(key, list) => format!("{key} IN {}", self.expression(list)),
            Seek::Prefix(key, prefix) => format!("{key} STARTS WITH {}", self.expression(prefix)),
            Seek::Range(key, from, to) => {
                let from = from.iter().map(|bound| ([">", ">="], bound));
                let to = to.iter().map(|bound| (["<", "<="], bound));
                joined(from.chain(to), " AND ", |(signs, (value, with))| {
                    let sign = signs[usize::from(*with)];
                    format!("{key} {sign} {}", self.expression(value))
                })
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
        let tests = joined(tests, " AND ", |test| self.expression(&test.condition));
        behind(" WHERE ", tests)
    }

    fn branch(&self, branch: &Branch) -> String {
        let labels = joined(&branch.labels, "", |labels| format!(":{labels}"));
        let differs = joined(&branch.differs, "", |&slot| {
            format!(" <> {}", self.name(slot))
        });
        let beside = joined(&branch.beside, "", |one| {
            let not = if one.negated { " NOT" } else { "" };
            let types = names_of_types(&one.types);
            let (from, to) = (self.name(one.from), self.name(branch.step.to));
            let [left, right] = arrow(one.towards);
            format!("{not} ({from}){left}[{types}]{right}({to})")
        });
        let optional = if branch.optional { "optional " } else { "" };
        let inner = match branch.branches.is_empty() {
            true => String::new(),
            false => format!(
                " {{ {} }}",
                joined(&branch.branches, ", ", |one| self.branch(one))
            ),
        };
        let step = self.expand(&branch.step, "");
        format!("{optional}{step}{labels}{differs}{beside}{inner}")
    }

    fn items(&self, items: &[(Slot, Expression)]) -> String {
        joined(items, ", ", |(slot, value)| match value {
            Expression::Slot(same) if same == slot => self.name(*slot).to_string(),
            _ => format!("{} = {}", self.name(*slot), self.expression(value)),
        })
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
        joined(keys, ", ", |key| match key.descending {
            false => self.expression(&key.key),
            true => format!("{} DESC", self.expression(&key.key)),
        })
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
        joined(nodes.chain(relationships), ", ", |part| part)
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
        joined(labels, "", |label| match label {
            WrittenLabel::Name(name) => format!(":{name}"),
            WrittenLabel::Computed(names) => format!(":$({})", self.expression(names)),
        })
    }

    fn list(&self, expressions: &[Expression], between: &str) -> String {
        joined(expressions, between, |one| self.expression(one))
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
        joined(of, between, |one| self.operand(one))
    }

    /// A flat chain of operands, each behind the sign before it.
    fn chain<S: Copy>(
        &self,
        first: &Expression,
        others: &[(S, Expression)],
        sign: fn(S) -> &'static str,
    ) -> String {
        let others = joined(others, "", |(by, operand)| {
            format!(" {} {}", sign(*by), self.operand(operand))
        });
        self.operand(first) + &others
    }

    fn expression(&self, of: &Expression) -> String {
        match of {
            Expression::Constant(constant) => print_constant(constant),
            Expression::Parameter(name) => format!("${name}"),
            Expression::Slot(slot) => self.name(*slot).to_string(),
            Expression::List(items) => format!("[{}]", self.list(items, ", ")),
            Expression::Map(entries) => {
                let entries = joined(entries, ", ", |(key, value)| {
                    format!("{key}: {}", self.expression(value))
                });
                format!("{{{entries}}}")
            }
            Expression::Access(of, steps) => {
                self.operand(of) + &joined(steps, "", |step| self.step(step))
            }
            Expression::Negative(of) => format!("-{}", self.operand(of)),
            Expression::Positive(of) => format!("+{}", self.operand(of)),
            Expression::Arithmetic(first, others) => {
                self.chain(first, others, tree::Operator::sign)
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
            Expression::Comparison(first, others) => self.chain(first, others, Comparison::sign),
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
                let items = joined(&one.items, ", ", |item| match item {
                    MapItem::All => ".*".to_string(),
                    MapItem::Property(key) => format!(".{key}"),
                    MapItem::Entry(key, value) => format!("{key}: {}", self.expression(value)),
                });
                format!("{} {{{items}}}", self.expression(&one.source))
            }
            Expression::Subquery(one) => {
                let mut operators: Vec<&Plan> = one.plan.downward().collect();
                operators.reverse();
                let operators = joined(operators, "; ", |plan| self.operator(&plan.operator));
                format!("{} {{{operators}}}", one.kind.word())
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
            let (when, then) = (
                joined(when, ", ", |one| self.when(one)),
                self.expression(then),
            );
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

fn joined<T>(
    parts: impl IntoIterator<Item = T>,
    between: &str,
    printed: impl Fn(T) -> String,
) -> String {
    let parts: Vec<String> = parts.into_iter().map(printed).collect();
    parts.join(between)
}

/// A text behind words that introduce it; nothing if it is empty.
fn behind(words: &str, text: impl AsRef<str>) -> String {
    match text.as_ref() {
        "" => String::new(),
        text => format!("{words}{text}"),
    }
}

/// Types as they stand in a pattern.
fn names_of_types(types: &[Arc<str>]) -> String {
    behind(":", types.join("|"))
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
