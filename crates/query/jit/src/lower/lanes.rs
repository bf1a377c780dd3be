//! Four rows at a time: conditions and sums of small integers, whose parts all fit into 32
//! bits. Nothing fails there, and nothing is null; rows that are left over are for the loop
//! that takes one.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    BlockArg, ConstantData, Endianness, InstBuilder, MemFlagsData, Type as IrType, Value, types,
};
use cranelift_frontend::Variable;

use super::{Lowering, Place, integer_condition, is_plain, most_of, most_of_result};
use crate::{Arithmetic, Kind, Program, Results, Term, Type};

const LANES: i64 = 4;
const LANE: IrType = types::I32X4;
const WIDE: IrType = types::I64X2;

/// A value in a lane is nearer to 0.
const BOUND: u64 = 1 << 31;

/// The conditions and the sums of a program, in lanes.
pub(super) struct Lanes {
    conditions: Vec<Truth>,
    /// Those of integers.
    sums: Vec<Option<Integer>>,
}

/// An integer in each lane, and how far from 0 it is at most.
struct Integer {
    of: Of,
    most: u64,
}

enum Of {
    Input(usize),
    Negative(Box<Integer>),
    /// Of two that are added, subtracted or multiplied.
    Both(Arithmetic, Box<[Integer; 2]>),
    Quotient(Box<Integer>, Divisor),
    Remainder(Box<Integer>, Divisor),
}

/// All bits of a lane, or none.
enum Truth {
    Compared(IntCC, Box<[Integer; 2]>),
    Not(Box<Truth>),
    And(Vec<Truth>),
    Or(Vec<Truth>),
    Xor(Vec<Truth>),
}

/// A divisor, and the factor by which the upper half of a product, shifted, is the quotient.
#[derive(Clone, Copy)]
struct Divisor {
    divisor: i32,
    factor: i32,
    shift: u8,
}

impl Divisor {
    /// For integers that are no further from 0 than `most`; `None` where the factor has more
    /// than 31 bits. With p bits behind the point factor = (2^p + e) / divisor, 0 < e <=
    /// divisor: the product is less than 1 / divisor beyond the quotient if most * divisor <
    /// 2^p (Warren, "Hacker's Delight", chapter 10).
    fn new(divisor: i64, most: u64) -> Option<Self> {
        let positive = divisor.unsigned_abs();
        let bits = |number: u64| u64::BITS - number.leading_zeros();
        let point = (bits(most) + bits(positive)).max(32);
        let factor = 1u64.checked_shl(point)? / positive + 1;
        Some(Divisor {
            divisor: i32::try_from(divisor).ok()?,
            factor: i32::try_from(factor).ok()?,
            shift: (point - 32) as u8,
        })
    }
}

impl Lanes {
    /// Of a program; `None` of one that has a part that lanes are not for.
    pub(super) fn of(program: &Program) -> Option<Self> {
        let (conditions, sums) = match &program.results {
            Results::Rows(terms) => (&terms[..], &[][..]),
            Results::Totals(terms, conditions) => terms.split_at(*conditions),
            Results::Columns(_) => return None,
        };
        let inputs = &program.inputs;
        let sums = sums.iter().map(|term| match truth(inputs, term) {
            Some(_) => Some(None),
            None => integer(inputs, term).map(Some),
        });
        (!conditions.is_empty()).then_some(Lanes {
            conditions: truths(inputs, conditions)?,
            sums: sums.collect::<Option<_>>()?,
        })
    }
}

fn integer(inputs: &[Kind], term: &Term) -> Option<Integer> {
    let found = match term {
        Term::Input(number) => Integer {
            of: Of::Input(*number),
            most: match inputs.get(*number)? {
                Kind::Constant(constant) => constant.unsigned_abs(),
                Kind::Same(of @ Type::Small(_))
                | Kind::Column {
                    of: of @ Type::Small(_),
                    nullable: false,
                    taken: false,
                } => most_of(*of),
                _ => return None,
            },
        },
        Term::Negative(of) => {
            let of = integer(inputs, of)?;
            Integer {
                most: of.most,
                of: Of::Negative(Box::new(of)),
            }
        }
        Term::Arithmetic(operator, pair) => {
            let (a, b) = (integer(inputs, &pair[0])?, integer(inputs, &pair[1])?);
            let most = most_of_result(*operator, a.most, b.most);
            let divisor = match b.of {
                Of::Input(number) => match inputs[number] {
                    Kind::Constant(divisor) if is_plain(divisor) => Divisor::new(divisor, a.most),
                    _ => None,
                },
                _ => None,
            };
            let of = match operator {
                Arithmetic::Divide => Of::Quotient(Box::new(a), divisor?),
                Arithmetic::Modulo => Of::Remainder(Box::new(a), divisor?),
                operator => Of::Both(*operator, Box::new([a, b])),
            };
            Integer { of, most }
        }
        _ => return None,
    };
    (found.most < BOUND).then_some(found)
}

