//! Compiled expressions: which of a plan's are worth it, when, and batches for their code.
//!
//! An expression is compiled from its root down to what only the interpreter can do: a
//! property, a parameter, a call are columns that the interpreter gives to the code. What a
//! row may leave out (behind an `AND`, in a `CASE`) is compiled only if all it takes is
//! such a column that costs little; the rest of a plan is interpreted as ever.

mod recalled;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use evergraph_functions::Datum;
use evergraph_jit::{
    Arithmetic, Compiled, Compiler, Input, Kind, Numbers, Output, Program, SmallIntegers,
    TakenRows, Term, Total, Type, small_bits,
};
use evergraph_planner::{Aggregate, Constant, Expression, Lookup, Operator, Plan, Slot, Step};
use evergraph_property_graph::Value;
use evergraph_property_graph::vector::{Validity, Values, Vector};
use evergraph_syntax::tree::{Comparison, Operator as Sign, When};

use crate::batch::Column;
use crate::evaluate::Held;

/// How expressions are evaluated. The results are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Execution {
    /// By the interpreter.
    Interpret,
    /// By machine code, wherever there can be any: each expression waits for it.
    Compile,
    /// By the interpreter at first; by machine code, which is made in the background, from
    /// the batch on at which it is there. It is asked for once an expression has taken
    /// [`Execution::WORTH_IT`] rows.
    #[default]
    Adapt,
    /// By the interpreter for so many rows of an expression, then by machine code, which is
    /// waited for: the switch is where it is said to be.
    SwitchAfter(u64),
}

impl Execution {
    /// Rows that an expression has taken when its code is asked for: by then about as much
    /// time has gone as compiling takes.
    pub const WORTH_IT: u64 = 1 << 15;
}

/// Operators that an expression has at least for its code to be faster than the loops of
/// the interpreter, of which each is for one.
const FEWEST: usize = 2;
/// Rows of a batch that are better interpreted.
const FEW_ROWS: usize = 16;
/// An expression whose columns have changed their types so often stays interpreted.
const MOST_VARIANTS: usize = 8;
/// A filter and the aggregation of its rows are two from so many batches on that there was
/// no code for: their columns were read twice.
const MOST_MISSES: u32 = 16;

/// The expressions of a plan that can be compiled, by where they are: the plan stays where
/// it is as long as this does.
pub(crate) struct Fragments {
    text: Arc<str>,
    all: OnceLock<Found>,
}

/// An expression that can be compiled, or conditions behind each other.
pub(crate) struct Fragment {
    /// Its number in the plan.
    place: usize,
    terms: Vec<Term>,
    /// Of conditions and what is aggregated behind them: how many are conditions.
    conditions: Option<usize>,
    /// The columns that it takes.
    leaves: Vec<Expression>,
    /// Those that are known before, and only divided by.
    divisors: Vec<Option<i64>>,
    operators: usize,
    /// Rows that it has taken.
    rows: AtomicU64,
    /// Its code was asked for, or there, before it had taken any.
    is_recalled: AtomicBool,
    /// Batches in a row that there was no code for, where that is counted.
    misses: AtomicU32,
    state: RwLock<State>,
}

#[derive(Default)]
struct State {
    variants: Vec<Variant>,
    /// Which leaves have had nulls: they are taken to have some ever after.
    nullable: Vec<bool>,
    /// How many bits the integers of each had, as well: 255 where they were not small.
    bits: Vec<u8>,
}

/// Of columns of such types.
struct Variant {
    inputs: Vec<Kind>,
    wants_rows: bool,
    compiled: Arc<Compiled>,
}

/// A column for code, or rows of one.
pub(crate) struct Leaf<'v> {
    pub(crate) column: Held<'v>,
    pub(crate) rows: Option<&'v [u32]>,
}

/// How the expressions of a run are compiled.
#[derive(Clone, Copy)]
pub(crate) struct Compiling<'p> {
    /// Those of the plan.
    pub(crate) fragments: &'p Fragments,
    /// The whole plan.
    pub(crate) plan: &'p Plan,
    /// When.
    pub(crate) execution: Execution,
}

