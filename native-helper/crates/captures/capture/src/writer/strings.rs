//! The string table as it grows over increments.

use std::collections::HashMap;

/// Strings remembered per generation. A capture of a node that spawns thousands of processes a
/// second sees new pids for ever, so not every string can be kept; one that comes back after it
/// was forgotten is simply written again, which pprof allows.
pub(crate) const GENERATION: usize = 8192;

/// Gives strings their index and collects those not yet written.
#[derive(Debug)]
pub(crate) struct StringTable {
    recent: HashMap<String, i64>,
    older: HashMap<String, i64>,
    new: Vec<String>,
    next: i64,
}

impl StringTable {
    pub(crate) fn new() -> Self {
        Self {
            recent: HashMap::new(),
            older: HashMap::new(),
            new: vec![String::new()],
            next: 1,
        }
    }

    /// The index of a string.
    pub(crate) fn intern(&mut self, text: &str) -> i64 {
        if text.is_empty() {
            return 0;
        }
        if let Some(&index) = self.recent.get(text) {
            return index;
        }
        let index = match self.older.get(text) {
            Some(&index) => index,
            None => self.push_unshared(text.to_owned()),
        };
        if self.recent.len() >= GENERATION {
            self.older = std::mem::take(&mut self.recent);
        }
        self.recent.insert(text.to_owned(), index);
        index
    }

    /// Adds a string that will not come again.
    pub(crate) fn push_unshared(&mut self, text: String) -> i64 {
        let index = self.next;
        self.next += 1;
        self.new.push(text);
        index
    }

    /// The strings added since the last call, in the order of their indices.
    pub(crate) fn take_new(&mut self) -> Vec<String> {
        std::mem::take(&mut self.new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_go_on_over_increments_and_forgetting() {
        let mut table = StringTable::new();
        let mut written = Vec::new();
        let mut given = Vec::new();
        for round in 0..3 {
            for number in 0..GENERATION * 2 {
                let text = format!("<0.{number}.0>");
                given.push((table.intern(&text), text));
            }
            written.extend(table.take_new());
            assert!(
                table.recent.len() + table.older.len() <= GENERATION * 2,
                "round {round}"
            );
        }
        assert_eq!(written[0], "");
        for (index, text) in given {
            assert_eq!(written[usize::try_from(index).unwrap()], text);
        }
    }

    #[test]
    fn a_string_in_use_is_written_once() {
        let mut table = StringTable::new();
        let first = table.intern("hot");
        for number in 0..GENERATION * 3 {
            table.intern(&number.to_string());
            assert_eq!(table.intern("hot"), first);
        }
    }
}
