//! Jobs of one conversation by id, each on a thread of its own.

use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rpc_server::{Failure as RpcFailure, FailureKind};
use shared_channel::{Sender, channel};
use shared_map::HashMap;

use crate::job_control::{EndWish, JobControl, end_all};
use crate::rpc_failure::unknown;

/// How often a start that is waited for checks for its cancellation.
const CANCEL_INTERVAL: Duration = Duration::from_millis(20);

/// The names of these jobs, and their maximum number.
#[derive(Debug, Clone, Copy)]
pub struct JobKind {
    /// In refusals.
    pub name: &'static str,
    /// The name of its threads.
    pub thread: &'static str,
    /// The refusal when no thread can be started.
    pub not_started: &'static str,
    /// The most that run at the same time.
    pub most_running: usize,
    /// The refusal of one more.
    pub too_many: &'static str,
}

/// One job. `E` is the report on its end, `D` the other data kept of it.
#[derive(Debug)]
pub struct Job<E, D> {
    /// Of which attachment.
    pub attachment_id: u32,
    /// How it is ended and waited for.
    pub control: Arc<JobControl<E>>,
    /// The other data kept of it.
    pub details: D,
}

impl<E, D: Clone> Clone for Job<E, D> {
    fn clone(&self) -> Self {
        Self {
            attachment_id: self.attachment_id,
            control: Arc::clone(&self.control),
            details: self.details.clone(),
        }
    }
}

/// Jobs that have ended are kept: their end can still be queried.
#[derive(Debug)]
pub struct Jobs<E, D> {
    kind: JobKind,
    inner: Mutex<Inner<E, D>>,
}

#[derive(Debug)]
struct Inner<E, D> {
    closed: bool,
    by_id: HashMap<u32, Job<E, D>>,
}

impl<E: Clone, D: Clone> Jobs<E, D> {
    /// None yet.
    pub fn of(kind: JobKind) -> Self {
        Self {
            kind,
            inner: Mutex::new(Inner {
                closed: false,
                by_id: HashMap::new(),
            }),
        }
    }