/// What code has made of a batch.
pub(crate) enum Made {
    /// The rows for which it is true.
    Rows(Vec<u32>),
    /// A value a row.
    Column(Column),
    /// How many rows pass, and the totals of those.
    Totals(usize, Vec<Total>),
}

impl Fragments {
    /// Those of a query of this text, found when they are first asked for.
    pub(crate) fn new(text: &str) -> Self {
        Fragments {
            text: text.into(),
            all: OnceLock::new(),
        }
    }

    fn all(&self, plan: &Plan) -> &Found {
        self.all.get_or_init(|| {
            let mut all = HashMap::default();
            find_all(plan, &mut all);
            all
        })
    }
}

impl<'p> Compiling<'p> {
    /// That of a part of the plan, if a batch of so many rows is for its code.
    pub(crate) fn due(self, part: Part<'_>, rows: usize) -> Option<&'p Fragment> {
        let is_worth_it = match self.execution {
            Execution::Interpret => false,
            Execution::Adapt => rows >= FEW_ROWS,
            Execution::Compile | Execution::SwitchAfter(_) => true,
        };
        if !is_worth_it || !part.may_be_compiled() {
            return None;
        }
        let fragment = self.fragments().get(&part.address())?;
        fragment.is_due(self.execution, rows).then_some(fragment)
    }

    /// Whether a filter and the aggregation of its rows may be one.
    pub(crate) fn has_totals(self, of: &[(Slot, Aggregate)]) -> bool {
        let fragments = (self.execution != Execution::Interpret).then(|| self.fragments());
        fragments.is_some_and(|all| all.contains_key(&Part::Totals(of).address()))
    }

    fn fragments(self) -> &'p Found {
        self.fragments.all(self.plan)
    }
}

