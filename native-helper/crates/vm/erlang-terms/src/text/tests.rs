use proptest::prelude::*;
use target_memory::SnapshotMemory;
use vm_layout::process_details::{PROCESS_DETAILS, PartFormat, ProcessDetails};

use super::*;

const ATOMS: u64 = 0x1000;
const NIL: u64 = 0x3b;

/// A VM with the atoms `false`, `true` and `worker`, and these words at 0x8000.
fn vm(words: &[u64]) -> SnapshotMemory {
    let mut memory = SnapshotMemory::new();
    let mut table = [0u64; 16];
    table[14] = 3 << 32 | 1024;
    table[15] = 0x2000;
    memory.map_words(ATOMS, &table);
    memory.map_words(0x2000, &[0x3000]);
    let mut segment = [0u64; 1024];
    for (index, name) in (0_u64..).zip(["false", "true", "worker"]) {
        let (atom, text) = (0x5000 + index * 0x40, 0x6000 + index * 0x40);
        segment[index as usize] = atom;
        memory.map_words(atom, &[0, 0, index, name.len() as u64, text]);
        memory.map(text, name.as_bytes().to_vec());
    }
    memory.map_words(0x3000, &segment);
    memory.map_words(0x8000, words);
    memory
}

fn shown_within(words: &[u64], term: u64, limits: Limits) -> String {
    let memory = vm(words);
    let mut atoms = AtomTable::new(ATOMS);
    let mut text = TermText {
        memory: &memory,
        atoms: &mut atoms,
        pids: PidFormat::SlotAbove,
        binary: PROCESS_DETAILS[0].binary,
        heap: PROCESS_DETAILS[0].heap,
    };
    text.show(term, limits)
}

fn shown(words: &[u64], term: u64) -> String {
    shown_within(words, term, Limits::LABEL)
}

fn small(value: u64) -> u64 {
    value << 4 | 0xf
}

const WORKER: u64 = 2 << 6 | 0xb;

fn shape(words: &[u64], term: u64) -> String {
    let memory = vm(words);
    let mut atoms = AtomTable::new(ATOMS);
    let mut text = TermText {
        memory: &memory,
        atoms: &mut atoms,
        pids: PidFormat::SlotAbove,
        binary: PROCESS_DETAILS[0].binary,
        heap: PROCESS_DETAILS[0].heap,
    };
    text.shape(term)
}

#[test]
fn a_shape_has_tags_and_no_values() {
    assert_eq!(shape(&[], WORKER), "worker");
    assert_eq!(shape(&[], small(17)), "_");
    assert_eq!(shape(&[2 << 6, WORKER, small(17)], 0x8002), "{worker, _}");
    let nested = [3 << 6, WORKER, 0x8022, WORKER, 2 << 6, WORKER, 0x8003];
    assert_eq!(shape(&nested, 0x8002), "{worker, {worker, _}, _}");
    let itself = [2 << 6, 0x8002, 0x8001];
    assert_eq!(shape(&itself, 0x8002), "{{{{…}, [_]}, [_]}, [_]}");
    let long = [100 << 6, NIL, NIL, NIL, NIL, NIL, NIL, NIL, NIL];
    assert_eq!(shape(&long, 0x8002), "{[], [], [], [], [], [], [], [], …}");
    assert_eq!(shape(&[], 0x9002), "…", "nothing is there");
}

