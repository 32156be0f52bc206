//! The output of `perf script`: a line about each sample, its frames below it, an empty line.
//!
//! Which fields it prints can be chosen, and the format is made for people. The reader takes the thread, its id, the
//! time, the period, the event, and of each frame address, symbol and object; source lines (`-F +srcline`) where they
//! follow a frame. Without call chains the one frame is on the same line. Records that are no samples, which the
//! options `--show-task-events`, `--show-mmap-events` and `--show-lost-events` print, are between the samples.

use capture::counted::counted;
use capture::facts::lost_samples_text;
use shared_map::HashMap;

use crate::error::{Defect, FoundEvent, ImportError};
use crate::format::Format;
use crate::limits::Limits;
use crate::names;
use crate::profile::{ForeignProfile, left_out};
use profile_builder::{FrameId, Labels, Measure, ProfileBuilder};

/// Events that count nanoseconds of CPU time.
const CLOCKS: [&str; 2] = ["cpu-clock", "task-clock"];
const OF_64_BITS: &str = "a period of more than 64 bits";
/// Lines that are read to detect the format.
const LOOKED_AT_LINES: usize = 40;
/// Lines that are read to find out whether samples have lines about them.
const LOOKED_AT_HEADERS: usize = 1000;
/// Bytes of a thread's name, as the kernel has it.
const MAX_NAME_BYTES: usize = 15;
/// How the names of perf's own records begin.
const RECORD: &str = "PERF_RECORD_";
/// The letters of `-F +misc`: the mode that the processor was in, and kinds of records.
const MISC: &str = "KUHGgEMCSRD";
/// Characters that perf prints an address of code or data in, with spaces before it.
const ADDRESS_WIDTH: usize = 16;
/// Events that are told apart.
const MAX_EVENTS: usize = 1000;

/// The line about a sample.
#[derive(Debug, PartialEq)]
struct Header<'t> {
    thread: &'t str,
    thread_id: u64,
    /// Seconds of some clock.
    time_s: Option<f64>,
    period: Option<&'t str>,
    event: &'t str,
    /// The one frame of a sample without a call chain; or another field, as an address of data, if frames follow.
    frame: Option<&'t str>,
}

impl<'t> Header<'t> {
    /// Of a sample of which no more than the thread's name is printed.
    fn of_thread(thread: &'t str) -> Self {
        Self {
            thread,
            thread_id: 0,
            time_s: None,
            period: None,
            event: "",
            frame: None,
        }
    }
}

/// Whether a text is what `perf script` prints.
pub(crate) fn looks_like(text: &str) -> bool {
    let mut has_records = false;
    let mut lines = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter(|line| {
            let is_record = is_record(line);
            has_records |= is_record;
            !is_record
        })
        .skip_while(|line| line.trim().is_empty())
        .take(LOOKED_AT_LINES);
    let Some(line) = lines.next() else {
        return has_records;
    };
    let Some(header) = header(line) else {
        return match lines.next() {
            // Behind the records, the text that is looked at may be cut in another.
            None => has_records || is_wide_frame(line),
            Some(next) => is_wide_frame(line) || is_wide_frame(next),
        };
    };
    if header.frame.is_some() {
        return true;
    }
    match lines.next() {
        Some(line) if line.trim().is_empty() => header.time_s.is_some(),
        Some(line) => frame(line).is_some(),
        None => header.time_s.is_some() || has_records,
    }
}

/// Takes the line about a sample apart: `comm pid/tid [cpu] time: period event:`, where all from the
/// processor on may be left out.
fn header(line: &str) -> Option<Header<'_>> {
    if let Some(header) = nameless_header(line) {
        return Some(header);
    }
    // A thread's name may have spaces and numbers: the first number that makes sense of the rest.
    let mut words = words(line);
    words.next()?;
    while let Some((at, word)) = words.next() {
        // Each of them looks at a few words, so that a line of numbers takes no longer than others.
        let header = thread_id(word).and_then(|id| header_from(line, (at, id), words.clone()));
        if header.is_some() {
            return header;
        }
    }
    None
}

