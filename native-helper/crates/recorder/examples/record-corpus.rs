//! Records a test VM into the corpus: `record-corpus PID FOLDER`, then one line on standard input
//! for each situation the VM is in, and the end of input. See `scripts/record-corpus.mjs`.

use std::collections::{BTreeMap, HashSet};
use std::error::Error;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use attach::TargetObjects;
use corpus::{
    NeededAddresses, ObjectRecord, PatchedMemory, RecordingMemory, Situation, SituationSample,
    Snapshot, Variables, trim,
};
use native_code::ObjectImage;
use native_code::object_map::{MappedObject, ObjectMap};
use recorder::read::raw_sample::RawSampleRef;
use recorder::{EngineChoice, Recording, RecordingSettings};
use target_memory::{LiveMemory, TargetMemory, bytes_to_words};
use target_proc::Patience;
use target_proc::ProcFs;
use vm_code::blob::{Blob, parse_blob};
use vm_code::descriptor::Descriptor;
use vm_layout::INTERPRETER;

#[path = "../tests/replaying/mod.rs"]
mod replaying;
use replaying::{attach_recorded, resolve, resolver_of};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const SETTLES: Duration = Duration::from_millis(150);
const SAMPLED: Duration = Duration::from_millis(700);
/// Distinct stacks kept of one situation.
const KEPT: usize = 10;
/// And no more than this of them, once one is kept: stacks of thousands of frames are large.
const KEPT_WORDS: usize = 80_000;
const MAX_VDSO_BYTES: usize = 1 << 16;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(pid), Some(folder)) = (arguments.next(), arguments.next()) else {
        return Err("record-corpus PID FOLDER".into());
    };
    let pid: u32 = pid.parse()?;
    let sampled = sample(pid)?;
    let threads: Vec<(u32, String)> = ProcFs::live()
        .threads(pid)?
        .into_iter()
        .map(|thread| (thread.tid, thread.comm))
        .collect();
    let chosen = choose(pid, &threads, sampled)?;
    record(pid, &threads, chosen, Path::new(&folder))
}

/// Raw samples by situation, as the readers queued them.
fn sample(pid: u32) -> Result<Vec<(String, Vec<Vec<u64>>)>> {
    let settings = RecordingSettings {
        frequency_hz: 997,
        include_kernel: false,
        // What is read late is what faults can hit.
        engine: EngineChoice::Readv,
    };
    let mut recording = Recording::start(attach::attach(pid)?, settings)?;
    let mut situations = Vec::new();
    for line in std::io::stdin().lines() {
        let name = line?.trim().to_owned();
        std::thread::sleep(SETTLES);
        recording.pump_raw(|_| {})?;
        let mut samples = Vec::new();
        let started = Instant::now();
        while started.elapsed() < SAMPLED {
            std::thread::sleep(Duration::from_millis(20));
            recording.pump_raw(|sample: &RawSampleRef<'_>| {
                let mut words = Vec::new();
                sample.encode(&mut words);
                samples.push(words);
            })?;
        }
        println!("{name}: {} samples", samples.len());
        std::io::stdout().flush()?;
        situations.push((name, samples));
    }
    Ok(situations)
}

/// Of each situation the first samples with different stacks of processes or ports.
fn choose(
    pid: u32,
    threads: &[(u32, String)],
    sampled: Vec<(String, Vec<Vec<u64>>)>,
) -> Result<Vec<(String, Vec<Vec<u64>>)>> {
    let mut resolver = resolver_of(attach::attach(pid)?, threads);
    let mut chosen = Vec::new();
    for (name, samples) in sampled {
        let mut seen = HashSet::new();
        let mut kept = Vec::new();
        for words in samples {
            let Some(stack) = resolve(&mut resolver, &words) else {
                continue;
            };
            let is_of_use = stack.trust != "no_process" || name == "port";
            // Lines apart, so that a loop does not fill all places.
            let places: Vec<String> = stack
                .frames
                .iter()
                .map(|frame| {
                    frame
                        .rsplit_once(':')
                        .map_or(frame.as_str(), |(f, _)| f)
                        .to_owned()
                })
                .collect();
            let words_kept: usize = kept.iter().map(Vec::len).sum();
            let has_room = kept.len() < KEPT && words_kept < KEPT_WORDS;
            if is_of_use && has_room && seen.insert((stack.trust, places)) {
                kept.push(words);
            }
        }
        chosen.push((name, kept));
    }
    Ok(chosen)
}

