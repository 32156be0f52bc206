//! Profiles of other tools, small ones with known answers, each read back as a capture.

#![allow(clippy::unwrap_used)]

use capture::reader::{Capture, Sample};
use capture::sample::{FrameKind, SampleClass};
use foreign_profiles::{Format, ImportError, Imported, Limits, convert, convert_event};
use proptest::prelude::*;

fn imported(bytes: &[u8]) -> Imported {
    convert(bytes, &Limits::default()).unwrap().unwrap()
}

fn capture(bytes: &[u8]) -> Capture {
    Capture::from_bytes(&imported(bytes).message).unwrap()
}

fn error(bytes: &[u8]) -> ImportError {
    convert(bytes, &Limits::default()).unwrap_err()
}

/// `root;leaf` of a sample, with `@line` where a line is known.
fn stack(capture: &Capture, sample: &Sample) -> String {
    let frames = capture.frames(sample.stack).rev().map(|frame| {
        let name = capture.function(frame.function).name;
        match frame.line {
            0 => name.to_owned(),
            line => format!("{name}@{line}"),
        }
    });
    frames.collect::<Vec<_>>().join(";")
}

/// Each sample: stack and count.
fn counted(capture: &Capture) -> Vec<(String, u64)> {
    let samples = capture.samples().iter();
    samples
        .map(|sample| (stack(capture, sample), sample.count))
        .collect()
}

fn of(stack: &str, count: u64) -> (String, u64) {
    (stack.to_owned(), count)
}

#[test]
fn folded_stacks() {
    let text = "beam.smp;m:f/1;copy_struct_x 12\n\nbeam.smp;m:f/1 (src/m.erl:7) 3\nbeam.smp;m:f/1;copy_struct_x 1\n";
    let capture = capture(text.as_bytes());
    assert_eq!(
        counted(&capture),
        [
            of("beam.smp;m:f/1;copy_struct_x", 13),
            of("beam.smp;m:f/1@7", 3)
        ]
    );
    let with_file = capture
        .function_indices()
        .map(|index| capture.function(index))
        .find(|function| !function.file.is_empty())
        .unwrap();
    assert_eq!(
        (with_file.kind, with_file.file),
        (FrameKind::Erlang, "src/m.erl")
    );
}

#[test]
fn folded_stacks_of_any_depth_and_length_are_read_and_cut_where_others_are() {
    let long = "f".repeat(200_000);
    let deep: Vec<String> = (0..20_000).map(|depth| format!("m:f{depth}/0")).collect();
    let (first, last) = (&deep[0], &deep[deep.len() - 1]);
    let texts = [
        format!("{} 3\nm:g/0;m:h/0 1\n", deep.join(";")),
        format!("m:g/0;m:h/0 1\n{} 3\n", deep.join(";")),
        format!("{} 3", deep.join(";")),
    ];
    for text in texts {
        let found = imported(text.as_bytes());
        assert_eq!(found.format, Format::Folded);
        assert_eq!(found.notes.len(), 1, "{:?}", found.notes);
        assert!(found.notes[0].ends_with("those of 1 sample"));
        let capture = Capture::from_bytes(&found.message).unwrap();
        let (stack, _) = counted(&capture)
            .into_iter()
            .find(|(_, count)| *count == 3)
            .unwrap();
        let frames: Vec<&str> = stack.split(';').collect();
        assert_eq!(frames.len(), Limits::default().max_depth as usize);
        assert_eq!([frames[0], frames[frames.len() - 1]], [first, last]);
        assert_eq!(frames.iter().filter(|it| **it == "[truncated]").count(), 1);
    }
    let named = capture(format!("m:f/0;{long} 2\n").as_bytes());
    assert_eq!(counted(&named), [of(&format!("m:f/0;{long}"), 2)]);
}

