//! Codes for the strings that repeat: labels, relationship types, property
//! keys, sets of labels, and text values.

/// Code of a property key.
pub type KeyCode = u32;
/// Code of a label.
pub type LabelCode = u32;
/// Code of a relationship type; its planes in the topology are `2 * code` (out)
/// and `2 * code + 1` (in).
pub type TypeCode = u16;
