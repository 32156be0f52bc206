//! Resolving the samples of a situation on any memory, for tests and for making the corpus.
#![allow(dead_code)] // Each user needs a part of it.

pub mod interferences;
pub mod reader_path;
pub mod truth;
pub mod worlds;

use std::path::{Path, PathBuf};

use attach::{AttachedVm, read_tables};
use capture::facts::{CaptureSettings, TargetFacts};
use capture::writer::CaptureWriter;
use corpus::{CorpusError, ShownStack, Situation, Snapshot};
use recorder::read::raw_sample::RawSampleRef;
use recorder::resolve::{Resolver, scheduler_id};
use target_memory::TargetMemory;
use vm_layout::TableError;
use vm_tables::schedulers::scheduler_of_thread_name;

/// Where the files are.
pub fn folder() -> PathBuf {
    let folder = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    Path::new(&folder).join("tests/corpus")
}

/// How much of a repetition is done: by `npm run nightly`, else by day. See `test/nightly.mjs`.
pub fn night_or_day<T>(night: T, day: T) -> T {
    match std::env::var_os("EXTROSPECT_NIGHTLY") {
        Some(_) => night,
        None => day,
    }
}

/// One VM of the corpus and its situations.
pub struct Recorded {
    pub snapshot: Snapshot,
    pub situations: Vec<Situation>,
}

/// Every VM of the corpus.
pub fn read_corpus() -> Result<Vec<Recorded>, CorpusError> {
    let mut releases: Vec<PathBuf> = entries(&folder())?;
    releases.retain(|path| path.is_dir());
    releases
        .iter()
        .map(|release| {
            let mut situations = Vec::new();
            for file in entries(release)? {
                if file.file_name().is_some_and(|name| name != "vm.gz") {
                    situations.push(Situation::decode(&std::fs::read(file)?)?);
                }
            }
            Ok(Recorded {
                snapshot: Snapshot::decode(&std::fs::read(release.join("vm.gz"))?)?,
                situations,
            })
        })
        .collect()
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, CorpusError> {
    let mut paths = std::fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>, std::io::Error>>()?;
    paths.sort();
    Ok(paths)
}

/// Attaches to the recorded VM, through `memory`.
pub fn attach_recorded<M: TargetMemory>(
    snapshot: &Snapshot,
    memory: M,
) -> Result<AttachedVm<M>, TableError> {
    let malformed = |_: CorpusError| TableError::malformed("corpus", "a damaged file");
    let process = snapshot.process().map_err(malformed)?;
    read_tables(process, memory, snapshot.objects().map_err(malformed)?)
}

/// A resolver for it.
pub fn resolver_of<M: TargetMemory>(vm: AttachedVm<M>, threads: &[(u32, String)]) -> Resolver<M> {
    let writer = CaptureWriter::new(TargetFacts::default(), CaptureSettings::default());
    let mut resolver = Resolver::new(vm, writer, 0, false);
    for (tid, name) in threads {
        // A snapshot has no threads but schedulers that are called so.
        let scheduler = scheduler_of_thread_name(name);
        let scheduler = scheduler.map(|(kind, number)| scheduler_id(kind, number));
        resolver.name_thread(*tid, name.clone(), scheduler);
    }
    resolver
}

/// Resolves one encoded sample. `None` when the words are no sample.
pub fn resolve<M: TargetMemory>(resolver: &mut Resolver<M>, words: &[u64]) -> Option<ShownStack> {
    let (sample, _) = RawSampleRef::decode(words)?;
    resolver.resolve(&sample);
    let frames = resolver.last_stack();
    Some(ShownStack {
        frames: frames
            .map(|(kind, name, line)| format!("{} {name}:{line}", kind.as_str()))
            .collect(),
        trust: resolver.last_trust().as_str().to_owned(),
    })
}
