//! Folded stacks: `root;...;leaf count`, as flame graph tools read them.
//!
//! A frame may contain its place, `name (file:line)`, as several samplers write it and as our own export does on
//! request. Lines that begin with `#` are comments. Files of eflambe are folded stacks of timed calls: the first frame
//! of each is the process, and the counts are microseconds.

use capture::counted::counted;
use capture::sample::SampleClass;
use shared_map::HashMap;

use crate::error::{Defect, ImportError};
use crate::format::Format;
use crate::fractions;
use crate::json::count;
use crate::limits::Limits;
use crate::names;
use crate::profile::{ForeignProfile, left_out};
use profile_builder::{FrameId, Labels, Measure, ProfileBuilder, StackId};

/// Lines that are read to detect the format.
const LOOKED_AT_LINES: usize = 20;
/// Characters of a word that a message names.
const MOST_NAMED: usize = 30;
/// What eflambe puts on top of a process that waits.
const SLEEP: &str = "sleep";
const NS_PER_US: u64 = 1000;
/// What a capture can count: it has nanoseconds, and thousandths of them.
const LARGEST: f64 = u64::MAX as f64 / 1e6;

/// Whether most of the first lines are folded stacks, however long they are. The last line may be cut.
pub(crate) fn looks_like(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut lines = bytes
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii)
        .filter(|line| !line.is_empty() && !is_comment(line))
        .take(LOOKED_AT_LINES)
        .peekable();
    let (mut stacks, mut others, mut has_callers) = (0, 0, false);
    while let Some(line) = lines.next() {
        match ends_in_number(line) {
            true => stacks += 1,
            false if lines.peek().is_none() && stacks > 0 => break,
            false => others += 1,
        }
        has_callers |= line.contains(&b';');
    }
    // Any text that ends in a number would be a stack of one frame.
    stacks > 0 && stacks >= others && has_callers
}

/// Whether a line is a comment. Names of functions may begin with `#`, too: `#Fun<m.1> 3`.
fn is_comment(line: &[u8]) -> bool {
    let Some(behind) = line.strip_prefix(b"#") else {
        return false;
    };
    let is_name = behind
        .first()
        .is_some_and(|byte| !matches!(byte, b' ' | b'\t' | b'#'));
    !((is_name || line.contains(&b';')) && ends_in_number(line))
}

/// Whether a line may be a stack and its count, be the number any or none, as `NaN` and `1,000` are.
fn ends_in_number(line: &[u8]) -> bool {
    let parting = line.iter().rposition(|byte| matches!(byte, b' ' | b'\t'));
    let number = parting.and_then(|at| std::str::from_utf8(&line[at + 1..]).ok());
    number.is_some_and(|number| number.parse::<f64>().is_ok() || is_like_number(number))
}

/// Whether a word is written like a number, but not as this format has them: `1,000`, `12%`.
fn is_like_number(word: &str) -> bool {
    let begins = word.trim_start_matches(['-', '+']);
    let is_part = |byte: u8| byte.is_ascii_digit() || b".,'_%".contains(&byte);
    begins.starts_with(|c: char| c.is_ascii_digit()) && begins.bytes().all(is_part)
}

/// A line's stack and count.
fn split(line: &str) -> Option<(&str, f64)> {
    let (stack, number) = line.rsplit_once([' ', '\t'])?;
    let number = number.parse::<f64>().ok().filter(|it| it.is_finite())?;
    let stack = stack.trim();
    (!stack.is_empty()).then_some((stack, number))
}

/// A stack without the number behind it, of lines with two: that of the profile before, in a difference of two.
fn before_number(stack: &str) -> Option<&str> {
    let (stack, number) = stack.rsplit_once([' ', '\t'])?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let stack = stack.trim_end();
    (is_number && !stack.is_empty()).then_some(stack)
}

/// Whether each stack has two numbers behind it.
fn has_two_numbers(text: &str) -> bool {
    let mut stacks = stack_lines(text)
        .filter_map(|(_, line)| split(line))
        .peekable();
    stacks.peek().is_some() && stacks.all(|(stack, _)| before_number(stack).is_some())
}

/// The process that eflambe names first: `<0.123.0>`.
fn erlang_pid(frame: &str) -> Option<&str> {
    let inside = frame.strip_prefix('<')?.strip_suffix('>')?;
    let mut parts = inside.split('.');
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    (parts.clone().count() == 3 && parts.all(is_number)).then_some(frame)
}

