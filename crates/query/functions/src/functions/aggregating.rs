//! Functions of many rows. An example of theirs is a whole query.

use evergraph_syntax::scope::{FunctionSignature, Parameter, Returns, Types};

use super::definition::{Category, Evaluation, Function, OnNull, needs};
use crate::aggregates::Aggregate;

const NUMBERS: &[Parameter] = &[needs("number", Types::NUMBER)];
const SUMMED: &[Parameter] = &[needs("value", Types::NUMBER.or(Types::DURATION))];
const ANY: &[Parameter] = &[needs("value", Types::ANY)];
const PERCENTILE: &[Parameter] = &[
    needs("number", Types::NUMBER),
    needs("percentile", Types::NUMBER),
];

const fn aggregate(
    aggregate: Aggregate,
    name: &'static str,
    parameters: &'static [Parameter],
    result: Types,
    description: &'static str,
    example: (&'static str, &'static str),
) -> Function {
    Function {
        signature: FunctionSignature {
            name,
            parameters,
            returns: Returns::One(result),
            aggregates: true,
            is_late: false,
        },
        category: Category::Aggregating,
        on_null: OnNull::Ignored,
        description,
        example,
        evaluation: Evaluation::Aggregate(aggregate),
    }
}

/// `count(*)` is [`Aggregate::CountRows`], chosen by its syntax.
#[rustfmt::skip] // Rows of a table.
pub(super) const FUNCTIONS: &[Function] = &[
    aggregate(Aggregate::Count, "count", ANY, Types::INTEGER,
        "Number of values; `count(*)` is the number of rows.",
        ("UNWIND [1, null, 2] AS x RETURN count(x)", "2")),
    aggregate(Aggregate::Sum, "sum", SUMMED, Types::NUMBER.or(Types::DURATION),
        "Sum of numbers or durations, 0 of none; of integers a float beyond 64 bits.",
        ("UNWIND [1, null, 2] AS x RETURN sum(x)", "3")),
    aggregate(Aggregate::Average, "avg", SUMMED, Types::FLOAT.or(Types::DURATION),
        "Mean of numbers or durations, null of none.",
        ("UNWIND [1, null, 2] AS x RETURN avg(x)", "1.5")),
    aggregate(Aggregate::Least, "min", ANY, Types::ANY, "The value that sorts first.",
        ("UNWIND [1, 'a', 0.5] AS x RETURN min(x)", "'a'")),
    aggregate(Aggregate::Greatest, "max", ANY, Types::ANY, "The value that sorts last.",
        ("UNWIND [1, 'a', 0.5] AS x RETURN max(x)", "1")),
    aggregate(Aggregate::Collect, "collect", ANY, Types::LIST, "The values as a list.",
        ("UNWIND [1, null, 2] AS x RETURN collect(x)", "[1, 2]")).that(Returns::ListOfFirst),
    aggregate(Aggregate::Deviation, "stDev", NUMBERS, Types::FLOAT,
        "Standard deviation of a sample, 0 of less than two numbers.",
        ("UNWIND [2, 4, 6] AS x RETURN stDev(x)", "2.0")),
    aggregate(Aggregate::PopulationDeviation, "stDevP", NUMBERS, Types::FLOAT,
        "Standard deviation of all of a population.",
        ("UNWIND [2, 6] AS x RETURN stDevP(x)", "2.0")),
    aggregate(Aggregate::ContinuousPercentile, "percentileCont", PERCENTILE, Types::FLOAT,
        "The number below which such a part (0 to 1) of all numbers is, between two of them.",
        ("UNWIND [10, 20, 30, 40] AS x RETURN percentileCont(x, 0.5)", "25.0")),
    aggregate(Aggregate::DiscretePercentile, "percentileDisc", PERCENTILE, Types::NUMBER,
        "The first of the numbers that such a part (0 to 1) of all of them is not above.",
        ("UNWIND [10, 20, 30, 40] AS x RETURN percentileDisc(x, 0.5)", "20")),
];
