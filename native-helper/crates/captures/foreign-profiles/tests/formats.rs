//! Profiles of other tools, small ones with known answers, each read back as a capture.

#![allow(clippy::unwrap_used)]

use capture::reader::{Capture, Sample};
use capture::sample::{FrameKind, SampleClass};
use foreign_profiles::{Defect, Format, ImportError, Imported, Limits, convert, convert_event};
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
        assert_eq!(frames.iter().filter(|it| **it == "[too deep]").count(), 1);
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
        ["bytes that are no UTF-8 are read as \u{fffd}: line 2 has the first of them"]
    );
    let from_its_first_line = notes(b"m:r/0;m:\xff\xfe/0 200\nm:r/0;m:b/0 100\n");
    assert!(from_its_first_line[0].contains("line 1 "));
}

#[test]
fn of_two_numbers_of_a_folded_stack_neither_is_a_part_of_its_name() {
    let found = imported(b"a;b 3 4\na;c\t2 9\n");
    let capture = Capture::from_bytes(&found.message).unwrap();
    assert_eq!(counted(&capture), [of("a;b", 4), of("a;c", 9)]);
    assert_eq!(
        found.notes,
        ["each stack has two numbers, as in a difference of two profiles: the second is read"]
    );
    // Names may end with numbers.
    let found = imported(b"a;worker 1 4\na;c 9\n");
    let capture = Capture::from_bytes(&found.message).unwrap();
    let mut stacks = counted(&capture);
    stacks.sort();
    assert_eq!(stacks, [of("a;c", 9), of("a;worker 1", 4)]);
    assert!(found.notes.is_empty(), "{:?}", found.notes);
}

#[test]
fn one_line_of_folded_stacks_does_not_decide_on_the_format() {
    let notes = |text: &str| {
        let found = imported(text.as_bytes());
        let capture = Capture::from_bytes(&found.message).unwrap();
        assert_eq!(counted(&capture), [of("m:r/0;m:a/0", 3)], "{text}");
        found.notes
    };
    let (good, none) = ("m:r/0;m:a/0 3\n", Vec::<String>::new());
    let first = "left out, no stack with a number behind it, line 1 the first";
    assert_eq!(
        notes(&format!("m:r/0;m:b/0\n{good}")),
        [format!("{first}: 1 line")]
    );
    assert_eq!(
        notes(&format!("m:r/0;m:b/0 1,000\n{good}")),
        [format!("{first} (1,000 is no number here): 1 line")]
    );
    assert_eq!(
        notes(&format!("\u{feff}# of 28 November 2026\n#\n{good}")),
        none
    );
    assert_eq!(notes(&format!("# a;b\n{good}# the end")), none);
    let message = error(b"m:r/0;m:b/0 1,000\n").to_string();
    assert!(
        message.contains("line 1 the first (1,000 is no number here)"),
        "{message}"
    );
    let names = capture(b"#Fun<m.1>;m:a/0 3\n#Fun<m.2> 4\n");
    assert_eq!(
        counted(&names),
        [of("#Fun<m.1>;m:a/0", 3), of("#Fun<m.2>", 4)]
    );
    assert_eq!(
        error(b"int main() { a; b; }\nx; y;\n"),
        ImportError::UnknownFormat
    );
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
    assert_eq!(capture.samples()[0].value, 2_500_000);
}

#[test]
fn weights_that_no_clock_can_count_are_bounded() {
    let largest = capture(b"<0.1.0>;m:f/1 18446744073709551615\n");
    let (_, microseconds) = counted(&largest)[0].clone();
    assert_eq!(microseconds, u64::MAX / 1000);
    let sum = capture(b"<0.1.0>;m:f/1 18446744073709551615\n".repeat(2).as_slice());
    assert_eq!(counted(&sum), counted(&largest));
    let notes = imported(b"a;b 1e30\na;c 2\n").notes;
    assert_eq!(
        notes,
        ["larger than any count, and cut to what fits: 1 number"]
    );
}

#[test]
fn texts_state_what_is_left_out() {
    let found = imported(b"a;b 1\na;c 2\nnothing here\n");
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
    assert_eq!(capture.samples()[1].value, 30_000_000);
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
            of("main;(anonymous)@11", 2),
            of("main;(anonymous)@12", 2),
            of("(idle)", 1)
        ],
        "each counts for its time, in periods of half a millisecond"
    );
    let times: Vec<u64> = capture.samples().iter().map(|it| it.value).collect();
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