fn record(
    pid: u32,
    threads: &[(u32, String)],
    chosen: Vec<(String, Vec<Vec<u64>>)>,
    folder: &Path,
) -> Result<()> {
    let words: HashSet<u64> = chosen
        .iter()
        .flat_map(|(_, samples)| samples.iter().flatten().copied())
        .collect();
    let vm = attach::attach(pid)?;
    let patches = needed_code_only(&vm, &words)?;
    let release = vm.version.otp_release.clone();
    // Names from separate debug files are this machine's, so they are no part of the corpus.
    let files = object_files(pid, vm.objects.map.objects())?;
    let plain = files.iter().map(|(object, file)| {
        let image = Arc::new(ObjectImage::read(file.as_slice())?);
        Ok(MappedObject {
            image,
            ..object.clone()
        })
    });
    let plain = ObjectMap::new(plain.collect::<Result<_>>()?);
    let (process, objects) = (
        vm.process,
        TargetObjects::from_parts(plain, vm.objects.jit_mappings),
    );
    let memory = RecordingMemory::new(PatchedMemory::new(LiveMemory::new(pid), patches));
    let mut resolver = resolver_of(attach::read_tables(process, memory, objects)?, threads);
    let mut live = Vec::new();
    for (_, samples) in &chosen {
        resolver.refresh_code()?;
        live.push(
            samples
                .iter()
                .map(|words| resolve(&mut resolver, words))
                .collect::<Vec<_>>(),
        );
    }
    let mut memory = resolver.vm.memory.pieces();
    println!(
        "OTP {release}: {} bytes of memory were read",
        len_of(&memory)
    );
    blank_what_does_not_matter(&mut memory, &resolver.vm, threads, &chosen, &live)?;
    let snapshot = Snapshot {
        release: release.clone(),
        objects: object_records(&files, &memory, &words)?,
        memory,
        jit: resolver.vm.runs_erlang().to_vec(),
        threads: threads.to_vec(),
    };
    std::fs::create_dir_all(folder)?;
    let write = |name: &str, bytes: &[u8]| {
        println!("OTP {release}: {name}.gz, {} bytes", bytes.len());
        std::fs::write(folder.join(format!("{name}.gz")), bytes)
    };
    write("vm", &snapshot.encode()?)?;
    let mut resolver = resolver_of(attach_recorded(&snapshot, snapshot.memory())?, threads);
    for ((name, samples), live) in chosen.into_iter().zip(live) {
        resolver.refresh_code()?;
        let mut situation = Situation {
            name,
            samples: Vec::new(),
        };
        for (words, live) in samples.into_iter().zip(live) {
            let Some(golden) = resolve(&mut resolver, &words) else {
                continue;
            };
            if live.as_ref() != Some(&golden) {
                return Err(format!("replayed {golden:#?}\nbut live it was {live:#?}").into());
            }
            situation.samples.push(SituationSample { words, golden });
        }
        write(&situation.name.clone(), &situation.encode()?)?;
    }
    Ok(())
}

fn len_of(memory: &[(u64, Vec<u8>)]) -> usize {
    memory.iter().map(|(_, bytes)| bytes.len()).sum()
}

