//! The result of a fetch.

use std::path::PathBuf;

/// A debug file that is in the cache now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// The object, by its name in reports.
    pub object: String,
    /// The file.
    pub path: PathBuf,
    /// Its length.
    pub bytes: u64,
    /// The server that had it.
    pub server: String,
}

/// The failure, for callers that report it in another language. Texts of a server, of curl or of
/// the system are in it unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// An invalid address.
    NotAsked {
        /// The address, and why.
        address: String,
    },
    /// No variable names a folder to keep files in, and there is no home.
    NoFolder,
    /// This program has rights that its caller does not have.
    SetUserId,
    /// The folder to keep files in is another user's.
    NotOurs {
        /// The folder.
        path: String,
    },
    /// There is no curl.
    NoCurl,
    /// It cannot be started.
    CurlNotStarted {
        /// The error of the system.
        detail: String,
    },
    /// It sends more than the limit.
    TooLarge {
        /// The limit, bytes.
        limit: u64,
    },
    /// It does not answer, or too slowly.
    Slow {
        /// The error of curl.
        detail: String,
    },
    /// No connection comes about.
    Unreachable {
        /// The error of curl.
        detail: String,
    },
    /// All transfers together took too long.
    NoTimeLeft,
    /// It sends another file.
    Unproven {
        /// The difference.
        detail: String,
    },
    /// The file cannot be written.
    NotWritten {
        /// The error of the system.
        detail: String,
    },
    /// The file cannot be kept.
    NotKept {
        /// The error of the system.
        detail: String,
    },
    /// The text of the server, curl or the system is all there is.
    Other,
}

/// The kind of a failure: failures of one kind and one server are reported once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// No server could be queried.
    Impossible,
    /// It hangs, or cannot be reached.
    NoAnswer,
    /// It sends too much.
    TooLarge,
    /// Its answer is not a file.
    Failed,
    /// Its answer is another file.
    Unproven,
    /// The file cannot be kept.
    NotKept,
}

/// Objects that have no debug file for one and the same reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    kind: Kind,
    /// The server; `None` when none could be queried.
    pub server: Option<String>,
    /// Why not.
    pub problem: Problem,
    /// The same in English.
    pub reason: String,
    /// The objects.
    pub objects: Vec<String>,
}

/// All of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Objects that have their names now.
    pub fetched: Vec<Fetched>,
    /// Objects whose debug files no server has.
    pub nobody_has: Vec<String>,
    /// Objects whose debug files no server had some minutes ago, so that none was queried.
    pub nobody_had: Vec<String>,
    /// The failures, for each server and reason.
    pub refused: Vec<Refused>,
    /// The user cancelled the fetch.
    pub cancelled: bool,
}

/// Most names in a list.
const LISTED: usize = 8;

impl Outcome {
    /// No server could be queried at all.
    #[must_use]
    pub fn impossible(problem: Problem, reason: String) -> Self {
        let refused = Refused {
            kind: Kind::Impossible,
            server: None,
            problem,
            reason,
            objects: Vec::new(),
        };
        Self {
            refused: vec![refused],
            ..Self::default()
        }
    }

    /// Whether there is anything to report.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// A line for each result. Files that no server had at the last query were reported then;
    /// `with_old_misses` reports them again, for a user who requested just this fetch.
    #[must_use]
    pub fn lines(&self, with_old_misses: bool) -> Vec<String> {
        let fetched = self.fetched.iter().map(|it| {
            let size = megabytes(it.bytes);
            format!("debug file of {}: {size} from {}", it.object, it.server)
        });
        let refused = self.refused.iter().map(|it| {
            let of = match it.objects.is_empty() {
                true => String::new(),
                false => format!(" of {}", listed(&it.objects)),
            };
            let from = it.server.as_ref();
            let from = from.map_or_else(String::new, |server| format!(" from {server}"));
            format!("no debug files{of}{from}: {}", it.reason)
        });
        let nobody_has = (!self.nobody_has.is_empty())
            .then(|| format!("no server has debug files of {}", listed(&self.nobody_has)));
        let nobody_had = (with_old_misses && !self.nobody_had.is_empty()).then(|| {
            format!(
                "no server had debug files of {} at the last request; the next one follows after ten minutes",
                listed(&self.nobody_had)
            )
        });
        let cancelled = self
            .cancelled
            .then(|| "fetching debug files was cancelled".to_owned());
        fetched
            .chain(refused)
            .chain(nobody_has)
            .chain(nobody_had)
            .chain(cancelled)
            .collect()
    }

