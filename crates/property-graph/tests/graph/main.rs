//! The property graph as a whole, beside a map of maps.

mod crash;
mod model;
mod random;
mod steps;
