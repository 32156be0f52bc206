//! Asking the process that samples.

use std::io::Read;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use diagnose::look::{AnswerLimit, LOOK_WINDOW, Progress, refuse_if_stuck};
use diagnose::refusal::Refusal;
use shared_channel::{Receiver, Sender, sync_channel};

use crate::dialog::{Attach, Attached, FindNameless, Message, NamelessObject, Order, Question};
use crate::frame::{self, Frame, FrameError};
use crate::refusals::{ended, lost, not_started};

/// Interval at which it is checked whether the caller still wants the answer.
const WANTED_INTERVAL: Duration = Duration::from_millis(20);
/// Replaces [`LOOK_WINDOW`] when the caller is to end: a working process answers within four of these
/// windows, or is seen to be at work.
const HURRIED_WINDOW: Duration = Duration::from_secs(1);
/// How long it is waited for a process that has nothing to do any more.
const END_PATIENCE: Duration = Duration::from_secs(2);
/// Answers not yet taken: each waits for its order, and the report that the target has ended can come
/// in between.
const ANSWERS_WAITING: usize = 2;

/// Bytes kept of an error output: it contains one line with the error and possibly many others.
const MOST_OF_MISTAKE: u64 = 1000;

/// Receives the progress: bytes of a heap that were read, and the most that there are to read.
pub type ReadProgress<'t> = dyn Fn(u64, u64) + 't;

/// What the process has sent.
#[derive(Debug)]
pub(crate) enum Received {
    /// An answer, of the type that follows from the question.
    Answer(Frame),
    /// Any other message.
    Other(Message),
}

type NextReceived = Result<Received, FrameError>;

/// The process that samples, attached to one target.
#[derive(Debug)]
pub struct Sampler {
    target: u32,
    process: Child,
    orders: Option<ChildStdin>,
    answers: Receiver<NextReceived>,
    mistake: Receiver<String>,
    /// The target has ended.
    pub(crate) is_target_gone: bool,
    /// Why it is of no use any longer: it owes an answer that no caller waits for, or it has ended.
    loss: Option<Refusal>,
    /// Set when the caller is to end.
    hurry: Arc<AtomicBool>,
}