/// Attaching looks through all variables and constants of the emulator for what it needs. What
/// makes no difference when it is zero becomes zero, which packs to nothing.
fn blank_what_does_not_matter<M>(
    memory: &mut [(u64, Vec<u8>)],
    vm: &attach::AttachedVm<M>,
    threads: &[(u32, String)],
    chosen: &[(String, Vec<Vec<u64>>)],
    live: &[Vec<Option<corpus::ShownStack>>],
) -> Result<()> {
    const LARGE_BYTES: usize = 16 << 10;
    let makes_no_difference = |memory: &[(u64, Vec<u8>)]| {
        let snapshot = Snapshot {
            memory: memory.to_vec(),
            ..Snapshot::default()
        };
        let objects =
            TargetObjects::from_parts(vm.objects.map.clone(), vm.objects.jit_mappings.clone());
        let Ok(process) = snapshot.process() else {
            return false;
        };
        let Ok(again) = attach::read_tables(process, snapshot.memory(), objects) else {
            return false;
        };
        let same_tables = again.anchors == vm.anchors
            && again.layout == vm.layout
            && again.bifs.len() == vm.bifs.len()
            && again.pids == vm.pids
            && again.node == vm.node;
        let mut resolver = resolver_of(again, threads);
        same_tables
            && chosen.iter().zip(live).all(|((_, samples), live)| {
                resolver.refresh_code().is_ok()
                    && samples
                        .iter()
                        .zip(live)
                        .all(|(words, live)| resolve(&mut resolver, words) == *live)
            })
    };
    if !makes_no_difference(memory) {
        return Err("what was read is not enough to attach and resolve again".into());
    }
    for piece in 0..memory.len() {
        let mut open = vec![(0, memory[piece].1.len())];
        while let Some((start, end)) = open.pop() {
            if end - start < 4096 || memory[piece].1.len() < LARGE_BYTES {
                continue;
            }
            let before = memory[piece].1[start..end].to_vec();
            memory[piece].1[start..end].fill(0);
            if !makes_no_difference(memory) {
                memory[piece].1[start..end].copy_from_slice(&before);
                let middle = start + (end - start) / 2;
                open.extend([(start, middle), (middle, end)]);
            }
        }
    }
    Ok(())
}

/// Words to exchange so that the VM's list of code holds only what the samples may run in.
fn needed_code_only(vm: &attach::AttachedVm, words: &HashSet<u64>) -> Result<Vec<(u64, u64)>> {
    if vm.flavor.kind() == INTERPRETER {
        return needed_images_only(vm, words);
    }
    let descriptor = Descriptor {
        address: vm.code_list.address,
    };
    let fragments = vm.code.current().fragments().map(|module| module.base);
    let mut kept = Vec::new();
    for entry in descriptor.entries(&vm.memory, &[])? {
        let blob = vm
            .memory
            .read_vec(entry.blob, entry.blob_bytes as usize, 64 << 20)?;
        let is_needed = match parse_blob(&blob) {
            Ok(Blob::Emulator { .. }) => true,
            Ok(Blob::Module(module)) => {
                let code = module.base..module.base + u64::from(module.code_bytes);
                fragments == Some(module.base) || words.iter().any(|word| code.contains(word))
            }
            Err(_) => false,
        };
        if is_needed {
            kept.push(entry.address);
        }
    }
    let mut patches = vec![(descriptor.address + 16, kept.first().copied().unwrap_or(0))];
    for (index, entry) in kept.iter().enumerate() {
        let next = kept.get(index + 1).copied().unwrap_or(0);
        let previous = index.checked_sub(1).and_then(|before| kept.get(before));
        patches.push((*entry, next));
        patches.push((entry + 8, previous.copied().unwrap_or(0)));
    }
    Ok(patches)
}

