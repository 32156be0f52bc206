//! `heap`: the contents of the heap of an Erlang process, and what keeps them alive.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use capture::marks::Mark;
use diagnose::refusal::Refusal;
use protocol::heap::{HeapFrame, HeapKind, HeapMessages, HeapResult, HeapRoot, MessageShape};
use sampling_process::{ReadProgress, questions};
use serde::Serialize;

use crate::arguments::inside::Heap;
use crate::attaching::attach;
use crate::circumstances::Circumstances;
use crate::commands::print_json;
use crate::failure::Failure;
use crate::progress::ProgressLine;
use crate::table::{Align, percent, render};
use crate::terminal::{print_line, print_lines};

/// How often the progress line changes.
const LINE_INTERVAL: Duration = Duration::from_millis(500);
/// Roots, and parts of one, that a table shows.
const SHOWN_ROOTS: usize = 20;
const SHOWN_PARTS: usize = 5;

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Printed {
    pid: String,
    used_words: u64,
    live_words: u64,
    live_words_at_least: bool,
    stack_words: u64,
    mailbox: u64,
    roots: Vec<HeapRoot>,
    roots_left_out_words: u64,
    kinds: Vec<HeapKind>,
    stack: Vec<HeapFrame>,
    stack_frames: u64,
    stack_frames_left_out: u64,
    messages: Messages,
    dictionary: Vec<String>,
    links: Option<Vec<String>>,
    links_count: Option<u64>,
    monitors: Option<Vec<String>>,
    monitors_count: Option<u64>,
    circumstances: Circumstances,
}

/// The same names as everywhere on the command line.
#[derive(Debug, Serialize)]
struct Messages {
    shapes: Vec<MessageShape>,
    first: Vec<String>,
    last: Vec<String>,
    off_heap: u64,
    on_heap: u64,
    unread: u64,
}

impl From<HeapMessages> for Messages {
    fn from(messages: HeapMessages) -> Self {
        let HeapMessages {
            shapes,
            first,
            last,
            off_heap,
            on_heap,
            unread,
        } = messages;
        Self {
            shapes,
            first,
            last,
            off_heap,
            on_heap,
            unread,
        }
    }
}

/// A progress line, and the newest progress of a large heap.
struct Shown {
    line: ProgressLine,
    bytes: u64,
    of_bytes: u64,
    at: Instant,
}

/// Looks through the heap, with a progress line: a large heap takes seconds.
fn with_progress<T>(
    look: impl FnOnce(&dyn Fn() -> bool, &ReadProgress<'_>) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    let began = Instant::now();
    let shown = RefCell::new(Shown {
        line: ProgressLine::new(),
        bytes: 0,
        of_bytes: 0,
        at: began,
    });
    let show = || {
        let mut shown = shown.borrow_mut();
        if shown.at.elapsed() < LINE_INTERVAL {
            return false;
        }
        shown.at = Instant::now();
        let text = progress_text(shown.bytes, shown.of_bytes, began.elapsed().as_secs());
        shown.line.show(&text);
        false
    };
    let looked = look(&show, &|bytes, of_bytes| {
        let mut shown = shown.borrow_mut();
        (shown.bytes, shown.of_bytes) = (bytes, of_bytes);
    });
    shown.borrow_mut().line.clear();
    looked
}

fn progress_text(bytes: u64, of_bytes: u64, seconds: u64) -> String {
    let heap = match of_bytes / 1_000_000 {
        0 => String::new(),
        megabytes => format!(
            " of {megabytes} MB, {} %",
            bytes.saturating_mul(100) / of_bytes
        ),
    };
    format!("reading the heap{heap}, for {seconds} s, Ctrl-C to end")
}

/// Runs `heap`.
pub fn run(arguments: &Heap) -> Result<(), Failure> {
    let (mut sampler, _) = attach(arguments.pid)?;
    let process = &arguments.process;
    let heap = with_progress(|cancelled, report| {
        let process = process.clone();
        sampler.ask_at_length(questions::Heap { process }, cancelled, report)
    })?;
    let circumstances = Circumstances::of(&mut sampler);
    if !arguments.json {
        circumstances.print()?;
        print(&heap)?;
        if arguments.values {
            print_values(&with_progress(|cancelled, report| {
                let process = process.clone();
                sampler.ask_at_length(questions::HeapValues { process }, cancelled, report)
            })?)?;
        }
        return Ok(());
    }
    let HeapResult {
        pid,
        used_words,
        live_words,
        live_words_at_least,
        stack_words,
        mailbox,
        roots,
        roots_left_out_words,
        kinds,
        stack,
        stack_frames,
        stack_frames_left_out,
        messages,
        dictionary,
        links,
        links_count,
        monitors,
        monitors_count,
    } = heap;
    print_json(&Printed {
        pid,
        used_words,
        live_words,
        live_words_at_least,
        stack_words,
        mailbox,
        roots,
        roots_left_out_words,
        kinds,
        stack,
        stack_frames,
        stack_frames_left_out,
        messages: messages.into(),
        dictionary,
        links,
        links_count,
        monitors,
        monitors_count,
        circumstances,
    })
}

fn print(heap: &HeapResult) -> Result<(), Failure> {
    let HeapResult {
        pid,
        used_words,
        live_words,
        live_words_at_least,
        stack_words,
        mailbox,
        ..
    } = heap;
    let at_least = match live_words_at_least {
        true => "at least ",
        false => "",
    };
    print_line(&format!(
        "{pid}: {used_words} words in use, {at_least}{live_words} of them live ({} %), {stack_words} words of stack, {mailbox} messages",
        share(*live_words, *used_words)
    ))?;
    let roots = heap.roots.iter().take(SHOWN_ROOTS).flat_map(|root| {
        let row =
            |text: String, words: u64| vec![words.to_string(), share(words, *live_words), text];
        let parts = root.parts.iter().take(SHOWN_PARTS);
        let parts = parts.map(move |part| row(format!("    {}", part.part), part.words));
        std::iter::once(row(root.root.clone(), root.words)).chain(parts)
    });
    print_line("")?;
    let columns = [
        ("words", Align::Right),
        ("% of live", Align::Right),
        ("kept alive by", Align::Left),
    ];
    print_lines(render(&columns, &roots.collect::<Vec<_>>()))?;
    print_kinds(heap)?;
    print_line("")?;
    print_lines(stack(heap))?;
    print_messages(&heap.messages, at_least)?;
    let keys = heap.dictionary.len() as u64;
    print_list("dictionary keys", Some((&heap.dictionary, keys)))?;
    let counted = |list: &'_ Option<Vec<String>>, count: Option<u64>| {
        list.as_ref()
            .zip(count)
            .map(|(list, count)| (list.clone(), count))
    };
    for (what, list, count) in [
        ("links", &heap.links, heap.links_count),
        ("monitors", &heap.monitors, heap.monitors_count),
    ] {
        let list = counted(list, count);
        print_list(what, list.as_ref().map(|(list, count)| (&**list, *count)))?;
    }
    Ok(())
}

