//! From terms to instructions: one loop over the rows, without a branch in it; before it
//! one that takes four of them at a time, if all is of [small integers](lanes).
//!
//! What a row leaves out (the rest of an `AND` behind what is false, the other branches of
//! a `CASE`) is computed all the same, but cannot fail: each part has a condition under
//! which its failures count.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{self, AbiParam, Function, InstBuilder, MemFlagsData, Value, types};
use cranelift_codegen::isa::{CallConv, TargetFrontendConfig};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};

use self::lanes::Lanes;
use crate::{Arithmetic, Comparison, Kind, Program, Results, Term, Type};

mod lanes;

/// Integers up to this far from 0 are floats without loss.
const EXACT: i64 = 1 << 53;

/// Rows of a batch that is summed, at most.
pub(crate) const MOST_SUMMED: usize = 1 << 20;

/// No integer is further from 0.
const ANY: u64 = 1 << 63;

/// Bytes of what a function is given of each input.
const INPUT_BYTES: usize = 24;

/// Whether nothing fails when it is divided by.
fn is_plain(divisor: i64) -> bool {
    !matches!(divisor, 0 | -1)
}

/// Returned for a batch with a row that the interpreter has to look at.
pub(crate) const UNKNOWN: u64 = u64::MAX;

/// A function of a program, and which of its columns may have nulls.
pub(crate) struct Lowered {
    pub(crate) function: Function,
    pub(crate) nullable: Vec<bool>,
}

/// Makes the function of a program that has been checked.
///
/// It takes the number of rows; an array of three words for each input, where its values
/// lie, where the bits of those that are not null (0: all), and where the numbers of the
/// rows, if they are taken; of [`Kind::Same`] the value itself; and an array of addresses to write to: of the numbers of the rows, or of the
/// values and the truths of not being null of each column, or of the sum and the count of
/// each total. It returns the number of rows that it has written or that pass, or
/// [`UNKNOWN`].
pub(crate) fn lower(
    program: &Program,
    types: &[Type],
    convention: CallConv,
    target: TargetFrontendConfig,
) -> Lowered {
    let mut function = Function::new();
    function.signature = ir::Signature::new(convention);
    let word = AbiParam::new(types::I64);
    function.signature.params.extend([word; 3]);
    function.signature.returns.push(word);
    let mut context = FunctionBuilderContext::new();
    let mut builder = FunctionBuilder::new(&mut function, &mut context);
    let failed = builder.declare_var(types::I8);
    let mut lowering = Lowering {
        builder,
        failed,
        inputs: Vec::new(),
        loaded: Vec::new(),
    };
    let nullable = lowering.body(program, types);
    lowering.builder.seal_all_blocks();
    lowering.builder.finalize(target);
    Lowered { function, nullable }
}

/// Where an input lies.
#[derive(Clone, Copy)]
enum Place {
    Same(Type, Value),
    Column {
        of: Type,
        values: Value,
        bits: Option<Value>,
        rows: Option<Value>,
    },
    Constant(i64),
}

/// A value of a row.
#[derive(Clone, Copy)]
struct Cell {
    of: Type,
    value: Value,
    /// Whether it is not null; of all rows it is not without.
    valid: Option<Value>,
    /// Value of an integer that is part of the code.
    constant: Option<i64>,
    /// An integer is no further from 0, also where it is null.
    most: u64,
}

impl Cell {
    /// Of which nothing else is known.
    fn new(of: Type, value: Value, valid: Option<Value>) -> Self {
        Cell {
            of,
            value,
            valid,
            constant: None,
            most: ANY,
        }
    }

    /// As [`Cell::new`], of an integer that is no further from 0.
    fn integer(value: Value, valid: Option<Value>, most: u64) -> Self {
        Cell {
            most,
            ..Cell::new(Type::Integer, value, valid)
        }
    }
}

/// How far from 0 values of a type are at most.
fn most_of(of: Type) -> u64 {
    match of {
        Type::Small(bits) => 1 << bits,
        Type::Id => u32::MAX.into(),
        Type::Integer | Type::Float | Type::Boolean => ANY,
    }
}

