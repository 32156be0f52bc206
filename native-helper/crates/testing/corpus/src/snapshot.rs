//! One VM as far as it was read.

use std::sync::Arc;

use attach::TargetObjects;
use native_code::image::ObjectImage;
use native_code::object_map::{MappedObject, ObjectMap};
use target_memory::SnapshotMemory;
use target_proc::container::ContainerHint;
use target_proc::process::{BeamProcess, Executable};
use target_proc::status::parse_status;

use crate::codec::{CorpusError, Decoder, Encoder};

/// A mapped object: only the parts of its file that matter, the rest is zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectRecord {
    /// File name without folders.
    pub name: String,
    /// First address.
    pub start_avma: u64,
    /// First address after it.
    pub end_avma: u64,
    /// `avma - svma`.
    pub bias: u64,
    /// Length of the whole file, bytes.
    pub file_bytes: u64,
    /// Offsets and bytes.
    pub pieces: Vec<(u64, Vec<u8>)>,
}

/// One VM, enough of it to attach and to resolve the samples that belong to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// OTP release: `25`.
    pub release: String,
    /// Addresses and bytes.
    pub memory: Vec<(u64, Vec<u8>)>,
    /// Mapped objects.
    pub objects: Vec<ObjectRecord>,
    /// Executable mappings of JIT code.
    pub jit: Vec<(u64, u64)>,
    /// Thread ids and names.
    pub threads: Vec<(u32, String)>,
}

impl Snapshot {
    /// Its memory.
    pub fn memory(&self) -> SnapshotMemory {
        let mut memory = SnapshotMemory::new();
        for (address, bytes) in &self.memory {
            memory.map(*address, bytes.clone());
        }
        memory
    }

    /// Its objects, read as ELF files are.
    ///
    /// # Errors
    /// When one is no ELF file.
    pub fn objects(&self) -> Result<TargetObjects, CorpusError> {
        let mut mapped = Vec::with_capacity(self.objects.len());
        for object in &self.objects {
            let mut file = vec![0; usize::try_from(object.file_bytes).unwrap_or(0)];
            for (offset, bytes) in &object.pieces {
                let start = usize::try_from(*offset).unwrap_or(usize::MAX);
                let end = start.saturating_add(bytes.len());
                file.get_mut(start..end)
                    .ok_or(CorpusError::Malformed("a piece beyond its file"))?
                    .copy_from_slice(bytes);
            }
            let image = ObjectImage::read(file.as_slice())
                .map_err(|_| CorpusError::Malformed("an object that is no ELF file"))?;
            mapped.push(MappedObject {
                start_avma: object.start_avma,
                end_avma: object.end_avma,
                bias: object.bias,
                image: Arc::new(image),
                name: object.name.as_str().into(),
            });
        }
        Ok(TargetObjects::from_parts(
            ObjectMap::new(mapped),
            self.jit.clone(),
        ))
    }

    /// The process it was, as far as that matters.
    ///
    /// # Errors
    /// Never.
    pub fn process(&self) -> Result<BeamProcess, CorpusError> {
        const STATUS: &[u8] = b"Name:\tbeam.smp\nState:\tS\nUid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\n\
            NSpid:\t1\nThreads:\t1\nCapEff:\t0\nSeccomp:\t0\nTracerPid:\t0\n";
        Ok(BeamProcess {
            pid: 0,
            executable: Executable::Known {
                path: "beam.smp".into(),
                is_deleted: false,
            },
            command_line: Vec::new(),
            node: None,
            container: ContainerHint::default(),
            status: parse_status(STATUS)
                .map_err(|_| CorpusError::Malformed("the status of a process"))?,
            start_ticks: 0,
        })
    }

    /// Reads a file of the corpus.
    ///
    /// # Errors
    /// When it is damaged or something else.
    pub fn decode(file: &[u8]) -> Result<Self, CorpusError> {
        let mut decoder = Decoder::new(file)?;
        let release = decoder.text()?;
        let memory = pieces(&mut decoder)?;
        let objects = (0..decoder.count()?)
            .map(|_| {
                Ok(ObjectRecord {
                    name: decoder.text()?,
                    start_avma: decoder.number()?,
                    end_avma: decoder.number()?,
                    bias: decoder.number()?,
                    file_bytes: decoder.number()?.min(64 << 20),
                    pieces: pieces(&mut decoder)?,
                })
            })
            .collect::<Result<_, CorpusError>>()?;
        let jit = (0..decoder.count()?)
            .map(|_| Ok((decoder.number()?, decoder.number()?)))
            .collect::<Result<_, CorpusError>>()?;
        let threads = (0..decoder.count()?)
            .map(|_| Ok((decoder.number()? as u32, decoder.text()?)))
            .collect::<Result<_, CorpusError>>()?;
        Ok(Self {
            release,
            memory,
            objects,
            jit,
            threads,
        })
    }

    /// The file.
    ///
    /// # Errors
    /// Never with memory to spare.
    pub fn encode(&self) -> Result<Vec<u8>, CorpusError> {
        let mut encoder = Encoder::default();
        encoder.text(&self.release);
        put_pieces(&mut encoder, &self.memory);
        encoder.number(self.objects.len() as u64);
        for object in &self.objects {
            encoder.text(&object.name).number(object.start_avma);
            encoder.number(object.end_avma).number(object.bias);
            encoder.number(object.file_bytes);
            put_pieces(&mut encoder, &object.pieces);
        }
        encoder.number(self.jit.len() as u64);
        for (start, end) in &self.jit {
            encoder.number(*start).number(*end);
        }
        encoder.number(self.threads.len() as u64);
        for (tid, name) in &self.threads {
            encoder.number(u64::from(*tid)).text(name);
        }
        encoder.finish()
    }
}

fn pieces(decoder: &mut Decoder) -> Result<Vec<(u64, Vec<u8>)>, CorpusError> {
    (0..decoder.count()?)
        .map(|_| Ok((decoder.number()?, decoder.bytes()?)))
        .collect()
}

fn put_pieces(encoder: &mut Encoder, pieces: &[(u64, Vec<u8>)]) {
    encoder.number(pieces.len() as u64);
    for (address, bytes) in pieces {
        encoder.number(*address).bytes(bytes);
    }
}
