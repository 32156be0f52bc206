//! The parts of a command line that must not get out: it ends up in captures and on screens.
//!
//! Not every secret can be recognised. Words that have the name or the shape of one are hidden;
//! hiding too much only costs a word that the user might have liked to read.

/// The replacement of a secret.
pub(super) const HIDDEN: &str = "[hidden]";

/// A name with one of these in it names a secret.
const NAMES: [&str; 14] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "cookie",
    "credential",
    "apikey",
    "api_key",
    "api-key",
    "access_key",
    "access-key",
    "private_key",
    "authorization",
];
/// So does a name with one of these as a word of its own: `bypass` is none.
const WORDS: [&str; 3] = ["pass", "pwd", "pw"];
/// The beginnings of well-known tokens.
const TOKENS: [&str; 12] = [
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "sk-",
    "sk_live_",
    "eyJ",
];
/// Shorter ones are words.
const SHORTEST_TOKEN: usize = 16;
/// Characters that end a value within an argument; another value may follow.
const ENDS_OF_VALUES: &[char] = &['&', ';', ',', ' ', '"', '\'', '\n', '\t', '#'];

/// Hides the secrets among arguments: the text after
///
/// - a flag or a word that is named like one: `-setcookie X`, `-kernel secret X`, `--password X`,
/// - `=` after such a name: `--password=X`, `DB_PASS=X`, `?token=X`,
/// - such a name within an Erlang term or a piece of code, where it is the whole argument,
/// - `://` up to an `@`: user name and password of an address,
///
/// and words that have the shape of a well-known kind of token.
pub(super) fn hide_secrets(arguments: &mut [String]) {
    let mut next = Next::Shown;
    for argument in arguments {
        let is_flag = super::is_flag(argument) && !is_number(argument);
        next = match next {
            Next::HiddenUpToFlag if !is_flag => {
                HIDDEN.clone_into(argument);
                Next::HiddenUpToFlag
            }
            Next::Hidden if !is_flag => {
                HIDDEN.clone_into(argument);
                Next::Shown
            }
            _ if is_flag && !argument.contains('=') && names_secret(argument) => {
                Next::HiddenUpToFlag
            }
            _ if is_plain_name(argument) && names_secret(argument) => Next::Hidden,
            _ => {
                hide_within(argument);
                Next::Shown
            }
        };
    }
}

/// What happens to the next argument.
#[derive(Clone, Copy)]
enum Next {
    Shown,
    /// It is one value.
    Hidden,
    /// `-setcookie NODE COOKIE` exists too: every value up to the next flag.
    HiddenUpToFlag,
}

/// Hides the secrets in one argument.
fn hide_within(argument: &mut String) {
    let (before, after) = argument.split_once('=').unwrap_or((argument, ""));
    if is_assigned_name(before) && names_secret(before) && !after.is_empty() {
        *argument = format!("{before}={HIDDEN}");
        return;
    }
    let is_code = argument.contains(['{', '(', '[', '<', '"', '\'']) || argument.contains(": ");
    if is_code && names_secret(argument) {
        HIDDEN.clone_into(argument);
        return;
    }
    if let Some(shown) = without_named_values(argument) {
        *argument = shown;
    }
    if let Some(shown) = without_credentials(argument) {
        *argument = shown;
    }
    if argument.split(is_between_words).any(is_token) {
        HIDDEN.clone_into(argument);
    }
}

/// `https://host/?a=1&token=X` without X; `None` when there is nothing to hide.
fn without_named_values(argument: &str) -> Option<String> {
    let mut shown = String::new();
    let mut rest = argument;
    let mut is_changed = false;
    while let Some((before, after)) = rest.split_once('=') {
        let name = before.rsplit(['?', '&', ';', ',', ' ', '#']).next();
        shown.push_str(before);
        shown.push('=');
        rest = after;
        if name.is_some_and(names_secret) && !after.is_empty() {
            is_changed = true;
            shown.push_str(HIDDEN);
            rest = after.find(ENDS_OF_VALUES).map_or("", |end| &after[end..]);
        }
    }
    shown.push_str(rest);
    is_changed.then_some(shown)
}

/// `postgres://user:password@host` without the part before the `@`; `None` when there is none.
fn without_credentials(argument: &str) -> Option<String> {
    let mut shown = String::new();
    let mut rest = argument;
    let mut is_changed = false;
    while let Some((scheme, after)) = rest.split_once("://") {
        shown.push_str(scheme);
        shown.push_str("://");
        rest = after;
        let authority_end = after.find(['/', '?', '#', ' ', '"']).unwrap_or(after.len());
        // A password may contain a slash that is not written as %2F: then the `@` comes after it.
        let end = match after[..authority_end].rfind('@') {
            Some(at) => Some(at),
            None => after.find('@').filter(|at| after[..*at].contains(':')),
        };
        if let Some(at) = end {
            is_changed = true;
            shown.push_str(HIDDEN);
            rest = &after[at..];
        }
    }
    shown.push_str(rest);
    is_changed.then_some(shown)
}

