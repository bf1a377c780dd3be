//! `docs/tutorial.md`: its commands give what it shows.
//!
//! Within a block of the console, lines behind `$ ` are commands, and the lines that follow
//! are what they print. `…` stands for anything within a line, and alone for any lines. `^C`
//! behind a command stands for a kill in its middle, `&` for one that is in its middle until
//! the others of its task have ended.

use std::path::{Path, PathBuf};

use crate::common::{Outcome, Place};

/// Commands of a task at most.
const MOST_COMMANDS: usize = 3;
const TASKS: usize = 17;

/// Place of the kill in an import that the page interrupts.
const INTERRUPTED: &str = "import.committed=kill@2";
/// As far gets one that goes on beside others.
const HALFWAY: &str = "import.committed=stop@2";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A command and the lines that follow it.
struct Step<'p> {
    line: usize,
    command: &'p str,
    expected: Vec<&'p str>,
}

/// The steps of each section of a page; none of sections without a block.
fn sections(page: &str) -> Vec<(&str, Vec<Step<'_>>)> {
    let mut sections = vec![("", Vec::new())];
    let mut is_console = false;
    for (number, line) in (1..).zip(page.lines()) {
        let steps = &mut sections.last_mut().expect("one at least").1;
        match line {
            "```console" => is_console = true,
            "```" => is_console = false,
            _ if is_console => match (line.strip_prefix("$ "), steps.last_mut()) {
                (Some(command), _) => steps.push(Step {
                    line: number,
                    command,
                    expected: Vec::new(),
                }),
                (None, Some(step)) => step.expected.push(line),
                (None, None) => panic!("line {number} is of no command"),
            },
            _ => {
                if let Some(title) = line.strip_prefix("## ") {
                    sections.push((title, Vec::new()));
                }
            }
        }
    }
    sections.retain(|(_, steps)| !steps.is_empty());
    sections
}

/// The arguments of a command that has to be `evergraph`.
fn arguments(step: &Step<'_>) -> Vec<String> {
    let command = step.command.strip_suffix(" &").unwrap_or(step.command);
    let mut words = words(command);
    assert_eq!(words[0], "evergraph", "line {}", step.line);
    words.remove(0);
    words
}

/// The words of a command, as a shell splits them.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in command.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    assert_eq!(quote, None, "{command}");
    words.extend(word);
    words
}

/// Whether a line is as expected, where `…` stands for anything.
fn line_fits(expected: &str, line: &str) -> bool {
    let mut parts = expected.trim_end().split('…');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.trim_end().strip_prefix(first) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else {
        return rest.is_empty();
    };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// Whether lines are as expected, where `…` alone stands for any of them.
fn fits(expected: &[&str], lines: &[&str]) -> bool {
    match (expected.split_first(), lines.split_first()) {
        (None, None) => true,
        (Some((&"…", others)), _) => {
            (0..=lines.len()).any(|skipped| fits(others, &lines[skipped..]))
        }
        (Some((line, others)), Some((found, rest))) => line_fits(line, found) && fits(others, rest),
        _ => false,
    }
}

/// Runs the steps of a task; gives what is not as expected.
fn check_task(place: &Place, steps: &[Step<'_>]) -> Vec<String> {
    let (beside, others): (Vec<&Step<'_>>, Vec<_>) =
        steps.iter().partition(|step| step.command.ends_with(" &"));
    let start = |step: &&Step<'_>| place.start_stopped(HALFWAY, &arguments(step));
    let beside: Vec<_> = beside.iter().map(start).collect();
    let wrong = others
        .iter()
        .filter_map(|step| check(place, step))
        .collect();
    beside.into_iter().for_each(|process| process.go_on());
    wrong
}

fn check(place: &Place, step: &Step<'_>) -> Option<String> {
    let words = arguments(step);
    let arguments: Vec<&str> = words.iter().map(String::as_str).collect();
    if step.expected == ["^C"] {
        let killed = place.call_armed(INTERRUPTED, &arguments.join(" "));
        let is_killed = killed.code.is_none();
        return (!is_killed).then(|| format!("line {}: it was not killed: {killed:#?}", step.line));
    }
    let Outcome { stdout, stderr, .. } = place.call_with(&arguments);
    // Messages come first: the page shows them where a terminal does.
    let printed = format!("{stderr}{stdout}");
    let lines: Vec<&str> = printed.lines().collect();
    let end = step.expected.iter().rposition(|line| !line.is_empty());
    let expected = &step.expected[..end.map_or(0, |end| end + 1)];
    (!fits(expected, &lines)).then(|| {
        format!(
            "line {}: $ {}\nexpected\n{}\nprinted\n{printed}",
            step.line,
            step.command,
            expected.join("\n")
        )
    })
}

#[test]
fn the_tutorial_shows_what_its_commands_print() {
    let place = Place::new();
    let files = std::fs::read_dir(root().join("docs/tutorial")).expect("its files");
    for file in files {
        let file = file.expect("readable").path();
        let name = file.file_name().expect("a name");
        std::fs::copy(&file, place.path(&name.to_string_lossy())).expect("copied");
    }
    let page = std::fs::read_to_string(root().join("docs/tutorial.md")).expect("the page");
    let mut sections = sections(&page);
    let (title, preparation) = sections.remove(0);
    assert_eq!(title, "Files");
    let tasks = sections.len();
    assert_eq!(tasks, TASKS);
    for (title, steps) in &sections {
        assert!(steps.len() <= MOST_COMMANDS, "{title}");
    }
    let tasks = std::iter::once(&preparation).chain(sections.iter().map(|section| &section.1));
    let wrong: Vec<String> = tasks.flat_map(|steps| check_task(&place, steps)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn lines_are_compared_as_the_page_says() {
    for (expected, lines, result) in [
        ("a b", "a b", true),
        ("a b", "a c", false),
        ("a …", "a 12 ms", true),
        ("a … ms", "a 12 s", false),
        ("… b … d", "a b c d", true),
        ("… b … d", "a c d", false),
        ("a\n…\nd", "a\nb\nc\nd", true),
        ("a\n…\nd", "a\nd", true),
        ("a\n…\nd", "a\nb", false),
        ("a\n…", "a\nb\nc", true),
        ("a", "a\nb", false),
        ("a\nb", "a", false),
        ("", "", true),
    ] {
        let of = |text: &'static str| text.lines().collect::<Vec<_>>();
        assert_eq!(
            fits(&of(expected), &of(lines)),
            result,
            "{expected:?} {lines:?}"
        );
    }
    assert_eq!(words("a 'b c' \"d e\"  f=''"), ["a", "b c", "d e", "f="]);
}
