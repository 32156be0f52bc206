//! Derives the kind of code of a frame from its text.
//!
//! Other tools know no kinds. Names of Erlang functions are recognised by their shape, module, function and arity, as
//! the VM writes them for perf (`$lists:sort/1`, `$'Elixir.Enum':map/2`), as eflambe and others do without quotes
//! (`Elixir.Enum:map/2`), and as this program shows them (`Enum.map/2`, `list comprehension in m:f/1`). All become what
//! captures have: the name as people read it, and the one that the VM has, where it follows from the text.

use capture::marks::Mark;
use capture::sample::{ERLANG_OBJECT, FrameKind, FunctionFacts, SchedulerId};
use erlang_names::threads::{SchedulerKind, scheduler_of_thread_name};
use erlang_names::{display_mfa, display_module_data, quoted, split_mfa};

const KERNEL_OBJECT: &str = "[kernel]";
/// What the JIT adds to a function's name for the code before its first instruction.
const PROLOGUE: &str = "-CodeInfoPrologue";
const FRAGMENT: &str = "global::";
/// Where addresses of the kernel begin on x86-64.
const KERNEL_START: u64 = 0xffff_8000_0000_0000;
/// What captures call frames that are no code, beside the marks.
const OTHER_MARKERS: [&str; 3] = ["[no stack]", "[idle]", "[busy wait]"];
/// The text between a part of a function and the function.
const PART_OF: &str = " in ";

fn of_kind(kind: FrameKind, name: &str, raw_name: &str, object: &str) -> FunctionFacts {
    FunctionFacts {
        name: name.to_owned(),
        raw_name: raw_name.to_owned(),
        kind,
        file: String::new(),
        head_line: 0,
        object: object.to_owned(),
    }
}

/// What a frame of `perf script` is: whether its address is one of the kernel, symbol without offset,
/// and the object's path; symbol and path are empty where perf knows none.
pub(crate) fn of_symbol(is_kernel: bool, symbol: &str, path: &str) -> FunctionFacts {
    let is_kernel = is_kernel
        || path.starts_with("[kernel")
        || path.starts_with("[guest.kernel")
        || path.ends_with(".ko");
    if is_kernel {
        let name = if symbol.is_empty() {
            KERNEL_OBJECT
        } else {
            symbol
        };
        return of_kind(FrameKind::Kernel, name, name, KERNEL_OBJECT);
    }
    let by_the_vm = symbol.strip_prefix('$');
    if let Some(facts) = by_the_vm.and_then(of_jit_name) {
        return facts;
    }
    let object = base_name(path);
    let is_made_at_run_time = is_perf_map(object);
    if is_made_at_run_time && let Some(facts) = of_jit_name(symbol).or_else(|| of_shown(symbol)) {
        return facts;
    }
    let kind = match is_nif_library(path) {
        true => FrameKind::Nif,
        false => FrameKind::Native,
    };
    if symbol.is_empty() {
        // One for each object: addresses of one run mean nothing in another.
        let name = match object {
            "" => Mark::UnknownCode.name().to_owned(),
            object => format!("{object}![unknown]"),
        };
        let kind = if object.is_empty() {
            FrameKind::Marker
        } else {
            kind
        };
        return of_kind(kind, &name, &name, object);
    }
    of_kind(kind, symbol, symbol, object)
}

/// The facts of a function in a profile with system names, objects and kinds of frames. System
/// names of captures, `erlang!lists:sort/1`, contain all of them.
pub(crate) fn of_function(
    name: &str,
    system_name: &str,
    path: &str,
    frame_type: &str,
) -> FunctionFacts {
    let of_capture = system_name.split_once('!').and_then(|(kind, raw_name)| {
        let kind = FrameKind::parse(kind)?;
        Some(of_kind(kind, name, raw_name, path))
    });
    if let Some(facts) = of_capture {
        return facts;
    }
    let name = if name.is_empty() { system_name } else { name };
    match frame_type {
        "kernel" => of_symbol(true, name, path),
        "beam" => of_text(name),
        _ if path.is_empty() && name.is_empty() => {
            FunctionFacts::marker(Mark::UnknownFunction.name())
        }
        _ if path.is_empty() => of_text(name),
        _ => of_symbol(false, name, path),
    }
}

