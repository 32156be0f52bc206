//! Any text as a condition, and any readings: a condition is the same one after it was shown, and a met one
//! names only values that were measured; the error for any other text has its position.
#![no_main]

use arbitrary::Arbitrary;
use capture::pprof::NodeReading;
use capture::trigger::Condition;

/// Texts are mostly made of the parts of a condition: no fuzzer invents whole words in a moment.
#[derive(Debug, Arbitrary)]
enum Word {
    Known(u8),
    Number(f64),
    Text(String),
}

const KNOWN: [&str; 24] = [
    "mailbox",
    "messages",
    "runqueue",
    "memory",
    "rss",
    "processes",
    "collections/s",
    "reductions/s",
    ">",
    ">=",
    "<",
    "<=",
    " or ",
    " and ",
    " ",
    "0",
    "1",
    "10000",
    "GB",
    "MiB",
    "kB",
    ".5",
    "1e9",
    "\u{3000}",
];

#[derive(Debug, Clone, Copy, Arbitrary)]
struct Levels {
    at_ms: u64,
    queues: [Option<u64>; 3],
    mailbox: [Option<u64>; 3],
    sizes: [Option<u64>; 3],
    counts: [Option<u64>; 2],
}

impl From<Levels> for NodeReading {
    fn from(levels: Levels) -> Self {
        Self {
            at_ms: levels.at_ms,
            run_queue: levels.queues[0],
            dirty_cpu_run_queue: levels.queues[1],
            dirty_io_run_queue: levels.queues[2],
            largest_mailbox: levels.mailbox[0],
            largest_mailbox_pid: levels.mailbox[1],
            waiting_messages: levels.mailbox[2],
            memory_bytes: levels.sizes[0],
            rss_bytes: levels.sizes[1],
            processes: levels.sizes[2],
            collections: levels.counts[0],
            reductions: levels.counts[1],
            ..Self::default()
        }
    }
}

libfuzzer_sys::fuzz_target!(|input: (Vec<Word>, Vec<Levels>)| {
    let (words, readings) = input;
    let mut text = String::new();
    for word in &words {
        match word {
            Word::Known(index) => text.push_str(KNOWN[usize::from(*index) % KNOWN.len()]),
            Word::Number(number) => text.push_str(&number.to_string()),
            Word::Text(any) => text.push_str(any),
        }
    }
    let condition = match Condition::parse(&text) {
        Ok(condition) => condition,
        Err(fault) => {
            assert!(
                (1..=text.chars().count() + 1).contains(&fault.at),
                "{fault}"
            );
            return;
        }
    };
    let shown = condition.to_string();
    assert_eq!(Condition::parse(&shown).as_ref(), Ok(&condition), "{shown}");
    let mut before: Option<NodeReading> = None;
    for levels in readings {
        let reading = NodeReading::from(levels);
        let measured = condition.measured(&reading, before.as_ref());
        assert!(!measured.is_empty());
        let unknown = condition.unknown(&reading, before.as_ref());
        for one in condition.met(&reading, before.as_ref()).unwrap_or_default() {
            assert!(one.value.is_some_and(f64::is_finite), "{one}");
            assert!(
                measured.contains(&one) && !unknown.contains(&one.name),
                "{one}"
            );
        }
        before = Some(reading);
    }
});
