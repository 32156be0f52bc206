//! Records a test VM into the corpus: `record-corpus PID FOLDER`, then one line on standard input
//! for each situation the VM is in, and the end of input. See `scripts/record-corpus.mjs`.

use std::collections::HashSet;
use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use attach::{AttachedVm, TargetObjects};
use corpus::{PatchedMemory, RecordingMemory, ShownStack, Situation, SituationSample, Snapshot};
use native_code::ObjectImage;
use native_code::object_map::{MappedObject, ObjectMap};
use recorder::read::raw_sample::RawSampleRef;
use recorder::resolve::Resolver;
use recorder::{EngineChoice, Recording, RecordingSettings, SourceSet};
use target_memory::{LiveMemory, TargetMemory};
use target_proc::ProcFs;

mod blanking;
mod needed_code;
mod object_files;

use blanking::blank_what_does_not_matter;
use needed_code::needed_code_only;
use object_files::{object_files, object_records};

#[path = "../../tests/replayed/replaying/mod.rs"]
mod replaying;
use replaying::{attach_recorded, resolve, resolver_of};

type Result<T> = std::result::Result<T, Box<dyn Error>>;
/// Raw samples by the name of the situation that the VM was in.
type Situations = [(String, Vec<Vec<u64>>)];
/// The stacks that the samples of one situation show, where they show any.
type Stacks = Vec<Option<ShownStack>>;

const SETTLES: Duration = Duration::from_millis(150);
const SAMPLED: Duration = Duration::from_millis(700);
/// Distinct stacks kept of one situation.
const KEPT: usize = 10;
/// And no more than this of them, once one is kept: stacks of thousands of frames are large.
const KEPT_WORDS: usize = 80_000;

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
        // Faults can hit only late reads.
        engine: EngineChoice::Readv,
        look_at_node_every: recorder::USUAL_NODE_INTERVAL,
        notes_time_before: false,
        sources: SourceSet::CPU,
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
    let files = object_files(pid, vm.objects.map.objects())?;
    let memory = RecordingMemory::new(PatchedMemory::new(LiveMemory::new(pid), patches));
    let mut resolver = resolver_of(attach_again(vm, memory, &files)?, threads);
    let live = resolve_all(&mut resolver, &chosen)?;
    let mut memory = resolver.vm.memory.pieces();
    let bytes: usize = memory.iter().map(|(_, bytes)| bytes.len()).sum();
    println!("OTP {release}: {bytes} bytes of memory were read");
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
    for situation in replayed(&snapshot, threads, chosen, live)? {
        write(&situation.name.clone(), &situation.encode()?)?;
    }
    Ok(())
}

/// The same VM through `memory`. Names from separate debug files are this machine's, so they are no
/// part of the corpus.
fn attach_again<M: TargetMemory>(
    vm: AttachedVm,
    memory: M,
    files: &[(MappedObject, Vec<u8>)],
) -> Result<AttachedVm<M>> {
    let plain = files.iter().map(|(object, file)| {
        let image = Arc::new(ObjectImage::read(file.as_slice())?);
        Ok(MappedObject {
            image,
            ..object.clone()
        })
    });
    let plain = ObjectMap::new(plain.collect::<Result<_>>()?);
    let objects = TargetObjects::from_parts(plain, vm.objects.jit_mappings);
    Ok(attach::read_tables(vm.process, memory, objects)?)
}

fn resolve_all<M: TargetMemory>(
    resolver: &mut Resolver<M>,
    chosen: &Situations,
) -> Result<Vec<Stacks>> {
    let mut live = Vec::new();
    for (_, samples) in chosen {
        resolver.refresh_code()?;
        let stacks = samples.iter().map(|words| resolve(resolver, words));
        live.push(stacks.collect());
    }
    Ok(live)
}

/// The samples with the stacks that the snapshot alone gives. Fails where these are not the ones
/// that the live VM gave.
fn replayed(
    snapshot: &Snapshot,
    threads: &[(u32, String)],
    chosen: Vec<(String, Vec<Vec<u64>>)>,
    live: Vec<Stacks>,
) -> Result<Vec<Situation>> {
    let mut resolver = resolver_of(attach_recorded(snapshot, snapshot.memory())?, threads);
    let mut situations = Vec::new();
    for ((name, samples), live) in chosen.into_iter().zip(live) {
        resolver.refresh_code()?;
        let mut kept = Vec::new();
        for (words, live) in samples.into_iter().zip(live) {
            let Some(golden) = resolve(&mut resolver, &words) else {
                continue;
            };
            if live.as_ref() != Some(&golden) {
                return Err(format!("replayed {golden:#?}\nbut live it was {live:#?}").into());
            }
            kept.push(SituationSample { words, golden });
        }
        let samples = kept;
        situations.push(Situation { name, samples });
    }
    Ok(situations)
}
