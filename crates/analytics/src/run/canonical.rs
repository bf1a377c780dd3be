//! Parameters in one spelling, so that two requests can be compared.

use evergraph_storage::checksum;

use super::algorithm::Algorithm;
use super::given::Given;
use super::parameters::{Kind, Parameter};
use evergraph_topology::ids::IdKind;

use crate::Session;

/// Separator of ids in one text; `None` if ids are texts, which may hold any character.
pub(crate) fn between_ids(session: &Session) -> Option<char> {
    match (session.is_property_graph(), session.config().ids) {
        (false, IdKind::Texts) => None,
        _ => Some(','),
    }
}

impl Algorithm {
    /// The parameters that decide the result, as far as they are not the defaults: by
    /// name, in one spelling. For [`between_ids`] see there.
    pub(crate) fn canonical(
        &self,
        given: &Given,
        between_ids: Option<char>,
    ) -> Vec<(String, String)> {
        let of_result = self.all_parameters().filter(|p| p.name != "verify");
        let mut canonical: Vec<(String, String)> = of_result
            .filter_map(|parameter| {
                let text = spell_given(parameter, given, between_ids)?;
                let is_default = text == spell(parameter.kind, parameter.default);
                (!is_default).then(|| (parameter.name.to_string(), text))
            })
            .collect();
        let custom = given.custom.iter();
        canonical.extend(custom.map(|(name, value)| (name.to_string(), value.clone())));
        canonical.sort();
        canonical
    }

    /// The default of a parameter, for messages.
    pub(super) fn default_text(&self, name: &str) -> String {
        let mut all = self.all_parameters();
        let found = all.find(|parameter| parameter.name == name);
        found.map_or_else(String::new, |p| spell(p.kind, p.default))
    }
}

/// Names in one text, from which they can be told; `None` if there are none.
pub(super) fn joined<'n>(names: impl Iterator<Item = &'n str>) -> Option<String> {
    let escaped = names.map(|name| name.replace('\\', "\\\\").replace(',', "\\,"));
    let escaped: Vec<String> = escaped.collect();
    (!escaped.is_empty()).then(|| escaped.join(","))
}

/// The names in a text that [`joined`] made.
pub(super) fn parted(text: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        let last = names.last_mut().expect("there is always one");
        match char {
            ',' => names.push(String::new()),
            '\\' => last.extend(chars.next()),
            other => last.push(other),
        }
    }
    names
}

/// The value of a parameter, in the one spelling; `None` if it is not given. Of a file,
/// its content.
fn spell_given(parameter: &Parameter, given: &Given, between_ids: Option<char>) -> Option<String> {
    let values = given.all(parameter.name);
    let first = *values.first()?;
    if parameter.kind.takes_several() {
        let parts = values
            .iter()
            .flat_map(|text| text.split(|c| Some(c) == between_ids));
        return joined(parts.map(str::trim));
    }
    let text = spell(parameter.kind, first);
    Some(match given.file(parameter.name) {
        None => text,
        Some(content) => format!(
            "{text} ({} bytes, {:08x})",
            content.len(),
            checksum(&[0; 16], 0, content.as_bytes())
        ),
    })
}

/// A value in the one spelling; a text that is no such value, as it is.
fn spell(kind: Kind, text: &str) -> String {
    let spelled = match kind {
        Kind::Whole(..) | Kind::Samples => text.parse().ok().map(|number: u64| number.to_string()),
        Kind::Real(..) => text.parse().ok().map(|number: f64| number.to_string()),
        _ => None,
    };
    spelled.unwrap_or_else(|| text.trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::{joined, parted};

    fn canonical(algorithm: &str, given: &[(&str, &str)]) -> String {
        spelled(algorithm, given, Some(','))
    }

    fn spelled(algorithm: &str, given: &[(&str, &str)], between_ids: Option<char>) -> String {
        let owned = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
        let given: Vec<_> = given.iter().map(owned).collect();
        let algorithm = find(algorithm).unwrap();
        let canonical = algorithm.canonical(&algorithm.parse(&given).unwrap(), between_ids);
        let parts: Vec<String> = canonical
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        parts.join(" ")
    }

    #[test]
    fn names_come_apart_as_they_were_joined() {
        for names in [vec!["a"], vec!["a,b", "c\\", "", "d"], vec!["\\,", ","]] {
            let text = joined(names.iter().copied()).unwrap();
            assert_eq!(parted(&text), names, "{text}");
        }
        assert_eq!(joined([].into_iter()), None);
    }

    #[test]
    fn spelling_order_and_defaults_make_no_difference() {
        for (given, expected) in [
            (&[][..], ""),
            (&[("damping", "0.85"), ("precision", "double")], ""),
            (&[("damping", "0.850"), ("verify", "true")], ""),
            (
                &[("iterations", "007"), ("damping", ".90")],
                "damping=0.9 iterations=7",
            ),
            (&[("graph", "sealed")], "graph=sealed"),
        ] {
            assert_eq!(canonical("pr", given), expected);
        }
        let twice = [("source", "3"), ("source", "1")];
        assert_eq!(canonical("ppr", &twice), "source=3,1");
        assert_eq!(canonical("ppr", &[("source", "3, 1")]), "source=3,1");
    }

    #[test]
    fn texts_with_commas_are_told_from_several_texts() {
        let of = |given: &[(&str, &str)]| spelled("ppr", given, None);
        let two = of(&[("source", "a"), ("source", "b")]);
        assert_eq!(two, "source=a,b");
        assert_eq!(of(&[("source", "a,b")]), "source=a\\,b");
        assert_eq!(of(&[("source", "a\\"), ("source", "b")]), "source=a\\\\,b");
    }

    #[test]
    fn a_file_is_what_stands_in_it() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("infected.txt");
        let given = path.to_string_lossy();
        let of = |content: &str| {
            std::fs::write(&path, content).unwrap();
            canonical("rumor-sources", &[("infected-file", &given)])
        };
        let first = of("1\n2\n");
        assert_ne!(of("1\n3\n"), first);
        assert_ne!(of("1\n2\n\n"), first);
        assert_eq!(of("1\n2\n"), first);
    }
}
