//! The heap of a process, as the protocol reports it.

use std::cmp::Reverse;
use std::rc::Rc;

use attach::{AttachedVm, HeapLook, HeapProgress, MessageShapes, ProcessHeap};
use capture::marks::Mark;
use diagnose::refusal::{Refusal, RefusalKind};
use erlang_names::ProcessName;
use erlang_terms::Term;
use process_heap::{CopyError, Owner, Part, Step};
use protocol::heap::{
    HeapFrame, HeapKind, HeapMessages, HeapPart, HeapResult, HeapRoot, MessageShape,
};
use protocol::message::{Text, texts};
use shared_map::HashMap;
use shared_sort::SharedSort;
use vm_processes::Status;
use vm_tables::atoms::quoted;

use crate::processes::{Place, current};

/// Reported roots: each frame of a stack of a million may have some.
const SHOWN_ROOTS: usize = 1000;
/// Reported frames of either end of a stack.
const SHOWN_FRAMES: usize = 500;
/// Reported parts of one root.
const SHOWN_PARTS: usize = 16;
/// Reported shapes of messages, and keys of the dictionary.
const SHOWN_SHAPES: usize = 50;
const SHOWN_KEYS: usize = 1000;
/// The last function of every stack.
const BOTTOM: &str = "normal_exit";

pub(crate) fn heap_result(
    vm: &mut AttachedVm,
    process: &str,
    is_code_known: bool,
    progress: &HeapProgress<'_>,
) -> Result<HeapResult, Refusal> {
    let heap = looked_through(vm, process, false, progress)?;
    Ok(result_of(vm, &heap, is_code_known))
}

/// The contents of the messages and the dictionary of a process, each with its label.
pub(crate) fn heap_values(
    vm: &mut AttachedVm,
    process: &str,
    progress: &HeapProgress<'_>,
) -> Result<Vec<(String, String)>, Refusal> {
    Ok(looked_through(vm, process, true, progress)?.values)
}

fn looked_through(
    vm: &mut AttachedVm,
    process: &str,
    values: bool,
    progress: &HeapProgress<'_>,
) -> Result<Box<ProcessHeap>, Refusal> {
    let arguments: &[(&str, &dyn std::fmt::Display)] = &[("process", &process)];
    let pid = vm.process.pid;
    let in_vm: &[(&str, &dyn std::fmt::Display)] = &[("pid", &pid)];
    let refuse = |what: Text, fix: Text| Err(Refusal::new(RefusalKind::Other, what, fix));
    let no_process = || {
        let what = texts::NO_ERLANG_PROCESS.with(&[("pid", &pid), ("process", &process)]);
        refuse(what, texts::TO_SEE_PROCESSES.with(in_vm))
    };
    // The caller refuses texts that are no names.
    let Ok(name) = process.parse::<ProcessName>() else {
        return no_process();
    };
    let looked = vm
        .heap(&name, values, progress)
        .map_err(|error| Refusal::from(&error))?;
    match looked {
        HeapLook::Heap(heap) => Ok(heap),
        HeapLook::NoProcess => no_process(),
        HeapLook::NeverRests => refuse(
            texts::NEVER_RESTS.with(arguments),
            texts::TO_SEE_WORK.with(in_vm),
        ),
        HeapLook::NoCopy(error) => {
            let what = [
                ("process", &process as &dyn std::fmt::Display),
                ("detail", &error),
            ];
            let fix = match error {
                CopyError::Read(_) => texts::TO_TRY_LATER.text(),
                // It will be as large the next time.
                _ => texts::TO_SEE_SIZES.with(in_vm),
            };
            refuse(texts::HEAP_NOT_COPIED.with(&what), fix)
        }
        HeapLook::TookTooLong(limit) => {
            let seconds = limit.as_secs();
            let what = [
                ("process", &process as &dyn std::fmt::Display),
                ("seconds", &seconds),
            ];
            refuse(
                texts::HEAP_TOOK_TOO_LONG.with(&what),
                texts::TO_SEE_SIZES.with(in_vm),
            )
        }
        HeapLook::Unknown => refuse(
            texts::HEAP_UNKNOWN.with(arguments),
            texts::TO_ASK_DOCTOR_FOUND.text(),
        ),
    }
}