fn names_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    let mut words = name.split(|c: char| !c.is_alphanumeric());
    NAMES.iter().any(|secret| name.contains(secret)) || words.any(|word| WORDS.contains(&word))
}

/// `db_password`, as application variables and variables of the environment are called.
fn is_plain_name(argument: &str) -> bool {
    let is_of_name = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    !super::is_flag(argument) && !argument.is_empty() && argument.chars().all(is_of_name)
}

/// Whether the text is a possible name before the `=` of a flag or a variable, not of an address.
fn is_assigned_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['/', '?', ' ', '{', '"', '('])
}

/// `+1` and `-1` are values.
fn is_number(argument: &str) -> bool {
    argument.parse::<f64>().is_ok()
}

fn is_between_words(c: char) -> bool {
    c.is_whitespace() || "\"'=,;:/?&@(){}[]<>".contains(c)
}

fn is_token(word: &str) -> bool {
    word.len() >= SHORTEST_TOKEN && TOKENS.iter().any(|start| word.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hidden(arguments: &[&str]) -> Vec<String> {
        let mut arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        hide_secrets(&mut arguments);
        arguments
    }

    #[test]
    fn values_after_names_of_secrets_are_hidden() {
        for (given, shown) in [
            (
                &["-setcookie", "X", "-noshell", "y"][..],
                &["-setcookie", HIDDEN, "-noshell", "y"][..],
            ),
            (
                &["-setcookie", "n@h", "X", "-x"],
                &["-setcookie", HIDDEN, HIDDEN, "-x"],
            ),
            (&["--password", "X", "y"], &["--password", HIDDEN, HIDDEN]),
            (&["--password=X=Y&Z"], &["--password=[hidden]"]),
            (&["DB_PASS=X"], &["DB_PASS=[hidden]"]),
            (
                &["-shop", "port", "1", "db_password", "X", "depth", "2"],
                &["-shop", "port", "1", "db_password", HIDDEN, "depth", "2"],
            ),
            (
                &["-kernel", "a", "1", "secret", "X"],
                &["-kernel", "a", "1", "secret", HIDDEN],
            ),
            (&["-env", "API_TOKEN", "X"], &["-env", "API_TOKEN", HIDDEN]),
            (&["-shop", "pw", "-1", "a"], &["-shop", "pw", HIDDEN, "a"]),
        ] {
            assert_eq!(hidden(given), shown);
        }
    }

    #[test]
    fn secrets_within_an_argument_are_hidden() {
        for (given, shown) in [
            ("postgres://shop:X@db/shop", "postgres://[hidden]@db/shop"),
            ("https://X@host/a", "https://[hidden]@host/a"),
            ("http://u:a/b@host/", "http://[hidden]@host/"),
            (
                "https://host/?a=1&token=X&b=2",
                "https://host/?a=1&token=[hidden]&b=2",
            ),
            ("--dsn=amqp://u:X@h", "--dsn=amqp://[hidden]@h"),
            ("[{password,\"X\"}]", HIDDEN),
            ("application:set_env(shop, secret, \"X\")", HIDDEN),
            ("Authorization: Bearer X", HIDDEN),
            ("--use=ghp_0123456789abcdef", HIDDEN),
            ("eyJhbGciOiJIUzI1NiJ9.e30.x", HIDDEN),
        ] {
            assert_eq!(hidden(&[given]), [shown], "{given}");
        }
    }

    #[test]
    fn what_is_no_secret_stays() {
        for argument in [
            "/usr/lib/token/erlang",
            "-root",
            "a@b",
            "https://host/path?a=1",
            "bypass",
            "-config",
            "/etc/secret.config",
            "[{port,80}]",
            "+S",
            "eyJ",
            "file:///a@b",
        ] {
            assert_eq!(hidden(&["beam.smp", argument]), ["beam.smp", argument]);
        }
        assert_eq!(
            hidden(&["-sname", "token_server", "-noshell"]),
            ["-sname", "token_server", "-noshell"]
        );
    }

    proptest! {
        #[test]
        fn what_follows_a_name_of_a_secret_never_gets_out(
            value in "[a-zA-Z0-9/@:=&;,\"{}\\[\\] ]{1,40}QQQ[a-zA-Z0-9/@:=&;,\" ]{0,9}"
        ) {
            for given in [
                vec![format!("--token={value}")],
                vec!["-setcookie".to_owned(), value.clone()],
                vec!["-shop".to_owned(), "password".to_owned(), value.clone()],
            ] {
                let mut arguments = given.clone();
                hide_secrets(&mut arguments);
                prop_assert!(!arguments.join(" ").contains("QQQ"), "{given:?}: {arguments:?}");
            }
        }

        #[test]
        fn garbage_never_panics(mut arguments in proptest::collection::vec(".{0,40}", 0..9)) {
            let before = arguments.len();
            hide_secrets(&mut arguments);
            prop_assert_eq!(arguments.len(), before);
        }
    }
}
