//! Random programs over random batches, and the cases that matter one by one.

use evergraph_jit::{
    Arithmetic, Code, Comparison, Input, Kind, NotCompiled, Numbers, Output, Program, Results,
    SmallIntegers, TakenRows, Term, Total, Type, Unknown,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::reference::{Fails, Value, evaluate};

/// Inputs of all programs here: of each type a column with nulls, one without, one value for
/// all rows, and rows of a column; then a column of ids, and an integer of the code.
const TYPES: [Type; 3] = [Type::Integer, Type::Float, Type::Boolean];
const OF_A_TYPE: usize = 4;
const IDS: usize = OF_A_TYPE * TYPES.len();
const CONSTANT: usize = IDS + 1;
const SMALL: usize = CONSTANT + 1;
const SAME_SMALL: usize = SMALL + 1;
const INPUTS: usize = SAME_SMALL + 1;

fn kinds() -> Vec<Kind> {
    let column = |of, nullable, taken| Kind::Column {
        of,
        nullable,
        taken,
    };
    let kinds = TYPES.iter().flat_map(|&of| {
        [
            column(of, true, false),
            column(of, false, false),
            Kind::Same(of),
            column(of, true, true),
        ]
    });
    let others = [
        column(Type::Id, false, false),
        Kind::Constant(3),
        column(Type::Small(31), true, false),
        Kind::Same(Type::Small(31)),
    ];
    kinds.chain(others).collect()
}

fn input_of(of: Type) -> BoxedStrategy<Term> {
    let first = OF_A_TYPE * TYPES.iter().position(|&one| one == of).unwrap();
    let mut inputs: Vec<usize> = (first..first + OF_A_TYPE).collect();
    if of == Type::Integer {
        // Small ones alone are in a term now and then.
        inputs.extend([IDS, CONSTANT, SMALL, SAME_SMALL, SMALL, SAME_SMALL]);
    }
    select(inputs).prop_map(Term::Input).boxed()
}

fn number(of: Type, depth: u32) -> BoxedStrategy<Term> {
    if depth == 0 {
        return input_of(of);
    }
    let sides = match of {
        Type::Integer => (number(of, depth - 1), number(of, depth - 1)).boxed(),
        // One of them may be an integer.
        _ => prop_oneof![
            (number(of, depth - 1), number(of, depth - 1)),
            (number(Type::Integer, depth - 1), number(of, depth - 1)),
            (number(of, depth - 1), number(Type::Integer, depth - 1)),
        ]
        .boxed(),
    };
    let mut operators = vec![
        Arithmetic::Add,
        Arithmetic::Subtract,
        Arithmetic::Multiply,
        Arithmetic::Divide,
    ];
    if of == Type::Integer {
        operators.push(Arithmetic::Modulo);
    }
    prop_oneof![
        2 => input_of(of),
        4 => (select(operators), sides)
            .prop_map(|(operator, (a, b))| Term::Arithmetic(operator, Box::new([a, b]))),
        1 => number(of, depth - 1).prop_map(|term| Term::Negative(Box::new(term))),
        2 => choice(of, depth - 1),
    ]
    .boxed()
}

/// `CASE` and `coalesce`.
fn choice(of: Type, depth: u32) -> BoxedStrategy<Term> {
    let value = move || term(of, depth);
    let branches = vec((term(Type::Boolean, depth), value()), 1..3);
    let otherwise = proptest::option::of(value().prop_map(Box::new));
    prop_oneof![
        (branches, otherwise).prop_map(|(branches, rest)| Term::Case(branches, rest)),
        vec(value(), 1..4).prop_map(Term::Coalesce),
    ]
    .boxed()
}

pub(crate) const ORDERS: [Comparison; 6] = [
    Comparison::Equal,
    Comparison::Unequal,
    Comparison::Less,
    Comparison::LessOrEqual,
    Comparison::Greater,
    Comparison::GreaterOrEqual,
];

fn truth(depth: u32) -> BoxedStrategy<Term> {
    let of = Type::Boolean;
    if depth == 0 {
        return input_of(of);
    }
    let numbers = || {
        prop_oneof![
            number(Type::Integer, depth - 1),
            number(Type::Float, depth - 1)
        ]
    };
    let compared = |(comparison, a, b)| Term::Comparison(comparison, Box::new([a, b]));
    let parts = || vec(truth(depth - 1), 1..4);
    let any = prop_oneof![numbers(), truth(depth - 1)];
    prop_oneof![
        1 => input_of(of),
        4 => (select(&ORDERS[..]), numbers(), numbers()).prop_map(compared),
        1 => (select(&ORDERS[..2]), truth(depth - 1), truth(depth - 1)).prop_map(compared),
        1 => truth(depth - 1).prop_map(|term| Term::Not(Box::new(term))),
        2 => parts().prop_map(Term::And),
        2 => parts().prop_map(Term::Or),
        1 => parts().prop_map(Term::Xor),
        1 => any.prop_map(|term| Term::IsNull(Box::new(term))),
        1 => choice(of, depth - 1),
    ]
    .boxed()
}

fn term(of: Type, depth: u32) -> BoxedStrategy<Term> {
    match of {
        Type::Boolean => truth(depth),
        of => number(of, depth),
    }
}

fn any_term() -> BoxedStrategy<Term> {
    select(&TYPES[..]).prop_flat_map(|of| term(of, 3)).boxed()
}

/// Values whose sums, products and comparisons are at the edges now and then.
fn value(of: Type) -> BoxedStrategy<Value> {
    match of {
        Type::Integer => prop_oneof![
            300 => select(&[-3i64, -2, -1, 1, 2, 3, 5][..]),
            12 => Just(0i64),
            1 => select(&[i64::MIN, i64::MAX, 1 << 53, (1 << 53) + 1, -(1 << 53) - 1][..]),
        ]
        .prop_map(Value::Integer)
        .boxed(),
        Type::Float => prop_oneof![
            30 => (-4i32..5).prop_map(|halves| f64::from(halves) / 2.0),
            1 => select(&[f64::NAN, -0.0, f64::INFINITY, f64::MIN_POSITIVE, 9.1e18][..]),
        ]
        .prop_map(Value::Float)
        .boxed(),
        Type::Boolean => any::<bool>().prop_map(Value::Boolean).boxed(),
        Type::Small(_) => select(&[-3i64, 0, 1, 2, 7, -(1 << 31), (1 << 31) - 1][..])
            .prop_map(Value::Integer)
            .boxed(),
        Type::Id => select(&[0i64, 1, 2, 7, 4_294_967_295][..])
            .prop_map(Value::Integer)
            .boxed(),
    }
}

/// A row of the inputs.
fn row() -> BoxedStrategy<Vec<Option<Value>>> {
    let inputs: Vec<BoxedStrategy<Option<Value>>> = kinds()
        .into_iter()
        .map(|kind| match kind {
            Kind::Column {
                of, nullable: true, ..
            } => proptest::option::weighted(0.7, value(of)).boxed(),
            Kind::Column { of, .. } | Kind::Same(of) => value(of).prop_map(Some).boxed(),
            Kind::Constant(number) => Just(Some(Value::Integer(number))).boxed(),
        })
        .collect();
    inputs.boxed()
}

/// Rows of which the inputs of one value have that of the first.
fn rows() -> impl Strategy<Value = Vec<Vec<Option<Value>>>> {
    vec(row(), 1..80).prop_map(|mut rows| {
        let first = rows[0].clone();
        for row in &mut rows {
            for (number, kind) in kinds().into_iter().enumerate() {
                if matches!(kind, Kind::Same(_)) {
                    row[number] = first[number];
                }
            }
        }
        rows
    })
}

/// The inputs as arrays.
struct Arrays {
    /// Where each row lies in columns of which rows are taken.
    taken: Vec<u32>,
    ids: Vec<u32>,
    integers: Vec<Vec<i64>>,
    floats: Vec<Vec<f64>>,
    truths: Vec<Vec<bool>>,
    bits: Vec<Vec<u64>>,
}

impl Arrays {
    fn new(rows: &[Vec<Option<Value>>]) -> Self {
        let mut arrays = Arrays {
            taken: (0..rows.len() as u32).rev().map(|row| row + 1).collect(),
            ids: Vec::new(),
            integers: vec![vec![0; rows.len() + 1]; INPUTS],
            floats: vec![vec![0.0; rows.len() + 1]; INPUTS],
            truths: vec![vec![false; rows.len() + 1]; INPUTS],
            bits: vec![vec![0; (rows.len() + 1).div_ceil(64)]; INPUTS],
        };
        for (row_number, row) in rows.iter().enumerate() {
            for (number, value) in row.iter().enumerate() {
                let at = match kinds()[number] {
                    Kind::Column { taken: true, .. } => arrays.taken[row_number] as usize,
                    _ => row_number,
                };
                let (mut integer, mut float, mut truth) = (77, 7.7, true);
                match value {
                    Some(Value::Integer(number)) => integer = *number,
                    Some(Value::Float(number)) => float = *number,
                    Some(Value::Boolean(known)) => truth = *known,
                    None => {}
                }
                arrays.integers[number][at] = integer;
                arrays.floats[number][at] = float;
                arrays.truths[number][at] = truth;
                if number == IDS {
                    arrays.ids.push(integer as u32);
                }
                arrays.bits[number][at / 64] |= u64::from(value.is_some()) << (at % 64);
            }
        }
        arrays
    }

    fn inputs(&self) -> Vec<Input<'_>> {
        let inputs = kinds().into_iter().enumerate();
        let inputs = inputs.map(|(number, kind)| match kind {
            Kind::Constant(number) => Input::Integer(number),
            Kind::Same(Type::Integer | Type::Id | Type::Small(_)) => {
                Input::Integer(self.integers[number][0])
            }
            Kind::Same(Type::Float) => Input::Float(self.floats[number][0]),
            Kind::Same(Type::Boolean) => Input::Boolean(self.truths[number][0]),
            Kind::Column {
                of,
                nullable,
                taken,
            } => {
                let numbers = match of {
                    Type::Integer => Numbers::Integers(&self.integers[number]),
                    Type::Float => Numbers::Floats(&self.floats[number]),
                    Type::Boolean => Numbers::Booleans(&self.truths[number]),
                    Type::Id => Numbers::Ids(&self.ids),
                    Type::Small(_) => {
                        let small = SmallIntegers::new(&self.integers[number]);
                        Numbers::Small(small.expect("they are small"))
                    }
                };
                let bits = nullable.then_some(&self.bits[number][..]);
                match taken {
                    false => Input::Column(numbers, bits),
                    true => {
                        let rows = TakenRows::new(&self.taken, self.taken.len() + 1);
                        Input::Taken(numbers, bits, rows.expect("they are there"))
                    }
                }
            }
        });
        inputs.collect()
    }
}

