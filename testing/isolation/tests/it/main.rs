//! The checker of isolation is proved on histories made by hand, and on a store that has
//! none.

mod anomalies;
mod naive;