/// The scheduler that a thread is, by its name.
pub(crate) fn scheduler_of_thread(name: &str) -> Option<SchedulerId> {
    let (kind, number) = scheduler_of_thread_name(name)?;
    Some(match kind {
        SchedulerKind::Normal => SchedulerId::Normal(number),
        SchedulerKind::DirtyCpu => SchedulerId::DirtyCpu(number),
        SchedulerKind::DirtyIo => SchedulerId::DirtyIo(number),
    })
}

/// Whether an address is one of the kernel.
pub(crate) fn is_kernel(address: u64) -> bool {
    address >= KERNEL_START
}

/// The file that a JIT names its code in for perf, or an object made of it.
fn is_perf_map(object: &str) -> bool {
    object.starts_with("perf-") && object.ends_with(".map") || object.starts_with("jitted-")
}

/// Libraries of NIFs lie in the folder `priv` of an application.
fn is_nif_library(path: &str) -> bool {
    path.contains("/priv/") && path.ends_with(".so")
}

fn base_name(path: &str) -> &str {
    let path = path.strip_suffix(" (deleted)").unwrap_or(path);
    path.rsplit('/').next().unwrap_or(path)
}

/// A name as the VM writes it: quotes where Erlang needs them.
fn of_jit_name(name: &str) -> Option<FunctionFacts> {
    let name = name.strip_suffix(PROLOGUE).unwrap_or(name);
    if name.starts_with(FRAGMENT) {
        return Some(of_kind(FrameKind::Fragment, name, name, ERLANG_OBJECT));
    }
    if split_mfa(name).is_some() {
        return Some(of_kind(
            FrameKind::Erlang,
            &display_mfa(name),
            name,
            ERLANG_OBJECT,
        ));
    }
    name.contains("::").then(|| {
        of_kind(
            FrameKind::Erlang,
            &display_module_data(name),
            name,
            ERLANG_OBJECT,
        )
    })
}

/// What a frame is that is only a text, as in folded stacks.
pub(crate) fn of_text(text: &str) -> FunctionFacts {
    let (text, marked) = annotated(text);
    if let Some(FrameKind::Kernel) = marked {
        return of_kind(FrameKind::Kernel, text, text, KERNEL_OBJECT);
    }
    if Mark::is_name(text) || OTHER_MARKERS.contains(&text) {
        return FunctionFacts::marker(text);
    }
    if text == KERNEL_OBJECT {
        return of_kind(FrameKind::Kernel, text, text, KERNEL_OBJECT);
    }
    if text.starts_with(FRAGMENT) {
        return of_kind(FrameKind::Fragment, text, text, ERLANG_OBJECT);
    }
    let by_the_vm = text.strip_prefix('$').and_then(of_jit_name);
    by_the_vm
        .or_else(|| of_shown(text))
        .unwrap_or_else(|| of_kind(FrameKind::Native, text, text, ""))
}

/// Marks that scripts which fold stacks put behind a name: of a JIT, of inlined code; and async-profiler's, of
/// interpreted code and of the first compiler.
const MARKS: [&str; 4] = ["_[j]", "_[i]", "_[0]", "_[1]"];

/// Without the mark that scripts which fold stacks add; `_[k]` is that of the kernel.
fn annotated(text: &str) -> (&str, Option<FrameKind>) {
    if let Some(name) = text.strip_suffix("_[k]") {
        return (name, Some(FrameKind::Kernel));
    }
    let name = MARKS.iter().find_map(|mark| text.strip_suffix(mark));
    (name.unwrap_or(text), None)
}

/// An Erlang or Elixir function, as people read it or without the quotes it needs.
fn of_shown(text: &str) -> Option<FunctionFacts> {
    let erlang = |name: &str, raw: &str| of_kind(FrameKind::Erlang, name, raw, ERLANG_OBJECT);
    if let Some(raw) = raw_mfa(text) {
        return Some(erlang(&display_mfa(&raw), &raw));
    }
    if let Some(raw) = elixir_mfa(text) {
        return Some(erlang(text, &raw));
    }
    // A part of a function: the shown text does not contain its raw name.
    let outer = match text.rsplit_once(PART_OF) {
        Some((_, outer)) => outer,
        None => text
            .strip_prefix("fun ")
            .or_else(|| text.strip_prefix('&'))?,
    };
    let outer = outer.rsplit_once(" #").map_or(outer, |(outer, _)| outer);
    let outer = outer
        .strip_suffix(" (macro)")
        .or_else(|| outer.strip_suffix(" (inlined)"))
        .unwrap_or(outer);
    (raw_mfa(outer).is_some() || elixir_mfa(outer).is_some()).then(|| erlang(text, text))
}