fn truth(inputs: &[Kind], term: &Term) -> Option<Truth> {
    Some(match term {
        Term::Comparison(comparison, pair) => {
            let pair = [integer(inputs, &pair[0])?, integer(inputs, &pair[1])?];
            Truth::Compared(integer_condition(*comparison), Box::new(pair))
        }
        Term::Not(of) => Truth::Not(Box::new(truth(inputs, of)?)),
        Term::And(terms) => Truth::And(truths(inputs, terms)?),
        Term::Or(terms) => Truth::Or(truths(inputs, terms)?),
        Term::Xor(terms) => Truth::Xor(truths(inputs, terms)?),
        _ => return None,
    })
}

fn truths(inputs: &[Kind], terms: &[Term]) -> Option<Vec<Truth>> {
    terms.iter().map(|term| truth(inputs, term)).collect()
}

impl Lowering<'_> {
    /// The loop over the first rows, as many as fill lanes, which adds to totals as the one
    /// behind it does. Returns the first row that is left, and how many rows were written or
    /// pass.
    pub(super) fn lanes(
        &mut self,
        wanted: &Lanes,
        rows: Value,
        numbers: Option<Value>,
        totals: &[[Variable; 2]],
    ) -> (Value, Value) {
        let body = self.builder.create_block();
        let behind = self.builder.create_block();
        let zero = self.builder.ins().iconst(types::I64, 0);
        let whole = self.builder.ins().band_imm_s(rows, -LANES);
        let nothing = self.builder.ins().splat(WIDE, zero);
        let sums: Vec<Variable> = totals
            .iter()
            .map(|_| {
                let sum = self.builder.declare_var(WIDE);
                self.builder.def_var(sum, nothing);
                sum
            })
            .collect();
        let begin = [BlockArg::from(zero), zero.into()];
        let none = [BlockArg::from(zero)];
        self.builder.ins().brif(whole, body, &begin, behind, &none);

        let row = self.builder.append_block_param(body, types::I64);
        let before = self.builder.append_block_param(body, types::I64);
        self.builder.switch_to_block(body);
        let passes = self.all_in_lanes(&wanted.conditions, row);
        let bits = self.builder.ins().vhigh_bits(types::I32, passes);
        let count = match numbers {
            Some(to) => self.store_passing(bits, row, before, to),
            None => {
                let passing = self.builder.ins().popcnt(bits);
                let passing = self.builder.ins().uextend(types::I64, passing);
                self.builder.ins().iadd(before, passing)
            }
        };
        for (integer, &sum) in wanted.sums.iter().zip(&sums) {
            if let Some(integer) = integer {
                let value = self.in_lanes(integer, row);
                let value = self.builder.ins().band(value, passes);
                let low = self.builder.ins().swiden_low(value);
                let high = self.builder.ins().swiden_high(value);
                let both = self.builder.ins().iadd(low, high);
                let known = self.builder.use_var(sum);
                let known = self.builder.ins().iadd(known, both);
                self.builder.def_var(sum, known);
            }
        }
        let next = self.builder.ins().iadd_imm_s(row, LANES);
        let is_row = self
            .builder
            .ins()
            .icmp(IntCC::UnsignedLessThan, next, whole);
        let (then, all) = (
            [BlockArg::from(next), count.into()],
            [BlockArg::from(count)],
        );
        self.builder.ins().brif(is_row, body, &then, behind, &all);

        let count = self.builder.append_block_param(behind, types::I64);
        self.builder.switch_to_block(behind);
        for (&sum, &[total, _]) in sums.iter().zip(totals) {
            let sum = self.builder.use_var(sum);
            let halves = [0, 1].map(|half| self.builder.ins().extractlane(sum, half));
            let sum = self.builder.ins().iadd(halves[0], halves[1]);
            self.builder.def_var(total, sum);
        }
        (whole, count)
    }

    /// Writes the numbers of those of four rows whose bit is set, one behind another.
    fn store_passing(&mut self, bits: Value, row: Value, before: Value, to: Value) -> Value {
        let mut count = before;
        for lane in 0..LANES {
            let row = self.builder.ins().iadd_imm_s(row, lane);
            let number = self.builder.ins().ireduce(types::I32, row);
            let at = self.builder.ins().ishl_imm_s(count, 2);
            let at = self.builder.ins().iadd(to, at);
            self.store(number, at);
            let bit = self.builder.ins().ushr_imm_u(bits, lane);
            let bit = self.builder.ins().band_imm_s(bit, 1);
            let bit = self.builder.ins().uextend(types::I64, bit);
            count = self.builder.ins().iadd(count, bit);
        }
        count
    }

    fn in_lanes(&mut self, integer: &Integer, row: Value) -> Value {
        match &integer.of {
            Of::Input(number) => self.input_in_lanes(self.inputs[*number], row),
            Of::Negative(of) => {
                let value = self.in_lanes(of, row);
                self.builder.ins().ineg(value)
            }
            Of::Both(operator, pair) => {
                let [a, b] = [&pair[0], &pair[1]].map(|one| self.in_lanes(one, row));
                match operator {
                    Arithmetic::Add => self.builder.ins().iadd(a, b),
                    Arithmetic::Subtract => self.builder.ins().isub(a, b),
                    _ => self.builder.ins().imul(a, b),
                }
            }
            Of::Quotient(of, by) => {
                let value = self.in_lanes(of, row);
                self.quotient(value, *by)
            }
            Of::Remainder(of, by) => {
                let value = self.in_lanes(of, row);
                let quotient = self.quotient(value, *by);
                let divisor = self.splat(by.divisor);
                let whole = self.builder.ins().imul(quotient, divisor);
                self.builder.ins().isub(value, whole)
            }
        }
    }

    fn splat(&mut self, number: i32) -> Value {
        let number = self
            .builder
            .ins()
            .iconst(types::I32, i64::from(number as u32));
        self.builder.ins().splat(LANE, number)
    }

    fn input_in_lanes(&mut self, place: Place, row: Value) -> Value {
        match place {
            Place::Constant(number) => self.splat(number as i32),
            Place::Same(_, value) => {
                let value = self.builder.ins().ireduce(types::I32, value);
                self.builder.ins().splat(LANE, value)
            }
            Place::Column { of, values, .. } => {
                let at = self.address(of, values, row);
                // Integers lie at multiples of 8, not of 16.
                let flags = MemFlagsData::new().with_notrap();
                let halves = [0, 16].map(|offset| self.builder.ins().load(WIDE, flags, at, offset));
                self.dwords(halves, 0)
            }
        }
    }

    /// The lower (0) or upper (1) half of each of four integers of 64 bits.
    fn dwords(&mut self, pair: [Value; 2], half: u8) -> Value {
        let bytes = (0..16u8).map(|byte| 8 * (byte / 4) + 4 * half + byte % 4);
        let bytes = ConstantData::from(bytes.collect::<Vec<u8>>());
        let bytes = self.builder.func.dfg.immediates.push(bytes);
        let [a, b] = pair.map(|value| self.bits_as(types::I8X16, value));
        let found = self.builder.ins().shuffle(a, b, bytes);
        self.bits_as(LANE, found)
    }

    fn bits_as(&mut self, of: IrType, value: Value) -> Value {
        let flags = MemFlagsData::new().with_endianness(Endianness::Little);
        self.builder.ins().bitcast(of, flags, value)
    }

    /// Towards 0.
    fn quotient(&mut self, value: Value, by: Divisor) -> Value {
        let factor = self.splat(by.factor);
        let low = self.builder.ins().swiden_low(value);
        let high = self.builder.ins().swiden_high(value);
        let by_low = self.builder.ins().swiden_low(factor);
        let by_high = self.builder.ins().swiden_high(factor);
        let low = self.builder.ins().imul(low, by_low);
        let high = self.builder.ins().imul(high, by_high);
        let product = self.dwords([low, high], 1);
        let product = match by.shift {
            0 => product,
            shift => self.builder.ins().sshr_imm_u(product, i64::from(shift)),
        };
        // What is below 0 was rounded down.
        let one_if_below = self.builder.ins().sshr_imm_u(value, 31);
        let quotient = self.builder.ins().isub(product, one_if_below);
        match by.divisor < 0 {
            true => self.builder.ins().ineg(quotient),
            false => quotient,
        }
    }

    fn all_in_lanes(&mut self, truths: &[Truth], row: Value) -> Value {
        let mut all = None;
        for truth in truths {
            let next = self.truth_in_lanes(truth, row);
            all = Some(match all {
                Some(all) => self.builder.ins().band(all, next),
                None => next,
            });
        }
        all.unwrap_or_else(|| self.splat(-1))
    }

    fn truth_in_lanes(&mut self, truth: &Truth, row: Value) -> Value {
        match truth {
            Truth::Compared(condition, pair) => {
                let [a, b] = [&pair[0], &pair[1]].map(|one| self.in_lanes(one, row));
                self.builder.ins().icmp(*condition, a, b)
            }
            Truth::Not(of) => {
                let truth = self.truth_in_lanes(of, row);
                self.builder.ins().bnot(truth)
            }
            Truth::And(truths) => self.all_in_lanes(truths, row),
            Truth::Or(truths) => {
                let none = self.splat(0);
                truths.iter().fold(none, |any, truth| {
                    let next = self.truth_in_lanes(truth, row);
                    self.builder.ins().bor(any, next)
                })
            }
            Truth::Xor(truths) => {
                let none = self.splat(0);
                truths.iter().fold(none, |odd, truth| {
                    let next = self.truth_in_lanes(truth, row);
                    self.builder.ins().bxor(odd, next)
                })
            }
        }
    }
}
