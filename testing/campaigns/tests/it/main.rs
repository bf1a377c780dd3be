//! Each suite's campaigns: power cuts, ends of processes, mutants. `EVERGRAPH_REPLAY`
//! repeats one execution.

mod extension;
mod intents;
mod killed;
mod mutants;

/// The campaigns of a suite, a test each.
macro_rules! campaigns {
    ($($suite:ident),*) => {
        $(mod $suite {
            #[test]
            fn every_power_cut_is_recovered_from() {
                evergraph_campaigns::suites::$suite().cuts();
            }

            #[test]
            fn every_end_of_a_process_is_recovered_from() {
                evergraph_campaigns::suites::$suite().ends();
            }

            #[test]
            fn one_damaged_slot_loses_nothing() {
                evergraph_campaigns::suites::$suite().damage();
            }

            #[test]
            fn every_mutant_is_caught() {
                evergraph_campaigns::suites::$suite().mutants();
            }
        })*
    };
}

/// In a module of its own, because a suite has the name of another module here.
mod suites {
    campaigns!(store, direct, sealed, extension, results);
}