#[test]
fn samples_of_a_cpuprofile_count_for_their_times() {
    let text = |times: &str| {
        let nodes = r#"{"nodes":[{"id":1,"callFrame":{"functionName":"a"}},{"id":2,"callFrame":{"functionName":"b"}}],"#;
        format!("{nodes}{times}}}")
    };
    let shares = |times: &str| {
        let found = imported(text(times).as_bytes());
        (
            counted(&Capture::from_bytes(&found.message).unwrap()),
            found.notes.len(),
        )
    };
    let uneven = r#""startTime":0,"endTime":100000,"samples":[1,2],"timeDeltas":[0,90000]"#;
    assert_eq!(shares(uneven), (vec![of("a", 9), of("b", 1)], 0));
    // Without a common period they are counted in microseconds.
    let odd = r#""startTime":0,"endTime":1001,"samples":[1,2],"timeDeltas":[0,901]"#;
    assert_eq!(shares(odd), (vec![of("a", 901), of("b", 100)], 0));
    let missing = r#""startTime":0,"endTime":1001,"samples":[1,2],"timeDeltas":[901]"#;
    assert_eq!(shares(missing), (vec![of("a", 1), of("b", 1)], 1));
    let none = r#""startTime":0,"endTime":1001,"samples":[1,2]"#;
    assert_eq!(shares(none), (vec![of("a", 1), of("b", 1)], 0));
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
    assert_eq!((first.bucket_ms, first.value), (0, 10_101_010));
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

#[test]
fn records_of_perf_are_no_samples() {
    const RECORDS: &str = "\
beam.smp  4711/4720     1.000000: PERF_RECORD_COMM exec: beam.smp:4711/4711
beam.smp  4711/4720 [001]  1.005000: PERF_RECORD_MMAP2 4711/4720: [0x7f00(0x1000) @ 0 00:01 5 6]: r-xp /memfd:vmem (deleted)
     :-1    -1 [000]     0.000000: PERF_RECORD_MMAP -1/0: [0xffffffff81000000(0x1000) @ 0]: x [kernel.kallsyms]_text
perf 4700 PERF_RECORD_FORK(4711:4711):(4700:4700)
PERF_RECORD_FINISHED_ROUND
";
    let sample = |time| {
        format!(
            "beam.smp  4711/4720     {time}:     250000 cycles:u: \n\t  483b53 eq+0x3 (/usr/bin/beam.smp)\n\n"
        )
    };
    let (first, second) = (sample("1.000100"), sample("1.010100"));
    for text in [
        format!("{first}{RECORDS}{second}"),
        format!("{RECORDS}{first}{second}{RECORDS}"),
        format!("{}{first}{second}", RECORDS.repeat(1000)),
        format!("{first}{RECORDS}{second}{}", RECORDS.trim_end()),
        // Of samples without call chains, each on a line.
        format!("{first}{RECORDS}{second}")
            .replace(" \n\t", "")
            .replace("\n\n", "\n"),
    ] {
        let found = imported(text.as_bytes());
        assert_eq!(
            (found.format, &found.notes),
            (Format::PerfScript, &Vec::new())
        );
        let capture = Capture::from_bytes(&found.message).unwrap();
        assert_eq!(counted(&capture), [of("eq", 2)], "{text:.300}");
    }
}

#[test]
fn losses_that_perf_reports_are_named() {
    let of = |records: &str| {
        let found = imported(format!("{WHOLE}{records}{WHOLE}").as_bytes());
        let capture = Capture::from_bytes(&found.message).unwrap();
        assert_eq!(capture.total_samples(), 2, "{records}");
        (
            found.notes,
            capture.import().unwrap().lost,
            capture.headings(),
        )
    };
    let twice =
        "w 1/2 [000] 1.0: PERF_RECORD_LOST lost 1200\nw 1/2 [000] 1.1: PERF_RECORD_LOST lost 34\n";
    let expected = (
        vec!["lost while perf recorded: at least 1234 samples".to_owned()],
        Some(1234),
        vec!["lost while another tool recorded: at least 1234 samples".to_owned()],
    );
    assert_eq!(of(twice), expected);
    // The counters of the events have the same samples.
    let by_event = "w 0/0 [000] 0.0: PERF_RECORD_LOST_SAMPLES: id:5: lost:1230\n";
    assert_eq!(of(&format!("{twice}{by_event}")), expected);
    let (notes, lost, headings) = of("w 1/2 [000] 1.0: PERF_RECORD_LOST\n");
    assert_eq!(
        (&notes[0][..], lost, &headings[0][..]),
        (
            "lost while perf recorded: an unknown number of samples",
            Some(0),
            "lost while another tool recorded: an unknown number of samples"
        )
    );
    let pauses = "w 1/2 [000] 1.0: PERF_RECORD_THROTTLE\nw 1/2 [000] 1.0: PERF_RECORD_UNTHROTTLE\n";
    let (notes, lost, headings) = of(pauses);
    assert_eq!(notes, ["sampling paused while perf recorded: 1 time"]);
    assert_eq!((lost, headings.len()), (None, 0));
    // A function that is called like a record is none.
    let function = "w 1/2 1.5: cpu-clock: \n\t7f01 PERF_RECORD_LOST+0x1 (/x)\n\n";
    assert!(imported(function.as_bytes()).notes.is_empty());
}

#[test]
fn offsets_in_objects_are_no_part_of_functions() {
    let stack = perf_stack(&[
        "555555555139 main+0x10 (/opt/x+0x1139)",
        "55555555513a main+0x11 (/opt/x+0x113a)",
        "483b56 operator()(int)+0x4 (/opt/a (b) c/lib.so (deleted)+0x11)",
        "483b57 f+0x4 (anon (x)+0x12)",
        "483b58 eq (/opt/x+0x13)",
        "7f0000005678 $lists:sort/1+0x10 (/tmp/perf-1.map)",
    ]);
    assert_eq!(
        stack,
        [of("lists:sort/1;eq;f;operator()(int);main;main", 1)]
    );
    let text = b"x 1 1.5: 7 cpu-clock: \n\t1 [unknown] (/opt/beam.smp (deleted)+0x1139)\n\n";
    let capture = capture(text);
    let objects: Vec<_> = capture
        .function_indices()
        .map(|index| capture.function(index).object)
        .collect();
    assert_eq!(objects, ["beam.smp"]);
}

#[test]
fn other_fields_of_perf_script_are_no_frames() {
    // The address of the data, and the mode of the processor.
    let text = "w 7/8 [000] U 1.5:  250 mem:0x1:rw:     7ffe00001000 \n\t7f01 f+0x1 (/x)\n\t7f02 g+0x1 (/x)\n\n";
    assert_eq!(counted(&capture(text.as_bytes())), [of("g;f", 1)]);
    // A function that is called like a record.
    let text = "w 7/8 1.5: cycles: \n\t7f01 PERF_RECORD_X+0x1 (/x)\n\n";
    assert_eq!(counted(&capture(text.as_bytes())), [of("PERF_RECORD_X", 1)]);
    let both = "w 7/8 1.5: cycles:u: \n\t7f01 f+0x1 (/x)\n\nw 7/8 1.5: page-faults:: \n\t7f01 g+0x1 (/x)\n\n";
    let chosen = convert_event(both.as_bytes(), &Limits::default(), Some("page-faults"));
    let message = chosen.unwrap().unwrap().message;
    assert_eq!(
        counted(&Capture::from_bytes(&message).unwrap()),
        [of("g", 1)]
    );
}

#[test]
fn source_lines_of_perf_script_are_lines_of_frames() {
    let text = "w 7/8 1.5: cycles: \n\t7f01 f+0x1 (inlined)\n  utils.c:2301 (discriminator 3)\n\
        \t7f01 g+0x1 (/x)\n  utils.c:12 (inlined)\n\t7f02 h+0x1 (/x)\n  x[7f02]\n\t7f03 i+0x1 (/x)\n  ??:0\n\n";
    let found = imported(text.as_bytes());
    assert!(found.notes.is_empty(), "{:?}", found.notes);
    let capture = capture(text.as_bytes());
    assert_eq!(counted(&capture), [of("i;h;g@12;f@2301", 1)]);
    let one_line = "w 7/8 1.5: cycles: 7f01 f+0x1 (/x)\n  utils.c:2301\nw 7/8 1.6: cycles: 7f02 g+0x1 (/x)\n  b.c:1\n";
    assert_eq!(
        counted(&self::capture(one_line.as_bytes())),
        [of("f@2301", 1), of("g@1", 1)]
    );
}

/// As perf prints them: no empty line follows registers, instructions and physical addresses.
#[test]
fn samples_of_perf_script_need_no_empty_line_between_them() {
    let sample = |time: &str, more: &str| {
        format!(
            "t 7 {time}:  250 cpu-clock: \n\t            118e f+0x1e (/x)\n\t            1064 g+0x24 (/x)\n{more}\n"
        )
    };
    for more in [
        " ABI:2    AX:0x7042868a5666d660    BX:0x7ffc0a8060d8    CX:0xf007648a8542718a",
        " ilen: 4 insn: 48 83 c2 01",
        "               0",
        " 0x118e/0x1064/P/-/-/0  0x1190/0x1070/M/-/-/1 ",
    ] {
        let text = sample("1.5", more) + &sample("1.6", more) + &sample("1.7", more);
        let found = imported(text.as_bytes());
        let capture = Capture::from_bytes(&found.message).unwrap();
        assert_eq!(
            counted(&capture),
            [of("g;f", 1), of("g;f", 1), of("g;f", 1)],
            "{more}"
        );
        assert_eq!(
            found.notes,
            ["left out, neither samples nor frames, line 4 the first: 3 lines"],
            "{more}"
        );
    }
    // Several lines of each sample are fewer than its frames.
    let text = sample("1.5", " a\n b") + &sample("1.6", " a\n b");
    assert_eq!(
        counted(&capture(text.as_bytes())),
        [of("g;f", 1), of("g;f", 1)]
    );
}

#[test]
fn an_address_of_data_is_no_part_of_a_functions_name() {
    for (behind, name) in [
        ("               0     563c4b474195 outer (/x)", "outer"),
        (
            "    7ffe00001000 ffffffff81234567 tick ([kernel.kallsyms])",
            "tick",
        ),
        ("    563c4b474195 add (/x)", "add"),
        ("    563c4b474195 outer+0x1 (/x)", "outer"),
    ] {
        let text = format!("t 7/7 1.5: cpu-clock: {behind}\n");
        assert_eq!(counted(&capture(text.as_bytes())), [of(name, 1)], "{text}");
    }
}

#[test]
fn perf_script_without_names_or_ids_of_threads_is_read() {
    const FRAME: &str = "\t            118e f+0x1e (/x)\n\n";
    for (header, thread) in [
        ("14110 53390.798654: ", 14110),
        ("14110 53390.798654:    250 cpu-clock: ", 14110),
        ("53390.798654: cpu-clock: ", 0),
        ("53390.798654:    250 cpu-clock: ", 0),
    ] {
        let text = format!("{header}\n{FRAME}").repeat(2);
        let capture = capture(text.as_bytes());
        assert_eq!(counted(&capture), [of("f", 2)], "{header}");
        let labels = capture.labels(capture.samples()[0].labels);
        let thread_id = labels.thread_id.unwrap_or_default();
        assert_eq!((thread_id, labels.thread_name), (thread, None), "{header}");
    }
    // Names alone, and nothing.
    let frames = "\t            118e f+0x1e (/x)\n\t            1064 g\n\n";
    for (header, thread) in [
        ("t \n", Some("t")),
        ("my thread\n", Some("my thread")),
        ("\n", None),
    ] {
        let text = format!("{header}{frames}").repeat(2);
        let found = imported(text.as_bytes());
        assert!(found.notes.is_empty(), "{:?}", found.notes);
        let capture = Capture::from_bytes(&found.message).unwrap();
        assert_eq!(counted(&capture), [of("g;f", 2)], "{header}");
        let labels = capture.labels(capture.samples()[0].labels);
        assert_eq!(labels.thread_name, thread);
    }
    let found = imported(format!("a thing with a space:\n{frames}t\n{frames}").as_bytes());
    assert_eq!(
        found.notes,
        ["left out, neither samples nor frames, line 1 the first: 1 line"]
    );
    let found = imported(format!("{frames}t\n\n{frames}").as_bytes());
    assert_eq!(
        found.notes,
        ["left out, neither samples nor frames, line 4 the first: 1 line"]
    );
    // A text that begins amid a sample has no other than those with their lines, however many records are before them.
    for records in [0, 1001] {
        let begin = "PERF_RECORD_FINISHED_ROUND\n".repeat(records);
        let found = imported(format!("{begin}{frames}{WHOLE}").as_bytes());
        let later = Capture::from_bytes(&found.message).unwrap();
        assert_eq!(counted(&later), [of("f", 1)]);
        let first = records + 1;
        let note = format!("left out, neither samples nor frames, line {first} the first: 2 lines");
        assert_eq!(found.notes, [note]);
    }
    // A thread whose name is a number has one.
    let text = format!("12 14110 53390.798654:    250 cpu-clock: \n{FRAME}");
    let capture = capture(text.as_bytes());
    let labels = capture.labels(capture.samples()[0].labels);
    assert_eq!(
        (labels.thread_id, labels.thread_name),
        (Some(14110), Some("12"))
    );
}

/// Once, each number of a line was tried with all words behind it.
#[test]
fn a_line_of_numbers_takes_no_longer_than_others() {
    let text = WHOLE.to_owned() + &"1 ".repeat(500_000) + "x\n\n" + WHOLE;
    assert_eq!(imported(text.as_bytes()).notes.len(), 1);
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
    let message = error(b"w 1/2 [000] 1.1: ").to_string();
    assert!(message.contains("its end is missing"), "{message}");
}

#[test]
fn a_period_that_no_kernel_has_is_an_error_of_that_format() {
    let text = WHOLE.replace("250", "99999999999999999999999");
    let message = error(text.as_bytes()).to_string();
    assert!(message.contains("perf script"), "{message}");
    assert!(message.contains("more than 64 bits"), "{message}");
}

/// As samply writes it: tables of each thread, a library without symbols, a JIT's function in a file of perf.
const SAMPLY: &str = r#"{"meta":{"interval":1,"startTime":1700000000000.5,"preprocessedProfileVersion":49,
  "categories":[{"name":"User","color":"yellow","subcategories":["Other"]},{"name":"Kernel","color":"orange","subcategories":["Other"]}]},
 "libs":[{"name":"libc.so.6","path":"/usr/lib/libc.so.6"},{"name":"perf-7.map","path":"/tmp/perf-7.map"}],
 "threads":[{"name":"1_scheduler","tid":"4711.1","isMainThread":false,"markers":{"data":[{"deep":[[[[]]]]}]},
  "samples":{"length":4,"stack":[2,1,null,3],"time":[100.0,101.0,140.5,141.0],"weight":[1,2,1,1],"weightType":"samples","threadCPUDelta":[900000,1000000,0,null]},
  "stackTable":{"length":4,"prefix":[null,0,1,1],"frame":[0,1,2,3]},
  "frameTable":{"length":4,"address":[1,2,3,-1],"func":[0,1,2,3],"category":[0,0,0,1],"line":[null,null,12,null]},
  "funcTable":{"length":4,"name":[0,1,2,3],"resource":[0,1,-1,-1],"fileName":[null,null,4,null],"lineNumber":[null,null,9,null]},
  "resourceTable":{"length":2,"lib":[0,1],"name":[0,0],"host":[null,null],"type":[1,1]},
  "stringArray":["0x1234","$lists:sort/1","copy_struct_x","do_syscall_64","beam/copy.c"]}]}"#;

