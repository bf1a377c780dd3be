//! Parameters in one spelling, so that two requests can be compared.

use super::algorithm::{Algorithm, Given, Kind};

impl Algorithm {
    /// The parameters that say what is computed, as far as they are not the
    /// defaults: by name, in one spelling.
    pub(crate) fn canonical(&self, given: &Given) -> Vec<(String, String)> {
        let of_result = self.all_parameters().filter(|p| p.name != "verify");
        let mut canonical: Vec<(String, String)> = of_result
            .filter_map(|parameter| {
                let values = given.all(parameter.name);
                let spelled: Vec<String> = values
                    .iter()
                    .map(|text| spell(parameter.kind, text))
                    .collect();
                let text = spelled.join(",");
                let is_default = text == spell(parameter.kind, parameter.default);
                let counts = !values.is_empty() && !is_default;
                counts.then(|| (parameter.name.to_string(), text))
            })
            .collect();
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

/// A value in the one spelling; what is none of its kind, as it is.
fn spell(kind: Kind, text: &str) -> String {
    let spelled = match kind {
        Kind::Whole(..) => text.parse().ok().map(|number: u64| number.to_string()),
        Kind::Real(..) => text.parse().ok().map(|number: f64| number.to_string()),
        _ => None,
    };
    spelled.unwrap_or_else(|| text.trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::super::find;

    fn canonical(algorithm: &str, given: &[(&str, &str)]) -> String {
        let owned = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
        let given: Vec<_> = given.iter().map(owned).collect();
        let algorithm = find(algorithm).unwrap();
        let canonical = algorithm.canonical(&algorithm.parse(&given).unwrap());
        let parts: Vec<String> = canonical
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        parts.join(" ")
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
        assert_eq!(canonical("ppr", &[("source", "3,1")]), "source=3,1");
    }
}
