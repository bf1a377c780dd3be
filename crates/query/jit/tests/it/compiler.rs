//! The store of code, its bounds and its memory.

use std::sync::Arc;

use evergraph_jit::{
    Arithmetic, Compiler, Input, Kind, Numbers, Output, Program, Results, Term, Type,
};

fn text(number: usize) -> Arc<str> {
    format!("RETURN {number}").into()
}

/// The sum of so many times its input.
fn program(times: usize) -> Program {
    let mut sum = Term::Input(0);
    for _ in 1..times {
        sum = Term::Arithmetic(Arithmetic::Add, Box::new([sum, Term::Input(0)]));
    }
    Program {
        inputs: vec![Kind::Column {
            of: Type::Integer,
            nullable: false,
            taken: false,
        }],
        results: Results::Columns(vec![sum]),
    }
}

#[test]
fn a_program_is_compiled_once() {
    let compiler = Compiler::new(1 << 20);
    let first = compiler.compile(&program(3), &text(1));
    let again = compiler.compile(&program(3), &text(2));
    assert!(Arc::ptr_eq(&first, &again));
    let statistics = compiler.statistics();
    assert_eq!((statistics.compiled, statistics.found), (1, 1));
    again.was_called(5);
    let stored = compiler.stored();
    assert_eq!(stored.len(), 1);
    assert_eq!((&*stored[0].text, stored[0].terms), ("RETURN 1", 5));
    assert_eq!((stored[0].calls, stored[0].rows), (1, 5));
    assert_eq!(stored[0].bytes as u64, statistics.bytes);
}

#[test]
fn what_was_not_wanted_for_longest_is_given_up() {
    let compiler = Compiler::new(2 * 4096);
    let first = compiler.compile(&program(1), &text(1));
    compiler.compile(&program(2), &text(2));
    compiler.compile(&program(1), &text(1));
    compiler.compile(&program(3), &text(3));
    let texts: Vec<Arc<str>> = compiler.stored().into_iter().map(|one| one.text).collect();
    assert_eq!(texts, [text(3), text(1)]);
    let statistics = compiler.statistics();
    assert_eq!((statistics.bytes, statistics.dropped), (2 * 4096, 1));
    // Code that a query holds stays until it lets it go.
    compiler.compile(&program(4), &text(4));
    compiler.compile(&program(5), &text(5));
    let inputs = [Input::Column(Numbers::Integers(&[7, 8]), None)];
    let columns = first.code().unwrap().columns(&inputs, 2).unwrap();
    assert_eq!(columns, [Output::Integers(vec![7, 8], None)]);
}

#[test]
fn code_that_is_too_large_is_refused() {
    let compiler = Compiler::new(4095);
    let compiled = compiler.compile(&program(2), &text(1));
    let refusal = compiled.refusal().unwrap().to_string();
    assert_eq!(refusal, "the memory for code is full");
    assert_eq!(compiler.statistics().refused, 1);
    assert_eq!(compiler.statistics().bytes, 0);
}

#[test]
fn the_background_thread_makes_what_was_asked_for() {
    let compiler = Compiler::new(1 << 20);
    let wanted: Vec<_> = (1..20)
        .map(|times| compiler.request(&program(times), &text(times)))
        .collect();
    for (place, compiled) in wanted.iter().enumerate() {
        // Whoever comes first makes it.
        compiler.compile(&program(place + 1), &text(place + 1));
        let inputs = [Input::Column(Numbers::Integers(&[2]), None)];
        let columns = compiled.code().unwrap().columns(&inputs, 1).unwrap();
        assert_eq!(
            columns,
            [Output::Integers(vec![2 * (place as i64 + 1)], None)]
        );
    }
    assert_eq!(compiler.statistics().compiled, 19);
}

#[cfg(target_os = "linux")]
#[test]
fn no_memory_is_writable_and_executable() {
    let compiler = Compiler::new(1 << 20);
    let rights = || -> Vec<String> {
        let map = std::fs::read_to_string("/proc/self/maps").unwrap();
        let rights = map
            .lines()
            .filter_map(|line| line.split_whitespace().nth(1));
        rights.map(str::to_string).collect()
    };
    let made_here = |rights: &[String]| rights.iter().filter(|one| one.starts_with("r-x")).count();
    let before = made_here(&rights());
    let held: Vec<_> = (1..40)
        .map(|times| {
            let compiled = compiler.compile(&program(times), &text(times));
            let now = rights();
            assert!(
                now.iter()
                    .all(|one| !one.starts_with("rwx") && !one.starts_with("-wx"))
            );
            compiled
        })
        .collect();
    assert!(
        made_here(&rights()) > before,
        "code lies in pages of its own"
    );
    drop(held);
}