/// A part of a plan that one function can be of; known by where it is.
#[derive(Clone, Copy)]
pub(crate) enum Part<'e> {
    Expression(&'e Expression),
    /// The conditions of a filter.
    Conditions(&'e [Expression]),
    /// An aggregation, and the filter below it.
    Totals(&'e [(Slot, Aggregate)]),
}

impl Part<'_> {
    /// Whether its code may be looked for, as far as its root tells.
    fn may_be_compiled(self) -> bool {
        let of = match self {
            Part::Expression(of) | Part::Conditions([of, _, ..]) => of,
            Part::Conditions(_) => return false,
            Part::Totals(_) => return true,
        };
        match of {
            Expression::Arithmetic(..)
            | Expression::Negative(_)
            | Expression::Comparison(..)
            | Expression::Not(_)
            | Expression::And(_)
            | Expression::Or(_)
            | Expression::Xor(_)
            | Expression::IsNull(_)
            | Expression::IsNotNull(_)
            | Expression::Case(_) => true,
            Expression::Call(name, _) => &**name == "coalesce",
            _ => false,
        }
    }

    /// Of several parts the first of them, and one: no expression is there.
    fn address(self) -> usize {
        match self {
            Part::Expression(of) => std::ptr::from_ref(of).addr(),
            Part::Conditions(of) => of.as_ptr().addr() + 1,
            Part::Totals(of) => of.as_ptr().addr() + 1,
        }
    }
}

/// By the address of the part.
type Found = HashMap<usize, Fragment, foldhash::fast::RandomState>;

fn find_all(plan: &Plan, all: &mut Found) {
    plan.for_each(&mut |plan| {
        if let Operator::Filter(conditions) = &plan.operator
            && conditions.len() > 1
            && let Some((mut fragment, _)) = Builder::fragment(conditions)
        {
            fragment.place = all.len();
            all.insert(Part::Conditions(conditions).address(), fragment);
        }
        if let Operator::Aggregate { keys, aggregates } = &plan.operator
            && keys.is_empty()
            && !aggregates.is_empty()
            && let Some((conditions, below)) = plan.input.as_deref().map(filter_of)
            && !decides(below)
            && let Some(mut fragment) = Builder::totals(conditions, aggregates)
        {
            fragment.place = all.len();
            all.insert(Part::Totals(aggregates).address(), fragment);
        }
        for expression in plan.operator.expressions() {
            find_within(expression, all);
        }
    });
}

/// The conditions of a filter, and what is below it; of another operator itself.
pub(crate) fn filter_of(plan: &Plan) -> (&[Expression], &Plan) {
    match (&plan.operator, plan.input.as_deref()) {
        (Operator::Filter(conditions), Some(below)) => (conditions, below),
        _ => (&[], plan),
    }
}

/// Whether it is a scan that decides conditions of the filter above it.
fn decides(plan: &Plan) -> bool {
    match &plan.operator {
        Operator::NodeScan { tests, .. } => !tests.is_empty(),
        Operator::Relationships(found) => match &found.by {
            Lookup::Scan(tests) => !tests.is_empty(),
            _ => false,
        },
        _ => false,
    }
}

/// The argument of an aggregation that is a count or a sum; `None` inside of `count(*)`.
fn totalled(of: &Aggregate) -> Option<Option<&Expression>> {
    match (&*of.name, &of.arguments[..]) {
        ("count", []) => Some(None),
        ("count" | "sum" | "avg", [argument]) if !of.distinct => Some(Some(argument)),
        _ => None,
    }
}

/// The counts and sums that code has made of so many rows that pass, one for each
/// aggregation; `None` if one is a sum of others than integers.
pub(crate) fn totals_of(
    of: &[(Slot, Aggregate)],
    passed: usize,
    made: Vec<Total>,
) -> Option<Vec<Total>> {
    let of_rows = Total {
        count: passed as u64,
        sum: None,
    };
    let mut made = made.into_iter();
    let totals = of.iter().map(|(_, aggregate)| match totalled(aggregate)? {
        None => Some(of_rows),
        Some(_) if &*aggregate.name == "count" => made.next(),
        Some(_) => made.next().filter(|total| total.sum.is_some()),
    });
    totals.collect()
}

fn find_within(of: &Expression, all: &mut Found) {
    if let Expression::Subquery(subquery) = of {
        return find_all(&subquery.plan, all);
    }
    let leaves = match Builder::fragment(std::slice::from_ref(of)) {
        Some((mut fragment, leaves)) => {
            fragment.place = all.len();
            all.insert(Part::Expression(of).address(), fragment);
            leaves
        }
        None => vec![of],
    };
    for leaf in leaves {
        let parts = leaf.children().into_iter();
        parts.for_each(|one| find_within(one, all));
    }
}

/// Whether a column costs little, also where it is not needed, and cannot fail.
pub(crate) fn is_cheap(leaf: &Expression) -> bool {
    match leaf {
        Expression::Constant(_) | Expression::Parameter(_) | Expression::Slot(_) => true,
        Expression::Access(of, steps) => {
            matches!(**of, Expression::Slot(_)) && matches!(steps[..], [Step::Property(_)])
        }
        Expression::Call(name, arguments) => {
            &**name == "id" && matches!(arguments[..], [Expression::Slot(_)])
        }
        _ => false,
    }
}

/// Makes a term of an expression.
#[derive(Default)]
struct Builder<'e> {
    leaves: Vec<&'e Expression>,
    terms: usize,
    /// Terms around the one that is made.
    depth: usize,
}

impl<'e> Builder<'e> {
    /// That of conditions behind each other, or of one expression, and its leaves.
    fn fragment(of: &'e [Expression]) -> Option<(Fragment, Vec<&'e Expression>)> {
        let mut builder = Builder::default();
        let terms = builder.conditions(of)?;
        builder.finish(terms, None)
    }

    /// That of conditions behind each other, and of what is counted and summed of the rows
    /// that pass.
    fn totals(conditions: &'e [Expression], of: &'e [(Slot, Aggregate)]) -> Option<Fragment> {
        let mut builder = Builder::default();
        let mut terms = builder.conditions(conditions)?;
        for (_, aggregate) in of {
            if let Some(argument) = totalled(aggregate)? {
                terms.push(builder.term(argument, !conditions.is_empty())?);
            }
        }
        // Of columns as they are, the loops of the interpreter are as fast.
        if terms.iter().all(|term| term.operators() == 0) {
            return None;
        }
        let (fragment, _) = builder.finish(terms, Some(conditions.len()))?;
        Some(fragment)
    }

    fn conditions(&mut self, of: &'e [Expression]) -> Option<Vec<Term>> {
        let terms = of.iter().enumerate();
        let terms = terms.map(|(place, one)| self.compound(one, place > 0));
        terms.collect()
    }