fn values_of(output: &Output) -> Vec<Option<Value>> {
    fn valued<T: Copy>(
        values: &[T],
        valid: &Option<Vec<bool>>,
        of: fn(T) -> Value,
    ) -> Vec<Option<Value>> {
        let is_valid = |row| valid.as_ref().is_none_or(|valid| valid[row]);
        let rows = values.iter().enumerate();
        rows.map(|(row, &value)| is_valid(row).then_some(of(value)))
            .collect()
    }
    match output {
        Output::Integers(values, valid) => valued(values, valid, Value::Integer),
        Output::Floats(values, valid) => valued(values, valid, Value::Float),
        Output::Booleans(values, valid) => valued(values, valid, Value::Boolean),
    }
}

/// Whether two are the same, NaN and the signs of 0 included.
fn are_same(a: Option<Value>, b: Option<Value>) -> bool {
    match (a, b) {
        (Some(Value::Float(a)), Some(Value::Float(b))) => {
            (a.is_nan() && b.is_nan()) || a.to_bits() == b.to_bits()
        }
        (a, b) => a == b,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn columns_are_the_values_of_each_row(terms in vec(any_term(), 1..4), rows in rows()) {
        let program = Program { inputs: kinds(), results: Results::Columns(terms.clone()) };
        let code = Code::compile(program).unwrap();
        let arrays = Arrays::new(&rows);
        let expected: Result<Vec<Vec<Option<Value>>>, Fails> = terms
            .iter()
            .map(|term| rows.iter().map(|row| evaluate(term, row)).collect())
            .collect();
        match (code.columns(&arrays.inputs(), rows.len()), expected) {
            (Ok(columns), Ok(expected)) => {
                for (column, expected) in columns.iter().zip(&expected) {
                    for (row, (a, b)) in values_of(column).into_iter().zip(expected).enumerate() {
                        prop_assert!(are_same(a, *b), "row {row}: {a:?} for {b:?}");
                    }
                }
            }
            (Err(Unknown), Err(Fails)) => {}
            (found, expected) => prop_assert!(false, "{found:?} for {expected:?}"),
        }
    }

    #[test]
    fn rows_are_those_for_which_all_is_true(terms in vec(truth(3), 1..4), rows in rows()) {
        let program = Program { inputs: kinds(), results: Results::Rows(terms.clone()) };
        let code = Code::compile(program).unwrap();
        let arrays = Arrays::new(&rows);
        let passes = |row: &Vec<Option<Value>>| {
            for term in &terms {
                if evaluate(term, row)? != Some(Value::Boolean(true)) {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        let expected: Result<Vec<bool>, Fails> = rows.iter().map(passes).collect();
        let mut numbers = vec![9];
        match (code.rows(&arrays.inputs(), rows.len(), &mut numbers), expected) {
            (Ok(()), Ok(expected)) => {
                let expected = (0..rows.len()).filter(|&row| expected[row]);
                let expected: Vec<u32> = expected.map(|row| row as u32).collect();
                prop_assert_eq!(&numbers[1..], &expected[..]);
            }
            (Err(Unknown), Err(Fails)) => prop_assert_eq!(numbers, [9]),
            (found, expected) => prop_assert!(false, "{found:?} for {expected:?}"),
        }
    }

    #[test]
    fn totals_are_those_of_rows_that_pass(
        conditions in vec(truth(2), 0..3),
        others in vec(any_term(), 1..4),
        rows in rows(),
    ) {
        let terms = conditions.iter().chain(&others).cloned().collect();
        let results = Results::Totals(terms, conditions.len());
        let code = Code::compile(Program { inputs: kinds(), results }).unwrap();
        let arrays = Arrays::new(&rows);
        match (code.totals(&arrays.inputs(), rows.len()), totals(&conditions, &others, &rows)) {
            (Ok((count, found)), Ok((expected, totals))) => {
                prop_assert_eq!(count, expected);
                for (found, (values, sum)) in found.iter().zip(totals) {
                    prop_assert_eq!(found.count, values);
                    prop_assert!(found.sum.is_none_or(|found| found == sum));
                }
            }
            (Err(Unknown), Err(Fails)) => {}
            (found, expected) => prop_assert!(false, "{found:?} for {expected:?}"),
        }
    }
}

pub(crate) type Totals = (usize, Vec<(u64, i64)>);

/// Rows that pass, and of each term how many values and the sum of its integers.
pub(crate) fn totals(
    conditions: &[Term],
    others: &[Term],
    rows: &[Vec<Option<Value>>],
) -> Result<Totals, Fails> {
    let (mut count, mut totals) = (0, vec![(0, 0i64); others.len()]);
    for row in rows {
        let mut passes = true;
        for condition in conditions {
            passes = passes && evaluate(condition, row)? == Some(Value::Boolean(true));
        }
        if !passes {
            continue;
        }
        count += 1;
        for (term, total) in others.iter().zip(&mut totals) {
            let value = evaluate(term, row)?;
            total.0 += u64::from(value.is_some());
            if let Some(Value::Integer(number)) = value {
                total.1 = total.1.checked_add(number).ok_or(Fails)?;
            }
        }
    }
    Ok((count, totals))
}

#[test]
fn totals_of_integers_have_sums() {
    let kinds = [Type::Integer, Type::Boolean].map(|of| Kind::Column {
        of,
        nullable: false,
        taken: false,
    });
    let program = |conditions| Program {
        inputs: kinds.to_vec(),
        results: Results::Totals(vec![Term::Input(1), Term::Input(0)], conditions),
    };
    let (numbers, truths) = ([5, i64::MAX, 7], [true, false, true]);
    let inputs = [
        Input::Column(Numbers::Integers(&numbers), None),
        Input::Column(Numbers::Booleans(&truths), None),
    ];
    let total = |count, sum| Total { count, sum };
    let some = Code::compile(program(1)).unwrap().totals(&inputs, 3);
    assert_eq!(some, Ok((2, vec![total(2, Some(12))])));
    let all = Code::compile(program(0)).unwrap();
    assert_eq!(all.totals(&inputs, 3), Err(Unknown), "of 64 bits");
    let first = all.totals(&inputs, 1);
    assert_eq!(first, Ok((1, vec![total(1, None), total(1, Some(5))])));
    assert!(
        Code::compile(program(2)).is_err(),
        "a number is no condition"
    );
    assert!(Code::compile(program(3)).is_err(), "there are two terms");
}

fn integer_columns(term: Term, inputs: usize) -> Code {
    let kind = Kind::Column {
        of: Type::Integer,
        nullable: false,
        taken: false,
    };
    Code::compile(Program {
        inputs: vec![kind; inputs],
        results: Results::Columns(vec![term]),
    })
    .unwrap()
}

fn pair(operator: Arithmetic) -> Term {
    Term::Arithmetic(operator, Box::new([Term::Input(0), Term::Input(1)]))
}

#[test]
fn what_an_interpreter_has_an_error_for_is_unknown() {
    let of = |operator, a: i64, b: i64| {
        let (a, b) = ([a], [b]);
        let inputs = [&a, &b].map(|side| Input::Column(Numbers::Integers(side), None));
        integer_columns(pair(operator), 2).columns(&inputs, 1)
    };
    let known = |number| Ok(vec![Output::Integers(vec![number], None)]);
    assert_eq!(of(Arithmetic::Add, i64::MAX, 1), Err(Unknown));
    assert_eq!(of(Arithmetic::Add, i64::MAX, -1), known(i64::MAX - 1));
    assert_eq!(of(Arithmetic::Subtract, i64::MIN, 1), Err(Unknown));
    assert_eq!(of(Arithmetic::Multiply, i64::MIN, -1), Err(Unknown));
    assert_eq!(of(Arithmetic::Divide, 7, 0), Err(Unknown));
    assert_eq!(of(Arithmetic::Divide, i64::MIN, -1), Err(Unknown));
    assert_eq!(of(Arithmetic::Divide, -7, 2), known(-3));
    assert_eq!(of(Arithmetic::Modulo, 7, 0), Err(Unknown));
    assert_eq!(of(Arithmetic::Modulo, -7, 2), known(-1));
    assert_eq!(of(Arithmetic::Modulo, i64::MIN, -1), known(0));
}

#[test]
fn the_least_integer_is_unknown_where_a_constant_is_beside_it() {
    let column = Kind::Column {
        of: Type::Integer,
        nullable: false,
        taken: false,
    };
    let of = |operator, places: [usize; 2], constant, number: i64| {
        let operands = Box::new(places.map(Term::Input));
        let program = Program {
            inputs: vec![column, Kind::Constant(constant)],
            results: Results::Columns(vec![Term::Arithmetic(operator, operands)]),
        };
        let numbers = [number];
        let inputs = [
            Input::Column(Numbers::Integers(&numbers), None),
            Input::Integer(constant),
        ];
        Code::compile(program).unwrap().columns(&inputs, 1)
    };
    let known = |number| Ok(vec![Output::Integers(vec![number], None)]);
    assert_eq!(of(Arithmetic::Divide, [0, 1], -1, i64::MIN), Err(Unknown));
    assert_eq!(
        of(Arithmetic::Divide, [0, 1], -1, i64::MAX),
        known(-i64::MAX)
    );
    assert_eq!(of(Arithmetic::Subtract, [1, 0], 0, i64::MIN), Err(Unknown));
    assert_eq!(
        of(Arithmetic::Subtract, [1, 0], -1, i64::MIN),
        known(i64::MAX)
    );
    assert_eq!(of(Arithmetic::Multiply, [0, 1], -1, i64::MIN), Err(Unknown));
    let negative = integer_columns(Term::Negative(Box::new(Term::Input(0))), 1);
    let of =
        |number: i64| negative.columns(&[Input::Column(Numbers::Integers(&[number]), None)], 1);
    assert_eq!(of(i64::MIN), Err(Unknown));
    assert_eq!(of(i64::MIN + 1), known(i64::MAX));
}

#[test]
fn sums_of_more_rows_than_are_watched_are_unknown() {
    let rows = (1 << 20) + 1;
    let program = Program {
        inputs: vec![Kind::Column {
            of: Type::Small(31),
            nullable: false,
            taken: false,
        }],
        results: Results::Totals(vec![Term::Negative(Box::new(Term::Input(0)))], 0),
    };
    let code = Code::compile(program).unwrap();
    let numbers = vec![1 << 30; rows];
    let small = SmallIntegers::new(&numbers).unwrap();
    let inputs = [Input::Column(Numbers::Small(small), None)];
    assert_eq!(code.totals(&inputs, rows), Err(Unknown));
    let sum = Total {
        count: rows as u64 - 1,
        sum: Some(-(1 << 50)),
    };
    assert_eq!(code.totals(&inputs, rows - 1), Ok((rows - 1, vec![sum])));
}

#[test]
fn wider_integers_are_none_of_a_kind() {
    let column = |bits| Kind::Column {
        of: Type::Small(bits),
        nullable: false,
        taken: false,
    };
    let program = |kind| Program {
        inputs: vec![kind],
        results: Results::Columns(vec![Term::Negative(Box::new(Term::Input(0)))]),
    };
    let known = |number: i64| Ok(vec![Output::Integers(vec![-number], None)]);
    let same = Code::compile(program(Kind::Same(Type::Small(8)))).unwrap();
    let of_columns = Code::compile(program(column(8))).unwrap();
    for (number, fits) in [(3, true), (255, true), (256, false), (1 << 40, false)] {
        let numbers = [number];
        let expected = if fits { known(number) } else { Err(Unknown) };
        assert_eq!(same.columns(&[Input::Integer(number)], 1), expected);
        let found = SmallIntegers::new(&numbers)
            .map(|small| of_columns.columns(&[Input::Column(Numbers::Small(small), None)], 1));
        assert_eq!(found.unwrap_or(Err(Unknown)), expected);
    }
}

#[test]
fn inputs_of_other_kinds_or_too_few_rows_are_unknown() {
    let code = integer_columns(pair(Arithmetic::Add), 2);
    let (numbers, floats, bits) = ([1, 2], [1.0, 2.0], [3]);
    let integers = Input::Column(Numbers::Integers(&numbers), None);
    assert!(code.columns(&[integers, integers], 2).is_ok());
    let others = [
        Input::Column(Numbers::Floats(&floats), None),
        Input::Column(Numbers::Integers(&numbers), Some(&bits)),
        Input::Column(Numbers::Integers(&numbers[..1]), None),
        Input::Integer(1),
    ];
    for other in others {
        assert_eq!(code.columns(&[integers, other], 2), Err(Unknown));
    }
    assert_eq!(code.columns(&[integers], 2), Err(Unknown));
    assert_eq!(code.rows(&[integers; 2], 2, &mut Vec::new()), Err(Unknown));
    let nullable = Kind::Column {
        of: Type::Integer,
        nullable: true,
        taken: false,
    };
    let program = Program {
        inputs: vec![nullable],
        results: Results::Columns(vec![Term::Negative(Box::new(Term::Input(0)))]),
    };
    let rows = vec![1; 65];
    let too_few = Input::Column(Numbers::Integers(&rows), Some(&bits));
    let code = Code::compile(program).unwrap();
    assert_eq!(code.columns(&[too_few], 65), Err(Unknown));
    assert!(code.columns(&[too_few], 64).is_ok());
}

#[test]
fn rows_that_a_column_has_not_are_refused() {
    assert!(TakenRows::new(&[0, 4], 4).is_none());
    let program = Program {
        inputs: vec![Kind::Column {
            of: Type::Integer,
            nullable: false,
            taken: true,
        }],
        results: Results::Columns(vec![Term::Negative(Box::new(Term::Input(0)))]),
    };
    let code = Code::compile(program).unwrap();
    let (column, rows) = ([1, 2, 3], TakenRows::new(&[2, 2, 0], 3).unwrap());
    let of = |column, rows, count| {
        let input = Input::Taken(Numbers::Integers(column), None, rows);
        code.columns(&[input], count)
    };
    assert_eq!(
        of(&column, rows, 3),
        Ok(vec![Output::Integers(vec![-3, -3, -1], None)])
    );
    // The column is shorter than was said, or there are fewer numbers.
    assert_eq!(of(&column[..2], rows, 3), Err(Unknown));
    assert_eq!(of(&column, rows, 4), Err(Unknown));
}

#[test]
fn another_integer_than_that_of_the_code_is_unknown() {
    let column = Kind::Column {
        of: Type::Integer,
        nullable: false,
        taken: false,
    };
    let of = |divisor, given, number: i64| {
        let program = Program {
            inputs: vec![column, Kind::Constant(divisor)],
            results: Results::Columns(vec![pair(Arithmetic::Modulo)]),
        };
        let numbers = [number];
        let inputs = [
            Input::Column(Numbers::Integers(&numbers), None),
            Input::Integer(given),
        ];
        Code::compile(program).unwrap().columns(&inputs, 1)
    };
    assert_eq!(of(7, 8, 20), Err(Unknown));
    for divisor in [-7, -2, 1, 2, 7, 64, 1000, i64::MAX, i64::MIN] {
        for number in [0, 1, -1, 20, -20, 12_345_678_901, i64::MAX, i64::MIN] {
            let known = Output::Integers(vec![number % divisor], None);
            assert_eq!(
                of(divisor, divisor, number),
                Ok(vec![known]),
                "{number} % {divisor}"
            );
        }
    }
    assert_eq!(of(0, 0, 20), Err(Unknown));
    assert_eq!(
        of(-1, -1, i64::MIN),
        Ok(vec![Output::Integers(vec![0], None)])
    );
}

#[test]
fn types_that_do_not_fit_and_too_many_terms_are_refused() {
    let compile = |results| {
        Code::compile(Program {
            inputs: kinds(),
            results,
        })
        .err()
    };
    let refused = [
        Results::Columns(vec![Term::Arithmetic(
            Arithmetic::Add,
            Box::new([Term::Input(0), Term::Input(8)]),
        )]),
        Results::Columns(vec![Term::Arithmetic(
            Arithmetic::Modulo,
            Box::new([Term::Input(0), Term::Input(4)]),
        )]),
        Results::Columns(vec![Term::Comparison(
            Comparison::Less,
            Box::new([Term::Input(8), Term::Input(9)]),
        )]),
        Results::Columns(vec![Term::Coalesce(vec![Term::Input(0), Term::Input(4)])]),
        Results::Columns(vec![Term::Coalesce(Vec::new())]),
        Results::Columns(vec![Term::Case(Vec::new(), None)]),
        Results::Columns(vec![Term::Input(99)]),
        Results::Rows(vec![Term::Input(0)]),
    ];
    for results in refused {
        assert_eq!(compile(results), Some(NotCompiled::Types));
    }
    let mut long = Term::Input(0);
    for _ in 0..Program::MOST_TERMS {
        long = Term::Negative(Box::new(long));
    }
    let error = compile(Results::Columns(vec![long])).unwrap();
    assert_eq!(
        error.to_string(),
        "1025 terms are more than the 1024 that are compiled"
    );
}

#[test]
fn branches_that_are_not_chosen_do_not_fail() {
    let zero = Term::Arithmetic(
        Arithmetic::Subtract,
        Box::new([Term::Input(1), Term::Input(1)]),
    );
    let is_equal = |a, b| Term::Comparison(Comparison::Equal, Box::new([a, b]));
    let quotient = Term::Arithmetic(
        Arithmetic::Divide,
        Box::new([Term::Input(1), Term::Input(0)]),
    );
    // The first branch is for those by which the last cannot be divided.
    let case = Term::Case(
        vec![
            (is_equal(Term::Input(0), zero), Term::Input(1)),
            (is_equal(Term::Input(0), Term::Input(1)), Term::Input(0)),
        ],
        Some(Box::new(quotient)),
    );
    let (a, b) = ([0, 7, 2], [7, 7, 7]);
    let inputs = [&a, &b].map(|side| Input::Column(Numbers::Integers(&side[..]), None));
    let columns = integer_columns(case, 2).columns(&inputs, 3);
    assert_eq!(columns, Ok(vec![Output::Integers(vec![7, 7, 3], None)]));
}