#[test]
fn the_firefox_profilers_json() {
    let found = imported(SAMPLY.as_bytes());
    assert_eq!((found.format, found.notes.len()), (Format::Firefox, 0));
    let capture = Capture::from_bytes(&found.message).unwrap();
    let outer = "libc.so.6![unknown];lists:sort/1";
    assert_eq!(
        counted(&capture),
        [
            of(&format!("{outer};copy_struct_x@12"), 1),
            of(outer, 2),
            of("", 1),
            of(&format!("{outer};do_syscall_64"), 1)
        ]
    );
    let facts: Vec<_> = capture
        .function_indices()
        .map(|index| capture.function(index))
        .map(|view| (view.kind, view.file, view.head_line))
        .collect();
    assert_eq!(
        facts,
        [
            (FrameKind::Native, "", 0),
            (FrameKind::Erlang, "", 0),
            (FrameKind::Native, "beam/copy.c", 9),
            (FrameKind::Kernel, "", 0)
        ]
    );
    let first = &capture.samples()[0];
    assert_eq!((first.bucket_ms, first.value), (0, 1_000_000));
    assert_eq!(capture.samples()[2].bucket_ms, 40);
    let sleeping = capture.samples()[2].labels;
    assert_eq!(capture.labels(sleeping).class, Some(SampleClass::Idle));
    assert_eq!(capture.labels(first.labels).thread_id, Some(4711));
    assert_eq!(capture.labels(first.labels).class, Some(SampleClass::Copy));
}

