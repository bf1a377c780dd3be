//! Any target, by its name: `EVERGRAPH_TARGET=csv cargo +nightly fuzz run any`.

#![no_main]

use std::sync::OnceLock;

use evergraph_fuzzing::{Target, find};
use libfuzzer_sys::fuzz_target;

fn target() -> Target {
    let name = std::env::var("EVERGRAPH_TARGET");
    find(&name.expect("EVERGRAPH_TARGET is the name of a target, such as csv"))
}

fuzz_target!(|input: &[u8]| {
    static TARGET: OnceLock<Target> = OnceLock::new();
    (TARGET.get_or_init(target).run)(input);
});