fn result_of(vm: &mut AttachedVm, heap: &ProcessHeap, is_code_known: bool) -> HeapResult {
    let frames = match is_code_known {
        true => frames(vm, heap),
        false => without_functions(heap.roots.frames.len()),
    };
    let kinds = heap.kinds.iter().map(|kind| HeapKind {
        kind: kind.kind.name().to_owned(),
        count: kind.count,
        words: kind.words,
    });
    let (roots, roots_left_out_words) = roots(vm, heap, &frames);
    let shown: Vec<Rc<HeapFrame>> = frames.into_iter().filter(|frame| is_shown(frame)).collect();
    let (stack, stack_frames_left_out) = shown_frames(&shown);
    let relations = |which: usize| heap.relations[which].as_ref();
    HeapResult {
        pid: vm
            .pids
            .map_or_else(String::new, |pids| pids.text(heap.entry.id)),
        used_words: heap.entry.heap_used_words(),
        live_words: heap.reached.live_words,
        live_words_at_least: heap.reached_at_least,
        stack_words: heap.entry.hend.saturating_sub(heap.entry.stop) / 8,
        mailbox: heap.entry.mailbox,
        kinds: kinds.collect(),
        roots,
        roots_left_out_words,
        messages: messages(&heap.messages),
        dictionary: dictionary(vm, heap),
        links: relations(0).map(|links| links.first.clone()),
        links_count: relations(0).map(|links| links.count),
        monitors: relations(1).map(|monitors| monitors.first.clone()),
        monitors_count: relations(1).map(|monitors| monitors.count),
        stack,
        stack_frames: shown.len() as u64,
        stack_frames_left_out,
    }
}

fn is_shown(frame: &HeapFrame) -> bool {
    !frame
        .function
        .as_deref()
        .is_some_and(|function| function.contains(BOTTOM))
}

/// The frames, the innermost first: that one continues at its address, the others after the call before
/// theirs. Recursion has a million frames and few addresses.
fn frames(vm: &AttachedVm, heap: &ProcessHeap) -> Vec<Rc<HeapFrame>> {
    let status = Status::of(heap.entry.state);
    let innermost = current(vm, status, heap.entry.i, heap.current_call.clone());
    let mut known: HashMap<u64, Rc<HeapFrame>> = HashMap::new();
    let callers = heap.roots.frames.iter().skip(1).map(|address| {
        let frame = known
            .entry(*address)
            .or_insert_with(|| Rc::new(frame(Place::of_caller(vm, *address))));
        Rc::clone(frame)
    });
    std::iter::once(Rc::new(frame(innermost)))
        .chain(callers)
        .collect()
}

/// As many frames, none of which is known.
fn without_functions(count: usize) -> Vec<Rc<HeapFrame>> {
    let unknown = Rc::new(frame(Place::default()));
    vec![unknown; count]
}

fn frame(place: Place) -> HeapFrame {
    HeapFrame {
        function: place.function,
        file: place.file,
        line: place.line,
        times: 1,
    }
}

/// Frames with equal ones that follow each other as one, those of the ends, and how many frames are left out.
fn shown_frames(frames: &[Rc<HeapFrame>]) -> (Vec<HeapFrame>, u64) {
    let mut folded: Vec<HeapFrame> = frames
        .chunk_by(|one, next| Rc::ptr_eq(one, next) || one == next)
        .filter_map(|equal| {
            let first = equal.first()?;
            Some(HeapFrame {
                times: equal.len() as u64,
                ..HeapFrame::clone(first)
            })
        })
        .collect();
    if folded.len() <= 2 * SHOWN_FRAMES {
        return (folded, 0);
    }
    let middle = SHOWN_FRAMES..folded.len() - SHOWN_FRAMES;
    let left_out = folded.drain(middle).map(|frame| frame.times).sum();
    (folded, left_out)
}

/// The roots that keep the most alive, and words that the others do.
fn roots(vm: &mut AttachedVm, heap: &ProcessHeap, stack: &[Rc<HeapFrame>]) -> (Vec<HeapRoot>, u64) {
    let mut parts: HashMap<usize, Vec<&Part>> = HashMap::new();
    for part in &heap.reached.parts {
        parts.entry(part.root).or_default().push(part);
    }
    let mut found: Vec<(usize, Owner, u64)> = Vec::new();
    let mut mailbox_words = 0;
    for (index, (root, words)) in heap.roots.roots.iter().zip(&heap.reached.words).enumerate() {
        match root.owner {
            _ if *words == 0 => {}
            // One for all: there may be a million.
            Owner::Mailbox => mailbox_words += words,
            owner => found.push((index, owner, *words)),
        }
    }
    found.shared_sort_by_key(|(.., words)| Reverse(*words));
    let left_out = found.split_off(found.len().min(SHOWN_ROOTS));
    let left_out_words = left_out.iter().map(|(.., words)| words).sum();
    let mut roots: Vec<HeapRoot> = found
        .into_iter()
        .map(|(index, owner, words)| HeapRoot {
            root: owner_text(vm, owner, stack),
            words,
            parts: shown_parts(parts.remove(&index).unwrap_or_default(), heap),
        })
        .collect();
    if mailbox_words > 0 {
        roots.push(HeapRoot {
            root: "mailbox".to_owned(),
            words: mailbox_words,
            parts: Vec::new(),
        });
    }
    roots.shared_sort_by_key(|root| Reverse(root.words));
    (roots, left_out_words)
}

