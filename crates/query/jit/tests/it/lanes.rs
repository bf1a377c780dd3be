//! Conditions and sums of small integers, which code takes four rows of at a time: held
//! against the terms row by row.

use evergraph_jit::{
    Arithmetic, Code, Comparison, Input, Kind, Numbers, Program, Results, SMALL_BITS,
    SmallIntegers, TakenRows, Term, Total, Type, small_bits,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::programs::{ORDERS, totals};
use crate::reference::Value;

/// Inputs: columns of so many bits each, one value for all rows, and divisors.
const COLUMNS: [u8; 4] = [4, 8, 24, 31];
const SAME: usize = COLUMNS.len();
const DIVISORS: usize = SAME + 1;

fn kinds(divisors: &[i64]) -> Vec<Kind> {
    let columns = COLUMNS.map(|bits| Kind::Column {
        of: Type::Small(bits),
        nullable: false,
        taken: false,
    });
    let divisors = divisors.iter().map(|&divisor| Kind::Constant(divisor));
    let same = [Kind::Same(Type::Small(8))];
    columns.into_iter().chain(same).chain(divisors).collect()
}

fn divisor() -> impl Strategy<Value = i64> {
    prop_oneof![
        select(
            &[
                1i64,
                2,
                -2,
                3,
                -3,
                7,
                10,
                -10,
                64,
                1000,
                1 << 20,
                (1 << 31) - 1
            ][..]
        ),
        (1i64..5000).prop_map(|divisor| divisor),
    ]
}

fn integer(depth: u32) -> BoxedStrategy<Term> {
    let input = select(&[0, 0, 1, 1, 2, 3, SAME, DIVISORS][..]).prop_map(Term::Input);
    if depth == 0 {
        return input.boxed();
    }
    let pair = (integer(depth - 1), integer(depth - 1));
    let sums = [Arithmetic::Add, Arithmetic::Subtract, Arithmetic::Multiply];
    let quotients = [Arithmetic::Divide, Arithmetic::Modulo];
    let both = |(operator, (a, b))| Term::Arithmetic(operator, Box::new([a, b]));
    prop_oneof![
        1 => input,
        3 => (select(sums.to_vec()), pair).prop_map(both),
        3 => (select(quotients.to_vec()), (integer(depth - 1), divided_by())).prop_map(both),
        1 => integer(depth - 1).prop_map(|term| Term::Negative(Box::new(term))),
    ]
    .boxed()
}

fn divided_by() -> impl Strategy<Value = Term> {
    (0..2usize).prop_map(|which| Term::Input(DIVISORS + which))
}

fn truth(depth: u32) -> BoxedStrategy<Term> {
    let compared = (select(&ORDERS[..]), integer(2), integer(1));
    let compared = compared
        .prop_map(|(order, a, b): (Comparison, _, _)| Term::Comparison(order, Box::new([a, b])));
    if depth == 0 {
        return compared.boxed();
    }
    let parts = || vec(truth(depth - 1), 1..4);
    prop_oneof![
        4 => compared,
        1 => truth(depth - 1).prop_map(|term| Term::Not(Box::new(term))),
        1 => parts().prop_map(Term::And),
        1 => parts().prop_map(Term::Or),
        1 => parts().prop_map(Term::Xor),
    ]
    .boxed()
}

fn of_bits(bits: u8) -> BoxedStrategy<i64> {
    let most = (1i64 << bits) - 1;
    prop_oneof![
        3 => -most - 1..=most,
        1 => select(vec![-most - 1, most, 0, -1, 1]),
    ]
    .boxed()
}

fn row() -> impl Strategy<Value = Vec<i64>> {
    COLUMNS
        .iter()
        .map(|&bits| of_bits(bits))
        .collect::<Vec<_>>()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2048, ..ProptestConfig::default() })]

    #[test]
    fn lanes_are_as_row_by_row(
        conditions in vec(truth(2), 1..3),
        sums in vec(prop_oneof![3 => integer(2), 1 => truth(1)], 0..3),
        rows in vec(row(), 0..23),
        same in of_bits(8),
        divisors in vec(divisor(), 2),
    ) {
        let columns: Vec<Vec<i64>> =
            (0..COLUMNS.len()).map(|at| rows.iter().map(|row| row[at]).collect()).collect();
        let small = columns.iter().map(|column| SmallIntegers::new(column).unwrap());
        let mut inputs: Vec<Input<'_>> =
            small.map(|small| Input::Column(Numbers::Small(small), None)).collect();
        let constants: Vec<i64> = [same].into_iter().chain(divisors.iter().copied()).collect();
        inputs.extend(constants.iter().map(|&number| Input::Integer(number)));
        let whole: Vec<Vec<Option<Value>>> = rows
            .iter()
            .map(|row| {
                let all = row.iter().chain(&constants);
                all.map(|&number| Some(Value::Integer(number))).collect()
            })
            .collect();
        let compiled = |results| {
            Code::compile(Program { inputs: kinds(&divisors), results }).unwrap()
        };
        let terms = conditions.iter().chain(&sums).cloned().collect();
        let code = compiled(Results::Totals(terms, conditions.len()));
        // Nothing here has more than 64 bits; if it has, both say so.
        let expected = totals(&conditions, &sums, &whole);
        match (code.totals(&inputs, rows.len()), expected) {
            (Ok((count, found)), Ok((expected, totals))) => {
                prop_assert_eq!(count, expected);
                for (found, (values, sum)) in found.iter().zip(totals) {
                    prop_assert_eq!(found.count, values);
                    prop_assert!(found.sum.is_none_or(|found| found == sum));
                }
            }
            (found, expected) => prop_assert!(found.is_err() && expected.is_err()),
        }
        let code = compiled(Results::Rows(conditions.clone()));
        let mut numbers = Vec::new();
        let passing = (0u32..).zip(&whole).filter_map(|(number, row)| {
            let one = totals(&conditions, &[], std::slice::from_ref(row));
            (one.ok()?.0 == 1).then_some(number)
        });
        if code.rows(&inputs, rows.len(), &mut numbers).is_ok() {
            prop_assert_eq!(numbers, passing.collect::<Vec<u32>>());
        }
    }

    /// Every quotient that lanes can have, by every divisor that they take.
    #[test]
    fn quotients_are_towards_zero(divisor in divisor(), value in of_bits(30), near in -2i64..3) {
        let kinds = vec![
            Kind::Column { of: Type::Small(30), nullable: false, taken: false },
            Kind::Constant(divisor),
            Kind::Column { of: Type::Small(30), nullable: false, taken: false },
        ];
        let most = (1 << 30) - 1;
        let multiple = (value / divisor * divisor + near).clamp(-most, most);
        let values = [value, -value.max(-most), multiple, -multiple, most];
        for (operator, of) in [
            (Arithmetic::Divide, (|a, b| a / b) as fn(i64, i64) -> i64),
            (Arithmetic::Modulo, |a, b| a % b),
        ] {
            let pair = Box::new([Term::Input(0), Term::Input(1)]);
            let is_it = [Term::Arithmetic(operator, pair), Term::Input(2)];
            let equal = Term::Comparison(Comparison::Equal, Box::new(is_it));
            let program = Program { inputs: kinds.clone(), results: Results::Rows(vec![equal]) };
            let expected: Vec<i64> = values.iter().map(|&value| of(value, divisor)).collect();
            let column = |numbers| {
                Input::Column(Numbers::Small(SmallIntegers::new(numbers).unwrap()), None)
            };
            let inputs = [column(&values), Input::Integer(divisor), column(&expected)];
            let mut rows = Vec::new();
            Code::compile(program).unwrap().rows(&inputs, values.len(), &mut rows).unwrap();
            prop_assert_eq!(rows, (0..values.len() as u32).collect::<Vec<u32>>());
        }
    }
}

