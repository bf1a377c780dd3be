//! The line editor: several lines until a semicolon, history, completion.

use std::borrow::Cow;
use std::fs::{DirBuilder, OpenOptions, Permissions, set_permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use evergraph::query::keywords;
use reedline::{
    ColumnarMenu, Completer, CompletionResult, EditMode, Emacs, FileBackedHistory, KeyCode,
    KeyModifiers, MenuBuilder, Prompt, PromptEditMode, PromptHistorySearch, Reedline,
    ReedlineEvent, ReedlineMenu, ReedlineRawEvent, Signal, Span, Suggestion, ValidationResult,
    Validator, default_emacs_keybindings,
};

use super::commands::command_meant;
use super::completion::{Names, complete};
use crate::query::script::is_whole;

/// Statements that are remembered.
const REMEMBERED: usize = 10_000;

/// What was entered.
pub enum Entered {
    /// A command or statements.
    Text(String),
    /// Ctrl-C: the line is given up.
    Nothing,
    /// Ctrl-D.
    End,
}

/// Reads from a terminal.
pub struct Editor {
    reedline: Reedline,
    names: Arc<Mutex<Names>>,
    typed: Typed,
}

impl Editor {
    /// With the history of earlier conversations, if there is a place for it.
    pub fn new() -> Self {
        let names = Arc::new(Mutex::new(Names::default()));
        let menu = ColumnarMenu::default().with_name("completion");
        let mut keys = default_emacs_keybindings();
        let menu_or_next = vec![
            ReedlineEvent::Menu("completion".to_string()),
            ReedlineEvent::MenuNext,
        ];
        keys.add_binding(
            KeyModifiers::NONE,
            KeyCode::Tab,
            ReedlineEvent::UntilFound(menu_or_next),
        );
        let typed = Typed::default();
        let mut reedline = Reedline::create()
            .with_validator(Box::new(Whole(typed.clone())))
            .with_completer(Box::new(Words(Arc::clone(&names))))
            // Tab takes the only way to go on, or as far as all ways agree.
            .with_quick_completions(true)
            // Tabs of a text that is pasted complete nothing.
            .use_bracketed_paste(true)
            .with_partial_completions(true)
            .with_menu(ReedlineMenu::EngineCompleter(Box::new(menu)))
            .with_edit_mode(Box::new(Watched(Emacs::new(keys), typed.clone())))
            .with_ansi_colors(std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()));
        // A history that cannot be kept is no reason not to work.
        let file = history().filter(|file| keep_private(file).is_ok());
        if let Some(Ok(history)) = file.map(|file| FileBackedHistory::with_file(REMEMBERED, file)) {
            reedline = reedline.with_history(Box::new(history));
        }
        Editor {
            reedline,
            names,
            typed,
        }
    }

    /// Tells the names that words may become.
    pub fn know(&mut self, names: Names) {
        *self.names.lock().unwrap_or_else(PoisonError::into_inner) = names;
    }

    /// Waits for a command or a statement.
    pub fn read(&mut self, prompt: &str) -> io::Result<Entered> {
        let prompt = Plain(prompt.to_string(), self.typed.clone());
        let signal = self.reedline.read_line(&prompt)?;
        // What is entered stays, also if the program is killed.
        let _ = self.reedline.sync_history();
        Ok(match signal {
            Signal::Success(text) => Entered::Text(text),
            Signal::CtrlD => Entered::End,
            _ => Entered::Nothing,
        })
    }
}

/// `evergraph/history` where the system keeps the state of programs.
fn history() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|path| !path.is_empty());
    let directory = match (variable("XDG_STATE_HOME"), variable("HOME")) {
        (Some(state), _) => PathBuf::from(state),
        (None, Some(home)) => PathBuf::from(home).join(".local/state"),
        (None, None) => return None,
    };
    Some(directory.join("evergraph").join("history"))
}

/// Makes the file, which others may not read: statements can have secrets in them.
fn keep_private(file: &Path) -> io::Result<()> {
    let directory = file.parent().unwrap_or(Path::new("."));
    let mut builder = DirBuilder::new();
    builder.recursive(true).mode(0o700).create(directory)?;
    let mut options = OpenOptions::new();
    options.create(true).append(true).mode(0o600).open(file)?;
    // Of one that was there before, too.
    set_permissions(directory, Permissions::from_mode(0o700))?;
    set_permissions(file, Permissions::from_mode(0o600))
}

/// Keys that came at once, as of lines that are pasted: of those behind the one that ends a
/// text, reedline would keep nothing.
#[derive(Clone, Default)]
struct Typed(Arc<Mutex<Keys>>);

#[derive(Default)]
struct Keys {
    /// Ends of lines that were read and not looked at.
    ends_of_lines: usize,
    /// Whether the last key is one.
    is_at_end: bool,
}

