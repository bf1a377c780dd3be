//! Numbers as C writes them.

/// A number with 17 significant digits, as C's `%.17g` writes it: reads back as
/// the same number.
pub fn real(value: f64) -> String {
    const DIGITS: i32 = 17;
    if !value.is_finite() {
        return value.to_string().to_lowercase();
    }
    let scientific = format!("{value:.*e}", DIGITS as usize - 1);
    let (mantissa, exponent) = scientific.split_once('e').expect("an exponent");
    let exponent: i32 = exponent.parse().expect("a whole exponent");
    if (-4..DIGITS).contains(&exponent) {
        let decimals = (DIGITS - 1 - exponent) as usize;
        return without_zeros(&format!("{value:.decimals$}"));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", without_zeros(mantissa), exponent.abs())
}

/// A number with 16 significant digits and an exponent, as C's `%.15e`.
pub(super) fn scientific(value: f64) -> String {
    if !value.is_finite() {
        return value.to_string().to_lowercase();
    }
    let text = format!("{value:.15e}");
    let (mantissa, exponent) = text.split_once('e').expect("an exponent");
    let exponent: i32 = exponent.parse().expect("a whole exponent");
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

fn without_zeros(text: &str) -> String {
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{real, scientific};

    #[test]
    fn scientific_numbers_are_written_as_c_does() {
        for (value, expected) in [
            (0.0, "0.000000000000000e+00"),
            (2.0 / 3.0, "6.666666666666666e-01"),
            (31.0, "3.100000000000000e+01"),
            (1e-100, "1.000000000000000e-100"),
        ] {
            assert_eq!(scientific(value), expected);
        }
    }

    #[test]
    fn reals_are_written_as_c_does() {
        for (value, expected) in [
            (0.0, "0"),
            (1.0, "1"),
            (-2.5, "-2.5"),
            (0.1, "0.10000000000000001"),
            (1.0 / 3.0, "0.33333333333333331"),
            (1e-4, "0.0001"),
            (1e-5, "1.0000000000000001e-05"),
            (123_456_789.0, "123456789"),
            (1e16, "10000000000000000"),
            (1e17, "1e+17"),
            (1.5e300, "1.5000000000000001e+300"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(real(value), expected);
        }
    }
}
