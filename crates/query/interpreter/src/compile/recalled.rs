//! Which code a query has, as text: what is needed to make it again, in another process.
//!
//! A line is the number of an expression in its plan, what is wanted of it, and the kinds of
//! its columns: `3 rows i f? t< c=7`.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use evergraph_jit::{Compiler, Kind, Program, Results, Type};
use evergraph_planner::Plan;

use super::{Fragment, Fragments, MOST_VARIANTS, Variant};

impl Fragments {
    /// A line for each program that has code.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for fragment in self.all.get().into_iter().flat_map(|all| all.values()) {
            let state = fragment.read_state();
            let compiled = state.variants.iter();
            let compiled = compiled.filter(|variant| variant.compiled.code().is_some());
            lines.extend(compiled.map(|variant| line_of(fragment.place, variant)));
        }
        lines.sort();
        lines
    }

    /// Has code made in the background that was there once. What does not fit the plan, as
    /// it was made of other counts, is passed over.
    pub(crate) fn recall(&self, plan: &Plan, lines: &[String]) {
        let all = self.all(plan);
        for line in lines {
            let Some((place, wants_rows, kinds)) = parse(line) else {
                continue;
            };
            let found = all.values().find(|fragment| fragment.place == place);
            if let Some(fragment) = found {
                fragment.recall(&self.text, wants_rows, kinds);
            }
        }
    }
}

impl Fragment {
    fn recall(&self, text: &Arc<str>, wants_rows: bool, kinds: Vec<Kind>) {
        let fits = kinds.len() == self.leaves.len()
            && kinds.iter().zip(&self.divisors).all(|(kind, divisor)| {
                let constant = match kind {
                    Kind::Constant(number) => Some(*number),
                    _ => None,
                };
                constant == *divisor
            });
        let program = self.program(&kinds, wants_rows);
        let mut state = self.write_state();
        let is_known = state.find(&kinds, wants_rows).is_some();
        if !fits || is_known || state.variants.len() >= MOST_VARIANTS || program.check().is_err() {
            return;
        }
        state.note(&kinds);
        let compiled = Compiler::shared().request(&program, text);
        state.variants.push(Variant {
            inputs: kinds,
            wants_rows,
            compiled,
        });
        self.is_recalled.store(true, Ordering::Relaxed);
    }

    pub(super) fn program(&self, kinds: &[Kind], wants_rows: bool) -> Program {
        let terms = self.terms.clone();
        Program {
            inputs: kinds.to_vec(),
            results: match (wants_rows, self.conditions) {
                (true, _) => Results::Rows(terms),
                (false, Some(conditions)) => Results::Totals(terms, conditions),
                (false, None) => Results::Columns(terms),
            },
        }
    }
}

const TYPES: [(char, Type); 10] = [
    ('i', Type::Integer),
    ('f', Type::Float),
    ('t', Type::Boolean),
    ('n', Type::Id),
    ('4', Type::Small(4)),
    ('8', Type::Small(8)),
    ('1', Type::Small(16)),
    ('2', Type::Small(24)),
    ('3', Type::Small(30)),
    ('5', Type::Small(31)),
];

fn line_of(place: usize, variant: &Variant) -> String {
    let wanted = if variant.wants_rows { "rows" } else { "values" };
    let mut line = format!("{place} {wanted}");
    let letter = |of: Type| {
        let found = TYPES.iter().find(|(_, known)| *known == of);
        found.map_or('?', |(letter, _)| *letter)
    };
    for kind in &variant.inputs {
        line.push(' ');
        match kind {
            Kind::Constant(number) => line.push_str(&format!("c={number}")),
            Kind::Same(of) => line.extend([letter(*of), '=']),
            Kind::Column {
                of,
                nullable,
                taken,
            } => {
                line.push(letter(*of));
                line.extend(nullable.then_some('?'));
                line.extend(taken.then_some('<'));
            }
        }
    }
    line
}

fn parse(line: &str) -> Option<(usize, bool, Vec<Kind>)> {
    let mut words = line.split(' ');
    let place = words.next()?.parse().ok()?;
    let wants_rows = match words.next()? {
        "rows" => true,
        "values" => false,
        _ => return None,
    };
    Some((
        place,
        wants_rows,
        words.map(kind_of).collect::<Option<_>>()?,
    ))
}

fn kind_of(word: &str) -> Option<Kind> {
    if let Some(number) = word.strip_prefix("c=") {
        return number.parse().ok().map(Kind::Constant);
    }
    let mut letters = word.chars();
    let letter = letters.next()?;
    let of = TYPES.iter().find(|(known, _)| *known == letter)?.1;
    let column = |nullable, taken| Kind::Column {
        of,
        nullable,
        taken,
    };
    Some(match letters.as_str() {
        "=" => Kind::Same(of),
        "" => column(false, false),
        "?" => column(true, false),
        "<" => column(false, true),
        "?<" => column(true, true),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_they_are_written() {
        let column = |of, nullable, taken| Kind::Column {
            of,
            nullable,
            taken,
        };
        let mut kinds = vec![Kind::Constant(-7), Kind::Same(Type::Float)];
        for (_, of) in TYPES {
            for (nullable, taken) in [(false, false), (true, false), (false, true), (true, true)] {
                kinds.push(column(of, nullable, taken));
            }
        }
        let program = Program {
            inputs: kinds.clone(),
            results: Results::Columns(Vec::new()),
        };
        let compiled = Compiler::new(1 << 20).compile(&program, &"".into());
        for wants_rows in [true, false] {
            let variant = Variant {
                inputs: kinds.clone(),
                wants_rows,
                compiled: Arc::clone(&compiled),
            };
            let line = line_of(5, &variant);
            assert_eq!(parse(&line), Some((5, wants_rows, kinds.clone())), "{line}");
        }
    }

    #[test]
    fn what_is_no_line_is_passed_over() {
        for line in [
            "",
            "x rows",
            "1",
            "1 all i",
            "1 rows q",
            "1 rows i!",
            "1 rows c=x",
            "1 rows  i",
        ] {
            assert_eq!(parse(line), None, "{line:?}");
        }
    }
}
