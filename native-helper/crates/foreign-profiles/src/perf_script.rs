//! What `perf script` prints: a line about each sample, its frames below it, an empty line.
//!
//! Which fields it prints can be chosen, and the format is made for people. What is taken: the thread,
//! its id, the time, the period, the event, and of each frame address, symbol and object; source lines
//! (`-F +srcline`) where they follow a frame. Without call chains the one frame is on the same line.

use std::collections::HashMap;

use crate::error::ImportError;
use crate::format::Format;
use crate::limits::Limits;
use crate::names;
use crate::profile::ForeignProfile;
use profile_builder::{FrameId, Labels, Measure, ProfileBuilder};

/// Events that count nanoseconds of CPU time.
const CLOCKS: [&str; 2] = ["cpu-clock", "task-clock"];
/// Lines that are looked at to tell the format.
const LOOKED_AT_LINES: usize = 40;
/// More frames of one sample are not believed: perf itself stops at 127 unless told otherwise.
const MAX_FRAMES: usize = 16 << 10;

/// The line about a sample.
#[derive(Debug, PartialEq)]
struct Header<'t> {
    thread: &'t str,
    thread_id: u64,
    /// Seconds of some clock.
    time_s: Option<f64>,
    period: Option<u64>,
    event: &'t str,
    /// The one frame of a sample without a call chain.
    frame: Option<&'t str>,
}

/// Whether a text is what `perf script` prints.
pub(crate) fn looks_like(text: &str) -> bool {
    let mut lines = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .skip_while(|line| line.trim().is_empty())
        .take(LOOKED_AT_LINES);
    let Some(header) = lines.next().and_then(header) else {
        return false;
    };
    if header.frame.is_some() {
        return true;
    }
    match lines.next() {
        Some(line) if line.trim().is_empty() => header.time_s.is_some(),
        Some(line) => frame(line).is_some(),
        None => header.time_s.is_some(),
    }
}

/// Takes the line about a sample apart: `comm pid/tid [cpu] time: period event:`, where all from the
/// processor on may be left out.
fn header(line: &str) -> Option<Header<'_>> {
    // A thread's name may have spaces and numbers: the first number that makes sense of the rest.
    let ids = words(line).skip(1);
    ids.filter_map(|(at, word)| Some((at, thread_id(word)?)))
        .find_map(|(at, id)| header_from(line, at, id))
}

/// The same, given where the thread's id is.
fn header_from(line: &str, id_at: usize, id: u64) -> Option<Header<'_>> {
    let thread = line.get(..id_at)?.trim();
    let mut words = words(line);
    words.find(|(at, _)| *at == id_at);
    let mut header = Header {
        thread,
        thread_id: id,
        time_s: None,
        period: None,
        event: "",
        frame: None,
    };
    let mut rest = words.peekable();
    if rest.peek().is_some_and(|(_, word)| word.starts_with('[')) {
        rest.next();
    }
    // Latency flags: `d..2.`.
    if rest
        .peek()
        .is_some_and(|(_, word)| word.len() <= 6 && !word.ends_with(':') && word.contains('.'))
    {
        rest.next();
    }
    if let Some((_, word)) = rest.peek()
        && let Some(time) = word.strip_suffix(':').filter(|time| time.contains('.'))
        && let Ok(time_s) = time.parse::<f64>()
    {
        header.time_s = Some(time_s);
        rest.next();
    }
    if let Some((_, word)) = rest.peek()
        && let Ok(period) = word.parse::<u64>()
    {
        header.period = Some(period);
        rest.next();
    }
    if let Some((at, word)) = rest.peek().copied()
        && let Some(event) = word.strip_suffix(':')
        && event.parse::<f64>().is_err()
    {
        header.event = event;
        let behind = line.get(at + word.len()..)?.trim();
        header.frame = Some(behind).filter(|text| frame(text).is_some());
        rest.next();
    } else if rest.peek().is_some() {
        return None;
    }
    Some(header)
}

/// `tid` or `pid/tid`.
fn thread_id(word: &str) -> Option<u64> {
    let id = word.rsplit('/').next()?;
    let all = word
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'/');
    if all { id.parse().ok() } else { None }
}

/// Words of a line, each with where it is.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> + Clone {
    let mut at = 0;
    line.split([' ', '\t']).filter_map(move |word| {
        let here = at;
        at += word.len() + 1;
        (!word.is_empty()).then_some((here, word))
    })
}

/// A frame: address, symbol without offset, object; the latter two may be empty.
fn frame(line: &str) -> Option<(u64, &str, &str)> {
    let line = line.trim();
    let (address, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    let address = u64::from_str_radix(address, 16).ok()?;
    let rest = rest.trim();
    let (symbol, object) = with_offset(rest).unwrap_or_else(|| match rest.strip_suffix(')') {
        Some(inside) if inside.starts_with('(') => ("", &inside[1..]),
        Some(inside) => inside.rsplit_once(" (").unwrap_or((rest, "")),
        None => (rest, ""),
    });
    let known = |text: &'_ str| !matches!(text, "[unknown]" | "inlined");
    let symbol = Some(symbol.trim()).filter(|text| known(text));
    let object = Some(object).filter(|text| known(text));
    Some((address, symbol.unwrap_or(""), object.unwrap_or("")))
}

/// `symbol+0x12 (object)`, where both may hold brackets.
fn with_offset(text: &str) -> Option<(&str, &str)> {
    let (symbol, rest) = text.rsplit_once("+0x")?;
    let (offset, object) = rest.split_once(' ').unwrap_or((rest, ""));
    u64::from_str_radix(offset, 16).ok()?;
    let object = object.strip_prefix('(').and_then(|it| it.strip_suffix(')'));
    Some((symbol, object.unwrap_or("")))
}

/// A source line below a frame: `file.c:12`.
fn source_line(line: &str) -> Option<(&str, u32)> {
    let (file, line) = line.trim().rsplit_once(':')?;
    let line = line.parse().ok()?;
    (!file.is_empty() && !file.contains(' ')).then_some((file, line))
}

/// Reads a text.
pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<ForeignProfile, ImportError> {
    let text = String::from_utf8_lossy(bytes);
    let mut reading = Reading::new(limits);
    let mut sample: Option<Header<'_>> = None;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if line.trim().is_empty() {
            reading.end(sample.take())?;
        } else if sample.is_some() {
            reading.below(line)?;
        } else if let Some(found) = header(line) {
            match found.frame {
                Some(frame) => {
                    reading.below(frame)?;
                    reading.end(Some(found))?;
                }
                None => sample = Some(found),
            }
        } else {
            reading.others += 1;
        }
    }
    reading.end(sample)?;
    reading.finish()
}

