//! Asking servers for debug files, a few at a time.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use byte_budget::ByteBudget;
use native_code::BuildId;
use native_code::debug_file::has_build_id;
use outside_programs::find_curl;
use outside_programs::transfer::{ProgramError, Transfer, Transferred};
use shared_channel::{Receiver, Sender, channel};
use shared_map::HashSet;
use unprivileged_child::{ChildUser, renounce_rights_of_children};

use crate::cache::{Cache, CacheError, is_askable};
use crate::limits::Limits;
use crate::outcome::{Fetched, Kind, Outcome, Problem, Refusal};
use crate::servers::{Server, Servers};
use crate::strikes::Strikes;

/// Files fetched at a time.
const WORKERS: usize = 4;
/// A process may map any number of files.
const MAX_FILES: usize = 256;
/// How often it is checked whether the user has cancelled.
const LOOK: Duration = Duration::from_millis(100);
/// Progress is reported each time this many bytes have arrived.
const REPORT_EACH_BYTES: u64 = 256 << 10;

/// A debug file to fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The object, by its name in reports.
    pub object: String,
    /// Its build id.
    pub build_id: BuildId,
}

/// How far a fetch is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// The object whose file is being fetched, or was.
    pub object: String,
    /// Bytes of it so far.
    pub bytes: u64,
    /// From where.
    pub server: String,
    /// Objects that are done, with any result.
    pub done: usize,
    /// Objects in all.
    pub all: usize,
}

/// Fetches the wanted files into the shared cache. `report` receives the progress, `cancelled` is
/// called some ten times a second. Every failure is part of the outcome.
pub fn fetch(
    wanted: Vec<Wanted>,
    servers: &Servers,
    limits: &Limits,
    report: &mut dyn FnMut(&Progress),
    cancelled: &dyn Fn() -> bool,
) -> Outcome {
    let mut outcome = Outcome::default();
    if wanted.is_empty() {
        return outcome;
    }
    for rejected in &servers.rejected {
        let reason = format!("not queried: {rejected}");
        let address = rejected.clone();
        let impossible = Outcome::impossible(Problem::NotAsked { address }, reason);
        outcome.refused.extend(impossible.refused);
    }
    if servers.list.is_empty() {
        return outcome;
    }
    let cache = match Cache::open() {
        Ok(cache) => cache,
        Err(error) => return Outcome::impossible(problem_with(&error), error.to_string()),
    };
    let wanted = not_missed(wanted, &cache, &mut outcome);
    if wanted.is_empty() {
        return outcome;
    }
    let Some(curl) = find_curl() else {
        let reason = "curl, which fetches them, is not installed (apt install curl)";
        return Outcome::impossible(Problem::NoCurl, reason.to_owned());
    };
    let job = Job {
        all: wanted.len(),
        wanted: Mutex::new(wanted.into_iter()),
        servers: &servers.list,
        limits,
        deadline: Instant::now() + limits.total_time,
        cache: &cache,
        curl: &curl,
        user: ChildUser::when_root(),
        bytes_left: AtomicU64::new(limits.total_bytes),
        strikes: Strikes::default(),
        stop: AtomicBool::new(false),
    };
    job.run(outcome, report, cancelled)
}

/// The files to query: each build once, without invalid build ids, and without those that no server
/// had a moment ago.
fn not_missed(wanted: Vec<Wanted>, cache: &Cache, outcome: &mut Outcome) -> Vec<Wanted> {
    let mut seen = HashSet::new();
    let mut to_ask = Vec::new();
    for one in wanted {
        if !is_askable(&one.build_id) || !seen.insert(one.build_id.clone()) {
            continue;
        }
        if cache.missed(&one.build_id).is_some() {
            outcome.nobody_had.push(one.object);
        } else if to_ask.len() < MAX_FILES {
            to_ask.push(one);
        }
    }
    to_ask
}

/// The data that the fetching threads share.
struct Job<'a> {
    wanted: Mutex<std::vec::IntoIter<Wanted>>,
    all: usize,
    servers: &'a [Server],
    limits: &'a Limits,
    deadline: Instant,
    cache: &'a Cache,
    curl: &'a Path,
    user: Option<ChildUser>,
    bytes_left: AtomicU64,
    strikes: Strikes,
    stop: AtomicBool,
}

/// The messages of the threads.
enum News {
    Progress(String, u64, String),
    Done(Wanted, Ended),
}

/// The result for one file: the failure of each server that was queried, and the end.
struct Ended {
    refusals: Vec<Refusal>,
    /// Servers that were no longer queried.
    not_asked: Vec<String>,
    how: How,
}

enum How {
    Fetched(Fetched),
    NobodyHas,
    Refused,
    Cancelled,
}