fn print_kinds(heap: &HeapResult) -> std::io::Result<()> {
    print_line("")?;
    let kinds = heap.kinds.iter().map(|kind| {
        vec![
            kind.words.to_string(),
            kind.count.to_string(),
            kind.kind.clone(),
        ]
    });
    let columns = [
        ("words", Align::Right),
        ("things", Align::Right),
        ("of what kind, garbage among them", Align::Left),
    ];
    print_lines(render(&columns, &kinds.collect::<Vec<_>>()))
}

/// A line for each kind of frame that follows another one.
fn stack(heap: &HeapResult) -> Vec<String> {
    let line = |frame: &HeapFrame| {
        let function = frame
            .function
            .as_deref()
            .unwrap_or(Mark::UnknownCode.name());
        let times = match frame.times {
            0 | 1 => String::new(),
            times => format!(" × {times}"),
        };
        match (&frame.file, frame.line) {
            (Some(file), Some(line)) => format!("{function}{times}  {file}:{line}"),
            _ => format!("{function}{times}"),
        }
    };
    let mut lines: Vec<String> = heap.stack.iter().map(line).collect();
    if heap.stack_frames_left_out > 0 {
        let left_out = heap.stack_frames_left_out;
        lines.insert(
            lines.len() / 2,
            format!("… {left_out} of {} frames left out …", heap.stack_frames),
        );
    }
    lines
}

fn print_messages(messages: &HeapMessages, at_least: &str) -> Result<(), Failure> {
    if messages.shapes.is_empty() {
        return Ok(());
    }
    let shapes = messages.shapes.iter().take(SHOWN_ROOTS);
    let shapes = shapes.map(|shape| vec![shape.count.to_string(), shape.shape.clone()]);
    print_line("")?;
    let columns = [("messages", Align::Right), ("of what shape", Align::Left)];
    print_lines(render(&columns, &shapes.collect::<Vec<_>>()))?;
    print_line(&format!(
        "{at_least}{} on the heap, {at_least}{} with memory of their own, {} not looked at",
        messages.on_heap, messages.off_heap, messages.unread
    ))?;
    Ok(())
}

/// Some of a list, on one line.
fn print_list(what: &str, all: Option<(&[String], u64)>) -> Result<(), Failure> {
    let text = match all {
        None => "not known".to_owned(),
        Some(([], _)) => return Ok(()),
        Some((all, count)) => {
            let shown = all.iter().take(SHOWN_ROOTS).cloned().collect::<Vec<_>>();
            let more = count.saturating_sub(shown.len() as u64);
            let more = (more > 0).then(|| format!(" and {more} more"));
            format!("{}{}", shown.join(", "), more.unwrap_or_default())
        }
    };
    print_line(&format!("{what}: {text}"))?;
    Ok(())
}

fn print_values(values: &[(String, String)]) -> Result<(), Failure> {
    print_line("")?;
    print_lines(
        values
            .iter()
            .map(|(what, value)| format!("{what}: {value}")),
    )?;
    Ok(())
}

fn share(part: u64, all: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "a share of one decimal")]
    let share = part as f64 * 100.0 / all.max(1) as f64;
    percent(share)
}