/// Values in the place of a null are small, too, and rows that are taken lie elsewhere.
#[test]
fn nulls_and_taken_rows_are_not_for_lanes() {
    let numbers = [5i64, 6, 7, 8, 5, 6, 7, 8, 9];
    let small = Numbers::Small(SmallIntegers::new(&numbers).unwrap());
    // Every other one is null.
    let bits = [0b1_0101_0101u64];
    let rows = [8u32, 7, 6, 5, 4, 3, 2, 1, 0];
    let taken = TakenRows::new(&rows, numbers.len()).unwrap();
    let less = |a, b| Term::Comparison(Comparison::Less, Box::new([a, b]));
    let condition = less(Term::Input(0), Term::Input(1));
    let of = |input: Input<'_>, nullable, taken| {
        let of = Type::Small(4);
        let column = Kind::Column {
            of,
            nullable,
            taken,
        };
        let compiled = |results| {
            let inputs = vec![column, Kind::Constant(7)];
            Code::compile(Program { inputs, results }).unwrap()
        };
        let inputs = [input, Input::Integer(7)];
        let mut found = Vec::new();
        let code = compiled(Results::Rows(vec![condition.clone()]));
        code.rows(&inputs, numbers.len(), &mut found).unwrap();
        let terms = vec![condition.clone(), Term::Input(0)];
        let code = compiled(Results::Totals(terms, 1));
        (found, code.totals(&inputs, numbers.len()).unwrap())
    };
    let total = |count, sum| {
        let sum = Some(sum);
        (count as usize, vec![Total { count, sum }])
    };
    let plain = of(Input::Column(small, None), false, false);
    assert_eq!(plain, (vec![0, 1, 4, 5], total(4, 22)));
    let with_nulls = of(Input::Column(small, Some(&bits)), true, false);
    assert_eq!(with_nulls, (vec![0, 4], total(2, 10)));
    let of_rows = of(Input::Taken(small, None, taken), false, true);
    assert_eq!(of_rows, (vec![3, 4, 7, 8], total(4, 22)));
    let of_both = of(Input::Taken(small, Some(&bits), taken), true, true);
    assert_eq!(of_both, (vec![4, 8], total(2, 10)));
}

#[test]
fn integers_are_of_the_fewest_bits_that_they_fit() {
    for bits in SMALL_BITS {
        let (least, most) = (-(1i64 << bits), (1i64 << bits) - 1);
        for within in [least, most] {
            assert_eq!(small_bits(within), Some(bits));
            assert!(SmallIntegers::new(&[1, within]).is_some());
        }
        for beyond in [least - 1, most + 1] {
            assert!(small_bits(beyond).is_none_or(|others| others > bits));
        }
    }
    for large in [i64::MIN, i64::MAX, 1 << 31] {
        assert!(small_bits(large).is_none() && SmallIntegers::new(&[1, large]).is_none());
    }
}