impl Sampler {
    /// Starts `program`, which knows the command `sampler`, and has it attach to `pid`. `cancelled` is
    /// called some fifty times a second.
    ///
    /// # Errors
    /// The reason why the process cannot be attached to; also when there was no answer for twenty
    /// seconds.
    pub fn attach(
        program: &Path,
        pid: u32,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(Self, Attached), Refusal> {
        let mut sampler = Self::start(program, pid)?;
        let attached = sampler.ask(Attach { pid }, cancelled)?;
        Ok((sampler, attached))
    }

    /// The objects of `pid` whose functions have no names here.
    ///
    /// # Errors
    /// The reason why they cannot be found.
    pub fn nameless_objects(
        program: &Path,
        pid: u32,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<NamelessObject>, Refusal> {
        let mut sampler = Self::start(program, pid)?;
        sampler.ask(FindNameless { pid }, cancelled)
    }

    fn start(program: &Path, pid: u32) -> Result<Self, Refusal> {
        refuse_if_stuck(pid)?;
        let mut process = Command::new(program)
            .arg("sampler")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Not inherited: a sampler that cannot be ended would keep this process's stderr open
            // for its reader.
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| not_started(&error))?;
        let orders = process.stdin.take();
        let out = process
            .stdout
            .take()
            .ok_or_else(|| lost(&"it has no output"))?;
        let errors = process
            .stderr
            .take()
            .ok_or_else(|| lost(&"it has no output"))?;
        let (note, mistake) = sync_channel(1);
        let (sender, answers) = sync_channel(ANSWERS_WAITING);
        let sampler = Self {
            target: pid,
            process,
            orders,
            answers,
            mistake,
            is_target_gone: false,
            loss: None,
            hurry: Arc::default(),
        };
        let thread = |name: &str| std::thread::Builder::new().name(name.to_owned());
        thread("answers")
            .spawn(move || listen(out, &sender))
            .map_err(|error| not_started(&error))?;
        thread("mistakes")
            .spawn(move || note_mistake(errors, &note))
            .map_err(|error| not_started(&error))?;
        Ok(sampler)
    }

    /// Once `flag` is set, answers are waited for less long than before. An answer in that time counts
    /// as any other.
    pub fn hurry_when(&mut self, flag: Arc<AtomicBool>) {
        self.hurry = flag;
    }

    /// Whether it is of no use any longer.
    pub fn is_lost(&self) -> bool {
        self.loss.is_some()
    }

    /// Gives an order that has no answer.
    pub(crate) fn order(&mut self, order: &Order) -> Result<(), Refusal> {
        let orders = self
            .orders
            .as_mut()
            .ok_or_else(|| lost(&"it takes no orders"))?;
        frame::write(orders, order).map_err(|error| self.lost_by(&error))
    }

    /// Puts a question and waits for its answer: as long as the process is at work, and not for ever.
    ///
    /// # Errors
    /// The reason why there is no answer.
    pub fn ask<Q: Question>(
        &mut self,
        question: Q,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Q::Answer, Refusal> {
        self.ask_at_length(question, cancelled, &|_, _| {})
    }

    /// As [`Self::ask`], for questions that may take longer, as long as there is progress; `report`
    /// receives the progress.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub fn ask_at_length<Q: Question>(
        &mut self,
        question: Q,
        cancelled: &dyn Fn() -> bool,
        report: &ReadProgress<'_>,
    ) -> Result<Q::Answer, Refusal> {
        let frame = self.answer_to(&question.into(), cancelled, report)?;
        self.decoded::<Q>(&frame)
    }

    /// As [`Self::ask`], with the bytes beside the answer.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub fn ask_with_bytes<Q: Question>(
        &mut self,
        question: Q,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(Q::Answer, Vec<u8>), Refusal> {
        let frame = self.answer_to(&question.into(), cancelled, &|_, _| {})?;
        Ok((self.decoded::<Q>(&frame)?, frame.beside))
    }

    fn decoded<Q: Question>(&mut self, frame: &Frame) -> Result<Q::Answer, Refusal> {
        frame.decoded().map_err(|error| self.lose(lost(&error)))
    }

    /// The answer to an order, not decoded yet: this is the same code for all types of answers.
    fn answer_to(
        &mut self,
        order: &Order,
        cancelled: &dyn Fn() -> bool,
        report: &ReadProgress<'_>,
    ) -> Result<Frame, Refusal> {
        // Its next answer would be that to an earlier question.
        if let Some(loss) = &self.loss {
            return Err(loss.clone());
        }
        match self.next_answer(order, cancelled, report) {
            Ok(answer) => answer,
            Err(loss) => Err(self.lose(loss)),
        }
    }

    fn lose(&mut self, loss: Refusal) -> Refusal {
        self.loss = Some(loss.clone());
        loss
    }

    /// The answer, which may be a refusal; the error is that there is none.
    fn next_answer(
        &mut self,
        order: &Order,
        cancelled: &dyn Fn() -> bool,
        report: &ReadProgress<'_>,
    ) -> Result<Result<Frame, Refusal>, Refusal> {
        self.order(order)?;
        let mut patience = AnswerLimit::default();
        let mut farthest = 0;
        let asked = Instant::now();
        let mut window_began = asked;
        loop {
            if cancelled() {
                return Err(lost(&"it was cancelled"));
            }
            match self.receive(WANTED_INTERVAL) {
                Some(received) => match received? {
                    Received::Answer(answer) => return Ok(Ok(answer)),
                    Received::Other(Message::Refused(refusal)) => return Ok(Err(refusal)),
                    Received::Other(Message::HeapProgress { bytes, of_bytes }) => {
                        report(bytes, of_bytes);
                        // It begins anew when the process was at work, which is no progress.
                        if bytes > farthest {
                            farthest = bytes;
                            patience = AnswerLimit::default();
                            window_began = Instant::now();
                        }
                    }
                    // They end in `next` and `receive`.
                    Received::Other(Message::Answer | Message::TargetGone) => {}
                },
                None if window_began.elapsed() < self.longest_window() => {}
                None => {
                    let progress = Progress::of(self.process.id());
                    if !patience.goes_on(progress, window_began.elapsed()) {
                        return Err(patience.refusal(self.target, asked.elapsed()));
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

    /// The next message within that time. The end of the target is only remembered.
    pub(crate) fn receive(&mut self, longest: Duration) -> Option<Result<Received, Refusal>> {
        match self.answers.recv_timeout(longest) {
            Ok(Ok(Received::Other(Message::TargetGone))) => {
                self.is_target_gone = true;
                None
            }
            Ok(Ok(received)) => Some(Ok(received)),
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
        // It ends when its input is closed.
        self.orders = None;
        if self.is_lost() {
            // Its result is no longer wanted.
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

fn listen(mut out: ChildStdout, sender: &Sender<NextReceived>) {
    loop {
        let received = next(&mut out);
        let is_last = received.is_err();
        if sender.send(received).is_err() || is_last {
            return;
        }
    }
}

fn next(out: &mut ChildStdout) -> NextReceived {
    match frame::read::<Message>(out)? {
        Message::Answer => Frame::read(out).map(Received::Answer),
        other => Ok(Received::Other(other)),
    }
}

/// Keeps the error output of the process before it ends.
fn note_mistake(errors: ChildStderr, note: &Sender<String>) {
    let mut line = Vec::new();
    // Text that came before a read error is useful, too.
    let _ = errors.take(MOST_OF_MISTAKE).read_to_end(&mut line);
    // The receiver may no longer exist.
    let _ = note.send(String::from_utf8_lossy(&line).into_owned());
}

#[cfg(test)]
mod tests;
