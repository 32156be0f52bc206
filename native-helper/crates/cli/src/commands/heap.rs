//! `heap`: what is on the heap of an Erlang process, and what keeps it alive.

use protocol::heap::{HeapFrame, HeapKind, HeapMessages, HeapResult, HeapRoot, MessageShape};
use serde::Serialize;

use crate::arguments::inside::Heap;
use crate::attaching::attach;
use crate::commands::print_json;
use crate::failure::Failure;
use crate::table::{Align, percent, render};
use crate::terminal::{print_line, print_lines};

/// Roots, and parts of one, that a table shows.
const SHOWN_ROOTS: usize = 20;
const SHOWN_PARTS: usize = 5;

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Printed {
    pid: String,
    used_words: u64,
    live_words: u64,
    stack_words: u64,
    mailbox: u64,
    roots: Vec<HeapRoot>,
    kinds: Vec<HeapKind>,
    stack: Vec<HeapFrame>,
    messages: Messages,
    dictionary: Vec<String>,
    links: Option<Vec<String>>,
    monitors: Option<Vec<String>>,
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

/// Runs `heap`.
pub fn run(arguments: &Heap) -> Result<(), Failure> {
    let (mut sampler, _) = attach(arguments.pid)?;
    let heap = sampler.heap(&arguments.process, &|| false)?;
    if !arguments.json {
        print(&heap)?;
        if arguments.values {
            print_values(&sampler.heap_values(&arguments.process, &|| false)?)?;
        }
        return Ok(());
    }
    let HeapResult {
        pid,
        used_words,
        live_words,
        stack_words,
        mailbox,
        roots,
        kinds,
        stack,
        messages,
        dictionary,
        links,
        monitors,
    } = heap;
    print_json(&Printed {
        pid,
        used_words,
        live_words,
        stack_words,
        mailbox,
        roots,
        kinds,
        stack,
        messages: messages.into(),
        dictionary,
        links,
        monitors,
    })
}

fn print(heap: &HeapResult) -> Result<(), Failure> {
    let HeapResult {
        pid,
        used_words,
        live_words,
        stack_words,
        mailbox,
        ..
    } = heap;
    print_line(&format!(
        "{pid}: {used_words} words in use, {live_words} of them live ({} %), {stack_words} words of stack, {mailbox} messages",
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
    print_lines(render(&columns, &kinds.collect::<Vec<_>>()))?;
    print_line("")?;
    print_lines(heap.stack.iter().map(|frame| {
        let function = frame.function.as_deref().unwrap_or("[unknown code]");
        match (&frame.file, frame.line) {
            (Some(file), Some(line)) => format!("{function}  {file}:{line}"),
            _ => function.to_owned(),
        }
    }))?;
    print_messages(&heap.messages)?;
    print_list("dictionary keys", Some(&heap.dictionary))?;
    print_list("links", heap.links.as_deref())?;
    print_list("monitors", heap.monitors.as_deref())
}

fn print_messages(messages: &HeapMessages) -> Result<(), Failure> {
    if messages.shapes.is_empty() {
        return Ok(());
    }
    let shapes = messages.shapes.iter().take(SHOWN_ROOTS);
    let shapes = shapes.map(|shape| vec![shape.count.to_string(), shape.shape.clone()]);
    print_line("")?;
    let columns = [("messages", Align::Right), ("of what shape", Align::Left)];
    print_lines(render(&columns, &shapes.collect::<Vec<_>>()))?;
    print_line(&format!(
        "{} on the heap, {} with memory of their own, {} not looked at",
        messages.on_heap, messages.off_heap, messages.unread
    ))?;
    Ok(())
}

/// Some of a list, on one line.
fn print_list(what: &str, all: Option<&[String]>) -> Result<(), Failure> {
    let text = match all {
        None => "not known".to_owned(),
        Some([]) => return Ok(()),
        Some(all) => {
            let shown = all.iter().take(SHOWN_ROOTS).cloned().collect::<Vec<_>>();
            let more = all.len().saturating_sub(SHOWN_ROOTS);
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
