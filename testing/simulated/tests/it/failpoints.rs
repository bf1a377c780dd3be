//! Scopes of failpoints: threads they reach, and when.

use evergraph_storage::failpoint;
use evergraph_storage::failpoint::Scope;

#[test]
fn a_failpoint_is_of_its_scope_alone() {
    let armed = Scope::armed("a.b,c.d=on@2");
    assert!(!failpoint!("a.b"));
    let entered = armed.enter();
    assert!(failpoint!("a.b") && failpoint!("a.b"));
    assert!(!failpoint!("a.c"));
    let other = std::thread::spawn(|| failpoint!("a.b"));
    assert!(!other.join().unwrap(), "a thread that it was not handed to");
    drop(entered);
    assert!(!failpoint!("a.b"));
}

#[test]
fn threads_get_the_failpoints_of_the_one_that_starts_them() {
    let _entered = Scope::armed("a.b").enter();
    let work = failpoint::hand_on(|| failpoint!("a.b"));
    assert!(std::thread::spawn(work).join().unwrap());
}

#[test]
fn a_number_waits_for_that_time_alone() {
    let _entered = Scope::armed("a.b=on@2").enter();
    let times: Vec<bool> = (0..3).map(|_| failpoint!("a.b")).collect();
    assert_eq!(times, [false, true, false]);
}

#[test]
fn code_of_mutants_runs_where_they_are_armed() {
    fn answer() -> u32 {
        failpoint!("a.b" => {
            return 1;
        });
        failpoint!("c.d", 2, else 3)
    }
    assert_eq!(answer(), 3);
    let entered = Scope::armed("c.d").enter();
    assert_eq!(answer(), 2);
    drop(entered);
    let _entered = Scope::armed("a.b").enter();
    assert_eq!(answer(), 1);
}

#[test]
#[should_panic(expected = "failpoint a.b")]
fn a_failpoint_panics() {
    let _entered = Scope::armed("a.b=panic").enter();
    let _ = failpoint!("a.b");
}

#[test]
#[should_panic(expected = "there is no action")]
fn an_unknown_action_is_refused() {
    let _ = Scope::armed("a.b=explode");
}
