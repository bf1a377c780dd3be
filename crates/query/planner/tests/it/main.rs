//! Plans in their printed form.

mod plans;
mod rewrites;