#[test]
fn tables_that_threads_share() {
    let text = r#"{"meta":{"interval":0},"threads":[
      {"name":"a","tid":1,"samples":{"stack":[1],"timeDeltas":[5]}},
      {"name":"b","tid":2,"samples":{"stack":[0,0],"timeDeltas":[1,20],"weight":[0.5,2]}},
      {"name":"c","tid":3,"samples":{"stack":[0],"weight":[9],"weightType":"bytes"}}],
     "shared":{"stringArray":["m:f/0","m:g/0","src/m.erl"],"sources":{"filename":[2]},
      "stackTable":{"prefix":[null,0],"frame":[0,1]},"frameTable":{"func":[0,1],"line":[3,null]},
      "funcTable":{"name":[0,1],"resource":[-1,-1],"source":[0,null],"lineNumber":[2,null]}}}"#;
    let found = imported(text.as_bytes());
    assert_eq!(
        found.notes,
        ["left out, measuring something else than the first one: 1 thread"]
    );
    let capture = Capture::from_bytes(&found.message).unwrap();
    assert_eq!(
        counted(&capture),
        [
            of("m:f/0@3;m:g/0", 1000),
            of("m:f/0@3", 500),
            of("m:f/0@3", 2000)
        ]
    );
    let indices: Vec<_> = capture.function_indices().collect();
    let place = capture.function(indices[0]);
    assert_eq!((place.file, place.head_line), ("src/m.erl", 2));
}

