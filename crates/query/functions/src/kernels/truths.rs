//! Logic of truth values.

use evergraph_property_graph::Value;
use evergraph_property_graph::vector::{Validity, Values};

use super::{Operand, Side, both, side, zip};
use crate::datum::Datum;
use crate::operators::Binary;

fn truths(operand: Operand<'_>) -> Option<Side<'_, bool>> {
    side!(operand, Boolean)
}

/// `NOT`; placeholders stay what they are.
pub(super) fn negated(operand: Operand<'_>, rows: usize) -> Option<Values> {
    let truths = zip(truths(operand)?, Side::One(()), rows, |truth, ()| !truth);
    Some(Values::Boolean(truths))
}

/// `AND`, `OR` and `XOR`, and which rows they are known of: the first two where one side
/// decides, too.
pub(super) fn logic(
    operator: Binary,
    left: Operand<'_>,
    right: Operand<'_>,
    validity: (&Validity, &Validity),
    rows: usize,
) -> Option<(Values, Validity)> {
    let (a, b) = (truths(left)?, truths(right)?);
    let known = both(validity.0, validity.1);
    if operator == Binary::Xor {
        return Some((Values::Boolean(zip(a, b, rows, |a, b| a != b)), known));
    }
    // What decides alone: false for AND, true for OR.
    let decisive = operator == Binary::Or;
    if known.is_all() {
        let truths = match operator {
            Binary::And => zip(a, b, rows, |a, b| a && b),
            _ => zip(a, b, rows, |a, b| a || b),
        };
        return Some((Values::Boolean(truths), known));
    }
    let decides = |side: Side<'_, bool>, validity: &Validity, row: usize| {
        let truth = match side {
            Side::Many(truths) => truths[row],
            Side::One(truth) => truth,
        };
        validity.is_valid(row) && truth == decisive
    };
    let mut valid = Validity::default();
    let truths = (0..rows).map(|row| {
        let is_decided = decides(a, validity.0, row) || decides(b, validity.1, row);
        valid.push(is_decided || known.is_valid(row));
        is_decided == decisive
    });
    let truths = Values::Boolean(truths.collect());
    Some((truths, valid))
}
