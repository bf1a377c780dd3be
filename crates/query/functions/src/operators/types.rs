//! Types of what operators give, before their operands are known.

use super::{Binary, Unary};
use evergraph_syntax::scope::Types;

/// Types whose text `+` writes beside another.
const TEXTLIKE: Types = Types::STRING
    .or(Types::NUMBER)
    .or(Types::BOOLEAN)
    .or(Types::INSTANT)
    .or(Types::DURATION)
    .or(Types::POINT);

impl Binary {
    /// Types that `left operator right` may have, beside null, of operands of any of these
    /// types: none if the operator takes no two of them, so that it gives null or an error.
    pub fn result(self, left: Types, right: Types) -> Types {
        let has = |types: Types| left.overlaps(types) && right.overlaps(types);
        let when = |holds: bool, types: Types| if holds { types } else { Types::NONE };
        let either = |a: Types, b: Types| {
            left.overlaps(a) && right.overlaps(b) || left.overlaps(b) && right.overlaps(a)
        };
        match self {
            Binary::Add => {
                let text = either(Types::STRING, TEXTLIKE);
                let list = left.or(right).overlaps(Types::LIST);
                let moved = when(either(Types::INSTANT, Types::DURATION), Types::INSTANT);
                let moved = moved.and(left.or(right));
                (of_numbers(left, right).or(moved))
                    .or(when(text, Types::STRING))
                    .or(when(list, Types::LIST))
                    .or(when(has(Types::DURATION), Types::DURATION))
            }
            Binary::Subtract => {
                let moved = when(right.overlaps(Types::DURATION), Types::INSTANT);
                (of_numbers(left, right).or(moved.and(left)))
                    .or(when(has(Types::DURATION), Types::DURATION))
            }
            Binary::Multiply => {
                let scaled = either(Types::DURATION, Types::NUMBER);
                of_numbers(left, right).or(when(scaled, Types::DURATION))
            }
            Binary::Divide => {
                let scaled = left.overlaps(Types::DURATION) && right.overlaps(Types::NUMBER);
                of_numbers(left, right).or(when(scaled, Types::DURATION))
            }
            Binary::Modulo => of_numbers(left, right),
            Binary::Power => when(has(Types::NUMBER), Types::FLOAT),
            Binary::Concatenate => {
                (when(has(Types::STRING), Types::STRING)).or(when(has(Types::LIST), Types::LIST))
            }
            Binary::And | Binary::Or | Binary::Xor => {
                let truth = Types::BOOLEAN.or(Types::NULL);
                when(has(truth), Types::BOOLEAN)
            }
            Binary::In => when(right.overlaps(Types::LIST), Types::BOOLEAN),
            Binary::StartsWith | Binary::EndsWith | Binary::Contains | Binary::Matches => {
                when(has(Types::STRING), Types::BOOLEAN)
            }
            // What does not compare gives false or null, never an error.
            _ => when(left != Types::NULL && right != Types::NULL, Types::BOOLEAN),
        }
    }
}

/// Integers of integers, else floats.
fn of_numbers(left: Types, right: Types) -> Types {
    if !left.overlaps(Types::NUMBER) || !right.overlaps(Types::NUMBER) {
        return Types::NONE;
    }
    let integer = left.and(right).and(Types::INTEGER);
    let float = left.or(right).and(Types::FLOAT);
    integer.or(float)
}

impl Unary {
    /// As [`Binary::result`].
    pub fn result(self, operand: Types) -> Types {
        match self {
            Unary::Not => operand.and(Types::BOOLEAN),
            Unary::Minus | Unary::Plus => operand.and(Types::NUMBER.or(Types::DURATION)),
            Unary::IsNull | Unary::IsNotNull => Types::BOOLEAN,
        }
    }
}
