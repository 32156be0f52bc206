//! The heap of a process, as it is told.

use std::cmp::Reverse;
use std::collections::HashMap;

use attach::{AttachedVm, HeapLook, MessageShapes, ProcessHeap};
use diagnose::refusal::{Refusal, RefusalKind};
use erlang_terms::Term;
use process_heap::{Owner, Part, Step};
use protocol::heap::{
    HeapFrame, HeapKind, HeapMessages, HeapPart, HeapResult, HeapRoot, MessageShape,
};
use protocol::message::{Text, texts};
use vm_code::generations::Located;
use vm_processes::Status;
use vm_tables::atoms::quoted;

use crate::processes::{Place, current};

/// Parts of one root that are told.
const TOLD_PARTS: usize = 16;
/// Shapes of messages, and keys of the dictionary, that are.
const TOLD_SHAPES: usize = 50;
const TOLD_KEYS: usize = 1000;
/// What every stack ends in.
const BOTTOM: &str = "normal_exit";

pub(crate) fn heap_result(vm: &mut AttachedVm, process: &str) -> Result<HeapResult, Refusal> {
    let heap = looked_through(vm, process, false)?;
    Ok(told(vm, process, &heap))
}

/// What messages and the dictionary of a process say, each with what it is.
pub(crate) fn heap_values(
    vm: &mut AttachedVm,
    process: &str,
) -> Result<Vec<(String, String)>, Refusal> {
    Ok(looked_through(vm, process, true)?.values)
}

fn looked_through(
    vm: &mut AttachedVm,
    process: &str,
    values: bool,
) -> Result<Box<ProcessHeap>, Refusal> {
    let looked = vm
        .heap(process, values)
        .map_err(|error| Refusal::from(&error))?;
    let arguments: &[(&str, &dyn std::fmt::Display)] = &[("process", &process)];
    let refuse = |what: Text, fix: Text| Err(Refusal::new(RefusalKind::Other, what, fix));
    match looked {
        HeapLook::Heap(heap) => Ok(heap),
        HeapLook::NoProcess => {
            let pid = vm.process.pid;
            let what = texts::NO_ERLANG_PROCESS.with(&[("pid", &pid), ("process", &process)]);
            refuse(what, texts::TO_SEE_PROCESSES.with(&[("pid", &pid)]))
        }
        HeapLook::NeverRests => refuse(
            texts::NEVER_RESTS.with(arguments),
            texts::TO_TRY_LATER.text(),
        ),
        HeapLook::NoCopy(error) => {
            let what = [
                ("process", &process as &dyn std::fmt::Display),
                ("detail", &error),
            ];
            refuse(
                texts::HEAP_NOT_COPIED.with(&what),
                texts::TO_TRY_LATER.text(),
            )
        }
        HeapLook::Unknown => refuse(
            texts::HEAP_UNKNOWN.with(arguments),
            texts::TO_ASK_DOCTOR_FOUND.text(),
        ),
    }
}

fn told(vm: &mut AttachedVm, process: &str, heap: &ProcessHeap) -> HeapResult {
    let stack = frames(vm, heap);
    let kinds = heap.kinds.iter().map(|kind| HeapKind {
        kind: kind.kind.name().to_owned(),
        count: kind.count,
        words: kind.words,
    });
    HeapResult {
        pid: process.to_owned(),
        used_words: heap.entry.heap_used_words(),
        live_words: heap.reached.live_words,
        stack_words: heap.entry.hend.saturating_sub(heap.entry.stop) / 8,
        mailbox: heap.entry.mailbox,
        kinds: kinds.collect(),
        roots: roots(vm, heap, &stack),
        messages: messages(&heap.messages),
        dictionary: dictionary(vm, heap),
        links: heap.relations[0].clone(),
        monitors: heap.relations[1].clone(),
        stack: stack.into_iter().filter(is_shown).collect(),
    }
}

fn is_shown(frame: &HeapFrame) -> bool {
    !frame
        .function
        .as_deref()
        .is_some_and(|function| function.contains(BOTTOM))
}

/// The frames, the innermost first: that one goes on at its address, the others after the call before theirs.
fn frames(vm: &AttachedVm, heap: &ProcessHeap) -> Vec<HeapFrame> {
    let status = Status::of(heap.entry.state);
    let innermost = current(vm, status, heap.entry.i, heap.current_call.clone());
    let callers = heap.roots.frames.iter().skip(1);
    let callers = callers.map(|address| match vm.code.locate(address.wrapping_sub(1)) {
        Located::Known(code) => Place::from(code),
        _ => Place::default(),
    });
    let frames = std::iter::once(innermost).chain(callers);
    let frames = frames.map(|place| HeapFrame {
        function: place.function,
        file: place.file,
        line: place.line,
    });
    frames.collect()
}