    /// Notes the failure for an object.
    pub(crate) fn refuse(&mut self, refusal: Refusal, object: &str) {
        let Refusal {
            kind,
            server,
            problem,
            reason,
        } = refusal;
        let is_same = |it: &&mut Refused| it.server == server && it.kind == kind;
        if let Some(known) = self.refused.iter_mut().find(is_same) {
            known.objects.push(object.to_owned());
        } else {
            self.refused.push(Refused {
                kind,
                server,
                problem,
                reason,
                objects: vec![object.to_owned()],
            });
        }
    }

    /// Notes that a server was not queried for an object, because of its failures with others.
    pub(crate) fn not_asked(&mut self, server: &str, object: &str) {
        let is_theirs = |it: &&mut Refused| it.server.as_deref() == Some(server);
        if let Some(known) = self.refused.iter_mut().find(is_theirs) {
            known.objects.push(object.to_owned());
        }
    }
}

/// The failure for one object.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub kind: Kind,
    /// The server; `None` when none could be queried.
    pub server: Option<String>,
    pub problem: Problem,
    pub reason: String,
}

/// `12.3 MB`, or in kB if less than one.
#[must_use]
pub fn megabytes(bytes: u64) -> String {
    match bytes {
        ..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

fn listed(names: &[String]) -> String {
    let shown = names.iter().take(LISTED).map(String::as_str);
    let text = shown.collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(LISTED) {
        0 => text,
        more => format!("{text} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_one_line_however_many_objects_it_is_about() {
        let mut outcome = Outcome::default();
        assert!(outcome.is_empty() && outcome.lines(true).is_empty());
        let refusal = |kind, server: Option<&str>, reason: &str| Refusal {
            kind,
            server: server.map(str::to_owned),
            problem: Problem::Other,
            reason: reason.to_owned(),
        };
        for number in 0..11 {
            // The first reason stands for all.
            let reason = if number == 0 {
                "it lies"
            } else {
                "it lies otherwise"
            };
            let lie = refusal(Kind::Unproven, Some("http://host"), reason);
            outcome.refuse(lie, &format!("lib{number}.so"));
        }
        outcome.not_asked("http://host", "lib11.so");
        outcome.not_asked("http://other", "lib12.so");
        outcome.refuse(refusal(Kind::Impossible, None, "curl is missing"), "a.so");
        outcome.nobody_has.push("b.so".to_owned());
        outcome.fetched.push(Fetched {
            object: "beam.smp".to_owned(),
            path: "/x".into(),
            bytes: 12_345_678,
            server: "http://host".to_owned(),
        });
        assert_eq!(
            outcome.lines(false),
            [
                "debug file of beam.smp: 12.3 MB from http://host",
                "no debug files of lib0.so, lib1.so, lib2.so, lib3.so, lib4.so, lib5.so, lib6.so, lib7.so and 4 more from http://host: it lies",
                "no debug files of a.so: curl is missing",
                "no server has debug files of b.so",
            ]
        );
        assert_eq!(megabytes(999), "1.0 kB");
        let old = Outcome {
            nobody_had: vec!["c.so".to_owned()],
            ..Outcome::default()
        };
        assert!(old.lines(false).is_empty());
        assert!(
            old.lines(true)[0].starts_with("no server had debug files of c.so at the last request")
        );
    }
}
