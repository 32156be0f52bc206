//! `/proc/PID/cmdline` of an Erlang VM: its arguments and the node name among them.

mod secrets;

use secrets::hide_secrets;

/// How a node is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeName {
    /// As given: `rabbit@host`, or without the host part when the VM adds it.
    pub name: String,
    /// `-name` (with domain) rather than `-sname`.
    pub is_long: bool,
}

/// Longest argument list that is kept.
const MAX_ARGUMENTS: usize = 4096;

/// Splits `/proc/PID/cmdline` into arguments, without the secrets among them (cookies, passwords,
/// tokens, credentials of addresses): `[hidden]` stands in their place.
#[must_use]
pub fn parse_command_line(cmdline: &[u8]) -> Vec<String> {
    let cmdline = cmdline.strip_suffix(b"\0").unwrap_or(cmdline);
    if cmdline.is_empty() {
        return Vec::new();
    }
    let mut arguments: Vec<String> = cmdline
        .split(|&byte| byte == 0)
        .take(MAX_ARGUMENTS)
        .map(|argument| String::from_utf8_lossy(argument).into_owned())
        .collect();
    hide_secrets(&mut arguments);
    arguments
}

fn is_flag(argument: &str) -> bool {
    argument.starts_with('-') || argument.starts_with('+')
}

/// The node name in the arguments of an emulator; none for a VM that is not a node, or has become
/// one later.
///
/// The emulator is started as `beam.smp +S 2 -- -root DIR -- -home DIR -- -sname NAME ...`: the
/// `--` only part groups and are skipped; after `-extra` everything belongs to the application.
#[must_use]
pub fn node_name(arguments: &[String]) -> Option<NodeName> {
    let mut arguments = arguments
        .iter()
        .skip(1)
        .map(String::as_str)
        .take_while(|&a| a != "-extra");
    while let Some(argument) = arguments.next() {
        let is_long = match argument {
            "-name" => true,
            "-sname" => false,
            _ => continue,
        };
        let name = arguments.next()?;
        return (!name.is_empty() && !is_flag(name)).then(|| NodeName {
            name: name.to_owned(),
            is_long,
        });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn arguments(line: &str) -> Vec<String> {
        parse_command_line(line.replace(' ', "\0").as_bytes())
    }

    #[test]
    fn finds_short_and_long_names() {
        let short = arguments("beam.smp -- -root /r -progname erl -- -home /root -- -sname a -x");
        assert_eq!(
            node_name(&short),
            Some(NodeName {
                name: "a".into(),
                is_long: false
            })
        );
        let long = arguments("beam.smp -S 1:1 -- -- -- -name b@c.d -setcookie q");
        assert_eq!(
            node_name(&long),
            Some(NodeName {
                name: "b@c.d".into(),
                is_long: true
            })
        );
    }

    #[test]
    fn no_name_when_there_is_none() {
        assert_eq!(
            node_name(&arguments("beam.smp -- -home /root -- -noshell")),
            None
        );
        assert_eq!(node_name(&arguments("beam.smp -- -extra -sname a")), None);
        assert_eq!(node_name(&arguments("beam.smp -sname")), None);
        assert_eq!(node_name(&arguments("beam.smp -sname -noshell")), None);
        assert_eq!(node_name(&[]), None);
    }

    #[test]
    fn cookies_do_not_get_out() {
        let both = arguments("beam.smp -setcookie secret -setcookie n@h secret -noshell x");
        assert_eq!(
            both.join(" "),
            "beam.smp -setcookie [hidden] -setcookie [hidden] [hidden] -noshell x"
        );
    }

    #[test]
    fn empty_arguments_are_kept_and_no_text_is_no_arguments() {
        assert_eq!(parse_command_line(b"a\0\0b\0"), ["a", "", "b"]);
        assert!(parse_command_line(b"").is_empty());
    }

    proptest! {
        #[test]
        fn garbage_never_panics(text in proptest::collection::vec(any::<u8>(), 0..512)) {
            let _ = node_name(&parse_command_line(&text));
        }
    }
}
