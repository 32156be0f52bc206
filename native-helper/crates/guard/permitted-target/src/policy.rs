//! What root allows beyond one's own VMs: a small part of TOML, and nothing but that part.
//!
//! ```toml
//! [users]
//! alice = ["rabbitmq", 100999]
//! [groups]
//! ops = ["rabbitmq"]
//! ```
//!
//! The left side names the users who may look, the right side the owners of the VMs. Numbers are
//! user ids of this machine, also those that users of containers have outside.

use thiserror::Error;

use crate::accounts::AccountList;

/// Lines that are read at most.
const MAX_LINES: usize = 10_000;

/// The fault of a policy. It then allows nothing at all.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {what}")]
pub struct PolicyError {
    /// Line, from 1.
    pub line: usize,
    /// The fault.
    pub what: &'static str,
}

/// The users that may read the VMs of other owners.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    rules: Vec<Rule>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    who: Who,
    name: String,
    targets: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Who {
    User,
    Group,
}

impl Policy {
    /// Reads a policy.
    ///
    /// # Errors
    /// For any line that is not of the part of TOML described above: a line that is not understood could be a
    /// prohibition.
    pub fn parse(text: &str) -> Result<Self, PolicyError> {
        let mut rules: Vec<Rule> = Vec::new();
        let mut section = None;
        // Editors of other systems begin a file with it.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (index, line) in text.lines().enumerate() {
            let fault = |what| PolicyError {
                line: index + 1,
                what,
            };
            if index >= MAX_LINES {
                return Err(fault("more lines than any policy needs"));
            }
            match without_comment(line).trim() {
                "" => {}
                "[users]" => section = Some(Who::User),
                "[groups]" => section = Some(Who::Group),
                rule => {
                    let who = section.ok_or(fault("it comes before [users] or [groups]"))?;
                    let rule = parse_rule(rule, who).map_err(fault)?;
                    let is_same = |it: &Rule| (it.who, &it.name) == (rule.who, &rule.name);
                    if rules.iter().any(is_same) {
                        return Err(fault("that name is there already"));
                    }
                    rules.push(rule);
                }
            }
        }
        Ok(Self { rules })
    }

    /// Whether a user with those groups may read VMs of `target`.
    pub fn allows(
        &self,
        uid: u32,
        groups: &[u32],
        target: u32,
        (user_list, group_list): (&AccountList, &AccountList),
    ) -> bool {
        self.rules.iter().any(|rule| {
            let is_caller = match rule.who {
                Who::User => user_list.id(&rule.name) == Some(uid),
                Who::Group => group_list
                    .id(&rule.name)
                    .is_some_and(|gid| groups.contains(&gid)),
            };
            is_caller
                && rule
                    .targets
                    .iter()
                    .any(|name| user_list.id(name) == Some(target))
        })
    }
}

/// Quotes hold no `#`: [`parse_name`] refuses it.
fn without_comment(line: &str) -> &str {
    line.split_once('#').map_or(line, |(rule, _)| rule)
}

fn parse_rule(text: &str, who: Who) -> Result<Rule, &'static str> {
    const SHAPE: &str = "it is not of the form name = [\"user\", 1234]";
    let (name, targets) = text.split_once('=').ok_or(SHAPE)?;
    let list = targets
        .trim()
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .ok_or(SHAPE)?
        .trim();
    // TOML allows a comma after the last one.
    let list = list.strip_suffix(',').unwrap_or(list);
    let targets = match list.is_empty() {
        true => Vec::new(),
        false => list
            .split(',')
            .map(parse_target)
            .collect::<Result<_, _>>()?,
    };
    Ok(Rule {
        who,
        name: parse_key(name.trim())?,
        targets,
    })
}

fn parse_key(text: &str) -> Result<String, &'static str> {
    match unquoted(text) {
        Some(name) => parse_name(name),
        None if text.contains('.') => Err("a name with a dot must be in quotes"),
        None => parse_name(text),
    }
}

fn parse_target(text: &str) -> Result<String, &'static str> {
    let text = text.trim();
    match unquoted(text) {
        Some(name) => parse_name(name),
        None if text.parse::<u32>().is_ok() => Ok(text.to_owned()),
        None => Err("a user is a name in quotes or a number"),
    }
}

fn unquoted(text: &str) -> Option<&str> {
    text.strip_prefix('"')?.strip_suffix('"')
}

fn parse_name(name: &str) -> Result<String, &'static str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.@$".contains(c);
    match !name.is_empty() && name.len() <= 256 && name.chars().all(is_plain) {
        true => Ok(name.to_owned()),
        false => Err("that is no name of a user or group"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "# who may look at whose VMs\n[users]\n1000 = [\"2000\", 3000] # broker\n\n[groups]\n\"50\" = [2000,]\nempty = []\n";

    fn allows(text: &str, uid: u32, groups: &[u32], target: u32) -> bool {
        let lists = (&AccountList::default(), &AccountList::default());
        Policy::parse(text)
            .unwrap()
            .allows(uid, groups, target, lists)
    }

    #[test]
    fn users_and_groups_may_read_the_allowed_users_and_no_others() {
        assert!(allows(TEXT, 1000, &[], 2000) && allows(TEXT, 1000, &[], 3000));
        assert!(!allows(TEXT, 1000, &[], 0) && !allows(TEXT, 1001, &[], 2000));
        assert!(allows(TEXT, 7, &[9, 50], 2000) && !allows(TEXT, 7, &[9, 50], 3000));
        // A group's number is no user's.
        assert!(!allows(TEXT, 50, &[1000], 3000));
        assert!(!allows("", 1000, &[], 2000));
    }

    #[test]
    fn what_other_systems_write_is_read_and_a_name_stands_once() {
        let theirs = format!("\u{feff}{}", TEXT.replace('\n', "\r\n"));
        assert!(allows(&theirs, 1000, &[], 2000));
        let twice = "[users]\na = [1]\n[groups]\na = [1]\n[users]\na = [2]\n";
        let fault = Policy::parse(twice).unwrap_err();
        assert_eq!((fault.line, fault.what), (6, "that name is there already"));
    }

    #[test]
    fn what_is_not_understood_is_refused_with_its_line() {
        for (text, line) in [
            ("alice = [1]", 1),
            ("[users]\nalice = 1", 2),
            ("[users]\nalice = [bob]", 2),
            ("[users]\n\nalice = [\"a b\"]", 3),
            ("[users]\na.b = [1]", 2),
            ("[users]\nalice = [\"x\"", 2),
            ("[user]\n", 1),
            ("[users]\nalice = [-1]", 2),
            ("[users]\n= [1]", 2),
            ("[users]\nalice = [1,,2]", 2),
        ] {
            assert_eq!(Policy::parse(text).unwrap_err().line, line, "{text}");
        }
    }

    proptest! {
        #[test]
        fn garbage_never_panics(text in "\\PC*") {
            let _ = Policy::parse(&text);
            let _ = Policy::parse(&format!("[users]\n{text}"));
        }
    }
}