impl Job<'_> {
    fn run(
        &self,
        mut outcome: Outcome,
        report: &mut dyn FnMut(&Progress),
        cancelled: &dyn Fn() -> bool,
    ) -> Outcome {
        let (send, receive) = channel();
        std::thread::scope(|scope| {
            for _ in 0..WORKERS.min(self.all) {
                let send = send.clone();
                let thread = std::thread::Builder::new().name("debuginfod".to_owned());
                let started = thread.spawn_scoped(scope, move || self.work(&send));
                if let Err(error) = started {
                    let reason = format!("there is no thread for it: {error}");
                    let impossible = Outcome::impossible(Problem::Other, reason);
                    outcome.refused.extend(impossible.refused);
                    break;
                }
            }
            drop(send);
            self.listen(&receive, &mut outcome, report, cancelled);
        });
        outcome
    }

    /// Receives the messages until all threads have ended.
    fn listen(
        &self,
        news: &Receiver<News>,
        outcome: &mut Outcome,
        report: &mut dyn FnMut(&Progress),
        cancelled: &dyn Fn() -> bool,
    ) {
        let mut done = 0;
        loop {
            if cancelled() {
                self.stop.store(true, Ordering::Relaxed);
            }
            match news.recv_timeout(LOOK) {
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
                Ok(News::Progress(object, bytes, server)) => report(&Progress {
                    object,
                    bytes,
                    server,
                    done,
                    all: self.all,
                }),
                Ok(News::Done(wanted, ended)) => {
                    done += 1;
                    note(outcome, wanted, ended);
                }
            }
        }
        outcome.cancelled = self.stop.load(Ordering::Relaxed);
    }

    /// Fetches one file after the other.
    fn work(&self, news: &Sender<News>) {
        let renounced = renounce_rights_of_children();
        while let Some(wanted) = self.next() {
            let ended = match &renounced {
                Ok(()) => self.fetch_one(&wanted, news),
                Err(error) => {
                    let refusal = Refusal {
                        kind: Kind::Impossible,
                        server: None,
                        problem: Problem::Other,
                        reason: format!("a process without our rights cannot be made: {error}"),
                    };
                    Ended {
                        refusals: vec![refusal],
                        not_asked: Vec::new(),
                        how: How::Refused,
                    }
                }
            };
            // The receiver exists until all threads have ended.
            let _ = news.send(News::Done(wanted, ended));
        }
    }

    fn next(&self) -> Option<Wanted> {
        if self.stop.load(Ordering::Relaxed) {
            return None;
        }
        self.wanted
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .next()
    }

    /// Queries one server after the other.
    fn fetch_one(&self, wanted: &Wanted, news: &Sender<News>) -> Ended {
        let (mut refusals, mut not_asked) = (Vec::new(), Vec::new());
        let mut found = None;
        for server in self.servers {
            if !self.strikes.allow(server) {
                not_asked.push(server.to_string());
                continue;
            }
            match self.ask(server, wanted, news) {
                Ok(None) => {}
                Ok(Some(fetched)) => {
                    found = Some(How::Fetched(fetched));
                    break;
                }
                Err(Unfetched::Transfer(ProgramError::Cancelled)) => {
                    found = Some(How::Cancelled);
                    break;
                }
                Err(why) => {
                    match &why {
                        Unfetched::Transfer(error) => self.strikes.failed(server, error),
                        Unfetched::Unproven(_) => self.strikes.bad_answer(server),
                        Unfetched::Cache(_) => {}
                    }
                    refusals.push(why.refusal_of(server));
                }
            }
        }
        let how = found.unwrap_or_else(|| {
            if !refusals.is_empty() || !not_asked.is_empty() {
                return How::Refused;
            }
            // A cache that cannot be written reports that when there is a file for it.
            let _ = self.cache.remember_miss(&wanted.build_id);
            How::NobodyHas
        });
        Ended {
            refusals,
            not_asked,
            how,
        }
    }

    /// Queries one server; `None` when it does not have the file.
    fn ask(
        &self,
        server: &Server,
        wanted: &Wanted,
        news: &Sender<News>,
    ) -> Result<Option<Fetched>, Unfetched> {
        let mut new = self
            .cache
            .new_file(&wanted.build_id)
            .map_err(Unfetched::Cache)?;
        let (mut bytes, mut reported) = (0_u64, None);
        let mut take = |part: &[u8]| {
            self.take_bytes(part.len())?;
            new.file.write_all(part).map_err(ProgramError::Io)?;
            bytes = bytes.saturating_add(part.len() as u64);
            if reported.is_none_or(|reported| bytes - reported >= REPORT_EACH_BYTES) {
                reported = Some(bytes);
                let progress = News::Progress(wanted.object.clone(), bytes, server.to_string());
                let _ = news.send(progress);
            }
            Ok(())
        };
        let transfer = Transfer {
            curl: self.curl,
            user: self.user,
            url: &server.url_of(&wanted.build_id),
            is_encrypted: server.is_encrypted(),
            post: None,
            bounds: self.limits.of_one(),
            deadline: self.deadline,
        };
        let cancelled = || self.stop.load(Ordering::Relaxed);
        let _ = news.send(News::Progress(wanted.object.clone(), 0, server.to_string()));
        if transfer.run(&mut take, &cancelled)? == Transferred::Missing {
            return Ok(None);
        }
        prove(&new.file, &wanted.build_id)?;
        let path: PathBuf = new.keep().map_err(Unfetched::Cache)?;
        Ok(Some(Fetched {
            object: wanted.object.clone(),
            path,
            bytes,
            server: server.to_string(),
        }))
    }

    /// Takes this many bytes from the budget of all files.
    fn take_bytes(&self, bytes: usize) -> Result<(), ProgramError> {
        let less = |left: u64| left.checked_sub(bytes as u64);
        self.bytes_left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less)
            .map(drop)
            .map_err(|_| ProgramError::TooLarge {
                limit: self.limits.total_bytes,
            })
    }
}