/// The same without the thread's name, or without thread: such a line has its time.
fn nameless_header(line: &str) -> Option<Header<'_>> {
    let mut words = words(line);
    let thread_and_more = words.clone();
    let (_, word) = words.next()?;
    let header = match thread_id(word) {
        Some(id) => header_from(line, (0, id), words),
        None => header_from(line, (0, 0), thread_and_more),
    };
    header.filter(|header| header.time_s.is_some())
}

/// The same, given the thread's id, where it is and the words behind it.
fn header_from<'t>(
    line: &'t str,
    (id_at, id): (usize, u64),
    words: impl Iterator<Item = (usize, &'t str)>,
) -> Option<Header<'t>> {
    let mut header = Header {
        thread_id: id,
        ..Header::of_thread(line.get(..id_at)?)
    };
    let mut rest = words.peekable();
    if rest.peek().is_some_and(|(_, word)| word.starts_with('[')) {
        rest.next();
    }
    if rest.peek().is_some_and(|(_, word)| {
        word.len() <= 2 && word.chars().all(|letter| MISC.contains(letter))
    }) {
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
        && word.bytes().all(|byte| byte.is_ascii_digit())
    {
        header.period = Some(word);
        rest.next();
    }
    if let Some((at, word)) = rest.peek().copied()
        && let Some(event) = word.strip_suffix(':')
        && event.parse::<f64>().is_err()
    {
        // One without modifiers may have the colon before them.
        header.event = event.trim_end_matches(':');
        let behind = behind_addresses(line.get(at + word.len()..)?);
        header.frame = Some(behind).filter(|text| frame(text).is_some());
        rest.next();
    } else if rest.peek().is_some() {
        return None;
    }
    header.thread = header.thread.trim();
    Some(header)
}

/// The last of the addresses that a text begins with, and the text behind it: before that of the code may be one of data
/// (`-F +addr`). Each is as wide as one of the kernel, so a name of letters that are digits, too, is none.
fn behind_addresses(text: &str) -> &str {
    let mut behind = text.trim();
    while let Some((first, rest)) = behind.split_once(' ') {
        let next = rest.trim_start();
        let word = next.split(' ').next().unwrap_or_default();
        // A name has one space before it.
        let width = rest.len() - next.len() + word.len();
        if width < ADDRESS_WIDTH || !is_address(first) || !is_address(word) {
            break;
        }
        behind = next;
    }
    behind
}

fn is_address(word: &str) -> bool {
    u64::from_str_radix(word, 16).is_ok()
}

/// Whether a line is a record that is no sample: a new process, a mapping.
fn is_record(line: &str) -> bool {
    record(line).is_some()
}

/// The name of such a record, and the text behind it.
fn record(line: &str) -> Option<(&str, &str)> {
    if !line.contains(RECORD) {
        return None;
    }
    let mut before = "";
    for (at, word) in words(line) {
        if let Some(name) = word.strip_prefix(RECORD) {
            let is_time = before
                .strip_suffix(':')
                .is_some_and(|time| time.parse::<f64>().is_ok());
            let is_record = before.is_empty()
                || is_time
                || before.ends_with(']')
                || before.parse::<i64>().is_ok();
            let behind = line.get(at + word.len()..)?;
            return is_record.then_some((name.trim_end_matches(':'), behind));
        }
        before = word;
    }
    None
}

/// What the records of a text state about samples that are not in it.
#[derive(Debug, Default)]
struct Losses {
    /// Samples of the kernel's own records, each written where its buffer was full.
    lost: u64,
    /// Those by the counters of the events, which perf reads at the end: the same samples once more.
    lost_of_events: u64,
    /// Records of lost samples without their number.
    unknown: usize,
    /// Times that the kernel paused sampling.
    pauses: usize,
}

impl Losses {
    fn add(&mut self, name: &str, behind: &str) {
        let sum = match name {
            "LOST" => &mut self.lost,
            "LOST_SAMPLES" => &mut self.lost_of_events,
            "THROTTLE" => {
                self.pauses += 1;
                return;
            }
            _ => return,
        };
        match lost_samples(behind) {
            Some(samples) => *sum = sum.saturating_add(samples),
            None => self.unknown += 1,
        }
    }

