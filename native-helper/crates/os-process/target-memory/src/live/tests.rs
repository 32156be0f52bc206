use super::*;

/// By either way.
fn own_memory() -> [LiveMemory; 2] {
    let file = File::open("/proc/self/mem").unwrap();
    [
        LiveMemory::new(std::process::id()),
        LiveMemory::of_file(file),
    ]
}

#[test]
fn reads_its_own_memory_and_refuses_what_is_not_mapped() {
    for memory in own_memory() {
        reads_and_refuses(&memory);
    }
}

fn reads_and_refuses(memory: &LiveMemory) {
    let secret = [7u8, 8, 9, 10];
    let mut seen = [0u8; 4];
    memory.read(secret.as_ptr() as u64, &mut seen).unwrap();
    assert_eq!(seen, secret);
    assert_eq!(
        memory.read(8, &mut seen).unwrap_err().kind,
        ReadErrorKind::Unmapped
    );
}

#[test]
fn many_ranges_arrive_in_order_and_a_bad_one_is_named() {
    for memory in own_memory() {
        many_arrive_and_a_bad_one_is_named(&memory);
    }
}

fn many_arrive_and_a_bad_one_is_named(memory: &LiveMemory) {
    let words: Vec<u64> = (0..1500).collect();
    let ranges: Vec<Range> = words
        .iter()
        .rev()
        .map(|word| Range {
            address: std::ptr::from_ref(word) as u64,
            len_bytes: 8,
        })
        .collect();
    let mut seen = vec![0; 1500 * 8];
    memory.read_many(&ranges, &mut seen).unwrap();
    assert!(crate::bytes_to_words(&seen).eq(words.iter().rev().copied()));

    let mut bad = ranges[..3].to_vec();
    bad[1].address = 16;
    let error = memory.read_many(&bad, &mut [0; 24]).unwrap_err();
    assert_eq!((error.address, error.kind), (16, ReadErrorKind::Unmapped));
}

#[test]
fn with_pauses_the_same_is_read_and_refused() {
    let long: Vec<u64> = (0..3 * PORTION_BYTES as u64 / 8 + 5).collect();
    for mut memory in own_memory() {
        memory.set_pauses(true);
        reads_and_refuses(&memory);
        many_arrive_and_a_bad_one_is_named(&memory);
        let mut seen = vec![0; long.len() * 8];
        memory.read(long.as_ptr() as u64, &mut seen).unwrap();
        assert!(crate::bytes_to_words(&seen).eq(long.iter().copied()));
        let wraps = u64::MAX - PORTION_BYTES as u64 + 1;
        assert!(memory.read(wraps, &mut seen).is_err());
    }
}

#[test]
fn a_file_of_memory_is_no_other_program_s_that_takes_its_place() {
    let mut child = std::process::Command::new("/bin/sh")
        .args(["-c", "read go; exec sleep 600"])
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let memory = LiveMemory::of_file(File::open(format!("/proc/{}/mem", child.id())).unwrap());
    drop(child.stdin.take());
    let gone = || memory.read(4096, &mut [0; 8]).unwrap_err().target_gone();
    while !gone() {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(gone());
}

#[derive(Debug)]
struct Permit(bool);

impl ReadPermit for Permit {
    fn permit(&self, read: &mut dyn FnMut()) -> bool {
        read();
        self.0
    }
}

#[test]
fn what_was_read_of_a_process_that_is_not_permitted_any_more_is_forgotten() {
    let pid = std::process::id();
    let (secret, mut seen) = ([7u8, 8, 9, 10], [0u8; 4]);
    let address = secret.as_ptr() as u64;
    let permitted = LiveMemory::permitted(pid, Arc::new(Permit(true)));
    permitted.read(address, &mut seen).unwrap();
    assert_eq!(seen, secret);
    let refused = LiveMemory::permitted(pid, Arc::new(Permit(false)));
    assert!(refused.read(address, &mut seen).unwrap_err().target_gone());
    assert_eq!(seen, [0; 4]);
    let range = Range {
        address,
        len_bytes: 4,
    };
    assert!(refused.read_many(&[range], &mut seen).is_err());
    assert_eq!(seen, [0; 4]);
}

#[test]
fn a_process_that_is_not_there_is_gone() {
    let error = LiveMemory::new(0x3fff_fff1)
        .read(4096, &mut [0; 8])
        .unwrap_err();
    assert!(error.target_gone(), "{error}");
}