#[test]
fn our_own_export_for_the_firefox_profiler() {
    let text =
        "beam.smp;m:f/1 (src/m.erl:7);copy_struct_x 12\nbeam.smp;A.g/0;tick_[k] 3\n[idle] 2\n";
    let original = capture(text.as_bytes());
    let mut file = Vec::new();
    capture::export::firefox::write_firefox(&original, "shop", &mut file).unwrap();
    let found = imported(&file);
    assert_eq!((found.format, found.notes.len()), (Format::Firefox, 0));
    let again = Capture::from_bytes(&found.message).unwrap();
    let sorted = |capture: &Capture| {
        let mut all = counted(capture);
        all.sort();
        all
    };
    assert_eq!(sorted(&again), sorted(&original));
    let functions = |capture: &Capture| {
        let mut all: Vec<_> = capture
            .function_indices()
            .map(|index| capture.function(index))
            .map(|view| (view.name.to_owned(), view.kind, view.file.to_owned()))
            .collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    };
    assert_eq!(functions(&again), functions(&original));
}

#[test]
fn a_damaged_profile_of_the_firefox_profiler_is_named() {
    for (from, to, why) in [
        (
            "\"prefix\":[null,0,1,1]",
            "\"prefix\":[1,0,1,1]",
            "stack 0 has no caller before it",
        ),
        (
            "\"frame\":[0,1,2,3]",
            "\"frame\":[0,1,2,9]",
            "frame 9 has no function",
        ),
        (
            "\"stack\":[2,1,null,3]",
            "\"stack\":[2,1,null,8]",
            "there is no stack 8",
        ),
        (
            "\"name\":[0,1,2,3]",
            "\"name\":[0,1,2,30]",
            "function 3 has no name",
        ),
        (
            "\"prefix\":[null,0,1,1]",
            "\"prefixOffset\":[null,1,1,2]",
            "0 callers do not fit its 4 stacks",
        ),
        (
            "\"stack\":[2,1,null,3]",
            "\"stack\":[2,1,null,1e10]",
            "there is no stack 4294967294",
        ),
        (
            "\"weight\":[1,2,1,1]",
            "\"weight\":[1,2,1]",
            "3 weights do not fit its 4 samples",
        ),
        (
            "\"weightType\":\"samples\"",
            "\"weightType\":\"x\"",
            "there is no type of weight",
        ),
        (
            "\"length\":4,\"stack\"",
            "\"schema\":{},\"stack\"",
            "in the form that Firefox records",
        ),
    ] {
        let text = SAMPLY.replacen(from, to, 1);
        assert_ne!(text, SAMPLY, "{from}");
        let message = error(text.as_bytes()).to_string();
        assert!(
            message.contains("Firefox Profiler") && message.contains(why),
            "{message}"
        );
    }
    let cut = error(&SAMPLY.as_bytes()[..400]).to_string();
    assert!(cut.contains("Firefox Profiler"), "{cut}");
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
    let message = error(text("[-1,-5]").as_bytes()).to_string();
    assert!(message.contains("speedscope"), "{message}");
    assert!(message.contains("below zero"), "{message}");
}