    /// How many samples are lost at least; `None` where no record is of any.
    fn at_least(&self) -> Option<u64> {
        let known = self.lost.max(self.lost_of_events);
        (known > 0 || self.unknown > 0).then_some(known)
    }
}

/// The number of a record of lost samples: `lost 1234`, `id:5: lost:1234`.
fn lost_samples(text: &str) -> Option<u64> {
    let (_, behind) = text.rsplit_once("lost")?;
    let behind = behind.trim_start_matches([' ', ':']);
    let end = behind.find(|letter: char| !letter.is_ascii_digit());
    behind.get(..end.unwrap_or(behind.len()))?.parse().ok()
}

/// Whether an event is meant by a name: as it is in the text, or without its modifiers (`cpu-clock` for
/// `cpu-clock:ppp`).
fn is_event(event: &str, wanted: &str) -> bool {
    let plain = event.rsplit_once(':');
    let is_modifier = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphabetic());
    event == wanted || plain.is_some_and(|(name, after)| name == wanted && is_modifier(after))
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
    let (symbol, object) = with_offset(rest)
        .or_else(|| {
            let (symbol, object) = split_object(rest)?;
            Some((without_offset(symbol), without_offset(object)))
        })
        .unwrap_or((rest, ""));
    // The file of the mapping no longer exists, or never had a name.
    let object = object.strip_suffix(" (deleted)").unwrap_or(object);
    let known = |text: &'_ str| !matches!(text, "[unknown]" | "inlined");
    let symbol = Some(symbol.trim()).filter(|text| known(text));
    let object = Some(object).filter(|text| known(text));
    Some((address, symbol.unwrap_or(""), object.unwrap_or("")))
}

/// Whether a line is a frame as perf prints it, its address in a column.
fn is_wide_frame(line: &str) -> bool {
    let columns = line.strip_prefix('\t');
    let parts = columns.and_then(|line| line.split_at_checked(ADDRESS_WIDTH));
    parts.is_some_and(|(address, rest)| {
        is_address(address.trim_start()) && (rest.is_empty() || rest.starts_with(' '))
    })
}

/// Whether no line of the first ones is about a sample with its thread or time: only names of threads are printed, or
/// nothing (`-F comm,ip,sym`, `-F ip,sym`). A text may as well begin amid a sample.
fn is_bare(text: &str) -> bool {
    let others = text
        .lines()
        .filter(|line| !line.starts_with(['#', '\t']) && !is_record(line));
    let mut first = others.take(LOOKED_AT_HEADERS);
    !first.any(|line| header(line).is_some())
}

/// `symbol (object)`, where both may hold brackets and spaces: an object is a path, or the name of a
/// mapping in square brackets.
fn split_object(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_suffix(')')?;
    let begins = [" (/", " (["].iter().filter_map(|start| inside.find(start));
    if let Some(at) = begins.min() {
        return Some((&inside[..at], &inside[at + 2..]));
    }
    if let Some(object) = inside.strip_prefix('(')
        && (object.starts_with(['/', '[']) || !object.contains('('))
    {
        return Some(("", object));
    }
    // Another name: the part that the last bracket opens.
    let mut depth = 1_usize;
    for (at, byte) in inside.bytes().enumerate().rev() {
        depth = match byte {
            b')' => depth + 1,
            b'(' => depth - 1,
            _ => depth,
        };
        if depth == 0 {
            return Some((&inside[..at], &inside[at + 1..]));
        }
    }
    None
}

/// `symbol+0x12 (object)`, where both may hold brackets.
fn with_offset(text: &str) -> Option<(&str, &str)> {
    let (symbol, rest) = text.rsplit_once("+0x")?;
    let (offset, object) = rest.split_once(' ').unwrap_or((rest, ""));
    u64::from_str_radix(offset, 16).ok()?;
    let object = object.strip_prefix('(').and_then(|it| it.strip_suffix(')'));
    Some((symbol, object.unwrap_or("")))
}

/// Without the offset behind a symbol or an object: `-F +dsoff` prints `symbol+0x12 (object+0x1139)`.
fn without_offset(text: &str) -> &str {
    match text.trim_end().rsplit_once("+0x") {
        Some((before, offset)) if u64::from_str_radix(offset, 16).is_ok() => before,
        _ => text,
    }
}