    fn finish(
        self,
        terms: Vec<Term>,
        conditions: Option<usize>,
    ) -> Option<(Fragment, Vec<&'e Expression>)> {
        if terms.iter().any(|term| term.depth() > Program::MOST_DEPTH) {
            return None;
        }
        let leaves = self.leaves;
        let constant = |leaf: &&Expression| match leaf {
            Expression::Constant(Constant::Integer(number)) => Some(*number),
            _ => None,
        };
        let mut divisors: Vec<Option<i64>> = leaves.iter().map(constant).collect();
        for (place, divisor) in divisors.iter_mut().enumerate() {
            *divisor = divisor.filter(|_| terms.iter().any(|term| term.divides_by(place)));
        }
        let fragment = Fragment {
            place: 0,
            operators: terms.iter().map(Term::operators).sum::<usize>()
                + conditions.map_or(0, |conditions| terms.len() - conditions),
            terms,
            conditions,
            leaves: leaves.iter().map(|&leaf| leaf.clone()).collect(),
            divisors,
            rows: AtomicU64::new(0),
            is_recalled: AtomicBool::new(false),
            misses: AtomicU32::new(0),
            state: RwLock::default(),
        };
        Some((fragment, leaves))
    }

    /// The term of an expression that is compiled, or the column of one that is not;
    /// `None` if that may not be taken of all rows.
    fn term(&mut self, of: &'e Expression, lazily: bool) -> Option<Term> {
        let (leaves, terms) = (self.leaves.len(), self.terms);
        self.depth += 1;
        let compound = match self.depth < Program::MOST_DEPTH {
            true => self.compound(of, lazily),
            false => None,
        };
        self.depth -= 1;
        if compound.is_some() {
            return compound;
        }
        self.leaves.truncate(leaves);
        self.terms = terms + 1;
        if lazily && !is_cheap(of) || self.terms > Program::MOST_TERMS {
            return None;
        }
        let known = self.leaves.iter().position(|&leaf| leaf == of);
        let place = known.filter(|_| is_cheap(of)).unwrap_or_else(|| {
            self.leaves.push(of);
            self.leaves.len() - 1
        });
        Some(Term::Input(place))
    }

    /// As [`Builder::term`], of what is compiled itself.
    fn compound(&mut self, of: &'e Expression, lazily: bool) -> Option<Term> {
        self.terms += 1;
        if self.terms > Program::MOST_TERMS {
            return None;
        }
        Some(match of {
            Expression::Arithmetic(first, others) => {
                let mut sum = self.term(first, lazily)?;
                for (sign, operand) in others {
                    let operand = self.term(operand, lazily)?;
                    sum = Term::Arithmetic(arithmetic_of(*sign)?, Box::new([sum, operand]));
                    self.terms += 1;
                }
                sum
            }
            Expression::Negative(of) => Term::Negative(Box::new(self.term(of, lazily)?)),
            Expression::Comparison(first, others) => {
                let mut left = self.term(first, lazily)?;
                let mut all = Vec::with_capacity(others.len());
                for (comparison, operand) in others {
                    let right = self.term(operand, lazily)?;
                    let pair = Box::new([left, right.clone()]);
                    all.push(Term::Comparison(comparison_of(*comparison), pair));
                    self.terms += right.size();
                    left = right;
                }
                match all.len() {
                    1 => all.remove(0),
                    _ => Term::And(all),
                }
            }
            Expression::Not(of) => Term::Not(Box::new(self.term(of, lazily)?)),
            Expression::And(parts) => Term::And(self.in_turn(parts, lazily)?),
            Expression::Or(parts) => Term::Or(self.in_turn(parts, lazily)?),
            Expression::Xor(parts) => {
                let parts = parts.iter().map(|part| self.term(part, lazily));
                Term::Xor(parts.collect::<Option<_>>()?)
            }
            Expression::IsNull(of) => Term::IsNull(Box::new(self.term(of, lazily)?)),
            Expression::IsNotNull(of) => {
                let is_null = Term::IsNull(Box::new(self.term(of, lazily)?));
                Term::Not(Box::new(is_null))
            }
            Expression::Call(name, arguments) if &**name == "coalesce" => {
                Term::Coalesce(self.in_turn(arguments, lazily)?)
            }
            Expression::Case(case) if case.operand.is_none() => {
                let mut branches = Vec::with_capacity(case.branches.len());
                for (conditions, value) in &case.branches {
                    let [When::Value(condition)] = &conditions[..] else {
                        return None;
                    };
                    let lazily = lazily || !branches.is_empty();
                    branches.push((self.term(condition, lazily)?, self.term(value, true)?));
                }
                let otherwise = case.otherwise.as_ref();
                let otherwise = otherwise.map(|otherwise| self.term(otherwise, true));
                let otherwise = match otherwise {
                    Some(otherwise) => Some(Box::new(otherwise?)),
                    None => None,
                };
                Term::Case(branches, otherwise)
            }
            _ => return None,
        })
    }