#[test]
fn numbers_of_folded_stacks_below_zero_are_left_out_and_counted() {
    let found = imported(b"a;b 3\na;c -2\na;d -0.5\n");
    let capture = Capture::from_bytes(&found.message).unwrap();
    assert_eq!(counted(&capture).len(), 1);
    assert_eq!(found.notes, ["left out, below zero: 2 numbers"]);
    let message = error(b"a;b -3\na;c -2\n").to_string();
    assert!(message.contains("folded"), "{message}");
    assert!(message.contains("numbers are below zero"), "{message}");
}

#[test]
fn hit_counts_and_times_of_cpuprofile_below_zero_are_refused() {
    let node = |id: u32, hits: i32| {
        format!(r#"{{"id":{id},"callFrame":{{"functionName":"f{id}"}},"hitCount":{hits}}}"#)
    };
    let nodes =
        |hits: [i32; 2]| format!(r#"{{"nodes":[{},{}]"#, node(1, hits[0]), node(2, hits[1]));
    let found = imported(format!("{}}}", nodes([4, -2])).as_bytes());
    assert_eq!(found.notes, ["left out, below zero: 1 hit count"]);
    let message = error(format!("{}}}", nodes([0, -2])).as_bytes()).to_string();
    assert!(message.contains("hit counts are below zero"), "{message}");
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
fn files_of_no_known_format_are_refused() {
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
            of("a;[too deep];e", 1),
            of("a;[too deep];d", 1),
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
fn broken_files_are_refused_with_their_format_and_place() {
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
    assert!(error(br#"{"things":[1,2]}"#).starts_with("it has none of the supported formats"));
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

#[test]
fn each_kind_of_defect_is_found_in_a_file() {
    let defect = |bytes: &[u8]| match error(bytes) {
        ImportError::Malformed { defect, .. } | ImportError::Json { defect, .. } => defect,
        other => panic!("{other}"),
    };
    let speedscope = |profiles: &str| {
        format!(r#"{{"shared":{{"frames":[{{"name":"a"}}]}},"profiles":[{profiles}]}}"#)
    };
    let sampled = |unit: &str, samples: &str| {
        speedscope(&format!(
            r#"{{"type":"sampled","unit":"{unit}","samples":{samples},"weights":[1]}}"#
        ))
    };
    let inconsistent = |part: &str| Defect::Inconsistent {
        part: part.to_owned(),
    };
    let count_of_lines = |count, first| Defect::Lines { count, first };
    let odd_unit = Defect::UnknownWord {
        word: "pints".to_owned(),
    };
    let unprocessed = SAMPLY.replacen("\"length\":4,\"stack\"", "\"schema\":{},\"stack\"", 1);
    for (file, expected) in [
        (r#"{"things":[1,2"#.to_owned(), Defect::Cut),
        ("w 1/2 [000] 1.1: ".to_owned(), Defect::Cut),
        ("{\n,}".to_owned(), Defect::Json { line: 2, column: 1 }),
        ("\nm:r/0;m:a/0 NaN\n".to_owned(), count_of_lines(1, Some(2))),
        (
            WHOLE.to_owned() + &"nothing here\n".repeat(3),
            count_of_lines(3, Some(4)),
        ),
        (sampled("pints", "[[0]]"), odd_unit),
        (sampled("none", "[[9]]"), inconsistent("frames[9]")),
        (sampled("none", "[]"), inconsistent("weights")),
        (
            WHOLE.replace("250", &"9".repeat(30)),
            inconsistent("period"),
        ),
        (speedscope(""), Defect::NoSamples),
        ("a;b -3\na;c -2\n".to_owned(), Defect::BelowZero),
        (unprocessed, Defect::Unprocessed),
    ] {
        assert_eq!(defect(file.as_bytes()), expected, "{file}");
    }
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
