//! Several texts as one, and names made of texts.

/// Bytes of a name that are taken from what it stands for; those of a number come on top.
const READABLE: usize = 48;

/// Texts as one, from which [`split`] gets them again: each behind its length.
pub fn join<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let each = |text: &str| format!("{}:{text}", text.len());
    texts.into_iter().map(each).collect()
}

/// The texts that were joined; `None` if it is no such text.
pub fn split(mut joined: &str) -> Option<Vec<String>> {
    let mut texts = Vec::new();
    while !joined.is_empty() {
        let (length, rest) = joined.split_once(':')?;
        let (text, rest) = rest.split_at_checked(length.parse().ok()?)?;
        texts.push(text.to_string());
        joined = rest;
    }
    Some(texts)
}

/// A name for an index: some words that people know it by, and a number of all that
/// it is about, so that no two indexes share one.
pub fn name_of<'t>(words: impl IntoIterator<Item = &'t str>, identity: &str) -> String {
    let words: Vec<&str> = words.into_iter().collect();
    let is_plain = |letter: &char| letter.is_ascii_alphanumeric();
    let plain = |letter: char| if is_plain(&letter) { letter } else { '_' };
    let readable: String = words
        .join("-")
        .chars()
        .map(|letter| match letter {
            '-' => '-',
            other => plain(other),
        })
        .take(READABLE)
        .collect();
    format!("{readable}-{:08x}", crc32c::crc32c(identity.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_told_apart_whatever_they_hold() {
        for texts in [
            vec![],
            vec![""],
            vec!["", ""],
            vec!["a", "2:bc", "ü:"],
            vec!["1:a1:b"],
        ] {
            assert_eq!(
                split(&join(texts.iter().copied())),
                Some(texts.iter().map(|text| text.to_string()).collect())
            );
        }
        for wrong in ["a", "3:ab", "1:ü", ":a", "1:ab", "-1:a"] {
            assert_eq!(split(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_name_says_what_it_stands_for() {
        let name = name_of(["Größe", "a b"], "identity");
        assert!(name.starts_with("Gr__e-a_b-"), "{name}");
        assert_ne!(name, name_of(["Größe", "a b"], "another"));
        let long = "x".repeat(200);
        assert!(crate::check_name(&name_of([long.as_str()], "")));
    }
}
