//! Why something does not work, and its fix: in English, as codes, and as a command.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::message::{Message, Messages, Text};

/// What an editor gets beside English texts: their codes, and the command that fixes the fault.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct ActionableMessages {
    /// Codes and arguments of the texts above that have words.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "ts-rs", ts(as = "Option<Messages>", optional))]
    pub messages: Messages,
    /// The shell command that fixes it; absent when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub command: Option<String>,
}

/// What did not work, why, and what to do. Displayed as one line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct Explanation {
    /// What did not work, one line.
    pub what: String,
    /// Why.
    pub why: String,
    /// What to do.
    pub fix: String,
    /// The same for editors.
    #[serde(flatten)]
    pub actionable: ActionableMessages,
}

impl Explanation {
    /// What happened and what to do.
    pub fn new(what: Text, fix: Text) -> Self {
        let mut messages = Messages::new();
        Self {
            what: what.with_message("what", &mut messages),
            why: String::new(),
            fix: fix.with_message("fix", &mut messages),
            actionable: ActionableMessages {
                messages,
                command: None,
            },
        }
    }

    /// Adds the reason.
    #[must_use]
    pub fn because(mut self, why: Text) -> Self {
        self.why = why.with_message("why", &mut self.actionable.messages);
        self
    }

    /// Adds the shell command that fixes it.
    #[must_use]
    pub fn mended_by(mut self, command: &str) -> Self {
        self.actionable.command = Some(command.to_owned());
        self
    }

    /// The same in words for users without a command line.
    #[must_use]
    pub fn without_command_line(mut self) -> Self {
        let messages = &self.actionable.messages;
        let in_editor_of = |member: &str| messages.get(member).and_then(Message::in_editor);
        let (what, why, fix) = (
            in_editor_of("what"),
            in_editor_of("why"),
            in_editor_of("fix"),
        );
        self.what = what.unwrap_or(self.what);
        self.why = why.unwrap_or(self.why);
        self.fix = fix.unwrap_or(self.fix);
        self
    }

    /// What did not work, with its code.
    pub fn what_text(&self) -> Text {
        self.text("what", &self.what)
    }

    /// What to do, with its code.
    pub fn fix_text(&self) -> Text {
        self.text("fix", &self.fix)
    }

    fn text(&self, member: &str, english: &str) -> Text {
        Text {
            english: english.to_owned(),
            message: self.actionable.messages.get(member).cloned(),
        }
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [&self.what, &self.why, &self.fix];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        let line = parts.map(String::as_str).collect::<Vec<_>>().join("; ");
        f.write_str(&line.replace('\n', " "))
    }
}