fn shown_parts(mut parts: Vec<&Part>, heap: &ProcessHeap) -> Vec<HeapPart> {
    parts.shared_sort_by_key(|part| Reverse(part.words));
    let step_text = |step: &Step| match (heap.keys.get(step), step) {
        (Some(key), _) => format!("key {key}"),
        (None, Step::Element(element)) => format!("element {}", element + 1),
        (None, Step::Keys) => "keys".to_owned(),
        (None, Step::Value(_, value)) => format!("value {}", value + 1),
    };
    let text = |path: &[Step]| path.iter().map(step_text).collect::<Vec<_>>().join(", ");
    let shown = parts.into_iter().take(SHOWN_PARTS).map(|part| HeapPart {
        part: text(&part.path),
        words: part.words,
    });
    shown.collect()
}

fn messages(found: &MessageShapes) -> HeapMessages {
    let shapes = found.counts.iter().map(|(shape, count)| MessageShape {
        shape: shape.clone(),
        count: *count,
    });
    let mut shapes: Vec<MessageShape> = shapes.collect();
    shapes.shared_sort_by(|a, b| (b.count, &a.shape).cmp(&(a.count, &b.shape)));
    shapes.truncate(SHOWN_SHAPES);
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
    keys.take(SHOWN_KEYS).map(|key| key_text(vm, key)).collect()
}

fn owner_text(vm: &mut AttachedVm, owner: Owner, stack: &[Rc<HeapFrame>]) -> String {
    let of = |frame: usize| {
        let frame = stack.get(frame).and_then(|frame| frame.function.as_deref());
        frame.unwrap_or(Mark::UnknownCode.name()).to_owned()
    };
    match owner {
        Owner::Stack { frame, slot } => format!("y{slot} of {}", of(frame)),
        Owner::Argument(index) => format!("argument {} of {}", index + 1, of(0)),
        Owner::Mailbox => "mailbox".to_owned(),
        Owner::Tracing => "call tracing".to_owned(),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(functions: &[&str]) -> Vec<Rc<HeapFrame>> {
        let frame = |function: &&str| {
            Rc::new(HeapFrame {
                function: Some((*function).to_owned()),
                file: None,
                line: None,
                times: 1,
            })
        };
        functions.iter().map(frame).collect()
    }

    fn frames_of(functions: &[&str]) -> (Vec<(String, u64)>, u64) {
        let (frames, left_out) = shown_frames(&stack(functions));
        let each = frames
            .into_iter()
            .map(|frame| (frame.function.unwrap(), frame.times));
        (each.collect(), left_out)
    }

    #[test]
    fn equal_frames_that_follow_each_other_are_one() {
        let (frames, left_out) =
            frames_of(&["a:wait/0", "a:rec/1", "a:rec/1", "a:rec/1", "a:top/0"]);
        let one = |function: &str, times| (function.to_owned(), times);
        assert_eq!(
            frames,
            [one("a:wait/0", 1), one("a:rec/1", 3), one("a:top/0", 1)]
        );
        assert_eq!(left_out, 0);
        assert_eq!(frames_of(&[]), (Vec::new(), 0));
        let deep = vec!["a:rec/1"; 700_000];
        assert_eq!(frames_of(&deep), (vec![one("a:rec/1", 700_000)], 0));
    }

    #[test]
    fn while_code_is_not_known_frames_are_there_without_functions() {
        let (frames, left_out) = shown_frames(&without_functions(700_000));
        assert_eq!((frames.len(), left_out), (1, 0));
        assert_eq!(
            (frames[0].function.clone(), frames[0].times),
            (None, 700_000)
        );
    }

    #[test]
    fn of_a_long_stack_both_ends_are_shown_and_the_rest_is_counted() {
        let names: Vec<String> = (0..5000).map(|it| format!("a:f{}/0", it / 2)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (frames, left_out) = frames_of(&names);
        assert_eq!((frames.len(), left_out), (1000, 3000));
        assert_eq!(frames[499], ("a:f499/0".to_owned(), 2));
        assert_eq!(frames[500], ("a:f2000/0".to_owned(), 2));
        let in_shown: u64 = frames.iter().map(|(_, times)| times).sum();
        assert_eq!(in_shown + left_out, 5000, "none is lost");
    }
}