#[test]
fn a_broken_line_of_folded_stacks_is_named() {
    let damaged = |text: &[u8]| error(text).to_string();
    let text = damaged(b"\nm:r/0;m:a/0 NaN\n");
    assert!(text.contains("folded stacks and is damaged"), "{text}");
    assert!(text.contains("line 2 the first: 1 line"), "{text}");
    let notes = |text: &[u8]| imported(text).notes;
    assert_eq!(
        notes(b"m:r/0;m:b/0 10\n\nm:r/0;m:a/0 inf\nm:r/0;m:a/0\nm:r/0 4\n"),
        ["left out, no stack with a number behind it, line 3 the first: 2 lines"]
    );
    let in_latin_1 = b"m:r/0;m:b/0 10\nm:r/0;m:\xff\xfe/0 20\nm:r/0;m:\xe4/0 1\n";
    assert_eq!(
        notes(in_latin_1),
        ["what is no UTF-8 is read as \u{fffd}: line 2 is the first with some"]
    );
    let from_its_first_line = notes(b"m:r/0;m:\xff\xfe/0 200\nm:r/0;m:b/0 100\n");
    assert!(from_its_first_line[0].contains("line 1 "));
}

#[test]
fn comments_of_perf_may_be_longer_than_what_is_looked_at() {
    let comments = "# cpu topology: 0 1 2 3\n".repeat(10_000);
    let sample = "beam.smp 7/9 1.5: 1 cpu-clock: \n\t1000 f (/bin/beam)\n\n";
    let found = imported(format!("{comments}#\n{sample}").as_bytes());
    assert_eq!(found.format, Format::PerfScript);
}

#[test]
fn eflambe_counts_microseconds_of_a_process() {
    let text =
        "<0.12.0>;shop:buy/1;Elixir.Enum:-map/2-fun-0-/3 2500\n<0.12.0>;shop:buy/1;sleep 40\n";
    let capture = capture(text.as_bytes());
    assert_eq!(
        counted(&capture),
        [
            of("shop:buy/1;anonymous fn/3 in Enum.map/2", 2500),
            of("shop:buy/1;[sleep]", 40)
        ]
    );
    let labels: Vec<_> = capture
        .samples()
        .iter()
        .map(|sample| capture.labels(sample.labels))
        .map(|labels| (labels.erlang_pid.unwrap(), labels.class))
        .collect();
    assert_eq!(
        labels,
        [("<0.12.0>", None), ("<0.12.0>", Some(SampleClass::Idle))]
    );
    assert_eq!(capture.samples()[0].cpu_ns, 2_500_000);
}

#[test]
fn weights_that_no_clock_can_count_are_bounded() {
    let largest = capture(b"<0.1.0>;m:f/1 18446744073709551615\n");
    let (_, microseconds) = counted(&largest)[0].clone();
    assert_eq!(microseconds, u64::MAX / 1000);
    let sum = capture(b"<0.1.0>;m:f/1 18446744073709551615\n".repeat(2).as_slice());
    assert_eq!(counted(&sum), counted(&largest));
    let said = imported(b"a;b 1e30\na;c 2\n").notes;
    assert_eq!(
        said,
        ["larger than any count, and cut to what fits: 1 number"]
    );
}

#[test]
fn what_is_left_out_of_a_text_is_said() {
    let found = imported(b"a;b 1\na;c 2\n# nothing here\n");
    assert_eq!(found.notes.len(), 1, "{:?}", found.notes);
    assert!(matches!(
        error(b"a;b 1\nno\nno\nno\n"),
        ImportError::UnknownFormat
    ));
}

const SPEEDSCOPE: &str = r#"{"$schema":"https://www.speedscope.app/file-format-schema.json",
 "shared":{"frames":[{"name":"m:f/1","file":"m.erl","line":3},{"name":"memcpy"}]},
 "profiles":[
  {"type":"sampled","name":"1_scheduler (77)","unit":"milliseconds","startValue":0,"endValue":50,
   "samples":[[0],[0,1],[]],"weights":[10,30,10]},
  {"type":"sampled","name":"x","unit":"bytes","startValue":0,"endValue":1,"samples":[[0]],"weights":[1]}]}"#;

#[test]
fn speedscope_samples_in_time_have_the_common_period() {
    let found = imported(SPEEDSCOPE.as_bytes());
    assert_eq!((found.format, found.notes.len()), (Format::Speedscope, 1));
    let capture = Capture::from_bytes(&found.message).unwrap();
    assert_eq!(
        counted(&capture),
        [of("m:f/1", 1), of("m:f/1;memcpy", 3), of("", 1)]
    );
    assert_eq!(capture.samples()[1].cpu_ns, 30_000_000);
    let labels = capture.labels(capture.samples()[0].labels);
    assert_eq!(
        (labels.thread_name, labels.thread_id),
        (Some("1_scheduler"), Some(77))
    );
    let function = capture.function(capture.function_indices().next().unwrap());
    assert_eq!((function.file, function.head_line), ("m.erl", 3));
}