    /// Runs one, and returns when it has started or failed to start, which includes a start that is
    /// cancelled.
    pub fn start<S: Send + 'static>(
        &self,
        id: u32,
        job: Job<E, D>,
        cancelled: &dyn Fn() -> bool,
        run: impl FnOnce(&Sender<Result<S, RpcFailure>>) + Send + 'static,
    ) -> Result<S, RpcFailure> {
        let (sender, started) = channel();
        let control = Arc::clone(&job.control);
        {
            // Under the lock, so that `close` finds every one that has begun.
            let mut inner = self.lock();
            if inner.closed {
                return Err(closing());
            }
            let running = inner.by_id.values().filter(|it| !it.control.has_ended());
            if running.count() >= self.kind.most_running {
                return Err(RpcFailure::new(
                    FailureKind::TooManyRequests,
                    self.kind.too_many,
                    format!("{} are", self.kind.most_running),
                    "stop one of them",
                ));
            }
            std::thread::Builder::new()
                .name(self.kind.thread.to_owned())
                .spawn(move || run(&sender))
                .map_err(|error| {
                    let what = format!("{}: {error}", self.kind.not_started);
                    let fix = "raise the limit on processes (ulimit -u)";
                    RpcFailure::new(FailureKind::Other, what, "", fix)
                })?;
            inner.by_id.insert(id, job);
        }
        let outcome = loop {
            match started.recv_timeout(CANCEL_INTERVAL) {
                Ok(outcome) => break outcome,
                Err(RecvTimeoutError::Disconnected) => break Err(closing()),
                Err(RecvTimeoutError::Timeout) if cancelled() => {
                    control.ask_to_end(EndWish::Discard);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        };
        if outcome.is_err() {
            self.lock().by_id.remove(&id);
        }
        outcome
    }

    /// Adds a job that has ended, and was none while it ran.
    pub fn add_ended(&self, id: u32, job: Job<E, D>) {
        self.lock().by_id.insert(id, job);
    }

    /// The one with this id.
    pub fn get(&self, id: u32) -> Result<Job<E, D>, RpcFailure> {
        let job = self.lock().by_id.get(&id).cloned();
        job.ok_or_else(|| unknown(self.kind.name, id))
    }

    /// Ends one and waits until its files are complete.
    pub fn stop(&self, id: u32) -> Result<E, RpcFailure> {
        let control = self.get(id)?.control;
        control.ask_to_end(EndWish::Stop);
        Ok(control.wait())
    }

    /// Ends one whose result is not wanted, and waits for its end. The caller removes its files.
    pub fn discard(&self, id: u32) -> Result<D, RpcFailure> {
        let Job {
            control, details, ..
        } = self.get(id)?;
        control.ask_to_end(EndWish::Discard);
        control.wait();
        Ok(details)
    }

    /// Ends those of one attachment.
    pub fn end_of_attachment(&self, attachment_id: u32) {
        let jobs: Vec<Job<E, D>> = self.lock().by_id.values().cloned().collect();
        let of_it = jobs.iter().filter(|job| job.attachment_id == attachment_id);
        end_all(of_it.map(|job| &*job.control), EndWish::Stop);
    }

    /// Ends all of them; none can be started afterwards.
    pub fn close(&self) {
        let jobs: Vec<Job<E, D>> = {
            let mut inner = self.lock();
            inner.closed = true;
            inner.by_id.values().cloned().collect()
        };
        end_all(jobs.iter().map(|job| &*job.control), EndWish::ShutDown);
    }

    fn lock(&self) -> MutexGuard<'_, Inner<E, D>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn closing() -> RpcFailure {
    RpcFailure::new(
        FailureKind::Other,
        "The capture was not started",
        "the helper ends",
        "start a new helper",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: JobKind = JobKind {
        name: "job",
        thread: "job",
        not_started: "No job can be started",
        most_running: 1,
        too_many: "No more jobs",
    };

    fn job(attachment_id: u32) -> (Job<u32, ()>, Arc<JobControl<u32>>) {
        let control = Arc::<JobControl<u32>>::default();
        let job = Job {
            attachment_id,
            control: Arc::clone(&control),
            details: (),
        };
        (job, control)
    }

    /// Runs until its end is requested, and reports 7 as its end.
    fn begin(jobs: &Jobs<u32, ()>, id: u32) -> Result<(), RpcFailure> {
        let (job, control) = job(1);
        jobs.start(id, job, &|| false, move |started| {
            started.send(Ok(())).unwrap();
            while !control.is_asked() {
                std::thread::yield_now();
            }
            control.set_end(7);
        })
    }

    #[test]
    fn one_more_than_there_may_be_is_refused_until_one_has_ended() {
        let jobs = Jobs::of(KIND);
        begin(&jobs, 1).unwrap();
        let refused = begin(&jobs, 2).unwrap_err();
        assert_eq!(refused.kind, FailureKind::TooManyRequests);
        assert_eq!(jobs.stop(1).unwrap(), 7);
        begin(&jobs, 2).unwrap();
        jobs.end_of_attachment(9);
        assert!(!jobs.get(2).unwrap().control.has_ended());
        jobs.end_of_attachment(1);
        assert!(jobs.get(2).unwrap().control.has_ended());
    }

    #[test]
    fn one_that_could_not_start_is_not_known_afterwards() {
        let jobs = Jobs::of(KIND);
        let outcome = jobs.start::<()>(1, job(1).0, &|| false, |started| {
            started.send(Err(closing())).unwrap();
        });
        assert!(outcome.is_err());
        assert!(jobs.get(1).is_err());
        let silent = jobs.start::<()>(1, job(1).0, &|| false, |_| ());
        assert!(silent.is_err(), "it said nothing of its start");
    }

    #[test]
    fn one_that_takes_long_to_start_hears_that_it_is_cancelled() {
        let jobs = Jobs::of(KIND);
        let (job, control) = job(1);
        let outcome = jobs.start::<()>(1, job, &|| true, move |started| {
            while !control.is_hurried() {
                std::thread::yield_now();
            }
            started.send(Err(closing())).unwrap();
        });
        assert!(outcome.is_err());
        assert!(jobs.get(1).is_err());
    }

    #[test]
    fn closing_ends_all_and_none_begins_afterwards() {
        let jobs = Jobs::of(KIND);
        begin(&jobs, 1).unwrap();
        jobs.close();
        assert!(jobs.get(1).unwrap().control.has_ended());
        assert!(begin(&jobs, 2).is_err());
        jobs.close();
    }
}
