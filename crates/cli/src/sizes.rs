//! Sizes of memory and lengths of time, as arguments have them.

use std::ops::RangeInclusive;
use std::time::Duration;

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

/// A time such as `500ms`, `10s` or `2m`, in seconds where there is no unit.
pub fn time(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let units = [("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let unit = units.iter().find(|(unit, _)| text.ends_with(unit));
    let (digits, seconds) = match unit {
        Some((unit, seconds)) => (&text[..text.len() - unit.len()], *seconds),
        None => (text, 1.0),
    };
    let number: Option<f64> = digits.trim_end().parse().ok();
    let time = number.and_then(|number| Duration::try_from_secs_f64(number * seconds).ok());
    time.ok_or_else(|| "give a time such as 500ms, 10s or 2m".to_string())
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

    #[test]
    fn times_have_units() {
        assert_eq!(time("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(time("1.5 s"), Ok(Duration::from_millis(1500)));
        assert_eq!(time("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(time("3"), Ok(Duration::from_secs(3)));
        for bad in ["", "s", "-1s", "soon", "1e99h", "NaN"] {
            assert!(time(bad).is_err(), "{bad}");
        }
    }
}