/// Reads a file.
pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<ForeignProfile, ImportError> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    let lines = || stack_lines(text).map(|(_, line)| line);
    let is_timed = lines().filter_map(split).all(|(stack, _)| {
        let first = stack.split(';').next().unwrap_or_default();
        erlang_pid(first).is_some()
    });
    let has_two = has_two_numbers(text);
    let mut profile = ForeignProfile::new(limits);
    if is_timed {
        profile.measure = Measure::Time;
        "calls, as traced by eflambe".clone_into(&mut profile.event);
    }
    let numbers = lines().filter_map(split).map(|(_, number)| number.max(0.0));
    let scale = if is_timed {
        1.0
    } else {
        fractions::scale(numbers)
    };
    if let Some(measure) = fractions::measure(scale) {
        profile.measure = measure;
    }
    let mut known: HashMap<&str, FrameId> = HashMap::new();
    let (mut stacks, mut others, mut below_zero) = (0_usize, 0_usize, 0_usize);
    let mut too_large = 0;
    for line in lines() {
        let Some((stack, number)) = split(line) else {
            others += 1;
            continue;
        };
        stacks += 1;
        let stack = before_number(stack).filter(|_| has_two).unwrap_or(stack);
        if number < 0.0 {
            below_zero += 1;
            continue;
        }
        too_large += u64::from(number > LARGEST);
        let (pid, frames) = match stack.split_once(';') {
            Some((first, rest)) if is_timed => (first, rest),
            None if is_timed => (stack, ""),
            _ => ("", stack),
        };
        let sleeps = is_timed && frames.rsplit(';').next() == Some(SLEEP);
        let labels = profile.labels(Labels {
            erlang_pid: pid.to_owned(),
            class: sleeps.then_some(SampleClass::Idle),
            ..Labels::default()
        });
        let at = stack_of(&mut profile, &mut known, frames, is_timed);
        let number = count(number * scale);
        profile.add(at, labels, 0, number, number.saturating_mul(NS_PER_US))?;
    }
    note_others(&mut profile, text, (others, stacks))?;
    profile.note_no_utf8(bytes);
    profile.note_below_zero(Format::Folded, "number", (below_zero, stacks))?;
    note_numbers(&mut profile, has_two, too_large);
    Ok(profile)
}

/// The reading of numbers that are no plain counts.
fn note_numbers(profile: &mut ForeignProfile, has_two: bool, too_large: u64) {
    if has_two {
        let note =
            "each stack has two numbers, as in a difference of two profiles: the second is read";
        profile.notes.push(note.to_owned());
    }
    if too_large > 0 {
        let lines = counted(too_large, "number");
        profile.notes.push(format!(
            "larger than any count, and cut to what fits: {lines}"
        ));
    }
}

/// The stack of these frames, the outermost first. `known` has those that were seen before.
fn stack_of<'t>(
    profile: &mut ForeignProfile,
    known: &mut HashMap<&'t str, FrameId>,
    frames: &'t str,
    is_timed: bool,
) -> StackId {
    let mut at = ProfileBuilder::EMPTY;
    for frame in frames.split(';').filter(|frame| !frame.is_empty()) {
        let id = match known.get(frame) {
            Some(&id) => id,
            None => {
                let id = frame_of(profile, frame, is_timed);
                known.insert(frame, id);
                id
            }
        };
        at = profile.call(at, id);
    }
    at
}

/// Lines that are to be stacks, with their positions.
fn stack_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().map(str::trim).enumerate();
    lines.filter(|(_, line)| !line.is_empty() && !is_comment(line.as_bytes()))
}

/// Lines that are no stack: a note, or an error when there are more of them than stacks.
fn note_others(
    profile: &mut ForeignProfile,
    text: &str,
    (others, stacks): (usize, usize),
) -> Result<(), ImportError> {
    let mut lines = stack_lines(text);
    let Some((first, line)) = lines.find(|(_, line)| split(line).is_none()) else {
        return Ok(());
    };
    let what = format!(
        "no stack with a number behind it, line {} the first{}",
        first + 1,
        why_none(line)
    );
    if others > stacks {
        let lines = counted(others as u64, "line");
        let defect = Defect::Lines {
            count: others,
            first: Some(first + 1),
        };
        return Err(ImportError::malformed(
            Format::Folded,
            defect,
            format!("{what}: {lines}"),
        ));
    }
    profile.notes.push(left_out(others, "line", &what));
    Ok(())
}

/// What a line ends in, where that is written like a number.
fn why_none(line: &str) -> String {
    let word = line.rsplit([' ', '\t']).next().unwrap_or_default();
    let is_short = word.len() <= MOST_NAMED;
    match is_like_number(word) && is_short {
        true => format!(" ({word} is no number here)"),
        false => String::new(),
    }
}

fn frame_of(profile: &mut ForeignProfile, text: &str, is_timed: bool) -> FrameId {
    if is_timed && text == SLEEP {
        return profile.frame(capture::sample::FunctionFacts::marker("[sleep]"), 0);
    }
    let (name, place) = with_place(text);
    let mut facts = names::of_text(name);
    let (file, line) = place.unwrap_or_default();
    file.clone_into(&mut facts.file);
    profile.frame(facts, line)
}

/// `name (file:line)` in its parts.
fn with_place(text: &str) -> (&str, Option<(&str, u32)>) {
    let place = || {
        let (name, rest) = text.strip_suffix(')')?.rsplit_once(" (")?;
        let (file, line) = rest.rsplit_once(':')?;
        let line = line.parse().ok()?;
        (!file.is_empty()).then_some((name, (file, line)))
    };
    match place() {
        Some((name, place)) => (name, Some(place)),
        None => (text, None),
    }
}