#[test]
fn speedscope_calls_and_returns() {
    let text = r#"{"shared":{"frames":[{"name":"a"},{"name":"b"}]},"profiles":[
      {"type":"evented","name":"t","unit":"microseconds","startValue":100,"endValue":200,"events":[
       {"type":"O","frame":0,"at":100},{"type":"O","frame":1,"at":110},{"type":"C","frame":1,"at":140},{"type":"C","frame":0,"at":150}]}]}"#;
    let capture = capture(text.as_bytes());
    assert_eq!(counted(&capture), [of("a", 20), of("a;b", 30)]);
    let odd = text.replace(r#""C","frame":1"#, r#""C","frame":0"#);
    assert!(matches!(
        error(odd.as_bytes()),
        ImportError::Malformed { .. }
    ));
}

#[test]
fn cpuprofile_with_lines_and_times() {
    let text = r#"{"nodes":[
      {"id":1,"callFrame":{"functionName":"(root)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1},"hitCount":0,"children":[2,4]},
      {"id":2,"callFrame":{"functionName":"main","scriptId":"1","url":"file:///a.js","lineNumber":4,"columnNumber":0},"hitCount":0,"children":[3]},
      {"id":3,"callFrame":{"functionName":"","scriptId":"1","url":"file:///a.js","lineNumber":9,"columnNumber":2},"hitCount":2,"positionTicks":[{"line":11,"ticks":1},{"line":12,"ticks":1}]},
      {"id":4,"callFrame":{"functionName":"(idle)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1},"hitCount":1}],
     "startTime":1000,"endTime":4000,"samples":[3,3,4],"timeDeltas":[500,1000,1000]}"#;
    let capture = capture(text.as_bytes());
    assert_eq!(
        counted(&capture),
        [
            of("main;(anonymous)@11", 1),
            of("main;(anonymous)@12", 1),
            of("(idle)", 1)
        ]
    );
    let times: Vec<u64> = capture.samples().iter().map(|it| it.cpu_ns).collect();
    assert_eq!(times, [1_000_000, 1_000_000, 500_000]);
    let lines: Vec<u32> = capture
        .function_indices()
        .map(|index| capture.function(index).head_line)
        .collect();
    assert_eq!(lines, [0, 5, 10]);
    let circle = text
        .replace(r#""children":[2,4]"#, r#""children":[4]"#)
        .replace(r#""hitCount":2,"#, r#""hitCount":2,"children":[2],"#);
    assert!(matches!(
        error(circle.as_bytes()),
        ImportError::Malformed { .. }
    ));
}

const PERF: &str = "# a comment
     1_scheduler  4711/4712  [001] 100.500000:   10101010 cpu-clock:pppH: 
\tffffffff81234567 __do_softirq+0xd7 ([kernel.kallsyms])
\t    7f0000001234 copy_struct_x+0x12 (/usr/lib/erlang/erts-13/bin/beam.smp)
\t    7f0000005678 $'Elixir.Shop':'buy!'/2+0x40 (/tmp/perf-4711.map)
\t    7f0000009abc [unknown] (/usr/lib/libc.so.6)

 my thread 3  4713 [000] 100.620000:   10101010 cpu-clock:pppH: 
\t    7f0000001234 std::map<int, (a)>::f(int)+0x1 (/opt/my (old) lib.so)
  map.cc:12

  4_odd  4714 [000] 100.630000:          1 page-faults: 
\t    7f0000001234 f (/x)

";

#[test]
fn perf_script_text() {
    let found = convert_event(PERF.as_bytes(), &Limits::default(), Some("cpu-clock"));
    let found = found.unwrap().unwrap();
    assert_eq!((found.format, found.notes.len()), (Format::PerfScript, 1));
    let capture = Capture::from_bytes(&found.message).unwrap();
    assert_eq!(
        counted(&capture),
        [
            of(
                "libc.so.6![unknown];Shop.buy!/2;copy_struct_x;__do_softirq",
                1
            ),
            of("std::map<int, (a)>::f(int)@12", 1)
        ]
    );
    let [first, second] = capture.samples() else {
        panic!("two samples")
    };
    assert_eq!((first.bucket_ms, first.cpu_ns), (0, 10_101_010));
    assert_eq!(second.bucket_ms, 120);
    let labels = capture.labels(first.labels);
    assert_eq!(labels.thread_id, Some(4712));
    assert_eq!(labels.class, Some(SampleClass::Copy));
    assert_eq!(
        capture.labels(second.labels).thread_name,
        Some("my thread 3")
    );
    let kinds: Vec<FrameKind> = capture
        .frames(first.stack)
        .map(|frame| capture.function(frame.function).kind)
        .collect();
    assert_eq!(
        kinds,
        [
            FrameKind::Kernel,
            FrameKind::Native,
            FrameKind::Erlang,
            FrameKind::Native
        ]
    );
}

#[test]
fn perf_script_with_few_fields() {
    for text in [
        "1_scheduler  4712 \n\t7f0000005678 $lists:sort/1\n\n",
        "1_scheduler  4712  100.5: cpu-clock:  7f0000005678 $lists:sort/1+0x10 (/tmp/perf-1.map)\n",
        "1_scheduler  4712  100.5:   250000 cycles:u:\n\t7f0000005678 $lists:sort/1+0x10 (/tmp/perf-1.map)\n\n",
    ] {
        assert_eq!(
            counted(&capture(text.as_bytes())),
            [of("lists:sort/1", 1)],
            "{text}"
        );
    }
}

/// A sample of which all is there.
const WHOLE: &str = "w 1/2 [000] 1.0:  250 cpu-clock:ppp:\n\t7f01 f+0x1 (/x)\n\n";

#[test]
fn a_perf_script_text_that_is_cut_loses_its_last_sample_alone() {
    for end in [
        "w 1/2 [000] 1",
        "w 1/2 [000] 1.1: ",
        "w 1/2 [000] 1.1:  250 cpu-clock:",
        "w 1/2 [000] 1.1:  250 cpu-clock:ppp:",
        "w 1/2 [000] 1.1:  250 cpu-clock:ppp:\n\t7f01 f+0x1 (/x)\n\t7f02 mai",
        "w 1/2 [000] 1.1:  250 cpu-clock:ppp:\n\t7f01 f+0x1 (/x)\n\t7f02 main+0x1 (/us",
    ] {
        let found = imported((WHOLE.to_owned() + end).as_bytes());
        let capture = Capture::from_bytes(&found.message).unwrap();
        assert_eq!(counted(&capture), [of("f", 1)], "{end}");
        assert_eq!(
            found.notes,
            ["its end is missing: the last sample is left out"],
            "{end}"
        );
    }
    // Without the line ends at its end nothing else is missing.
    let trimmed = imported((WHOLE.to_owned() + WHOLE).trim_end().as_bytes());
    assert!(trimmed.notes.is_empty(), "{:?}", trimmed.notes);
    let said = error(b"w 1/2 [000] 1.1: ").to_string();
    assert!(said.contains("its end is missing"), "{said}");
}

#[test]
fn a_period_that_no_kernel_has_is_an_error_of_that_format() {
    let text = WHOLE.replace("250", "99999999999999999999999");
    let said = error(text.as_bytes()).to_string();
    assert!(said.contains("perf script"), "{said}");
    assert!(said.contains("more than 64 bits"), "{said}");
}

#[test]
fn weights_below_zero_are_left_out_and_counted() {
    let text = |weights: &str| {
        let start = r#"{"shared":{"frames":[{"name":"a"},{"name":"b"}]},"profiles":[{"type":"sampled",
            "unit":"none","startValue":0,"endValue":3,"samples":[[0],[1]],"weights":"#;
        format!("{start}{weights}}}]}}")
    };
    let found = imported(text("[1,-5]").as_bytes());
    let capture = Capture::from_bytes(&found.message).unwrap();
    assert_eq!(counted(&capture), [of("a", 1)]);
    assert_eq!(found.notes, ["left out, below zero: 1 weight"]);
    let said = error(text("[-1,-5]").as_bytes()).to_string();
    assert!(said.contains("speedscope"), "{said}");
    assert!(said.contains("below zero"), "{said}");
}

#[test]
fn numbers_of_folded_stacks_below_zero_are_left_out_and_counted() {
    let found = imported(b"a;b 3\na;c -2\na;d -0.5\n");
    let capture = Capture::from_bytes(&found.message).unwrap();
    assert_eq!(counted(&capture).len(), 1);
    assert_eq!(found.notes, ["left out, below zero: 2 numbers"]);
    let said = error(b"a;b -3\na;c -2\n").to_string();
    assert!(said.contains("folded"), "{said}");
    assert!(said.contains("numbers are below zero"), "{said}");
}

#[test]
fn hit_counts_and_times_of_cpuprofile_below_zero_are_said() {
    let node = |id: u32, hits: i32| {
        format!(r#"{{"id":{id},"callFrame":{{"functionName":"f{id}"}},"hitCount":{hits}}}"#)
    };
    let nodes =
        |hits: [i32; 2]| format!(r#"{{"nodes":[{},{}]"#, node(1, hits[0]), node(2, hits[1]));
    let found = imported(format!("{}}}", nodes([4, -2])).as_bytes());
    assert_eq!(found.notes, ["left out, below zero: 1 hit count"]);
    let said = error(format!("{}}}", nodes([0, -2])).as_bytes()).to_string();
    assert!(said.contains("hit counts are below zero"), "{said}");
    let timed = r#","startTime":0,"endTime":300,"samples":[1,2,1],"timeDeltas":[100,-50,100]}"#;
    let found = imported(format!("{}{timed}", nodes([0, 0])).as_bytes());
    assert_eq!(
        found.notes,
        ["times between samples that are below zero and count as none: 1"]
    );
}

#[test]
fn texts_of_other_encodings_are_read_or_named() {
    let text = "a;b;c 3\na;b 2\n";
    let units = || text.encode_utf16();
    let little: Vec<u8> = units().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = units().flat_map(u16::to_be_bytes).collect();
    for bytes in [little, big] {
        assert_eq!(counted(&capture(&bytes)), [of("a;b;c", 3), of("a;b", 2)]);
    }
    for coloured in ["a;b;\x1b[31mc\x1b[0m 3\n", "\x1b[1ma;b 3\n", "{\x07}"] {
        let found = error(coloured.as_bytes());
        assert_eq!(found, ImportError::ControlCharacters, "{coloured:?}");
    }
}

#[test]
fn what_is_nothing_of_ours_is_said() {
    assert_eq!(error(b""), ImportError::Empty);
    assert_eq!(error(b" \n"), ImportError::Empty);
    assert_eq!(error(b"PERFILE2\0\0"), ImportError::PerfData);
    assert_eq!(error(b"hello, world\n"), ImportError::UnknownFormat);
    assert_eq!(error(b"{\"a\":1}"), ImportError::UnknownFormat);
    assert!(matches!(error(b"\x1f\x8bxxx"), ImportError::Gzip(_)));
    assert_eq!(
        convert(b"\x0a\x04\x08\x01\x10\x02", &Limits::default()),
        Ok(None)
    );
}

#[test]
fn bounds_hold() {
    let limits = Limits {
        max_bytes: 1000,
        max_samples: 3,
        max_depth: 2,
        max_frames: 5,
    };
    let read = |text: &str| convert(text.as_bytes(), &limits);
    let too_many = |result| matches!(result, Err(ImportError::TooMany { .. }));
    assert!(matches!(
        read(&"a;b 1\n".repeat(200)),
        Err(ImportError::TooLarge { .. })
    ));
    assert!(too_many(read(&"a;b 1\n".repeat(4))));
    assert!(too_many(read("a;b 1\na;c 1\na;d 1\n")));
    let limits = Limits {
        max_depth: 3,
        max_frames: 100,
        ..limits
    };
    let deep = convert(b"a;b;c;d;e 1\na;b;c;d 1\na;b;c 1\n", &limits);
    let deep = deep.unwrap().unwrap();
    let capture = Capture::from_bytes(&deep.message).unwrap();
    assert_eq!(
        counted(&capture),
        [
            of("a;[truncated];e", 1),
            of("a;[truncated];d", 1),
            of("a;b;c", 1)
        ]
    );
    assert!(deep.notes[0].ends_with("those of 2 samples"));
}

/// The frames of one sample of `perf script`.
fn perf_stack(frames: &[&str]) -> Vec<(String, u64)> {
    let frames: String = frames.iter().map(|it| format!("\t{it}\n")).collect();
    let text =
        format!("erts_sched_1  4711/4720  [000]  1.000100:   10101010 cpu-clock:ppp: \n{frames}\n");
    counted(&capture(text.as_bytes()))
}

#[test]
fn objects_of_perf_may_have_spaces_and_brackets() {
    let stack = perf_stack(&[
        "483b53 [unknown] (/memfd:vmem (deleted))",
        "483b54 eq (/opt/my app/beam.smp (deleted))",
        "483b55 operator()(int) (/opt/a (b) c/lib.so)",
        "483b56 operator()(int)+0x4 (/opt/my app/lib.so (deleted))",
        "483b57 f (anon (x))",
    ]);
    let [(stack, 1)] = &stack[..] else {
        panic!("{stack:?}")
    };
    let frames: Vec<_> = stack.split(';').rev().collect();
    assert!(!frames[0].contains("memfd:vmem ("), "{frames:?}");
    assert!(!frames[0].contains("[unknown] ("), "{frames:?}");
    assert_eq!(
        frames[1..],
        ["eq", "operator()(int)", "operator()(int)", "f"]
    );
    let text = b"x 1 1.5: 7 cpu-clock: \n\t1 eq (/opt/my app/beam.smp (deleted))\n\n";
    let capture = capture(text);
    let objects: Vec<_> = capture
        .function_indices()
        .map(|index| capture.function(index).object)
        .collect();
    assert_eq!(objects, ["beam.smp"]);
}

#[test]
fn of_several_events_one_is_chosen() {
    let sample = |at: u32, event: &str, function: &str| {
        format!(
            "erts_sched_1  4711/4720  [000]  1.000{at}:   10101010 {event}: \n\t  483b53 {function}+0x10 (/usr/lib/beam.smp)\n\n"
        )
    };
    let text = [
        sample(100, "page-faults", "fault"),
        sample(200, "cpu-clock:ppp", "cpu_a"),
        sample(300, "cpu-clock:ppp", "cpu_b"),
    ]
    .concat();
    let limits = Limits::default();
    let error = convert(text.as_bytes(), &limits).unwrap_err();
    assert_eq!(
        error.to_string(),
        "it has samples of several events: page-faults (1 sample), cpu-clock:ppp (2 samples)"
    );
    for (event, expected) in [
        ("page-faults", &["fault"][..]),
        ("cpu-clock", &["cpu_a", "cpu_b"]),
        ("cpu-clock:ppp", &["cpu_a", "cpu_b"]),
    ] {
        let found = convert_event(text.as_bytes(), &limits, Some(event));
        let found = found.unwrap().unwrap();
        let capture = Capture::from_bytes(&found.message).unwrap();
        let stacks: Vec<_> = counted(&capture).into_iter().map(|(it, _)| it).collect();
        assert_eq!(stacks, expected);
        assert_eq!(found.notes.len(), 1, "{:?}", found.notes);
    }
    let none = convert_event(text.as_bytes(), &limits, Some("cycles")).unwrap_err();
    assert!(
        none.to_string()
            .starts_with("it has no samples of the event cycles, only of: page")
    );
}

#[test]
fn weights_may_be_parts_of_one() {
    let capture_of = |text: &str| capture(text.as_bytes());
    let folded = capture_of("main;a;b 0.25\nmain;a;c 0.125\nmain;d 0.4\n");
    assert_eq!(
        counted(&folded),
        [of("main;a;b", 250), of("main;a;c", 125), of("main;d", 400)]
    );
    assert_eq!(folded.unit(), "thousandths of samples");
    let small = capture_of("a;b 0.0000016\na;c 2\n");
    assert_eq!(counted(&small), [of("a;b", 2), of("a;c", 2_000_000)]);
    assert_eq!(capture_of("a;b 2.0\na;c 3\n").unit(), "samples");
    let speedscope = r#"{"shared":{"frames":[{"name":"a"},{"name":"b"}]},"profiles":[
        {"type":"sampled","unit":"none","samples":[[0,1],[0]],"weights":[0.5,1.5]}]}"#;
    let speedscope = capture_of(speedscope);
    assert_eq!(counted(&speedscope), [of("a;b", 500), of("a", 1500)]);
}

#[test]
fn utf_16_is_read() {
    let text = "m;a\u{e9}\u{1f9ea} 3\r\nm;b 4\r\n";
    let units = || text.encode_utf16();
    let little: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain(units().flat_map(u16::to_le_bytes))
        .collect();
    let big: Vec<u8> = [0xfe, 0xff]
        .into_iter()
        .chain(units().flat_map(u16::to_be_bytes))
        .collect();
    for bytes in [little, big] {
        assert_eq!(
            counted(&capture(&bytes)),
            [of("m;a\u{e9}\u{1f9ea}", 3), of("m;b", 4)]
        );
    }
}

#[test]
fn calls_that_have_not_returned_count_until_the_end() {
    let file = |end: &str| {
        format!(
            r#"{{"shared":{{"frames":[{{"name":"a"}},{{"name":"b"}}]}},"profiles":[{{"type":"evented","name":"t",
            "unit":"milliseconds","startValue":0{end},"events":[{{"type":"O","frame":0,"at":0}},{{"type":"O","frame":1,"at":2}}]}}]}}"#
        )
    };
    let found = convert(file(",\"endValue\":7").as_bytes(), &Limits::default());
    let found = found.unwrap().unwrap();
    assert!(found.notes[0].ends_with("2 calls"), "{:?}", found.notes);
    let capture = Capture::from_bytes(&found.message).unwrap();
    assert_eq!(counted(&capture), [of("a", 2000), of("a;b", 5000)]);
    assert_eq!(capture.duration_ns(), 7_000_000);
    let found = convert(file("").as_bytes(), &Limits::default());
    let capture = Capture::from_bytes(&found.unwrap().unwrap().message).unwrap();
    assert_eq!(counted(&capture), [of("a", 2000)]);
}