/// `lists:sort/1`, `'odd m':f/2` and, without quotes, `Elixir.Enum:-map/2-fun-0-/3` as the VM has it.
fn raw_mfa(text: &str) -> Option<String> {
    if let Some((module, function, _)) = split_mfa(text)
        && is_written_atom(module)
        && is_written_atom(function)
    {
        return Some(text.to_owned());
    }
    let (module, rest) = text.split_once(':')?;
    let (function, arity) = rest.rsplit_once('/')?;
    let arity: u8 = arity.parse().ok()?;
    let is_inner = function.starts_with('-') && function.ends_with('-') && function.len() > 2;
    let is_function = is_inner || is_plain_atom(function) || is_odd_elixir_name(module, function);
    (is_module(module) && is_function)
        .then(|| format!("{}:{}/{arity}", quoted(module), quoted(function)))
}

/// `Enum.map/2` as `'Elixir.Enum':map/2`.
fn elixir_mfa(text: &str) -> Option<String> {
    let text = text.strip_suffix(" (macro)").unwrap_or(text);
    let (path, arity) = text.rsplit_once('/')?;
    let arity: u8 = arity.parse().ok()?;
    // Operators begin with the character that ends a module's name: `Kernel.../2`.
    let mut end = 0;
    for part in path.split('.') {
        if !is_alias(part) {
            break;
        }
        end += part.len() + 1;
    }
    let module = path.get(..end.checked_sub(1)?)?;
    let function = path.get(end..)?;
    let function = function
        .strip_prefix('"')
        .and_then(|inside| inside.strip_suffix('"'))
        .unwrap_or(function);
    let is_function = !function.is_empty()
        && (is_plain_atom(function) || is_odd_elixir_name("Elixir.A", function));
    is_function.then(|| format!("'Elixir.{module}':{}/{arity}", quoted(function)))
}

/// A part of the name of an Elixir module.
fn is_alias(text: &str) -> bool {
    text.starts_with(|c: char| c.is_uppercase())
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

fn is_module(text: &str) -> bool {
    is_plain_atom(text)
        || text
            .strip_prefix("Elixir.")
            .is_some_and(|alias| alias.split('.').all(is_alias))
}

/// Functions of Elixir that Erlang would quote: `fetch!`, `empty?`, `+`, `MACRO-if`.
fn is_odd_elixir_name(module: &str, function: &str) -> bool {
    if !module.starts_with("Elixir.") || function.is_empty() {
        return false;
    }
    let name = function.strip_prefix("MACRO-").unwrap_or(function);
    let name = name.strip_suffix(['?', '!']).unwrap_or(name);
    let is_name = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '@'));
    is_name || function.chars().all(|c| "+-*/<>=!&|^~@.\\:".contains(c))
}

fn is_plain_atom(text: &str) -> bool {
    text.starts_with(|c: char| c.is_lowercase() || c == '_')
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '@'))
}

fn is_written_atom(text: &str) -> bool {
    is_plain_atom(text) || text.len() > 2 && text.starts_with('\'') && text.ends_with('\'')
}

#[cfg(test)]
mod tests {
    use super::*;
    use FrameKind::{Erlang, Fragment, Kernel, Marker, Native, Nif};
    use proptest::prelude::*;