/// A source line below a frame, `file.c:12`; file and line are empty and 0 where perf found none: `??:0`,
/// `beam.smp[483b53]`.
fn source_line(line: &str) -> Option<(&str, u32)> {
    let line = line.trim();
    // Of a statement that is several pieces of code, and of a function that was inlined.
    let line = match line.split_once(" (") {
        Some((place, more)) if more.starts_with("discriminator ") || more == "inlined)" => place,
        _ => line,
    };
    if line.contains(' ') {
        return None;
    }
    if let Some((_, address)) = line.strip_suffix(']').and_then(|it| it.rsplit_once('[')) {
        return u64::from_str_radix(address, 16).ok().map(|_| ("", 0));
    }
    let (file, line) = line.rsplit_once(':')?;
    match (file, line.parse::<u32>()) {
        ("", _) => None,
        ("??", _) | (_, Ok(0)) => Some(("", 0)),
        (_, Ok(line)) => Some((file, line)),
        (_, Err(_)) => (line == "?").then_some(("", 0)),
    }
}

/// Reads the samples of one event of a text; without `event` there may be only one.
pub(crate) fn read(
    bytes: &[u8],
    limits: &Limits,
    event: Option<&str>,
) -> Result<ForeignProfile, ImportError> {
    let text = String::from_utf8_lossy(bytes);
    let mut reading = Reading::new(limits, event);
    reading.is_bare = is_bare(&text);
    let (whole, last) = text.split_at(text.rfind('\n').map_or(0, |end| end + 1));
    for line in whole.lines() {
        reading.line(line)?;
    }
    if !last.is_empty() && reading.begins_another(last) {
        reading.end()?;
    }
    if reading.is_cut_in(last) {
        reading.is_cut = true;
    } else {
        reading.line(last)?;
        reading.end()?;
    }
    let mut profile = reading.finish()?;
    profile.note_no_utf8(bytes);
    Ok(profile)
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

impl<'t> FoundFrame<'t> {
    fn of((address, symbol, object): (u64, &'t str, &'t str)) -> Self {
        Self {
            is_kernel: names::is_kernel(address),
            symbol,
            object,
            file: "",
            line: 0,
        }
    }
}

struct Reading<'t> {
    profile: ForeignProfile,
    known: HashMap<FoundFrame<'t>, FrameId>,
    /// The sample at hand.
    sample: Option<Header<'t>>,
    /// Its frames, the innermost first.
    stack: Vec<FoundFrame<'t>>,
    /// Samples have no lines about them, or one with the thread's name: that of the next sample, and the number of its
    /// line.
    is_bare: bool,
    name: Option<(&'t str, usize)>,
    period_ns: u64,
    start_s: Option<f64>,
    end_s: f64,
    samples: usize,
    /// Lines that were read, and those of them that are frames.
    lines: usize,
    frames: usize,
    /// Lines begin with a tab if they are frames.
    has_tabs: bool,
    /// Lines that are neither samples nor frames, and the first of them.
    others: usize,
    first_other: Option<usize>,
    /// Samples with a period that is no number of 64 bits, as the kernel has it.
    odd_periods: usize,
    losses: Losses,
    /// The text ends inside its last sample.
    is_cut: bool,
    /// The one that was chosen.
    chosen: Option<&'t str>,
    /// Samples by event, in the order of the text.
    events: Vec<(&'t str, u64)>,
}

impl<'t> Reading<'t> {
    fn new(limits: &Limits, chosen: Option<&'t str>) -> Self {
        Self {
            chosen,
            profile: ForeignProfile::new(limits),
            known: HashMap::new(),
            sample: None,
            stack: Vec::new(),
            is_bare: false,
            name: None,
            period_ns: 0,
            start_s: None,
            end_s: 0.0,
            samples: 0,
            lines: 0,
            frames: 0,
            has_tabs: false,
            others: 0,
            first_other: None,
            odd_periods: 0,
            losses: Losses::default(),
            is_cut: false,
            events: Vec::new(),
        }
    }

    fn line(&mut self, line: &'t str) -> Result<(), ImportError> {
        self.lines += 1;
        if line.starts_with('#') {
            return Ok(());
        }
        if line.trim().is_empty() {
            self.leave_out_name();
            return self.end();
        }
        if self.begins_another(line) {
            self.end()?;
        }
        if self.sample.is_some() {
            self.below(line);
        } else if let Some((name, behind)) = record(line) {
            self.losses.add(name, behind);
        } else if self.is_bare && is_wide_frame(line) {
            let (thread, _) = self.name.take().unwrap_or_default();
            self.sample = Some(Header::of_thread(thread));
            self.below(line);
        } else if let Some(found) = header(line) {
            self.leave_out_name();
            self.sample = Some(found);
        } else if self.is_bare && line.trim().len() <= MAX_NAME_BYTES && !line.starts_with('\t') {
            self.leave_out_name();
            self.name = Some((line.trim(), self.lines));
        } else {
            self.leave_out_name();
            self.other(self.lines);
        }
        Ok(())
    }

    /// A line that seemed to be the name of a thread, and has no frame below.
    fn leave_out_name(&mut self) {
        if let Some((_, line)) = self.name.take() {
            self.other(line);
        }
    }

    fn other(&mut self, line: usize) {
        self.others += 1;
        self.first_other.get_or_insert(line);
    }

    /// A frame below a sample. Other fields may be numbers, too, on lines that perf does not indent by a tab.
    fn frame_below(&self, line: &'t str) -> Option<(u64, &'t str, &'t str)> {
        let is_indented = line.starts_with('\t') || !self.has_tabs;
        frame(line).filter(|_| is_indented)
    }

    /// Whether a line is none of the sample at hand: a record, or the next sample, of one line each or without an empty
    /// line before it, as behind registers (`-F +uregs`).
    fn begins_another(&self, line: &'t str) -> bool {
        let Some(sample) = &self.sample else {
            return false;
        };
        if sample.frame.is_some() {
            let is_sample = header(line).is_some_and(|found| !found.event.is_empty());
            return is_sample || is_record(line);
        }
        if self.frame_below(line).is_some() {
            return false;
        }
        let is_sample = || {
            let found = header(line).filter(|_| source_line(line).is_none());
            found.is_some_and(|found| {
                found.time_s.is_some() || !found.event.is_empty() && found.event == sample.event
            })
        };
        is_record(line) || is_sample()
    }

    /// Whether a text without the end of its last line was cut in it, judged by the lines before.
    fn is_cut_in(&self, last: &str) -> bool {
        let last = last.trim();
        if last.is_empty() || last.starts_with('#') || is_record(last) {
            return false;
        }
        let mut frames = self.known.keys().chain(&self.stack);
        let lacks_its_object = !last.ends_with(')') && frames.any(|frame| !frame.object.is_empty());
        match (&self.sample, header(last)) {
            (None, None) => true,
            (None, Some(header)) if header.frame.is_none() => {
                let is_known = |(event, _): &(&str, u64)| *event == header.event;
                !self.known.is_empty()
                    || match self.events.is_empty() {
                        true => header.event.is_empty(),
                        false => !self.events.iter().any(is_known),
                    }
            }
            _ => lacks_its_object,
        }
    }

    /// Takes a line below the one about a sample.
    fn below(&mut self, line: &'t str) {
        if source_line(line).is_some() {
            self.take_only_frame();
        }
        if let Some(found) = self.frame_below(line) {
            self.has_tabs |= line.starts_with('\t');
            self.frames += 1;
            self.stack.push(FoundFrame::of(found));
        } else if let (Some((file, number)), Some(frame)) =
            (source_line(line), self.stack.last_mut())
        {
            (frame.file, frame.line) = (file, number);
        } else {
            self.other(self.lines);
        }
    }

    /// Takes the frame that is on the line of the sample, when there are no others below.
    fn take_only_frame(&mut self) {
        let only = self.sample.as_ref().and_then(|sample| sample.frame);
        let only = only.filter(|_| self.stack.is_empty()).and_then(frame);
        self.stack.extend(only.map(FoundFrame::of));
    }

    /// Adds the sample at hand with the frames found since the last one.
    fn end(&mut self) -> Result<(), ImportError> {
        self.take_only_frame();
        let Some(sample) = self.sample.take() else {
            return Ok(());
        };
        let Ok(period) = sample.period.map(str::parse::<u64>).transpose() else {
            self.odd_periods += 1;
            self.stack.clear();
            return Ok(());
        };
        self.count_event(sample.event);
        // Samples of other events are not read: the user chooses one of the events at the end.
        let wanted = self.chosen.or(self.events.first().map(|(event, _)| *event));
        if !wanted.is_some_and(|wanted| is_event(sample.event, wanted)) {
            self.stack.clear();
            return Ok(());
        }
        if self.samples == 0 {
            sample.event.clone_into(&mut self.profile.event);
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
        let time_ns = match period {
            Some(period) if CLOCKS.contains(&clock) => period,
            _ => 0,
        };
        self.period_ns = self.period_ns.max(time_ns);
        let at_ns = crate::json::count((time_s - start_s).max(0.0) * 1e9);
        Ok(self.profile.add(at, labels, at_ns, 1, time_ns)?)
    }

    fn count_event(&mut self, event: &'t str) {
        let known = self.events.iter_mut().find(|(known, _)| *known == event);
        if let Some((_, samples)) = known {
            *samples += 1;
        } else if self.events.len() < MAX_EVENTS {
            self.events.push((event, 1));
        }
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

    /// How many samples were read, of any event.
    ///
    /// # Errors
    /// When they are no recording of one event.
    fn checked(&self) -> Result<u64, ImportError> {
        let malformed = |defect, what| ImportError::malformed(Format::PerfScript, defect, what);
        let events = || {
            let events = self.events.iter();
            events
                .map(|(event, samples)| FoundEvent {
                    name: (*event).to_owned(),
                    samples: *samples,
                })
                .collect()
        };
        if self.events.is_empty() && (self.is_cut || self.odd_periods > 0) {
            return Err(match self.is_cut {
                true => malformed(
                    Defect::Cut,
                    "its end is missing, and no sample is whole".to_owned(),
                ),
                false => malformed(
                    Defect::of("period"),
                    format!("all samples have {OF_64_BITS}"),
                ),
            });
        }
        match self.chosen {
            None if self.events.len() > 1 => {
                return Err(ImportError::SeveralEvents { events: events() });
            }
            Some(event) if self.samples == 0 => {
                return Err(ImportError::NoSuchEvent {
                    event: event.to_owned(),
                    events: events(),
                });
            }
            _ => {}
        }
        let read: u64 = self.events.iter().map(|(_, samples)| samples).sum();
        if self.others as u64 > read + self.frames as u64 {
            let lines = counted(self.others as u64, "line");
            let what = format!("{}: {lines}", self.what_others_are());
            let defect = Defect::Lines {
                count: self.others,
                first: self.first_other,
            };
            return Err(malformed(defect, what));
        }
        Ok(read)
    }

    /// What lines are that are left out, and where.
    fn what_others_are(&self) -> String {
        let first = self.first_other.unwrap_or_default();
        format!("neither samples nor frames, line {first} the first")
    }

    fn finish(mut self) -> Result<ForeignProfile, ImportError> {
        let read = self.checked()?;
        let other_events = usize::try_from(read).unwrap_or(usize::MAX) - self.samples;
        let (lost, pauses) = (self.losses.at_least(), self.losses.pauses);
        let others = self.what_others_are();
        self.profile.lost = lost;
        let notes = &mut self.profile.notes;
        if let Some(lost) = lost {
            let lost = lost_samples_text(lost);
            notes.push(format!("lost while perf recorded: {lost}"));
        }
        if pauses > 0 {
            let times = counted(pauses as u64, "time");
            notes.push(format!("sampling paused while perf recorded: {times}"));
        }
        for (count, what, noun) in [
            (self.others, &others[..], "line"),
            (other_events, "of other events", "sample"),
            (self.odd_periods, OF_64_BITS, "sample"),
        ] {
            if count > 0 {
                notes.push(left_out(count, noun, what));
            }
        }
        if self.is_cut {
            notes.push("its end is missing: the last sample is left out".to_owned());
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