/// Why a server's answer is not used.
#[derive(Debug, thiserror::Error)]
enum Unfetched {
    #[error(transparent)]
    Transfer(#[from] ProgramError),
    #[error("it sends another file: {0}")]
    Unproven(String),
    #[error("it cannot be kept: {0}")]
    Cache(std::io::Error),
}

impl Unfetched {
    fn refusal_of(&self, server: &Server) -> Refusal {
        use ProgramError::{Failed, Io, NoTimeLeft, Slow, TooLarge, Unreachable};
        let kind = match self {
            Self::Transfer(Slow(_) | Unreachable(_) | NoTimeLeft) => Kind::NoAnswer,
            Self::Transfer(TooLarge { .. }) => Kind::TooLarge,
            Self::Transfer(Failed(_)) => Kind::Failed,
            Self::Transfer(Io(_)) | Self::Cache(_) => Kind::NotKept,
            Self::Transfer(_) => Kind::Impossible,
            Self::Unproven(_) => Kind::Unproven,
        };
        let mut reason = self.to_string();
        if kind == Kind::TooLarge {
            reason += " (DEBUGINFOD_MAXSIZE)";
        }
        Refusal {
            kind,
            server: Some(server.to_string()),
            problem: self.problem(),
            reason,
        }
    }

    fn problem(&self) -> Problem {
        use ProgramError::{Io, NoTimeLeft, NotStarted, Slow, TooLarge, Unreachable};
        let text = |what: &dyn std::fmt::Display| what.to_string();
        match self {
            Self::Transfer(NotStarted(error)) => Problem::CurlNotStarted {
                detail: text(error),
            },
            Self::Transfer(TooLarge { limit }) => Problem::TooLarge { limit: *limit },
            Self::Transfer(Slow(detail)) => Problem::Slow {
                detail: text(detail),
            },
            Self::Transfer(Unreachable(detail)) => Problem::Unreachable {
                detail: text(detail),
            },
            Self::Transfer(NoTimeLeft) => Problem::NoTimeLeft,
            Self::Transfer(Io(error)) => Problem::NotWritten {
                detail: text(error),
            },
            Self::Transfer(_) => Problem::Other,
            Self::Unproven(detail) => Problem::Unproven {
                detail: text(detail),
            },
            Self::Cache(error) => Problem::NotKept {
                detail: text(error),
            },
        }
    }
}

fn problem_with(error: &CacheError) -> Problem {
    match error {
        CacheError::NoFolder => Problem::NoFolder,
        CacheError::SetUserId => Problem::SetUserId,
        CacheError::NotOurs { path } => Problem::NotOurs {
            path: path.display().to_string(),
        },
        CacheError::Io { .. } => Problem::Other,
    }
}

/// Compares the received file with the requested one. Reading it is bounded, whatever it contains.
fn prove(file: &File, build_id: &BuildId) -> Result<(), Unfetched> {
    has_build_id(file, build_id, &ByteBudget::of_target())
        .map_err(|error| Unfetched::Unproven(error.to_string()))
}

fn note(outcome: &mut Outcome, wanted: Wanted, ended: Ended) {
    for refusal in ended.refusals {
        outcome.refuse(refusal, &wanted.object);
    }
    for server in ended.not_asked {
        outcome.not_asked(&server, &wanted.object);
    }
    match ended.how {
        How::Fetched(fetched) => outcome.fetched.push(fetched),
        How::NobodyHas => outcome.nobody_has.push(wanted.object),
        How::Refused | How::Cancelled => {}
    }
}
