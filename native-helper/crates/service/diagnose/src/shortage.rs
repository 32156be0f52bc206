//! Limits that an operation met: of files, memory and processes. What raises each.

use std::error::Error;
use std::io;

use perf_ring::OpenError;
use protocol::message::{Text, texts};
use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};

/// What ends the shortage that an error, or one that it comes from, is about; `None` for every other error.
pub fn of_error(error: &(dyn Error + 'static)) -> Option<Text> {
    std::iter::successors(Some(error), |&error| error.source()).find_map(|error| {
        if let Some(OpenError::TooManyFiles) = error.downcast_ref() {
            return Some(open_files());
        }
        of_io(error.downcast_ref()?)
    })
}

/// What ends the shortage that kept a process or a thread from being started.
pub fn of_start(error: &io::Error) -> Option<Text> {
    match Errno::from_io_error(error) {
        // A thread whose stack finds no room is refused in the same words.
        Some(Errno::AGAIN) if is_limited(Resource::As) => {
            Some(texts::TO_RAISE_MEMORY_OR_PROCESSES.text())
        }
        Some(Errno::AGAIN) => Some(texts::TO_RAISE_PROCESSES.text()),
        _ => of_io(error),
    }
}

fn of_io(error: &io::Error) -> Option<Text> {
    match Errno::from_io_error(error)? {
        Errno::MFILE => Some(open_files()),
        Errno::NFILE => Some(texts::TO_RAISE_ALL_FILES.text()),
        Errno::NOMEM => Some(texts::TO_FREE_MEMORY.text()),
        _ => None,
    }
}

fn is_limited(resource: Resource) -> bool {
    getrlimit(resource).current.is_some()
}

fn open_files() -> Text {
    let limit = getrlimit(Resource::Nofile).current;
    let limit = limit.map_or_else(|| "?".to_owned(), |limit| limit.to_string());
    texts::TO_RAISE_OPEN_FILES.with(&[("limit", &limit)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::Refusal;
    use attach::AttachError;
    use recorder::RecordError;
    use target_proc::ProcError;

    fn no_descriptor() -> io::Error {
        Errno::MFILE.into()
    }

    #[test]
    fn whatever_met_the_limit_of_open_files_names_it_and_what_raises_it() {
        let proc = |source| ProcError::Io {
            pid: 7,
            file: "task".to_owned(),
            source,
        };
        let system = |source| RecordError::System {
            what: "sharing a perf ring",
            source,
        };
        let ring = |source| RecordError::Ring(perf_ring::RingError::Open(source));
        let refusals = [
            Refusal::from(&RecordError::Event(OpenError::TooManyFiles)),
            Refusal::from(&ring(no_descriptor())),
            Refusal::from(&RecordError::Proc(proc(no_descriptor()))),
            Refusal::from(&system(no_descriptor())),
            Refusal::from(&AttachError::Proc(proc(no_descriptor()))),
        ];
        let limit = getrlimit(Resource::Nofile).current.unwrap().to_string();
        for refusal in refusals {
            let text = refusal.to_string();
            assert!(
                text.contains(&limit) && text.contains("ulimit -n"),
                "{text}"
            );
            assert!(
                !text.contains("doctor") && !text.contains("not allowed"),
                "{text}"
            );
        }
        let memory = Refusal::from(&system(Errno::NOMEM.into())).to_string();
        assert!(memory.contains("ulimit -d"), "{memory}");
        let other = Refusal::from(&system(Errno::IO.into())).to_string();
        assert!(!other.contains("ulimit"), "{other}");
        assert_eq!(of_io(&Errno::AGAIN.into()), None);
        assert!(
            of_start(&Errno::AGAIN.into())
                .unwrap()
                .english
                .contains("ulimit -u")
        );
    }
}
