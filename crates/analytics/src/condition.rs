//! Conditions on properties, as a user writes them.

use evergraph_property_graph::expression::{Expression, SyntaxError, pointed};
use evergraph_property_graph::graph::View;

use crate::Error;
use crate::names::nearest;

/// Properties that an error lists at most.
const LISTED: usize = 12;

/// Reads a condition on properties, such as `released > 2000`; see
/// [`Expression`] for the syntax.
///
/// # Errors
/// [`Error::Argument`] that shows the place of what is wrong, and says what to do.
pub fn condition(text: &str) -> Result<Expression, Error> {
    Expression::parse(text).map_err(|error| {
        let SyntaxError { hint, near, .. } = &error;
        let hint = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => hint.to_string(),
        };
        Error::argument(error.to_string(), hint)
    })
}

/// Refuses a condition on properties that the graph does not know: it would hold of
/// nothing, or of everything.
///
/// # Errors
/// [`Error::Argument`] that shows the place of the first such property, and the nearest
/// that there is.
pub fn known_properties(view: &View, condition: &Expression) -> Result<(), Error> {
    let known = view.known_keys();
    let is_unknown = |name: &str| !known.iter().any(|known| **known == *name);
    let Some(key) = condition.keys().iter().find(|key| is_unknown(&key.name)) else {
        return Ok(());
    };
    let near = nearest(&key.name, known.iter().map(|known| &**known));
    let hint = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "the graph has no properties".to_string(),
        None => {
            let listed: Vec<&str> = known.iter().take(LISTED).map(|known| &**known).collect();
            let more = if known.len() > LISTED { ", ..." } else { "" };
            format!("there are {}{more}", listed.join(", "))
        }
    };
    let what = format!("there is no property {:?}", key.name);
    Err(Error::argument(
        pointed(condition.text(), &key.at, &what),
        hint,
    ))
}