/// A frame as the text has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct FoundFrame<'t> {
    is_kernel: bool,
    symbol: &'t str,
    object: &'t str,
    file: &'t str,
    line: u32,
}

struct Reading<'t> {
    profile: ForeignProfile,
    known: HashMap<FoundFrame<'t>, FrameId>,
    /// Of the sample at hand, the innermost first.
    stack: Vec<FoundFrame<'t>>,
    period_ns: u64,
    start_s: Option<f64>,
    end_s: f64,
    samples: usize,
    /// Lines that are neither samples nor frames.
    others: usize,
    /// Samples of other events than the first one.
    other_events: usize,
}

impl<'t> Reading<'t> {
    fn new(limits: &Limits) -> Self {
        Self {
            profile: ForeignProfile::new(limits),
            known: HashMap::new(),
            stack: Vec::new(),
            period_ns: 0,
            start_s: None,
            end_s: 0.0,
            samples: 0,
            others: 0,
            other_events: 0,
        }
    }

    /// Takes a line below the one about a sample.
    fn below(&mut self, line: &'t str) -> Result<(), ImportError> {
        if let Some((address, symbol, object)) = frame(line) {
            if self.stack.len() >= MAX_FRAMES {
                return Err(ImportError::TooMany {
                    what: "frames in one stack",
                    max: MAX_FRAMES,
                });
            }
            self.stack.push(FoundFrame {
                is_kernel: names::is_kernel(address),
                symbol,
                object,
                file: "",
                line: 0,
            });
        } else if let (Some((file, number)), Some(frame)) =
            (source_line(line), self.stack.last_mut())
        {
            (frame.file, frame.line) = (file, number);
        } else {
            self.others += 1;
        }
        Ok(())
    }

    /// Adds a sample with the frames found since the last one.
    fn end(&mut self, sample: Option<Header<'t>>) -> Result<(), ImportError> {
        let Some(sample) = sample else {
            return Ok(());
        };
        if self.samples == 0 {
            sample.event.clone_into(&mut self.profile.event);
        } else if self.profile.event != sample.event {
            self.other_events += 1;
            self.stack.clear();
            return Ok(());
        }
        self.samples += 1;
        let start_s = *self.start_s.get_or_insert(sample.time_s.unwrap_or(0.0));
        let time_s = sample.time_s.unwrap_or(start_s);
        self.end_s = self.end_s.max(time_s);
        let stack = std::mem::take(&mut self.stack);
        let mut at = ProfileBuilder::EMPTY;
        for found in stack.iter().rev() {
            let frame = self.frame(*found);
            at = self.profile.call(at, frame);
        }
        self.stack = stack;
        self.stack.clear();
        let labels = self.profile.labels(Labels {
            thread_id: sample.thread_id,
            thread_name: sample.thread.to_owned(),
            scheduler: names::scheduler_of_thread(sample.thread),
            ..Labels::default()
        });
        let clock = self.profile.event.split(':').next().unwrap_or_default();
        let time_ns = match sample.period {
            Some(period) if CLOCKS.contains(&clock) => period,
            _ => 0,
        };
        self.period_ns = self.period_ns.max(time_ns);
        let at_ns = crate::json::count((time_s - start_s).max(0.0) * 1e9);
        Ok(self.profile.add(at, labels, at_ns, 1, time_ns)?)
    }

    fn frame(&mut self, found: FoundFrame<'t>) -> FrameId {
        if let Some(&frame) = self.known.get(&found) {
            return frame;
        }
        let mut facts = names::of_symbol(found.is_kernel, found.symbol, found.object);
        found.file.clone_into(&mut facts.file);
        let frame = self.profile.frame(facts, found.line);
        self.known.insert(found, frame);
        frame
    }

    fn finish(mut self) -> Result<ForeignProfile, ImportError> {
        if self.others > self.samples {
            let what = format!("{} lines are neither samples nor frames", self.others);
            return Err(ImportError::malformed(Format::PerfScript, what));
        }
        for (count, what) in [
            (self.others, "lines are neither samples nor frames"),
            (
                self.other_events,
                "samples are of another event than the first one",
            ),
        ] {
            if count > 0 {
                self.profile
                    .notes
                    .push(format!("{count} {what} and are left out"));
            }
        }
        if self.period_ns > 0 {
            let period_ns = self.period_ns;
            self.profile.measure = Measure::SamplesAndTime { period_ns };
        }
        let seconds = self.end_s - self.start_s.unwrap_or(self.end_s);
        self.profile.duration_ns = crate::json::count(seconds.max(0.0) * 1e9);
        Ok(self.profile)
    }
}
