//! Asking the process that samples.

mod inside;

use std::io::Read;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use diagnose::look::{AnswerPatience, LOOK_WINDOW, Progress, refuse_if_stuck};
use diagnose::refusal::Refusal;
use protocol::attachment::SelfCheck;
use protocol::pstack::PstackResult;

use crate::dialog::{Answer, Attached, NamelessObject, Order};
use crate::frame::{self, FrameError};
use crate::refusals::{ended, lost, not_started, out_of_order};

/// How often it is looked whether an answer is still wanted.
const WANTED_INTERVAL: Duration = Duration::from_millis(20);
/// Instead of [`LOOK_WINDOW`] when whoever asks is to end: a process that is at work answers in four of
/// them, or is seen to be at work.
const HURRIED_WINDOW: Duration = Duration::from_secs(1);
/// How long it is waited for a process that has nothing to do any more.
const END_PATIENCE: Duration = Duration::from_secs(2);
/// Answers that nobody has taken yet: each waits for its order, and the end of the target comes beside.
const ANSWERS_WAITING: usize = 2;

/// Of a mistake, the line that says it; there may be many.
const MOST_OF_MISTAKE: u64 = 1000;

/// Hears how many bytes of a heap were looked at, and of how many at most.
pub type HeapTold<'t> = dyn Fn(u64, u64) + 't;

type Said = Result<(Answer, Vec<u8>), FrameError>;

/// The process that samples, attached to one target.
#[derive(Debug)]
pub struct Sampler {
    target: u32,
    process: Child,
    orders: Option<ChildStdin>,
    answers: Receiver<Said>,
    mistake: Receiver<String>,
    /// The target has ended.
    pub(crate) is_target_gone: bool,
    /// It owes an answer that nobody waits for any more, or is no more.
    is_lost: bool,
    /// Set when whoever asks is to end.
    hurry: Arc<AtomicBool>,
}

