//! The row about symbols of the code that a VM runs.

use std::collections::BTreeSet;

use attach::TargetObjects;
use debuginfod::{Servers, Wish};
use protocol::discovery::DoctorStatus::{Ok as Good, Warn};
use protocol::message::texts;

use super::check::DoctorCheck;
use super::checked_row::{CheckedRow, Mend, row};

/// Most names in a list.
const LISTED: usize = 12;

/// Shows the objects without full symbols, the servers that could supply them, and the remedy. Symbols of libraries
/// such as the C library are optional; missing symbols of the VM cause a warning.
pub fn c_names_row(pid: u32, objects: &TargetObjects) -> CheckedRow {
    let nameless: Vec<&str> = objects
        .without_names()
        .map(|object| object.name())
        .collect();
    let servers = Servers::of(&Wish::IfEnvironmentSays).list;
    let servers: Vec<String> = servers.iter().map(ToString::to_string).collect();
    let found = match (nameless.is_empty(), servers.is_empty()) {
        (true, _) => texts::FOUND_ALL_NAMED.text(),
        (false, true) => texts::FOUND_NOT_NAMED.with(&[("objects", &listed(&nameless))]),
        (false, false) => texts::FOUND_NOT_NAMED_BY_SERVERS.with(&[
            ("objects", &listed(&nameless)),
            ("servers", &servers.join(", ")),
        ]),
    };
    let status = match objects.lacks_names_of_vm() {
        true => Warn,
        false => Good,
    };
    let mend = Mend::Advice(texts::TO_GET_NAMES.with(&[("pid", &pid)]));
    let needed = texts::NEED_C_NAMES.text();
    row(DoctorCheck::CNames, status, found, needed, Some(mend))
}

/// Each name once, in the order of their first sight.
fn listed(names: &[&str]) -> String {
    let mut seen = BTreeSet::new();
    let mut names = names.iter().copied().filter(|name| seen.insert(*name));
    let mut text = names.by_ref().take(LISTED).collect::<Vec<_>>().join(", ");
    if names.next().is_some() {
        text.push_str(", ...");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_listed_once_and_not_without_end() {
        assert_eq!(listed(&["b", "a", "b"]), "b, a");
        let many: Vec<String> = (0..100).map(|number| number.to_string()).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(listed(&many).ends_with("10, 11, ..."));
    }

    #[test]
    fn objects_with_symbols_are_well() {
        let none = c_names_row(7, &TargetObjects::new(7));
        assert_eq!((none.shown.status, none.shown.fix), (Good, None));
    }
}