#[test]
fn terms_look_as_the_shell_shows_them() {
    assert_eq!(shown(&[], WORKER), "worker");
    assert_eq!(shown(&[], small(17)), "17");
    assert_eq!(shown(&[2 << 6, WORKER, small(17)], 0x8002), "{worker,17}");
    let list = [small(1), 0x8011, WORKER, NIL];
    assert_eq!(shown(&list, 0x8001), "[1,worker]");
    let text = [small(104), 0x8011, small(34), NIL];
    assert_eq!(shown(&text, 0x8001), r#""h\"""#);
    assert_eq!(shown(&[0], 0x8002), "{}");
    assert_eq!(shown(&[5 << 2], 0x8002), "#Fun");
    let binary = [2 << 6 | 8 << 2, 16, u64::from_le_bytes(*b"hi\0\0\0\0\0\0")];
    assert_eq!(shown(&binary, 0x8002), r#"<<"hi">>"#);
}

#[test]
fn what_is_garbage_ends_the_text() {
    assert_eq!(shown(&[], 0x9002), "…", "nothing is there");
    assert_eq!(shown(&[u64::MAX], 0x8002), "…", "no header");
    assert_eq!(
        shown(&[3 << 6, small(1)], 0x8002),
        "…",
        "longer than what is there"
    );
    assert_eq!(shown(&[], 900 << 6 | 0xb), "…", "no atom");
    let bites_its_tail = [WORKER, 0x8001];
    let width = Limits::LABEL.width;
    let all = ["worker"; 8][..width].join(",");
    assert_eq!(shown(&bites_its_tail, 0x8001), format!("[{all},…]"));
    let holds_itself = [1 << 6, 0x8002];
    assert_eq!(shown(&holds_itself, 0x8002), "{{{{…}}}}");
    let endless = [small(97), 0x8001];
    let all = "a".repeat(Limits::LABEL.string_chars);
    assert_eq!(shown(&endless, 0x8001), format!("\"{all}…\""));
    let one_read = Limits {
        reads: 1,
        ..Limits::LABEL
    };
    assert_eq!(shown_within(&endless, 0x8001, one_read), "…");
}

#[test]
fn a_claim_of_any_length_is_not_believed() {
    let huge_tuple = [u64::MAX >> 6 << 6 & !0x3f];
    assert_eq!(shown(&huge_tuple, 0x8002), "…");
    let huge_binary = [8 << 2, u64::MAX, 0];
    assert_eq!(shown(&huge_binary, 0x8002), "…");
}

proptest! {
    #[test]
    fn any_words_have_a_text(words in prop::collection::vec(any::<u64>(), 1..64), picks in prop::collection::vec((0usize..64, 0u64..64, 0u64..8), 0..64), term: u64) {
        let mut words = words;
        // Pointers into the mapped memory, so that there is something to follow.
        for (at, to, tag) in picks {
            let index = at % words.len();
            words[index] = 0x8000 + to * 8 + tag;
        }
        for term in [term, 0x8001, 0x8002] {
            let text = shown(&words, term);
            prop_assert!(text.len() < 4096);
        }
    }
}

/// The text of a term in a VM that makes terms as a row of the details has it.
fn shown_by(details: &ProcessDetails, words: &[u64], outside: &[u8], term: u64) -> String {
    let mut memory = vm(words);
    // Binary: flags, references, its size, then its bytes.
    let mut binary = vec![0; details.binary.content];
    binary[details.binary.size..details.binary.size + 8]
        .copy_from_slice(&(outside.len() as u64).to_le_bytes());
    binary.extend(outside);
    memory.map(OUTSIDE, binary);
    let mut atoms = AtomTable::new(ATOMS);
    let mut text = TermText {
        memory: &memory,
        atoms: &mut atoms,
        pids: PidFormat::SlotAbove,
        binary: details.binary,
        heap: details.heap,
    };
    text.show(term, Limits::LABEL)
}

const OUTSIDE: u64 = 0xa000;
const HERE: u64 = 0x8000;
const BOXED: u64 = 2;

#[test]
fn binaries_outside_of_the_heap_and_parts_of_them_are_text() {
    let long = "customer ACME Corporation International, Department of long names".as_bytes();
    let cut = format!("<<\"{}…\">>", std::str::from_utf8(&long[..64]).unwrap());
    for details in PROCESS_DETAILS {
        let header = details.binary.reference_subtag << 2 | 5 << 6;
        let length = long.len() as u64;
        let (reference, part) = match details.binary.part {
            PartFormat::OfReference { .. } => (
                vec![header, length, 0, OUTSIDE, OUTSIDE + 24, 0],
                // Four bytes from the ninth on.
                vec![10 << 2 | 4 << 6, 4, 9, 0, HERE + BOXED],
            ),
            PartFormat::OfAddress => (
                vec![header, OUTSIDE, 0, 0, 0, 0],
                vec![9 << 2 | 4 << 6, OUTSIDE + 32, 9 * 8, 13 * 8, HERE + BOXED],
            ),
        };
        let words: Vec<u64> = reference.into_iter().chain(part).collect();
        let of = |term| shown_by(details, &words, long, term);
        assert_eq!(of(HERE + BOXED), cut, "{}", details.provenance);
        assert_eq!(
            of(HERE + 6 * 8 + BOXED),
            "<<\"ACME\">>",
            "{}",
            details.provenance
        );
    }
}

#[test]
fn what_is_no_text_is_named_and_a_length_that_cannot_be_is_not_read() {
    let details = &PROCESS_DETAILS[0];
    let of = |start: u64, end: u64, outside: &[u8]| {
        let words = [9 << 2 | 4 << 6, OUTSIDE + 32, start, end, HERE + BOXED];
        shown_by(details, &words, outside, HERE + BOXED)
    };
    assert_eq!(of(0, 24, b"abc"), "<<\"abc\">>");
    assert_eq!(of(0, 23, b"abc"), "#Binary", "some bits");
    assert_eq!(of(3, 19, b"abc"), "#Term", "from within a byte on");
    assert_eq!(of(0, 16, &[0xff, 0xfe]), "#Binary");
    assert_eq!(of(0, u64::MAX, b"abc"), "…");
    assert_eq!(of(16, 8, b"abc"), "…");
    // A character that begins within the part that is read and ends behind it.
    let umlauts = "ä".repeat(200);
    let shown = of(0, 400 * 8, umlauts.as_bytes());
    assert_eq!(shown, format!("<<\"{}…\">>", "ä".repeat(64)));
}

#[test]
fn maps_and_numbers_are_shown() {
    let details = &PROCESS_DETAILS[0];
    let map = details.heap.map << 2;
    let keys = [2 << 6, WORKER, small(1)];
    let values = [map, 2, HERE + BOXED, small(7), NIL];
    let words: Vec<u64> = keys.into_iter().chain(values).collect();
    let of = |words: &[u64], term| shown_by(details, words, b"", term);
    assert_eq!(of(&words, HERE + 24 + BOXED), "#{worker => 7,1 => []}");
    let tree = [map | 1 << 6, 0, 0];
    assert_eq!(of(&tree, HERE + BOXED), "#Map");
    let endless = [map, u64::MAX, HERE + BOXED];
    assert_eq!(of(&endless, HERE + BOXED), "…");
    for (value, text) in [
        (1.5, "1.5"),
        (2.0, "2.0"),
        (1e100, "1.0e100"),
        (-0.25, "-0.25"),
    ] {
        let words = [FLOAT_HEADER, f64::to_bits(value)];
        assert_eq!(of(&words, HERE + BOXED), text);
    }
    assert_eq!(
        of(&[2 << 2 | 1 << 6, 1 << 63], HERE + BOXED),
        "9223372036854775808"
    );
    assert_eq!(
        of(&[3 << 2 | 2 << 6, 0, 1], HERE + BOXED),
        "-18446744073709551616"
    );
    assert_eq!(of(&[2 << 2 | 3 << 6, 0, 0, 1], HERE + BOXED), "#Integer");
}

const FLOAT_HEADER: u64 = 6 << 2 | 1 << 6;
