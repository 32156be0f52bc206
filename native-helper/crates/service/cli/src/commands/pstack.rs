//! `pstack`: what each scheduler does right now.

use capture::sample::{FrameKind, SampleClass, SchedulerId, Trust};
use protocol::pstack::{HaltedTime, PstackFrame, PstackResult, PstackThread};
use protocol::schedulers::SchedulerState;
use sampling_process::questions;

use super::top::place;
use crate::arguments::Pstack;
use crate::attaching::attach_with_names;
use crate::commands::print_json;
use crate::failure::Failure;
use crate::schedulers_line::schedulers_lines_if_known;
use crate::stop_flag::StopFlag;
use crate::terminal::{print_line, print_lines};

/// Runs `pstack`.
pub fn run(arguments: &Pstack) -> Result<(), Failure> {
    let stop = StopFlag::install()?;
    let (mut sampler, _) = attach_with_names(arguments.pid, &arguments.debug_files, &stop)?;
    let all = arguments.all;
    let mut result = sampler.ask(questions::Pstack { all }, &|| false)?;
    if arguments.only_erlang {
        result.threads.iter_mut().for_each(keep_erlang);
    }
    if arguments.json {
        return print_json(&result);
    }
    if result.threads.is_empty() {
        print_line(&format!(
            "process {} has no scheduler threads",
            arguments.pid
        ))?;
    }
    let halted = result.standstill.as_ref();
    if let Some(why) = halted.or(result.standstill_unknown.as_ref()) {
        print_line(&why.to_string())?;
    }
    let schedulers = result.schedulers.as_ref();
    print_lines(schedulers_lines_if_known(schedulers, arguments.pid))?;
    print_lines(headings(&result))?;
    let without = without_stack(&result);
    for thread in &result.threads {
        print_lines(render(thread, without))?;
    }
    Ok(())
}

const HALTED: &str = "halted with the VM, its stack is not known";
const ENDING: &str = "kept from running, its stack is not known";

/// What a thread without a stack is in a VM that runs nothing, or nothing else; `None` in one that runs.
fn without_stack(result: &PstackResult) -> Option<&'static str> {
    match result.standstill {
        Some(_) => Some(HALTED),
        None => result.ending.then_some(ENDING),
    }
}

/// What kept the VM from processors during the look, and whether it is ending.
fn headings(result: &PstackResult) -> Vec<String> {
    let halted = result.halted.and_then(HaltedTime::clause);
    let processors = result.processors.and_then(|it| it.heading());
    let ending = result.ending.then(|| {
        "the VM is ending: a process is in erlang:halt, or a crash dump is written".to_owned()
    });
    halted.into_iter().chain(processors).chain(ending).collect()
}

/// Keeps the frames that Erlang's own tools would show, and the markers of missing ones.
fn keep_erlang(thread: &mut PstackThread) {
    use FrameKind::{Bif, Erlang, Marker};
    let is_kept = |frame: &PstackFrame| matches!(frame.kind, Erlang | Bif | Marker);
    thread.frames.retain(is_kept);
}

/// A line for the thread, and one for each frame. `without_stack` is what one without a stack is where nothing else runs.
fn render(thread: &PstackThread, without_stack: Option<&str>) -> Vec<String> {
    let name = match thread.scheduler {
        Some(SchedulerId::Normal(number)) => format!("scheduler {number}"),
        Some(SchedulerId::DirtyCpu(number)) => format!("dirty CPU scheduler {number}"),
        Some(SchedulerId::DirtyIo(number)) => format!("dirty I/O scheduler {number}"),
        None => format!("thread {}", thread.thread_name),
    };
    let mut out = format!("{name} (tid {})", thread.thread_id);
    if thread.idle {
        return vec![out + ": idle"];
    }
    match thread.state {
        Some(SchedulerState::Offline) if thread.frames.is_empty() => {
            return vec![out + ": offline"];
        }
        Some(SchedulerState::Blocked) if thread.frames.is_empty() => {
            return vec![out + ": blocked"];
        }
        // It may finish a call before it obeys.
        Some(SchedulerState::Offline) => out.push_str(", offline"),
        Some(SchedulerState::Blocked) => out.push_str(", blocked"),
        Some(SchedulerState::Online) | None => {}
    }
    if let Some(state) = without_stack
        && thread.frames.is_empty()
    {
        return vec![format!("{out}: {state}")];
    }
    if let Some(pid) = &thread.erlang_pid {
        out.push_str(&format!(", process {pid}"));
    }
    if let Some(process) = &thread.process_name {
        out.push_str(&format!(" {process}"));
    }
    if let Some(seconds) = thread.sleeps_in_c_s {
        out.push_str(&format!(", sleeps in C for {seconds:.1} s at least"));
    }
    match thread.class {
        // Nothing looks or spins now.
        Some(SampleClass::Idle | SampleClass::BusyWait) if without_stack.is_some() => {
            out.push_str(", had nothing to run");
        }
        Some(SampleClass::Idle) => out.push_str(", idle: looks for work"),
        Some(SampleClass::BusyWait) => out.push_str(", busy wait: spins until there is work"),
        Some(class) => out.push_str(&format!(", {}", class.as_str())),
        None => {}
    }
    out.push_str(match thread.trust {
        Some(Trust::Bracketed) => ", only the deep Erlang frames are proven",
        Some(Trust::Unproven) => ", its Erlang frames could not be proven",
        _ => "",
    });
    let frames = thread.frames.iter().map(line_of);
    std::iter::once(out).chain(frames).collect()
}