    /// Text, and its expected kind, name and raw name.
    const TEXTS: &[(&str, FrameKind, &str, &str)] = &[
        ("lists:sort/1", Erlang, "lists:sort/1", "lists:sort/1"),
        ("$lists:sort/1", Erlang, "lists:sort/1", "lists:sort/1"),
        (
            "java.lang.String.hash_[0]",
            Native,
            "java.lang.String.hash",
            "java.lang.String.hash",
        ),
        ("hash_[1]", Native, "hash", "hash"),
        ("lists:sort/1_[j]", Erlang, "lists:sort/1", "lists:sort/1"),
        ("Enum.map/2", Erlang, "Enum.map/2", "'Elixir.Enum':map/2"),
        (
            "Elixir.Enum:map/2",
            Erlang,
            "Enum.map/2",
            "'Elixir.Enum':map/2",
        ),
        (
            "$'Elixir.A.B':'f!'/1",
            Erlang,
            "A.B.f!/1",
            "'Elixir.A.B':'f!'/1",
        ),
        ("A.B.f!/1", Erlang, "A.B.f!/1", "'Elixir.A.B':'f!'/1"),
        ("Kernel.+/2", Erlang, "Kernel.+/2", "'Elixir.Kernel':'+'/2"),
        (
            "Elixir.Enum:-map/2-fun-0-/3",
            Erlang,
            "anonymous fn/3 in Enum.map/2",
            "'Elixir.Enum':'-map/2-fun-0-'/3",
        ),
        (
            "list comprehension in m:f/1 #2",
            Erlang,
            "list comprehension in m:f/1 #2",
            "list comprehension in m:f/1 #2",
        ),
        ("for in A.f/1", Erlang, "for in A.f/1", "for in A.f/1"),
        ("m:'odd name'/2", Erlang, "m:'odd name'/2", "m:'odd name'/2"),
        ("global::call", Fragment, "global::call", "global::call"),
        ("copy_struct_x", Native, "copy_struct_x", "copy_struct_x"),
        ("std::sort<a/1>", Native, "std::sort<a/1>", "std::sort<a/1>"),
        ("http://x/1", Native, "http://x/1", "http://x/1"),
        (
            "node:internal/1x",
            Native,
            "node:internal/1x",
            "node:internal/1x",
        ),
        (
            "do_syscall_64_[k]",
            Kernel,
            "do_syscall_64",
            "do_syscall_64",
        ),
        ("[kernel]", Kernel, "[kernel]", "[kernel]"),
        ("[unproven]", Marker, "[unproven]", "[unproven]"),
        ("[not copied]", Marker, "[not copied]", "[not copied]"),
        // Of earlier versions.
        ("[truncated]", Marker, "[truncated]", "[truncated]"),
        ("[libc.so.6]", Native, "[libc.so.6]", "[libc.so.6]"),
        ("", Native, "", ""),
    ];

    /// Symbol and path, and their expected kind, name and object.
    const SYMBOLS: &[(&str, &str, FrameKind, &str, &str)] = &[
        (
            "$lists:sort/1",
            "/tmp/perf-1.map",
            Erlang,
            "lists:sort/1",
            "[erlang]",
        ),
        (
            "$m:f/1-CodeInfoPrologue",
            "/tmp/perf-1.map",
            Erlang,
            "m:f/1",
            "[erlang]",
        ),
        (
            "$global::x",
            "/tmp/perf-1.map",
            Fragment,
            "global::x",
            "[erlang]",
        ),
        (
            "$m::codeHeader",
            "/tmp/perf-1.map",
            Erlang,
            "m::codeHeader",
            "[erlang]",
        ),
        (
            "Enum.map/2",
            "/tmp/perf-1.map",
            Erlang,
            "Enum.map/2",
            "[erlang]",
        ),
        (
            "copy_struct_x",
            "/usr/lib/erlang/erts/bin/beam.smp",
            Native,
            "copy_struct_x",
            "beam.smp",
        ),
        ("hash", "/app/lib/x-1/priv/x.so", Nif, "hash", "x.so"),
        (
            "",
            "/usr/lib/libc.so.6",
            Native,
            "libc.so.6![unknown]",
            "libc.so.6",
        ),
        ("", "", Marker, "[unknown code]", ""),
        ("tick", "[kernel.kallsyms]", Kernel, "tick", "[kernel]"),
    ];

    #[test]
    fn text_is_what_it_looks_like() {
        for &(text, kind, name, raw) in TEXTS {
            let facts = of_text(text);
            assert_eq!(
                (facts.kind, facts.name.as_str(), facts.raw_name.as_str()),
                (kind, name, raw),
                "{text}"
            );
        }
    }

    #[test]
    fn symbols_of_perf_are_recognised_by_their_objects() {
        for &(symbol, path, kind, name, object) in SYMBOLS {
            let facts = of_symbol(false, symbol, path);
            assert_eq!(
                (facts.kind, facts.name.as_str(), facts.object.as_str()),
                (kind, name, object),
                "{symbol} {path}"
            );
        }
        assert_eq!(of_symbol(true, "x", "").kind, Kernel);
    }

    proptest! {
        #[test]
        fn any_text_is_something(text: String) {
            let _ = of_text(&text);
            let _ = of_symbol(false, &text, &text);
        }

        #[test]
        fn what_looks_like_a_name_is_something(text in "[$a-zA-Z:./'# -]{0,20}/?[0-9]{0,4}") {
            let _ = of_text(&text);
        }
    }
}