/// How far from 0 a result of integers is at most: beyond 64 bits, any.
fn most_of_result(operator: Arithmetic, a: u64, b: u64) -> u64 {
    match operator {
        Arithmetic::Add | Arithmetic::Subtract => a.saturating_add(b).min(ANY),
        Arithmetic::Multiply => a.saturating_mul(b).min(ANY),
        Arithmetic::Divide => a,
        Arithmetic::Modulo => a.min(b),
    }
}

fn integer_condition(comparison: Comparison) -> IntCC {
    match comparison {
        Comparison::Equal => IntCC::Equal,
        Comparison::Unequal => IntCC::NotEqual,
        Comparison::Less => IntCC::SignedLessThan,
        Comparison::LessOrEqual => IntCC::SignedLessThanOrEqual,
        Comparison::Greater => IntCC::SignedGreaterThan,
        Comparison::GreaterOrEqual => IntCC::SignedGreaterThanOrEqual,
    }
}

struct Lowering<'f> {
    builder: FunctionBuilder<'f>,
    /// Whether a row has failed.
    failed: Variable,
    inputs: Vec<Place>,
    /// The inputs of the row.
    loaded: Vec<Cell>,
}

/// The condition under which failures count; always without.
type Counts = Option<Value>;

impl Lowering<'_> {
    fn body(&mut self, program: &Program, types: &[Type]) -> Vec<bool> {
        let entry = self.builder.create_block();
        let row_block = self.builder.create_block();
        let exit = self.builder.create_block();
        self.builder.append_block_params_for_function_params(entry);
        self.builder.switch_to_block(entry);
        let parameters = self.builder.block_params(entry).to_vec();
        let (rows, inputs, outputs) = (parameters[0], parameters[1], parameters[2]);
        self.find_inputs(&program.inputs, inputs);
        let addresses = match &program.results {
            Results::Rows(_) => 1,
            Results::Columns(terms) => 2 * terms.len(),
            Results::Totals(terms, conditions) => terms.len() - conditions,
        };
        let addresses: Vec<Value> = (0..addresses)
            .map(|at| self.load_word(outputs, 8 * at as i32))
            .collect();
        let zero = self.builder.ins().iconst(types::I64, 0);
        let sound = self.builder.ins().iconst(types::I8, 0);
        self.builder.def_var(self.failed, sound);
        let totals = match &program.results {
            Results::Totals(..) => addresses.len(),
            Results::Rows(_) | Results::Columns(_) => 0,
        };
        // A sum and a count each.
        let totals = (0..totals).map(|_| [(); 2].map(|()| self.variable(zero)));
        let totals: Vec<[Variable; 2]> = totals.collect();
        let (first, before) = match Lanes::of(program) {
            Some(wanted) => {
                let numbers = addresses.first().copied().filter(|_| totals.is_empty());
                self.lanes(&wanted, rows, numbers, &totals)
            }
            None => (zero, zero),
        };
        // The test is behind each row, so that a row takes one jump.
        let is_row = self
            .builder
            .ins()
            .icmp(IntCC::UnsignedLessThan, first, rows);
        let (then, all) = ([first.into(), before.into()], [before.into()]);
        self.builder
            .ins()
            .brif(is_row, row_block, &then, exit, &all);

        let row = self.builder.append_block_param(row_block, types::I64);
        let before = self.builder.append_block_param(row_block, types::I64);
        self.builder.switch_to_block(row_block);
        self.load_inputs(row);
        let mut own_counts = Vec::new();
        let (written, nullable) = match &program.results {
            Results::Rows(terms) => {
                let passes = self.passes(terms);
                let number = self.builder.ins().ireduce(types::I32, row);
                let at = self.builder.ins().ishl_imm_s(before, 2);
                let at = self.builder.ins().iadd(addresses[0], at);
                self.store(number, at);
                (self.builder.ins().uextend(types::I64, passes), Vec::new())
            }
            Results::Columns(terms) => {
                let columns = terms.iter().zip(types).zip(addresses.chunks(2));
                let nullable = columns.map(|((term, of), to)| self.column(term, *of, to, row));
                let nullable = nullable.collect();
                (self.builder.ins().iconst(types::I64, 1), nullable)
            }
            Results::Totals(terms, conditions) => {
                let (conditions, others) = terms.split_at(*conditions);
                let passes = self.passes(conditions);
                for ((term, of), total) in
                    others.iter().zip(&types[conditions.len()..]).zip(&totals)
                {
                    own_counts.push(self.add(term, *of, passes, *total));
                }
                (self.builder.ins().uextend(types::I64, passes), Vec::new())
            }
        };
        let next = self.builder.ins().iadd_imm_s(row, 1);
        let count = self.builder.ins().iadd(before, written);
        let is_row = self.builder.ins().icmp(IntCC::UnsignedLessThan, next, rows);
        let (then, all) = ([next.into(), count.into()], [count.into()]);
        self.builder
            .ins()
            .brif(is_row, row_block, &then, exit, &all);

        let count = self.builder.append_block_param(exit, types::I64);
        self.builder.switch_to_block(exit);
        for ((total, has_own), &to) in totals.iter().zip(own_counts).zip(&addresses) {
            let [sum, own] = total.map(|total| self.builder.use_var(total));
            self.store(sum, to);
            let to = self.builder.ins().iadd_imm_s(to, 8);
            self.store(if has_own { own } else { count }, to);
        }
        let failed = self.builder.use_var(self.failed);
        let unknown = self.builder.ins().iconst(types::I64, UNKNOWN as i64);
        let result = self.builder.ins().select(failed, unknown, count);
        self.builder.ins().return_(&[result]);
        nullable
    }

    fn find_inputs(&mut self, kinds: &[Kind], inputs: Value) {
        for (number, kind) in kinds.iter().enumerate() {
            let at = INPUT_BYTES as i32 * number as i32;
            let place = match *kind {
                Kind::Constant(number) => Place::Constant(number),
                Kind::Same(of) => {
                    let flags = MemFlagsData::trusted();
                    let value = match of {
                        Type::Integer | Type::Id | Type::Small(_) => self.load_word(inputs, at),
                        Type::Float => self.builder.ins().load(types::F64, flags, inputs, at),
                        Type::Boolean => self.builder.ins().load(types::I8, flags, inputs, at),
                    };
                    Place::Same(of, value)
                }
                Kind::Column {
                    of,
                    nullable,
                    taken,
                } => Place::Column {
                    of,
                    values: self.load_word(inputs, at),
                    bits: nullable.then(|| self.load_word(inputs, at + 8)),
                    rows: taken.then(|| self.load_word(inputs, at + 16)),
                },
            };
            self.inputs.push(place);
        }
    }

    fn load_inputs(&mut self, row: Value) {
        let loaded = self.inputs.clone().into_iter().map(|place| match place {
            Place::Same(of, value) => Cell {
                most: most_of(of),
                ..Cell::new(of.of_value(), value, None)
            },
            Place::Constant(number) => Cell {
                of: Type::Integer,
                value: self.builder.ins().iconst(types::I64, number),
                valid: None,
                constant: Some(number),
                most: number.unsigned_abs(),
            },
            Place::Column {
                of,
                values,
                bits,
                rows,
            } => {
                let row = match rows {
                    Some(rows) => self.load_id(rows, row),
                    None => row,
                };
                let value = self.load_cell(of, values, row);
                let valid = bits.map(|bits| self.load_bit(bits, row));
                Cell {
                    most: most_of(of),
                    ..Cell::new(of.of_value(), value, valid)
                }
            }
        });
        self.loaded = loaded.collect();
    }

    fn load_id(&mut self, ids: Value, row: Value) -> Value {
        let at = self.address(Type::Id, ids, row);
        let flags = MemFlagsData::trusted();
        self.builder.ins().uload32(flags, at, 0)
    }

    fn load_word(&mut self, from: Value, offset: i32) -> Value {
        let flags = MemFlagsData::trusted();
        self.builder.ins().load(types::I64, flags, from, offset)
    }

    fn load_cell(&mut self, of: Type, values: Value, row: Value) -> Value {
        let of_cell = match of {
            Type::Id => return self.load_id(values, row),
            Type::Integer | Type::Small(_) => types::I64,
            Type::Float => types::F64,
            Type::Boolean => types::I8,
        };
        let at = self.address(of, values, row);
        let flags = MemFlagsData::trusted();
        self.builder.ins().load(of_cell, flags, at, 0)
    }

    fn address(&mut self, of: Type, values: Value, row: Value) -> Value {
        let offset = match of {
            Type::Boolean => row,
            Type::Id => self.builder.ins().ishl_imm_s(row, 2),
            Type::Integer | Type::Float | Type::Small(_) => self.builder.ins().ishl_imm_s(row, 3),
        };
        self.builder.ins().iadd(values, offset)
    }

    /// The bit of a row, as 0 or 1.
    fn load_bit(&mut self, bits: Value, row: Value) -> Value {
        let byte = self.builder.ins().ushr_imm_u(row, 3);
        let at = self.builder.ins().iadd(bits, byte);
        let flags = MemFlagsData::trusted();
        let byte = self.builder.ins().load(types::I8, flags, at, 0);
        let place = self.builder.ins().ireduce(types::I8, row);
        let place = self.builder.ins().band_imm_s(place, 7);
        let shifted = self.builder.ins().ushr(byte, place);
        self.builder.ins().band_imm_s(shifted, 1)
    }

    fn store(&mut self, value: Value, at: Value) {
        let flags = MemFlagsData::trusted();
        self.builder.ins().store(flags, value, at, 0);
    }

    /// Whether all of them are true, as 0 or 1.
    fn passes(&mut self, terms: &[Term]) -> Value {
        let mut passes: Counts = None;
        for term in terms {
            let cell = self.term(term, passes);
            let is_true = self.is_true(cell);
            passes = Some(self.and(passes, is_true));
        }
        passes.unwrap_or_else(|| self.truth(true))
    }

    fn variable(&mut self, value: Value) -> Variable {
        let variable = self.builder.declare_var(types::I64);
        self.builder.def_var(variable, value);
        variable
    }

    /// Adds the value of a row that passes to a sum, if it is an integer, and to a count if
    /// it may be null: whether it may.
    fn add(&mut self, term: &Term, of: Type, passes: Value, [sum, count]: [Variable; 2]) -> bool {
        let cell = self.term(term, Some(passes));
        let counts = self.and(cell.valid, passes);
        if of == Type::Integer {
            let zero = self.builder.ins().iconst(types::I64, 0);
            let value = self.builder.ins().select(counts, cell.value, zero);
            let before = self.builder.use_var(sum);
            let after = match cell.most <= i64::MAX as u64 / MOST_SUMMED as u64 {
                true => self.builder.ins().iadd(before, value),
                false => {
                    let (after, overflows) = self.builder.ins().sadd_overflow(before, value);
                    self.fail(overflows, None, None);
                    after
                }
            };
            self.builder.def_var(sum, after);
        }
        if cell.valid.is_some() {
            let before = self.builder.use_var(count);
            let one = self.builder.ins().uextend(types::I64, counts);
            let after = self.builder.ins().iadd(before, one);
            self.builder.def_var(count, after);
        }
        cell.valid.is_some()
    }

    /// Writes the value of a row; whether it may be null.
    fn column(&mut self, term: &Term, of: Type, to: &[Value], row: Value) -> bool {
        let cell = self.term(term, None);
        let value = match cell.valid {
            // What lies where there is a null is always the same.
            Some(valid) => {
                let nothing = self.nothing(of);
                self.store_truth(valid, to[1], row);
                self.builder.ins().select(valid, cell.value, nothing)
            }
            None => cell.value,
        };
        let at = self.address(of, to[0], row);
        self.store(value, at);
        cell.valid.is_some()
    }

    fn store_truth(&mut self, truth: Value, to: Value, row: Value) {
        let at = self.builder.ins().iadd(to, row);
        self.store(truth, at);
    }

    fn nothing(&mut self, of: Type) -> Value {
        match of {
            Type::Integer | Type::Id | Type::Small(_) => self.builder.ins().iconst(types::I64, 0),
            Type::Float => self.builder.ins().f64const(0.0),
            Type::Boolean => self.truth(false),
        }
    }

    fn truth(&mut self, truth: bool) -> Value {
        self.builder.ins().iconst(types::I8, i64::from(truth))
    }

    /// `a AND b` of truths that are not null.
    fn and(&mut self, a: Option<Value>, b: Value) -> Value {
        match a {
            Some(a) => self.builder.ins().band(a, b),
            None => b,
        }
    }

    /// As [`Lowering::and`], where either may be that of all rows.
    fn both(&mut self, a: Option<Value>, b: Option<Value>) -> Option<Value> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.builder.ins().band(a, b)),
            (one, None) | (None, one) => one,
        }
    }

    fn not(&mut self, truth: Value) -> Value {
        self.builder.ins().bxor_imm_s(truth, 1)
    }

    fn is_true(&mut self, cell: Cell) -> Value {
        self.and(cell.valid, cell.value)
    }

    fn is_false(&mut self, cell: Cell) -> Value {
        let is_not = self.not(cell.value);
        self.and(cell.valid, is_not)
    }

    /// The batch is unknown if this is so of a row, and counts.
    fn fail(&mut self, if_so: Value, valid: Option<Value>, counts: Counts) {
        let condition = self.both(valid, counts);
        let fails = self.and(condition, if_so);
        let failed = self.builder.use_var(self.failed);
        let failed = self.builder.ins().bor(failed, fails);
        self.builder.def_var(self.failed, failed);
    }

    fn term(&mut self, term: &Term, counts: Counts) -> Cell {
        match term {
            Term::Input(number) => self.loaded[*number],
            Term::Arithmetic(operator, pair) => {
                let (a, b) = (self.term(&pair[0], counts), self.term(&pair[1], counts));
                self.arithmetic(*operator, a, b, counts)
            }
            Term::Negative(of) => {
                let cell = self.term(of, counts);
                self.negative(cell, counts)
            }
            Term::Comparison(comparison, pair) => {
                let (a, b) = (self.term(&pair[0], counts), self.term(&pair[1], counts));
                self.comparison(*comparison, a, b, counts)
            }
            Term::Not(of) => {
                let cell = self.term(of, counts);
                let value = self.not(cell.value);
                Cell::new(cell.of, value, cell.valid)
            }
            Term::And(terms) => self.logic(terms, false, counts),
            Term::Or(terms) => self.logic(terms, true, counts),
            Term::Xor(terms) => self.parity(terms, counts),
            Term::IsNull(of) => {
                let cell = self.term(of, counts);
                let value = match cell.valid {
                    Some(valid) => self.not(valid),
                    None => self.truth(false),
                };
                Cell::new(Type::Boolean, value, None)
            }
            Term::Case(branches, otherwise) => self.case(branches, otherwise.as_deref(), counts),
            Term::Coalesce(terms) => self.coalesce(terms, counts),
        }
    }

    fn arithmetic(&mut self, operator: Arithmetic, a: Cell, b: Cell, counts: Counts) -> Cell {
        let valid = self.both(a.valid, b.valid);
        if (a.of, b.of) == (Type::Integer, Type::Integer) {
            let most = most_of_result(operator, a.most, b.most);
            let (x, y) = (a.value, b.value);
            // Small ones are not watched.
            let is_safe = most <= i64::MAX as u64;
            let divides_safely = b.constant.is_some_and(is_plain);
            let value = match operator {
                Arithmetic::Add if is_safe => self.builder.ins().iadd(x, y),
                Arithmetic::Subtract if is_safe => self.builder.ins().isub(x, y),
                Arithmetic::Multiply if is_safe => self.builder.ins().imul(x, y),
                Arithmetic::Divide if divides_safely => self.builder.ins().sdiv(x, y),
                Arithmetic::Modulo if divides_safely => self.builder.ins().srem(x, y),
                _ => self.of_integers(operator, (x, y), valid, counts),
            };
            return Cell::integer(value, valid, most);
        }
        let (x, y) = (self.as_float(a), self.as_float(b));
        let value = match operator {
            Arithmetic::Add => self.builder.ins().fadd(x, y),
            Arithmetic::Subtract => self.builder.ins().fsub(x, y),
            Arithmetic::Multiply => self.builder.ins().fmul(x, y),
            // That of floats is not compiled.
            Arithmetic::Divide | Arithmetic::Modulo => self.builder.ins().fdiv(x, y),
        };
        Cell::new(Type::Float, value, valid)
    }

    fn of_integers(
        &mut self,
        operator: Arithmetic,
        (a, b): (Value, Value),
        valid: Option<Value>,
        counts: Counts,
    ) -> Value {
        let (value, overflows) = match operator {
            Arithmetic::Add => self.builder.ins().sadd_overflow(a, b),
            Arithmetic::Subtract => self.builder.ins().ssub_overflow(a, b),
            Arithmetic::Multiply => self.builder.ins().smul_overflow(a, b),
            Arithmetic::Divide | Arithmetic::Modulo => {
                // The processor must not be asked for what it traps at: by 0, and the
                // least number by -1, which by 1 is as good where it only has a rest.
                let ins = IntCC::Equal;
                let by_zero = self.builder.ins().icmp_imm_s(ins, b, 0);
                let by_minus = self.builder.ins().icmp_imm_s(ins, b, -1);
                let of_least = self.builder.ins().icmp_imm_s(ins, a, i64::MIN);
                let (replaced, fails) = match operator {
                    Arithmetic::Divide => {
                        let overflows = self.builder.ins().band(by_minus, of_least);
                        let fails = self.builder.ins().bor(by_zero, overflows);
                        (fails, fails)
                    }
                    _ => (self.builder.ins().bor(by_zero, by_minus), by_zero),
                };
                let one = self.builder.ins().iconst(types::I64, 1);
                let divisor = self.builder.ins().select(replaced, one, b);
                let value = match operator {
                    Arithmetic::Divide => self.builder.ins().sdiv(a, divisor),
                    _ => self.builder.ins().srem(a, divisor),
                };
                (value, fails)
            }
        };
        self.fail(overflows, valid, counts);
        value
    }

    fn as_float(&mut self, cell: Cell) -> Value {
        match cell.of {
            Type::Integer => self.builder.ins().fcvt_from_sint(types::F64, cell.value),
            Type::Float | Type::Boolean | Type::Id | Type::Small(_) => cell.value,
        }
    }

    fn negative(&mut self, cell: Cell, counts: Counts) -> Cell {
        let value = match cell.of {
            Type::Float => self.builder.ins().fneg(cell.value),
            Type::Integer | Type::Boolean | Type::Id | Type::Small(_) => {
                if cell.most == ANY {
                    let least = IntCC::Equal;
                    let overflows = self.builder.ins().icmp_imm_s(least, cell.value, i64::MIN);
                    self.fail(overflows, cell.valid, counts);
                }
                self.builder.ins().ineg(cell.value)
            }
        };
        Cell {
            most: cell.most,
            ..Cell::new(cell.of, value, cell.valid)
        }
    }

    fn comparison(&mut self, comparison: Comparison, a: Cell, b: Cell, counts: Counts) -> Cell {
        let valid = self.both(a.valid, b.valid);
        let is_float = a.of == Type::Float || b.of == Type::Float;
        let value = if is_float {
            for cell in [a, b] {
                self.fail_if_inexact(cell, valid, counts);
            }
            let (x, y) = (self.as_float(a), self.as_float(b));
            let condition = match comparison {
                Comparison::Equal => FloatCC::Equal,
                Comparison::Unequal => FloatCC::NotEqual,
                Comparison::Less => FloatCC::LessThan,
                Comparison::LessOrEqual => FloatCC::LessThanOrEqual,
                Comparison::Greater => FloatCC::GreaterThan,
                Comparison::GreaterOrEqual => FloatCC::GreaterThanOrEqual,
            };
            self.builder.ins().fcmp(condition, x, y)
        } else {
            let condition = integer_condition(comparison);
            self.builder.ins().icmp(condition, a.value, b.value)
        };
        Cell::new(Type::Boolean, value, valid)
    }

    /// An integer that is no float compares otherwise than the float that it is nearest to.
    fn fail_if_inexact(&mut self, cell: Cell, valid: Option<Value>, counts: Counts) {
        if cell.of == Type::Integer && cell.most > EXACT as u64 {
            let above = self.builder.ins().iadd_imm_s(cell.value, EXACT);
            let condition = IntCC::UnsignedGreaterThan;
            let is_inexact = self.builder.ins().icmp_imm_s(condition, above, 2 * EXACT);
            self.fail(is_inexact, valid, counts);
        }
    }

    /// `AND` and `OR`: what decides alone is false or true, and what comes behind it does
    /// not count.
    fn logic(&mut self, terms: &[Term], decisive: bool, counts: Counts) -> Cell {
        let mut decided: Option<Value> = None;
        let mut all_valid: Option<Value> = None;
        for term in terms {
            let open = decided.map(|decided| self.not(decided));
            let counts = self.both(counts, open);
            let cell = self.term(term, counts);
            let decides = match decisive {
                true => self.is_true(cell),
                false => self.is_false(cell),
            };
            decided = Some(match decided {
                Some(decided) => self.builder.ins().bor(decided, decides),
                None => decides,
            });
            all_valid = self.both(all_valid, cell.valid);
        }
        let decided = decided.unwrap_or_else(|| self.truth(false));
        let value = match decisive {
            true => decided,
            false => self.not(decided),
        };
        let valid = all_valid.map(|valid| self.builder.ins().bor(valid, decided));
        Cell::new(Type::Boolean, value, valid)
    }

    fn parity(&mut self, terms: &[Term], counts: Counts) -> Cell {
        let mut all = Cell::new(Type::Boolean, self.truth(false), None);
        for term in terms {
            let cell = self.term(term, counts);
            all.value = self.builder.ins().bxor(all.value, cell.value);
            all.valid = self.both(all.valid, cell.valid);
        }
        all
    }

    fn case(
        &mut self,
        branches: &[(Term, Term)],
        otherwise: Option<&Term>,
        counts: Counts,
    ) -> Cell {
        // Each with whether it is the one, by what came before it.
        let mut chosen: Vec<(Value, Cell)> = Vec::new();
        let mut open: Counts = None;
        for (condition, value) in branches {
            let of_condition = self.both(counts, open);
            let condition = self.term(condition, of_condition);
            let is_true = self.is_true(condition);
            let is_it = self.and(open, is_true);
            let of_value = self.both(counts, Some(is_it));
            let value = self.term(value, of_value);
            chosen.push((is_it, value));
            let is_not = self.not(is_true);
            open = Some(self.and(open, is_not));
        }
        let of_rest = self.both(counts, open);
        let of = chosen.first().map_or(Type::Boolean, |(_, cell)| cell.of);
        let mut result = match otherwise {
            Some(otherwise) => self.term(otherwise, of_rest),
            None => self.null(of),
        };
        for (is_it, cell) in chosen.into_iter().rev() {
            result = self.chosen(is_it, cell, result);
        }
        result
    }

    fn coalesce(&mut self, terms: &[Term], counts: Counts) -> Cell {
        let mut cells: Vec<Cell> = Vec::new();
        let mut open: Counts = None;
        for term in terms {
            let counts = self.both(counts, open);
            let cell = self.term(term, counts);
            cells.push(cell);
            // What comes behind a value that is never null is never looked at.
            let Some(valid) = cell.valid else { break };
            let is_null = self.not(valid);
            open = Some(self.and(open, is_null));
        }
        let mut cells = cells.into_iter().rev();
        let last = cells.next().unwrap_or_else(|| self.null(Type::Boolean));
        cells.fold(last, |rest, cell| match cell.valid {
            Some(valid) => self.chosen(valid, cell, rest),
            None => cell,
        })
    }

    fn null(&mut self, of: Type) -> Cell {
        let (value, valid) = (self.nothing(of), self.truth(false));
        Cell {
            most: 0,
            ..Cell::new(of, value, Some(valid))
        }
    }

    /// One cell or the other.
    fn chosen(&mut self, is_first: Value, first: Cell, second: Cell) -> Cell {
        let valid = match (first.valid, second.valid) {
            (None, None) => None,
            (a, b) => {
                let a = a.unwrap_or_else(|| self.truth(true));
                let b = b.unwrap_or_else(|| self.truth(true));
                Some(self.builder.ins().select(is_first, a, b))
            }
        };
        let value = self
            .builder
            .ins()
            .select(is_first, first.value, second.value);
        Cell {
            most: first.most.max(second.most),
            ..Cell::new(first.of, value, valid)
        }
    }
}