#[test]
fn what_is_broken_says_what_it_is_and_where_it_breaks() {
    let error = |bytes: &[u8]| convert(bytes, &Limits::default()).unwrap_err().to_string();
    let cut = br#"{"shared":{"frames":[{"name":"a"}]},"profiles":[{"type":"sam"#;
    assert!(
        error(cut).starts_with("it looks like speedscope and is damaged: EOF"),
        "{}",
        error(cut)
    );
    let json = br#"{"things":[1,2"#;
    assert!(
        error(json).starts_with("it is JSON that is damaged: EOF"),
        "{}",
        error(json)
    );
    assert!(error(br#"{"things":[1,2]}"#).starts_with("it is none of the formats"));
    // A cut file is read as far as it goes, and a note reports that.
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let text: String = (0..5000).map(|at| format!("main;f{at} {at}\n")).collect();
    std::io::Write::write_all(&mut encoder, text.as_bytes()).unwrap();
    let gzip = encoder.finish().unwrap();
    let found = convert(&gzip[..gzip.len() / 2], &Limits::default())
        .unwrap()
        .unwrap();
    assert!(
        found
            .notes
            .iter()
            .any(|note| note.contains("its end is missing")),
        "{:?}",
        found.notes
    );
}

/// Small pieces of all formats, in any order.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("a;b 1\n"),
        Just("<0.1.0>;m:f/1 3\n"),
        Just("{\"nodes\":["),
        Just("{\"shared\":{\"frames\":[{\"name\":\"a\"}]},\"profiles\":["),
        Just(
            "{\"type\":\"evented\",\"unit\":\"none\",\"events\":[{\"type\":\"O\",\"frame\":0,\"at\":1}]}"
        ),
        Just("{\"type\":\"sampled\",\"samples\":[[0]],\"weights\":[1e300]}"),
        Just("{\"id\":1,\"callFrame\":{},\"children\":[1]}"),
        Just("]}"),
        Just(","),
        Just("x 1 [000] 1.5: 7 cpu-clock: \n"),
        Just("\tffff0000 f+0x1 (/a)\n"),
        Just("\n"),
        Just(" 18446744073709551615\n"),
        Just("-1e400 nan\n"),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn garbage_is_an_error_or_a_capture(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        if let Ok(Some(found)) = convert(&bytes, &Limits::default()) {
            Capture::from_bytes(&found.message).unwrap();
        }
    }

    #[test]
    fn what_looks_like_a_profile_is_an_error_or_a_capture(text in pieces()) {
        if let Ok(Some(found)) = convert(text.as_bytes(), &Limits::default()) {
            Capture::from_bytes(&found.message).unwrap();
        }
    }
}