fn line_of(frame: &PstackFrame) -> String {
    let place = place(frame.file.as_deref().unwrap_or(""), frame.line.unwrap_or(0));
    let place = if place.is_empty() {
        frame.object.clone()
    } else {
        place
    };
    let text = format!("    {:<44} {place}", frame.function);
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use capture::processors::ProcessorLimits;
    use capture::quality::StandstillReason;

    use super::*;

    fn thread() -> PstackThread {
        PstackThread {
            thread_id: 7,
            thread_name: "erts_sched_1".into(),
            scheduler: Some(SchedulerId::Normal(1)),
            state: Some(SchedulerState::Online),
            idle: true,
            sleeps_in_c_s: None,
            erlang_pid: None,
            process_name: None,
            class: None,
            trust: None,
            frames: Vec::new(),
        }
    }

    #[test]
    fn idle_schedulers_are_named_as_such() {
        assert_eq!(render(&thread(), None), ["scheduler 1 (tid 7): idle"]);
        let stopped = PstackThread {
            idle: false,
            ..thread()
        };
        let [line] = render(&stopped, Some(HALTED)).try_into().unwrap();
        assert!(line.contains(": halted with the VM"), "{line}");
        let ending = PstackResult {
            ending: true,
            ..PstackResult::default()
        };
        assert_eq!(
            render(&stopped, without_stack(&ending)),
            ["scheduler 1 (tid 7): kept from running, its stack is not known"]
        );
        assert_eq!(without_stack(&PstackResult::default()), None);
        assert_eq!(
            headings(&ending),
            ["the VM is ending: a process is in erlang:halt, or a crash dump is written"]
        );
        for class in [SampleClass::Idle, SampleClass::BusyWait] {
            let frame = PstackFrame {
                function: "futex".into(),
                kind: FrameKind::Native,
                file: None,
                line: None,
                object: "libc.so.6".into(),
            };
            let waited = PstackThread {
                class: Some(class),
                frames: vec![frame],
                ..stopped.clone()
            };
            let text = render(&waited, Some(HALTED)).join("\n");
            assert!(text.contains(", had nothing to run\n"), "{text}");
            assert!(!text.contains("idle") && !text.contains("busy"), "{text}");
        }
    }

    #[test]
    fn schedulers_that_may_not_run_are_not_idle() {
        for (state, text) in [
            (SchedulerState::Offline, "scheduler 1 (tid 7): offline"),
            (SchedulerState::Blocked, "scheduler 1 (tid 7): blocked"),
        ] {
            let thread = PstackThread {
                idle: false,
                state: Some(state),
                ..thread()
            };
            assert_eq!(render(&thread, None), [text]);
        }
    }

    #[test]
    fn doubt_is_shown() {
        let frame = PstackFrame {
            function: "lists:sort/1".into(),
            kind: FrameKind::Erlang,
            file: Some("lists.erl".into()),
            line: Some(420),
            object: "[erlang]".into(),
        };
        let busy = PstackThread {
            idle: false,
            erlang_pid: Some("<0.9.0>".into()),
            class: Some(SampleClass::Gc),
            trust: Some(Trust::Bracketed),
            frames: vec![frame],
            ..thread()
        };
        let text = render(&busy, None).join("\n");
        assert!(
            text.starts_with("scheduler 1 (tid 7), process <0.9.0>, gc, only the deep"),
            "{text}"
        );
        assert!(text.ends_with("lists.erl:420"), "{text}");
    }

    #[test]
    fn a_quota_or_a_freeze_during_the_look_is_above_the_stacks() {
        assert!(headings(&PstackResult::default()).is_empty());
        let result = PstackResult {
            halted: Some(HaltedTime {
                reason: StandstillReason::Frozen,
                ms: 300,
            }),
            processors: Some(ProcessorLimits {
                groups_known: true,
                whole_tree: true,
                periods: Some(5),
                throttled_periods: Some(4),
                throttled_ms: Some(230),
                ..ProcessorLimits::default()
            }),
            ..PstackResult::default()
        };
        assert_eq!(
            headings(&result),
            [
                "the VM did not run for at least 0.3 s (its control group was frozen)",
                "its control group's quota throttled the VM in 4 of 5 periods, for 0.2 s",
            ]
        );
    }

    #[test]
    fn only_erlang_leaves_functions_bifs_and_markers() {
        let frames = FrameKind::ALL.into_iter().map(|kind| PstackFrame {
            function: kind.as_str().into(),
            kind,
            file: None,
            line: None,
            object: "x".into(),
        });
        let mut thread = PstackThread {
            idle: false,
            frames: frames.collect(),
            ..thread()
        };
        keep_erlang(&mut thread);
        let left: Vec<_> = thread.frames.iter().map(|frame| &*frame.function).collect();
        assert_eq!(left, ["erlang", "bif", "marker"]);
    }
}