    /// Of which all but the first may be left out.
    fn in_turn(&mut self, parts: &'e [Expression], lazily: bool) -> Option<Vec<Term>> {
        let parts = parts.iter().enumerate();
        let parts = parts.map(|(place, part)| self.term(part, lazily || place > 0));
        parts.collect()
    }
}

fn arithmetic_of(sign: Sign) -> Option<Arithmetic> {
    Some(match sign {
        Sign::Add => Arithmetic::Add,
        Sign::Subtract => Arithmetic::Subtract,
        Sign::Multiply => Arithmetic::Multiply,
        Sign::Divide => Arithmetic::Divide,
        Sign::Modulo => Arithmetic::Modulo,
        _ => return None,
    })
}

fn comparison_of(comparison: Comparison) -> evergraph_jit::Comparison {
    use evergraph_jit::Comparison as Compiled;
    match comparison {
        Comparison::Equal => Compiled::Equal,
        Comparison::Unequal => Compiled::Unequal,
        Comparison::Less => Compiled::Less,
        Comparison::LessOrEqual => Compiled::LessOrEqual,
        Comparison::Greater => Compiled::Greater,
        Comparison::GreaterOrEqual => Compiled::GreaterOrEqual,
    }
}

impl Fragment {
    /// The columns that it takes.
    pub(crate) fn leaves(&self) -> &[Expression] {
        &self.leaves
    }

    /// Whether a batch of so many rows is for its code: it is there, or it is time to ask.
    fn is_due(&self, execution: Execution, rows: usize) -> bool {
        if self.misses.load(Ordering::Relaxed) >= MOST_MISSES {
            return false;
        }
        let worth_it = match execution {
            Execution::Interpret => return false,
            Execution::Adapt if self.operators < FEWEST => return false,
            Execution::Adapt => Execution::WORTH_IT,
            Execution::Compile => return true,
            Execution::SwitchAfter(rows) => rows,
        };
        let taken = self.rows.fetch_add(rows as u64, Ordering::Relaxed);
        if taken < worth_it && !self.is_recalled.load(Ordering::Relaxed) {
            // Another query may have had its code made.
            return taken == 0 && execution == Execution::Adapt;
        }
        let state = self.read_state();
        let is_finished = |variant: &Variant| {
            variant.compiled.code().is_some() || variant.compiled.refusal().is_some()
        };
        state.variants.last().is_none_or(is_finished)
    }