impl Typed {
    fn keys(&self) -> MutexGuard<'_, Keys> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of a key.
    fn add(&self, is_end_of_line: bool) {
        let mut keys = self.keys();
        keys.ends_of_lines += usize::from(is_end_of_line);
        keys.is_at_end = is_end_of_line;
    }

    /// Passes the end of a line; whether there are keys behind it.
    fn pass(&self) -> bool {
        let mut keys = self.keys();
        keys.ends_of_lines = keys.ends_of_lines.saturating_sub(1);
        keys.ends_of_lines > 0 || !keys.is_at_end
    }

    /// Forgets ends of lines that chose something in a menu: all keys are done.
    fn clear(&self) {
        self.keys().ends_of_lines = 0;
    }
}

/// Takes note of keys as they are read.
struct Watched(Emacs, Typed);

impl EditMode for Watched {
    fn parse_event(&mut self, event: ReedlineRawEvent) -> ReedlineEvent {
        let event = self.0.parse_event(event);
        match event {
            ReedlineEvent::Enter => self.1.add(true),
            ReedlineEvent::Edit(_) => self.1.add(false),
            // Ctrl-D and the like are no text.
            _ => {}
        }
        event
    }

    fn edit_mode(&self) -> PromptEditMode {
        self.0.edit_mode()
    }
}

/// A text is whole if its last part is, and no more has been typed.
struct Whole(Typed);

impl Validator for Whole {
    fn validate(&self, text: &str) -> ValidationResult {
        if self.0.pass() {
            return ValidationResult::Incomplete;
        }
        let (before, last) = text.rsplit_once('\n').unwrap_or(("", text));
        let ends = command_meant(last).is_some() && is_whole(before);
        match is_whole(text) || ends {
            true => ValidationResult::Complete,
            false => ValidationResult::Incomplete,
        }
    }
}

/// Completes words.
struct Words(Arc<Mutex<Names>>);

impl Completer for Words {
    fn complete(&mut self, line: &str, place: usize) -> CompletionResult {
        let names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (begin, found) = complete(line, place, &names);
        let keywords = keywords();
        let suggestions = found.into_iter().map(|value| Suggestion {
            // Behind a label or a property stands a sign more often than a blank.
            append_whitespace: keywords.contains(&value.as_str()),
            span: Span::new(begin, place),
            value,
            ..Suggestion::default()
        });
        CompletionResult::fresh(suggestions.collect::<Vec<_>>())
    }
}

/// A prompt of one word.
struct Plain(String, Typed);

impl Prompt for Plain {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        // It is painted behind the last key that was read.
        self.1.clear();
        Cow::Borrowed(&self.0)
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_indicator(&self, _: PromptEditMode) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        Cow::Owned(format!("{:>width$}", "-> ", width = self.0.len()))
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        Cow::Owned(format!("(search: {}) ", search.term))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The keys of a text, read at once; whether it is whole at the end of each line.
    fn wholes(typed: &Typed, text: &str) -> Vec<bool> {
        text.chars().for_each(|key| typed.add(key == '\n'));
        let whole = Whole(typed.clone());
        let ends = text.match_indices('\n');
        ends.map(|(end, _)| matches!(whole.validate(&text[..end]), ValidationResult::Complete))
            .collect()
    }

    /// Only the last line can be given to the shell, or those behind it would be lost.
    #[test]
    fn lines_that_come_at_once_are_whole_at_their_end() {
        let typed = Typed::default();
        assert_eq!(wholes(&typed, "RETURN 1;\n"), [true]);
        assert_eq!(wholes(&typed, "RETURN 1\n"), [false]);
        assert_eq!(wholes(&typed, "RETURN 3;\nRETURN 4;\n"), [false, true]);
        assert_eq!(wholes(&typed, "RETURN 3;\nRETURN"), [false]);
        assert_eq!(wholes(&typed, ":timing\n\nquit\n"), [false, false, true]);
        // The end of a line that chose something in a menu was not asked about.
        typed.add(true);
        let prompt = Plain(String::new(), typed.clone());
        prompt.render_prompt_left();
        assert_eq!(wholes(&typed, "RETURN 1;\n"), [true]);
    }

    #[test]
    fn others_do_not_read_the_history() {
        let place = tempfile::tempdir().expect("a directory");
        let file = place.path().join("state/evergraph/history");
        let mode = |path: &Path| path.metadata().expect("there").permissions().mode() & 0o777;
        for _ in 0..2 {
            keep_private(&file).expect("made");
            let directory = file.parent().expect("it has one");
            assert_eq!([mode(directory), mode(&file)], [0o700, 0o600]);
            set_permissions(directory, Permissions::from_mode(0o755)).expect("set");
            set_permissions(&file, Permissions::from_mode(0o644)).expect("set");
        }
    }
}
