//! The part of Gherkin that the kit is written in: features, backgrounds, scenarios,
//! outlines with examples, steps with texts or tables.

use crate::scenario::Malformed;

/// A scenario; an outline is one for each of its examples.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// Its title.
    pub name: String,
    /// Number of its example, from 1.
    pub example: Option<usize>,
    /// With `@`.
    pub tags: Vec<String>,
    /// Steps, also those of the background.
    pub steps: Vec<Step>,
}

/// A step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Without its keyword.
    pub text: String,
    /// The text between `"""` below it, if there is one.
    pub document: Option<String>,
    /// Rows of the table below it.
    pub table: Vec<Vec<String>>,
}

const KEYWORDS: [&str; 5] = ["Given ", "When ", "Then ", "And ", "But "];

/// Where steps go.
#[derive(PartialEq, Eq)]
enum Section {
    Feature,
    Background,
    Scenario,
    Examples,
}

/// Reads the scenarios of a feature.
///
/// # Errors
/// The first line that has no known form.
pub fn read(text: &str) -> Result<Vec<Lines>, Malformed> {
    let mut found = Vec::new();
    let mut background: Vec<Step> = Vec::new();
    let mut current: Option<(Lines, Vec<Vec<String>>)> = None;
    let mut section = Section::Feature;
    let mut tags: Vec<String> = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let malformed = |what: &str| Malformed(format!("line {}: {what}: {line}", number + 1));
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        if trimmed.starts_with('@') {
            tags.extend(trimmed.split_whitespace().map(str::to_string));
            continue;
        }
        if trimmed.starts_with("Feature:") {
            tags.clear();
            continue;
        }
        if trimmed == "Background:" {
            section = Section::Background;
            continue;
        }
        let title = ["Scenario:", "Scenario Outline:"];
        if let Some(name) = title.iter().find_map(|title| trimmed.strip_prefix(title)) {
            expand(current.take(), &mut found);
            let scenario = Lines {
                name: name.trim().to_string(),
                example: None,
                tags: std::mem::take(&mut tags),
                steps: background.clone(),
            };
            current = Some((scenario, Vec::new()));
            section = Section::Scenario;
            continue;
        }
        if trimmed == "Examples:" {
            section = Section::Examples;
            if let Some((_, examples)) = &mut current {
                examples.clear();
            }
            continue;
        }
        let steps = match (&section, &mut current) {
            (Section::Background, _) => &mut background,
            (Section::Scenario, Some((scenario, _))) => &mut scenario.steps,
            (Section::Examples, Some((_, examples))) => {
                examples.push(cells(trimmed).ok_or_else(|| malformed("no row"))?);
                continue;
            }
            // A description.
            _ => continue,
        };
        if let Some(text) = KEYWORDS
            .iter()
            .find_map(|keyword| trimmed.strip_prefix(keyword))
        {
            steps.push(Step {
                text: text.trim().to_string(),
                ..Step::default()
            });
            continue;
        }
        let step = steps.last_mut().ok_or_else(|| malformed("no step"))?;
        if trimmed == "\"\"\"" {
            let indent = line.len() - line.trim_start().len();
            let mut document = Vec::new();
            loop {
                let Some((_, line)) = lines.next() else {
                    return Err(malformed("a text without an end"));
                };
                if line.trim() == "\"\"\"" {
                    break;
                }
                let blanks = line.len() - line.trim_start().len();
                document.push(&line[blanks.min(indent)..]);
            }
            step.document = Some(document.join("\n"));
        } else {
            step.table
                .push(cells(trimmed).ok_or_else(|| malformed("no step"))?);
        }
    }
    expand(current, &mut found);
    Ok(found)
}

/// Cells of a row, in which `\|`, `\n` and `\\` are escapes.
fn cells(row: &str) -> Option<Vec<String>> {
    let inner = row.strip_prefix('|')?;
    // A table without columns.
    if inner.is_empty() {
        return Some(Vec::new());
    }
    let inner = inner.strip_suffix('|')?;
    let mut cells = vec![String::new()];
    let mut letters = inner.chars();
    while let Some(letter) = letters.next() {
        let cell = cells.last_mut()?;
        match letter {
            '|' => cells.push(String::new()),
            '\\' => match letters.next() {
                Some('n') => cell.push('\n'),
                Some(escaped @ ('|' | '\\')) => cell.push(escaped),
                other => {
                    cell.push('\\');
                    cell.extend(other);
                }
            },
            letter => cell.push(letter),
        }
    }
    Some(cells.iter().map(|cell| cell.trim().to_string()).collect())
}

/// Adds a scenario, or one for each of its examples.
fn expand(scenario: Option<(Lines, Vec<Vec<String>>)>, found: &mut Vec<Lines>) {
    let Some((scenario, examples)) = scenario else {
        return;
    };
    let Some((names, rows)) = examples.split_first() else {
        found.push(scenario);
        return;
    };
    for (number, row) in rows.iter().enumerate() {
        let fill = |text: &str| {
            let pairs = names.iter().zip(row);
            pairs.fold(text.to_string(), |text, (name, value)| {
                text.replace(&format!("<{name}>"), value)
            })
        };
        let step = |step: &Step| Step {
            text: fill(&step.text),
            document: step.document.as_deref().map(fill),
            table: {
                let row = |row: &Vec<String>| row.iter().map(|cell| fill(cell)).collect();
                step.table.iter().map(row).collect()
            },
        };
        found.push(Lines {
            name: fill(&scenario.name),
            example: Some(number + 1),
            tags: scenario.tags.clone(),
            steps: scenario.steps.iter().map(step).collect(),
        });
    }
}