impl Sampler {
    /// Starts `program`, which knows the command `sampler`, and has it attach to `pid`. `cancelled` is
    /// asked some fifty times a second.
    ///
    /// # Errors
    /// Why it cannot be attached to; also when there was no answer for twenty seconds.
    pub fn attach(
        program: &Path,
        pid: u32,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(Self, Attached), Refusal> {
        let mut sampler = Self::start(program, pid)?;
        match sampler.ask(&Order::Attach { pid }, cancelled)?.0 {
            Answer::Attached(attached) => Ok((sampler, attached)),
            _ => Err(out_of_order()),
        }
    }

    /// The objects of `pid` whose functions have no names here.
    ///
    /// # Errors
    /// Why that cannot be said.
    pub fn nameless_objects(
        program: &Path,
        pid: u32,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<NamelessObject>, Refusal> {
        let mut sampler = Self::start(program, pid)?;
        match sampler.ask(&Order::FindNameless { pid }, cancelled)?.0 {
            Answer::Nameless(objects) => Ok(objects),
            _ => Err(out_of_order()),
        }
    }

    fn start(program: &Path, pid: u32) -> Result<Self, Refusal> {
        refuse_if_stuck(pid)?;
        let mut process = Command::new(program)
            .arg("sampler")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Not ours: one that cannot be ended would keep it open for whoever reads it.
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| not_started(&error))?;
        let orders = process.stdin.take();
        let out = process.stdout.take().ok_or_else(|| lost(&"it is mute"))?;
        let errors = process.stderr.take().ok_or_else(|| lost(&"it is mute"))?;
        let (note, mistake) = sync_channel(1);
        let (tell, answers) = sync_channel(ANSWERS_WAITING);
        let sampler = Self {
            target: pid,
            process,
            orders,
            answers,
            mistake,
            is_target_gone: false,
            is_lost: false,
            hurry: Arc::default(),
        };
        let thread = |name: &str| std::thread::Builder::new().name(name.to_owned());
        thread("answers")
            .spawn(move || listen(out, &tell))
            .map_err(|error| not_started(&error))?;
        thread("mistakes")
            .spawn(move || note_mistake(errors, &note))
            .map_err(|error| not_started(&error))?;
        Ok(sampler)
    }

    /// Checks what attaching found.
    ///
    /// # Errors
    /// When the process is not there any more, or does not answer.
    pub fn check(&mut self, cancelled: &dyn Fn() -> bool) -> Result<SelfCheck, Refusal> {
        match self.ask(&Order::Check, cancelled)?.0 {
            Answer::Checked(check) => Ok(check),
            _ => Err(out_of_order()),
        }
    }

    /// What each scheduler does; `all`: other threads as well.
    ///
    /// # Errors
    /// Why it cannot be sampled.
    pub fn pstack(
        mut self,
        all: bool,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<PstackResult, Refusal> {
        match self.ask(&Order::Pstack { all }, cancelled)?.0 {
            Answer::Pstack(stacks) => Ok(stacks),
            _ => Err(out_of_order()),
        }
    }

    /// Once `flag` is set, answers are not waited for as long as before. One that comes all the same is
    /// as good as any.
    pub fn hurry_when(&mut self, flag: Arc<AtomicBool>) {
        self.hurry = flag;
    }

    /// Whether it is of no use any more.
    pub fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// Gives an order that has no answer.
    pub(crate) fn order(&mut self, order: &Order) -> Result<(), Refusal> {
        let orders = self.orders.as_mut().ok_or_else(|| lost(&"it is deaf"))?;
        frame::write(orders, order, &[]).map_err(|error| self.lost_by(&error))
    }

    /// Gives an order and waits for its answer: as long as the process is at work, and not for ever.
    pub(crate) fn ask(
        &mut self,
        order: &Order,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(Answer, Vec<u8>), Refusal> {
        self.ask_at_length(order, cancelled, &|_, _| {})
    }

    /// The same for what may take longer, as long as it goes on; `told` hears how far it is.
    fn ask_at_length(
        &mut self,
        order: &Order,
        cancelled: &dyn Fn() -> bool,
        told: &HeapTold<'_>,
    ) -> Result<(Answer, Vec<u8>), Refusal> {
        // Until it has answered.
        self.is_lost = true;
        self.order(order)?;
        let mut patience = AnswerPatience::default();
        let mut farthest = 0;
        let asked = Instant::now();
        let mut window_began = asked;
        loop {
            if cancelled() {
                return Err(lost(&"it was cancelled"));
            }
            match self.hear(WANTED_INTERVAL) {
                Some(said) => match said? {
                    (Answer::HeapProgress { bytes, of_bytes }, _) => {
                        told(bytes, of_bytes);
                        // It begins anew when the process was at work, which is no progress.
                        if bytes > farthest {
                            farthest = bytes;
                            patience = AnswerPatience::default();
                            window_began = Instant::now();
                        }
                    }
                    (answer, beside) => {
                        self.is_lost = false;
                        return match answer {
                            Answer::Refused(refusal) => Err(refusal),
                            answer => Ok((answer, beside)),
                        };
                    }
                },
                None if window_began.elapsed() < self.longest_window() => {}
                None => {
                    if !patience.goes_on(Progress::of(self.process.id())) {
                        return Err(Refusal::no_answer(self.target, asked.elapsed()));
                    }
                    window_began = Instant::now();
                }
            }
        }
    }

    fn longest_window(&self) -> Duration {
        match self.hurry.load(Ordering::Relaxed) {
            true => HURRIED_WINDOW,
            false => LOOK_WINDOW,
        }
    }

    /// What is said within that time, but for the end of the target, which is remembered.
    pub(crate) fn hear(&mut self, longest: Duration) -> Option<Result<(Answer, Vec<u8>), Refusal>> {
        match self.answers.recv_timeout(longest) {
            Ok(Ok((Answer::TargetGone, _))) => {
                self.is_target_gone = true;
                None
            }
            Ok(Ok(answer)) => Some(Ok(answer)),
            Ok(Err(error)) => Some(Err(self.lost_by(&error))),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Err(self.lost_by(&FrameError::End))),
        }
    }

    /// The process is of no use any more: why, as far as can be found out.
    fn lost_by(&mut self, error: &FrameError) -> Refusal {
        match error {
            FrameError::End | FrameError::Pipe(_) => match self.wait_for_end() {
                Some(status) => {
                    let mistake = self.mistake.recv_timeout(END_PATIENCE).unwrap_or_default();
                    ended(&status, mistake.trim())
                }
                None => lost(error),
            },
            _ => lost(error),
        }
    }

    fn wait_for_end(&mut self) -> Option<std::process::ExitStatus> {
        let began = Instant::now();
        loop {
            match self.process.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if began.elapsed() < END_PATIENCE => {
                    std::thread::sleep(Duration::from_millis(2));
                }
                _ => return None,
            }
        }
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        // It ends when nobody gives it orders.
        self.orders = None;
        if self.is_lost {
            // It does something that nobody wants any more.
            let _ = self.process.kill();
        }
        while self.answers.try_recv().is_ok() {}
        if self.wait_for_end().is_none() {
            // One that waits for a file system that the target serves ends when that answers: it is
            // stuck until then, and is found again as such.
            let _ = self.process.kill();
            let _ = self.process.try_wait();
        }
    }
}

fn listen(mut out: ChildStdout, tell: &SyncSender<Said>) {
    loop {
        let said = frame::read(&mut out);
        let is_last = said.is_err();
        if tell.send(said).is_err() || is_last {
            return;
        }
    }
}

/// Keeps what a process says of a mistake of ours before it ends.
fn note_mistake(errors: ChildStderr, note: &SyncSender<String>) {
    let mut line = Vec::new();
    // What came before it broke off is good, too.
    let _ = errors.take(MOST_OF_MISTAKE).read_to_end(&mut line);
    // Nobody may want to know any more.
    let _ = note.send(String::from_utf8_lossy(&line).into_owned());
}

#[cfg(test)]
mod tests;
