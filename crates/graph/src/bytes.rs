//! Sizes, as messages tell them.

use std::fmt;

/// A size in bytes, shown in a unit that is easy to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0 as f64;
        match self.0 {
            n if n >= 1 << 30 => write!(f, "{:.2} GiB", bytes / f64::from(1 << 30)),
            n if n >= 1 << 20 => write!(f, "{:.1} MiB", bytes / f64::from(1 << 20)),
            n if n >= 1 << 10 => write!(f, "{:.1} KiB", bytes / f64::from(1 << 10)),
            n => write!(f, "{n} B"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Bytes;

    #[test]
    fn sizes_are_easy_to_read() {
        for (bytes, shown) in [
            (1000, "1000 B"),
            (1536, "1.5 KiB"),
            (64 << 20, "64.0 MiB"),
            (1 << 30, "1.00 GiB"),
        ] {
            assert_eq!(Bytes(bytes).to_string(), shown);
        }
    }
}
