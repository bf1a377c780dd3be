//! Sizes of memory, as arguments have them.

use std::ops::RangeInclusive;

const UNITS: [(&str, u64); 9] = [
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("kB", 1_000),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
];

/// A size such as `1GiB` or `512 MiB`, in bytes where there is no unit.
pub fn size(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let text = text.strip_suffix(" B").unwrap_or(text);
    let unit = UNITS.iter().find(|(unit, _)| text.ends_with(unit));
    let (digits, unit) = match unit {
        Some(&(unit, bytes)) => (&text[..text.len() - unit.len()], bytes),
        None => (text, 1),
    };
    let wrong = || "give a size such as 512MiB or 1GiB, or a number of bytes".to_string();
    let number: u64 = digits.trim_end().parse().map_err(|_| wrong())?;
    number.checked_mul(unit).ok_or_else(wrong)
}

/// As [`size`], within a range.
pub fn size_in(text: &str, range: RangeInclusive<u64>) -> Result<u64, String> {
    let bytes = size(text)?;
    match range.contains(&bytes) {
        true => Ok(bytes),
        false => Err(format!(
            "{} to {} bytes are possible",
            range.start(),
            range.end()
        )),
    }
}

/// Size in MiB: with a unit, or a number of MiB.
pub fn mebibytes(text: &str, range: RangeInclusive<u64>) -> Result<u64, String> {
    let mib = match text.parse() {
        Ok(number) => number,
        Err(_) => size(text)? >> 20,
    };
    match range.contains(&mib) {
        true => Ok(mib),
        false => Err(format!(
            "{} to {} MiB are possible",
            range.start(),
            range.end()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, bytes) in [
            ("0", 0),
            ("1000", 1000),
            ("1GiB", 1 << 30),
            ("512 MiB", 512 << 20),
            ("3kB", 3000),
            ("7 B", 7),
        ] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for wrong in ["", "GiB", "1.5GiB", "-1", "1 gib", "99999999999TiB"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
        assert_eq!(mebibytes("64", 1..=1024), Ok(64));
        assert_eq!(mebibytes("1GiB", 1..=1024), Ok(1024));
        assert!(mebibytes("2GiB", 1..=1024).is_err());
        assert!(size_in("1KiB", 1..=1000).is_err());
    }
}
