//! The line editor: several lines until a semicolon, history, completion.

use std::borrow::Cow;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use evergraph::query::keywords;
use reedline::{
    ColumnarMenu, Completer, CompletionResult, Emacs, FileBackedHistory, KeyCode, KeyModifiers,
    MenuBuilder, Prompt, PromptEditMode, PromptHistorySearch, Reedline, ReedlineEvent,
    ReedlineMenu, Signal, Span, Suggestion, ValidationResult, Validator, default_emacs_keybindings,
};

use super::completion::{Names, complete};
use crate::query::script::ends;

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
        let mut reedline = Reedline::create()
            .with_validator(Box::new(Whole))
            .with_completer(Box::new(Words(Arc::clone(&names))))
            // Tab takes the only way to go on, or as far as all ways agree.
            .with_quick_completions(true)
            .with_partial_completions(true)
            .with_menu(ReedlineMenu::EngineCompleter(Box::new(menu)))
            .with_edit_mode(Box::new(Emacs::new(keys)))
            .with_ansi_colors(std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()));
        // A history that cannot be kept is no reason not to work.
        if let Some(Ok(history)) =
            history().map(|file| FileBackedHistory::with_file(REMEMBERED, file))
        {
            reedline = reedline.with_history(Box::new(history));
        }
        Editor { reedline, names }
    }

    /// Tells the names that words may become.
    pub fn know(&mut self, names: Names) {
        *self.names.lock().unwrap_or_else(PoisonError::into_inner) = names;
    }

    /// Waits for a command or a statement.
    pub fn read(&mut self, prompt: &str) -> io::Result<Entered> {
        let prompt = Plain(prompt.to_string());
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
    let state = std::env::var_os("XDG_STATE_HOME").filter(|path| !path.is_empty());
    let directory = match (state, std::env::var_os("HOME")) {
        (Some(state), _) => PathBuf::from(state),
        (None, Some(home)) => PathBuf::from(home).join(".local/state"),
        (None, None) => return None,
    };
    Some(directory.join("evergraph").join("history"))
}

/// A text is whole if it is a command, ends with a semicolon, or is empty.
struct Whole;

impl Validator for Whole {
    fn validate(&self, text: &str) -> ValidationResult {
        let text = text.trim();
        match text.is_empty() || text.starts_with(':') || ends(text.as_bytes()) {
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
struct Plain(String);

impl Prompt for Plain {
    fn render_prompt_left(&self) -> Cow<'_, str> {
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