fn roots(vm: &mut AttachedVm, heap: &ProcessHeap, stack: &[HeapFrame]) -> Vec<HeapRoot> {
    let mut parts: HashMap<usize, Vec<&Part>> = HashMap::new();
    for part in &heap.reached.parts {
        parts.entry(part.root).or_default().push(part);
    }
    let mut told: Vec<HeapRoot> = Vec::new();
    let mut mailbox_words = 0;
    for (index, (root, words)) in heap.roots.roots.iter().zip(&heap.reached.words).enumerate() {
        match root.owner {
            _ if *words == 0 => {}
            // One for all: there may be a million.
            Owner::Mailbox => mailbox_words += words,
            owner => told.push(HeapRoot {
                root: owner_text(vm, owner, stack),
                words: *words,
                parts: told_parts(parts.remove(&index).unwrap_or_default(), heap),
            }),
        }
    }
    if mailbox_words > 0 {
        told.push(HeapRoot {
            root: "mailbox".to_owned(),
            words: mailbox_words,
            parts: Vec::new(),
        });
    }
    told.sort_by_key(|root| Reverse(root.words));
    told
}

fn told_parts(mut parts: Vec<&Part>, heap: &ProcessHeap) -> Vec<HeapPart> {
    parts.sort_by_key(|part| Reverse(part.words));
    let step_text = |step: &Step| match (heap.keys.get(step), step) {
        (Some(key), _) => format!("key {key}"),
        (None, Step::Element(element)) => format!("element {}", element + 1),
        (None, Step::Keys) => "keys".to_owned(),
        (None, Step::Value(_, value)) => format!("value {}", value + 1),
    };
    let text = |path: &[Step]| path.iter().map(step_text).collect::<Vec<_>>().join(", ");
    let told = parts.into_iter().take(TOLD_PARTS).map(|part| HeapPart {
        part: text(&part.path),
        words: part.words,
    });
    told.collect()
}

fn messages(found: &MessageShapes) -> HeapMessages {
    let shapes = found.counts.iter().map(|(shape, count)| MessageShape {
        shape: shape.clone(),
        count: *count,
    });
    let mut shapes: Vec<MessageShape> = shapes.collect();
    shapes.sort_by(|a, b| (b.count, &a.shape).cmp(&(a.count, &b.shape)));
    shapes.truncate(TOLD_SHAPES);
    HeapMessages {
        shapes,
        first: found.first.clone(),
        last: found.last.clone(),
        off_heap: found.off_heap,
        on_heap: found.on_heap,
        unread: found.unread,
    }
}

fn dictionary(vm: &mut AttachedVm, heap: &ProcessHeap) -> Vec<String> {
    let keys = heap.roots.roots.iter().filter_map(|root| match root.owner {
        Owner::Dictionary(key) => key,
        _ => None,
    });
    keys.take(TOLD_KEYS).map(|key| key_text(vm, key)).collect()
}

fn owner_text(vm: &mut AttachedVm, owner: Owner, stack: &[HeapFrame]) -> String {
    let of = |frame: usize| {
        let frame = stack.get(frame).and_then(|frame| frame.function.as_deref());
        frame.unwrap_or("[unknown code]").to_owned()
    };
    match owner {
        Owner::Stack { frame, slot } => format!("y{slot} of {}", of(frame)),
        Owner::Argument(index) => format!("argument {} of {}", index + 1, of(0)),
        Owner::Mailbox => "mailbox".to_owned(),
        Owner::Dictionary(None) => "dictionary".to_owned(),
        Owner::Dictionary(Some(key)) => format!("dictionary key {}", key_text(vm, key)),
    }
}

/// Keys are contents, too: atoms are shown, of others the kind.
fn key_text(vm: &mut AttachedVm, key: u64) -> String {
    match Term::of(key) {
        Term::Atom(term) => {
            let name = vm.atoms.name(&vm.memory, term);
            name.map_or_else(|_| "…".to_owned(), quoted)
        }
        Term::List(_) => "[…]".to_owned(),
        Term::Boxed(_) => "{…}".to_owned(),
        _ => "…".to_owned(),
    }
}
