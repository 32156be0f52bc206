//! A process as the list has it.

use std::rc::Rc;

use protocol::inside::{ProcessAlarms, ProcessGrouping};
use vm_processes::{Priority, Status};

/// A place in Erlang code, as far as it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// `gen_server:loop/7`.
    pub function: Option<Rc<str>>,
    /// Source file, as the VM has it.
    pub file: Option<Rc<str>>,
    /// Line there.
    pub line: Option<u32>,
}

/// A process. Texts are shared: of a hundred thousand processes most are called alike.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedProcess {
    /// Its pid as the node prints it.
    pub pid: Rc<str>,
    /// Its pid as a number that grows with the order in which they were made.
    pub number: u64,
    /// Its pid term.
    pub id: u64,
    /// Pid term of the process that started it.
    pub parent: Option<u64>,
    /// Registered name.
    pub name: Option<Rc<str>>,
    /// Label.
    pub label: Option<Rc<str>>,
    /// Whether it has none if it has none here.
    pub is_label_known: bool,
    /// The function it was started with.
    pub initial_call: Option<Rc<str>>,
    /// Its place in the code.
    pub current: Place,
    /// Its status.
    pub status: Status,
    /// How urgent it is.
    pub priority: Priority,
    /// Messages that wait.
    pub mailbox: u64,
    /// There may be more.
    pub is_mailbox_at_least: bool,
    /// Bytes.
    pub memory_bytes: u64,
    /// It may be more.
    pub is_memory_at_least: bool,
    /// Of that, bytes of messages.
    pub message_bytes: u64,
    /// Words of heap.
    pub heap_words: u64,
    /// Words of heap in use.
    pub heap_used_words: u64,
    /// Reductions of its life.
    pub reductions: u64,
    /// Minor collections since the last one of all.
    pub minor_gcs: u16,
    /// Bytes of binaries.
    pub binary_bytes: Option<u64>,
    /// Reductions for each second, not below zero; `None` when it is seen for the first time.
    pub reductions_per_second: Option<f64>,
    /// Collections for each second, likewise.
    pub collections_per_second: Option<f64>,
    /// The first of its ancestors.
    pub supervisor: Option<Rc<str>>,
    /// The last of its ancestors that has a name.
    pub application: Option<Rc<str>>,
}

impl ListedProcess {
    /// Its name in lists: registered name, else label, else initial call.
    pub fn called(&self) -> Option<&str> {
        [&self.name, &self.label, &self.initial_call]
            .into_iter()
            .flatten()
            .next()
            .map(AsRef::as_ref)
    }

    /// The key of its group; `None` for a list and a tree, and when the key is unknown.
    pub(crate) fn group(&self, grouping: ProcessGrouping) -> Option<&str> {
        match grouping {
            ProcessGrouping::None | ProcessGrouping::Tree => None,
            // Its label would be its name.
            ProcessGrouping::Name if self.name.is_none() && !self.is_label_known => None,
            ProcessGrouping::Name => self.called(),
            ProcessGrouping::InitialCall => self.initial_call.as_deref(),
            ProcessGrouping::Current => self.current.function.as_deref(),
            ProcessGrouping::Supervisor => self.supervisor.as_deref(),
            ProcessGrouping::Application => self.application.as_deref(),
        }
    }

    /// Whether it has a text, in lower case, in the fields that identify it and its place.
    pub(crate) fn has(&self, lower_case: &str) -> bool {
        let texts = [
            Some(&self.pid),
            self.name.as_ref(),
            self.label.as_ref(),
            self.initial_call.as_ref(),
            self.current.function.as_ref(),
        ];
        let mut texts = texts.into_iter().flatten();
        texts.any(|text| text.to_lowercase().contains(lower_case))
    }

    /// Whether it is alarming.
    pub(crate) fn alarms(&self, from: ProcessAlarms) -> bool {
        let reaches = |value: u64, from: Option<u64>| from.is_some_and(|from| value >= from);
        reaches(self.mailbox, from.mailbox) || reaches(self.memory_bytes, from.memory)
    }

    /// Whether it is alarming is not known: a value below the limit may be more.
    pub(crate) fn may_alarm(&self, from: ProcessAlarms) -> bool {
        let is_partly_read = self.is_mailbox_at_least && from.mailbox.is_some()
            || self.is_memory_at_least && from.memory.is_some();
        is_partly_read && !self.alarms(from)
    }
}