/// The same for an interpreter: a module whose range is empty was purged. The first one stays, by
/// which the index is known.
fn needed_images_only(vm: &attach::AttachedVm, words: &HashSet<u64>) -> Result<Vec<(u64, u64)>> {
    const COPIES: u64 = 3;
    const COPY_BYTES: u64 = 32;
    let mut patches = Vec::new();
    for copy in 0..COPIES {
        let index = vm.code_list.address + copy * COPY_BYTES;
        let (modules, count) = (
            vm.memory.read_u64(index)?,
            vm.memory.read_u64(index + 8)?.min(100_000),
        );
        let mut is_first = true;
        for entry in (0..count).map(|number| modules + number * 16) {
            let (start, end) = (vm.memory.read_u64(entry)?, vm.memory.read_u64(entry + 8)?);
            let is_needed = is_first || words.iter().any(|word| (start..end).contains(word));
            is_first &= start == end;
            if !is_needed {
                patches.push((entry + 8, start));
            }
        }
    }
    Ok(patches)
}

/// Each mapped object with its file.
fn object_files(pid: u32, objects: &[MappedObject]) -> Result<Vec<(MappedObject, Vec<u8>)>> {
    let mappings = ProcFs::live().maps(pid)?;
    objects
        .iter()
        .map(|object| {
            let mapping = mappings
                .iter()
                .find(|mapping| mapping.start == object.start_avma)
                .ok_or("a mapping is gone")?;
            let mut file = Vec::new();
            if mapping.path == "[vdso]" {
                let len_bytes = (mapping.end - mapping.start) as usize;
                file = LiveMemory::new(pid).read_vec(mapping.start, len_bytes, MAX_VDSO_BYTES)?;
            } else {
                let opened =
                    ProcFs::live().open_object(pid, mapping, &Patience::default(), |_| true)?;
                (&opened.file).read_to_end(&mut file)?;
            }
            Ok((object.clone(), file))
        })
        .collect()
}

/// The mapped objects without what no sample and no table can lead to.
fn object_records(
    files: &[(MappedObject, Vec<u8>)],
    memory: &[(u64, Vec<u8>)],
    words: &HashSet<u64>,
) -> Result<Vec<ObjectRecord>> {
    let objects: Vec<&MappedObject> = files.iter().map(|(object, _)| object).collect();
    let mut needed: BTreeMap<u64, NeededAddresses> = BTreeMap::new();
    let mut note = |address: u64| {
        if let Some(object) = objects
            .iter()
            .find(|o| (o.start_avma..o.end_avma).contains(&address))
        {
            let addresses = needed.entry(object.start_avma).or_default();
            addresses.insert(address.wrapping_sub(object.bias));
            // Of a return address the call is looked up.
            addresses.insert(address.wrapping_sub(object.bias + 1));
        }
    };
    words.iter().for_each(|word| note(*word));
    for (start, bytes) in memory {
        // Code that was read, the targets of its calls, and pointers in tables.
        let is_code = objects
            .iter()
            .any(|o| (o.start_avma..o.end_avma).contains(start));
        note(*start);
        for (address, window) in (*start..).zip(bytes.windows(5)) {
            if is_code && window[0] == 0xe8 {
                let relative = i32::from_le_bytes([window[1], window[2], window[3], window[4]]);
                note(
                    address
                        .wrapping_add(5)
                        .wrapping_add_signed(i64::from(relative)),
                );
            }
        }
        let aligned = bytes
            .get((start.wrapping_neg() % 8) as usize..)
            .unwrap_or(&[]);
        let in_emulator = |word: &u64| {
            objects
                .iter()
                .any(|o| o.name.starts_with("beam.") && (o.start_avma..o.end_avma).contains(word))
        };
        bytes_to_words(aligned)
            .filter(in_emulator)
            .for_each(&mut note);
    }
    files
        .iter()
        .filter_map(|(object, file)| Some((object, file, needed.get(&object.start_avma)?)))
        .map(|(object, file, needed)| {
            let variables = match object.name.starts_with("beam.") {
                true => Variables::Keep,
                false => Variables::Drop,
            };
            Ok(ObjectRecord {
                name: object.name.to_string(),
                start_avma: object.start_avma,
                end_avma: object.end_avma,
                bias: object.bias,
                file_bytes: file.len() as u64,
                pieces: trim(file, needed, variables).ok_or("an object that is no ELF file")?,
            })
        })
        .collect()
}
