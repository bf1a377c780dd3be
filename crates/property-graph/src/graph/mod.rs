//! The property graph as its users see it.
