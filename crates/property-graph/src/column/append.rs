//! Values of a column behind those of a vector.
//!
//! A row's value is in a column, or in one of other values beside it, or it has none.

use super::slots::Slice;
use super::typed::{Cell, Strings, Typed};
use crate::vector::{Texts, Validity, Vector};

/// Rows, 64 at a time: those whose value is in the column, and those whose value is
/// another.
pub(crate) trait Rows {
    /// Calls `each` with the first row of a word, the number of rows in it, and both sets.
    fn for_each_word(&self, each: impl FnMut(usize, usize, u64, u64));
}

/// Appends the values of slots of a column, which are of type `T`; `other` gives those of
/// rows that have another one. False, and nothing is done, if the vector is of another
/// type.
pub(crate) fn append_cells<T: Cell>(
    typed: &Typed<'_>,
    slots: &Slice<'_>,
    rows: Option<impl Rows>,
    other: impl Fn(usize) -> T,
    vector: &mut Vector,
) -> bool {
    let Some((cells, validity)) = vector.cells::<T>() else {
        return false;
    };
    let start = cells.len();
    match T::is_in(typed) {
        true => T::extend(typed, slots, cells),
        false => cells.resize(start + slots.len(), T::default()),
    }
    let Some(rows) = rows else {
        validity.push_same(true, slots.len());
        return true;
    };
    let cells = &mut cells[start..];
    rows.for_each_word(|first, count, in_column, in_others| {
        let in_none = !in_column & u64::MAX >> (64 - count);
        for_each_bit(in_none, |bit| cells[first + bit] = T::default());
        for_each_bit(in_others, |bit| cells[first + bit] = other(first + bit));
        validity.push_word(in_column | in_others, count);
    });
    true
}

/// As [`append_cells`], of texts.
pub(crate) fn append_texts<'a>(
    typed: &Typed<'a>,
    slots: &Slice<'_>,
    rows: Option<impl Rows>,
    other: impl Fn(usize) -> &'a str,
    vector: &mut Vector,
) -> bool {
    let Some((texts, validity)) = vector.texts() else {
        return false;
    };
    match typed {
        Typed::Codes(codes, of_codes) => {
            let all: Option<Vec<&str>> =
                (of_codes.len() <= slots.len()).then(|| of_codes.iter().collect());
            append_each(slots, rows, other, (texts, validity), |slot| {
                let code = codes.get(slot) as usize;
                match &all {
                    Some(all) => all[code],
                    None => of_codes.get(code),
                }
            });
        }
        Typed::Texts(in_place) => append_each(slots, rows, other, (texts, validity), |slot| {
            Strings::get(in_place, slot)
        }),
        _ => append_each(slots, rows, other, (texts, validity), |_| ""),
    }
    true
}

fn append_each<'a>(
    slots: &Slice<'_>,
    rows: Option<impl Rows>,
    other: impl Fn(usize) -> &'a str,
    (texts, validity): (&mut Texts, &mut Validity),
    of_slot: impl Fn(usize) -> &'a str,
) {
    let Some(rows) = rows else {
        slots.iter().for_each(|slot| texts.push(of_slot(slot)));
        validity.push_same(true, slots.len());
        return;
    };
    rows.for_each_word(|first, count, in_column, in_others| {
        for (bit, slot) in slots.iter().skip(first).take(count).enumerate() {
            texts.push(match (in_column >> bit & 1, in_others >> bit & 1) {
                (1, _) => of_slot(slot),
                (_, 1) => other(first + bit),
                _ => "",
            });
        }
        validity.push_word(in_column | in_others, count);
    });
}

fn for_each_bit(mut bits: u64, mut each: impl FnMut(usize)) {
    while bits != 0 {
        each(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}
