//! The store of code, its bounds and its memory.

use std::sync::Arc;
#[cfg(target_os = "linux")]
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

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

/// Rights of the process's mappings, such as `r-xp`.
#[cfg(target_os = "linux")]
fn rights() -> Vec<String> {
    let map = std::fs::read_to_string("/proc/self/maps").unwrap();
    let rights = map
        .lines()
        .filter_map(|line| line.split_whitespace().nth(1));
    rights.map(str::to_string).collect()
}

/// The map is read again and again while threads compile, call and give up programs.
#[cfg(target_os = "linux")]
#[test]
fn no_memory_is_writable_and_executable_while_programs_are_made_and_run() {
    const THREADS: usize = 3;
    const PROGRAMS: usize = 40;
    const READINGS: u64 = 4000;
    // A few programs fit, so that each is compiled again and again.
    let compiler = Compiler::new(8 * 4096);
    let executable = |rights: &[String]| rights.iter().filter(|one| one.contains('x')).count();
    let before = executable(&rights());
    let (calls, is_over) = (AtomicU64::new(0), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (compiler, calls, is_over) = (&compiler, &calls, &is_over);
            scope.spawn(move || {
                for number in 0.. {
                    if is_over.load(Ordering::Relaxed) {
                        return;
                    }
                    let times = 1 + (thread + number) % PROGRAMS;
                    // Some are made by the thread in the background.
                    let compiled = match number % 4 {
                        0 => compiler.request(&program(times), &text(times)),
                        _ => compiler.compile(&program(times), &text(times)),
                    };
                    let inputs = [Input::Column(Numbers::Integers(&[3, -2]), None)];
                    if let Some(code) = compiled.code() {
                        let sums = [3 * times as i64, -2 * times as i64];
                        let columns = code.columns(&inputs, 2).unwrap();
                        assert_eq!(columns, [Output::Integers(sums.to_vec(), None)]);
                        calls.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        // Behind a failed assertion the threads end, too.
        let _over = Over(&is_over);
        let (mut readings, mut most) = (0, 0);
        while readings < READINGS || calls.load(Ordering::Relaxed) < 4 * PROGRAMS as u64 {
            let now = rights();
            let both = |one: &&String| one.contains('w') && one.contains('x');
            assert_eq!(now.iter().find(both), None, "reading {readings}");
            most = most.max(executable(&now));
            readings += 1;
        }
        assert!(most > before, "code lies in pages of its own");
    });
    assert!(compiler.statistics().dropped > 0);
}

#[cfg(target_os = "linux")]
struct Over<'a>(&'a AtomicBool);

#[cfg(target_os = "linux")]
impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