    /// What its code makes of a batch; `None` if it has none, or the interpreter has to
    /// look at it.
    pub(crate) fn run(
        &self,
        leaves: &[Leaf<'_>],
        rows: usize,
        wants_rows: bool,
        compiling: Compiling<'_>,
    ) -> Option<(Made, Arc<Compiled>)> {
        let numbers: Vec<Option<Numbers<'_>>> = leaves.iter().map(numbers_of).collect();
        let kinds = leaves.iter().zip(&numbers).zip(&self.divisors);
        let kinds: Vec<Kind> = kinds
            .map(|((leaf, numbers), divisor)| match divisor {
                Some(divisor) => Some(Kind::Constant(*divisor)),
                None => kind_of(leaf, *numbers),
            })
            .collect::<Option<_>>()?;
        let (kinds, compiled) = self.variant(kinds, wants_rows, compiling)?;
        let code = compiled.code()?;
        let any_nullable = kinds.iter().any(|kind| kind.is_nullable());
        let longest = leaves.iter().filter_map(|leaf| leaf.column.len()).max();
        let all_valid = match longest.filter(|_| any_nullable) {
            Some(longest) => vec![u64::MAX; longest.div_ceil(64)],
            None => Vec::new(),
        };
        let inputs: Vec<Input<'_>> = leaves
            .iter()
            .zip(numbers)
            .zip(&kinds)
            .map(|((leaf, numbers), kind)| input_of(leaf, numbers, *kind, &all_valid))
            .collect::<Option<_>>()?;
        let made = match wants_rows {
            true => {
                let mut numbers = Vec::with_capacity(rows);
                code.rows(&inputs, rows, &mut numbers).ok()?;
                Made::Rows(numbers)
            }
            false if self.conditions.is_some() => {
                let (passed, totals) = code.totals(&inputs, rows).ok()?;
                Made::Totals(passed, totals)
            }
            false => {
                let mut columns = code.columns(&inputs, rows).ok()?;
                Made::Column(column_of(columns.pop()?))
            }
        };
        compiled.was_called(rows);
        Some((made, compiled))
    }

    /// Whether it has not taken so many rows that its code is asked for.
    fn is_early(&self, execution: Execution) -> bool {
        execution == Execution::Adapt
            && self.rows.load(Ordering::Relaxed) < Execution::WORTH_IT
            && !self.is_recalled.load(Ordering::Relaxed)
    }

    /// Notes whether there was code for a batch.
    pub(crate) fn met(&self, has_code: bool) {
        match has_code {
            true => self.misses.store(0, Ordering::Relaxed),
            false => {
                self.misses.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    fn read_state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_state(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The code for columns of such types, which is asked for if it is not known; and the
    /// types that it is for.
    fn variant(
        &self,
        mut kinds: Vec<Kind>,
        wants_rows: bool,
        compiling: Compiling<'_>,
    ) -> Option<(Vec<Kind>, Arc<Compiled>)> {
        let state = self.read_state();
        state.widen(&mut kinds);
        if let Some(known) = state.find(&kinds, wants_rows) {
            return Some((kinds, known));
        }
        drop(state);
        if self.is_early(compiling.execution) {
            Compiler::shared().known(&self.program(&kinds, wants_rows))?;
            self.is_recalled.store(true, Ordering::Relaxed);
        }
        let mut state = self.write_state();
        state.widen(&mut kinds);
        if let Some(known) = state.find(&kinds, wants_rows) {
            return Some((kinds, known));
        }
        if state.variants.len() >= MOST_VARIANTS {
            return None;
        }
        state.note(&kinds);
        let program = self.program(&kinds, wants_rows);
        let text = &compiling.fragments.text;
        let compiled = match compiling.execution {
            Execution::Adapt => Compiler::shared().request(&program, text),
            _ => Compiler::shared().compile(&program, text),
        };
        state.variants.push(Variant {
            inputs: kinds.clone(),
            wants_rows,
            compiled: Arc::clone(&compiled),
        });
        Some((kinds, compiled))
    }
}

impl State {
    /// Takes columns that have had nulls or larger integers to have some.
    fn widen(&self, kinds: &mut [Kind]) {
        let known = self.nullable.iter().zip(&self.bits);
        for (kind, (&had_nulls, &had_bits)) in kinds.iter_mut().zip(known) {
            if let Kind::Column { nullable, .. } = kind {
                *nullable |= had_nulls;
            }
            if let Kind::Column { of, .. } | Kind::Same(of) = kind
                && let Type::Small(bits) = *of
            {
                *of = widened(bits, had_bits);
            }
        }
    }

    fn note(&mut self, kinds: &[Kind]) {
        let bits = |kind: &Kind| match kind {
            Kind::Column { of, .. } | Kind::Same(of) => match of {
                Type::Small(bits) => *bits,
                _ => u8::MAX,
            },
            Kind::Constant(_) => u8::MAX,
        };
        self.nullable = kinds.iter().map(|kind| kind.is_nullable()).collect();
        self.bits = kinds.iter().map(bits).collect();
    }

    fn find(&self, kinds: &[Kind], wants_rows: bool) -> Option<Arc<Compiled>> {
        let is_it =
            |variant: &&Variant| variant.inputs == kinds && variant.wants_rows == wants_rows;
        let found = self.variants.iter().find(is_it);
        found.map(|variant| Arc::clone(&variant.compiled))
    }
}

/// The type of integers of so many bits, where there is code for others: if that does not do,
/// for many more, so that there is not code for each.
fn widened(bits: u8, had: u8) -> Type {
    match (bits, had) {
        (_, 32..) => Type::Integer,
        (bits, had) if bits <= had => Type::Small(had),
        (..=30, _) => Type::Small(30),
        _ => Type::Small(31),
    }
}

/// What is known of a column; `None` of one that code does not take.
fn kind_of(leaf: &Leaf<'_>, numbers: Option<Numbers<'_>>) -> Option<Kind> {
    Some(match &*leaf.column {
        Column::Same(Datum::Value(value)) => Kind::Same(match value {
            Value::Integer(number) => small_bits(*number).map_or(Type::Integer, Type::Small),
            Value::Float(_) => Type::Float,
            Value::Boolean(_) => Type::Boolean,
            _ => return None,
        }),
        Column::Vector(vector) => Kind::Column {
            of: numbers?.of(),
            nullable: !vector.validity().is_all(),
            taken: leaf.rows.is_some(),
        },
        _ => return None,
    })
}

fn numbers_of<'c>(leaf: &'c Leaf<'_>) -> Option<Numbers<'c>> {
    let Column::Vector(vector) = &*leaf.column else {
        return None;
    };
    Some(match vector.values() {
        Values::Integer(numbers) => match SmallIntegers::new(numbers) {
            Some(small) => Numbers::Small(small),
            None => Numbers::Integers(numbers),
        },
        Values::Float(numbers) => Numbers::Floats(numbers),
        Values::Boolean(truths) => Numbers::Booleans(truths),
        _ => return None,
    })
}

fn input_of<'c>(
    leaf: &'c Leaf<'_>,
    numbers: Option<Numbers<'c>>,
    kind: Kind,
    all_valid: &'c [u64],
) -> Option<Input<'c>> {
    Some(match &*leaf.column {
        Column::Same(Datum::Value(Value::Integer(number))) => Input::Integer(*number),
        Column::Same(Datum::Value(Value::Float(number))) => Input::Float(*number),
        Column::Same(Datum::Value(Value::Boolean(truth))) => Input::Boolean(*truth),
        Column::Vector(vector) => {
            let bits = vector.validity().words().unwrap_or(all_valid);
            let bits = kind.is_nullable().then_some(bits);
            let numbers = match (numbers?, kind) {
                (
                    Numbers::Small(small),
                    Kind::Column {
                        of: Type::Integer, ..
                    },
                ) => Numbers::Integers(small.integers()),
                (numbers, _) => numbers,
            };
            match leaf.rows {
                None => Input::Column(numbers, bits),
                Some(rows) => {
                    let rows = TakenRows::new(rows, vector.len())?;
                    Input::Taken(numbers, bits, rows)
                }
            }
        }
        _ => return None,
    })
}

fn column_of(output: Output) -> Column {
    let (values, valid) = match output {
        Output::Integers(numbers, valid) => (Values::Integer(numbers), valid),
        Output::Floats(numbers, valid) => (Values::Float(numbers), valid),
        Output::Booleans(truths, valid) => (Values::Boolean(truths), valid),
    };
    let rows = match &values {
        Values::Integer(numbers) => numbers.len(),
        Values::Float(numbers) => numbers.len(),
        Values::Boolean(truths) => truths.len(),
        _ => 0,
    };
    let validity = match valid {
        None => Validity::all(rows),
        Some(truths) => {
            let words = truths.chunks(64).map(|truths| {
                let bits = truths.iter().enumerate();
                bits.fold(0u64, |word, (bit, &truth)| word | u64::from(truth) << bit)
            });
            Validity::from_words(words.collect(), rows)
        }
    };
    match validity.count() {
        0 => Column::Vector(Vector::nulls(rows)),
        _ => Column::Vector(Vector::from_parts(values, validity)),
    }
}
