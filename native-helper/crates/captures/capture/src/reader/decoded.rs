//! A capture that was read, as bytes that another instance of the same program makes a capture of
//! again, in a fraction of the time that reading the file takes: the editor reads several at once, each
//! on a thread of its own, and compares them on one.
//!
//! No format for files: it has no version.

use prost::Message;

use super::parts::{Parts, put_bytes, put_list, put_numbers, put_optional, put_position};
use super::stacks::Stacks;
use super::text::{TextId, Texts};
use super::{
    Capture, Frame, FunctionIndex, FunctionRow, LabelsIndex, LabelsRow, LocationRow, ReadError,
    Sample, StackIndex,
};
use crate::end::FileEnd;
use crate::limits::MAX_LINES_PER_LOCATION;
use crate::pprof::{NodeReading, Stay};
use crate::sample::{FrameKind, OffCpuWhy, SampleClass, SchedulerId, Trust};
use crate::sample_types::{ALL, TypeIndex};
use crate::wire::put_varint;

impl Capture {
    /// All parts of a capture that queries use.
    pub fn to_decoded(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.texts.put(&mut out);
        self.put_stacks(&mut out);
        put_list(&mut out, &self.label_sets, put_labels);
        for of_type in &self.samples {
            put_list(&mut out, of_type, put_sample);
        }
        put_list(&mut out, &self.types, |out, of| put_type(out, *of));
        put_type(&mut out, self.shown);
        put_list(&mut out, &self.sample_types, |out, kind| {
            put_numbers(out, kind.map(|index| index as u64));
        });
        put_list(&mut out, &self.comments, |out, index| {
            put_varint(out, *index as u64);
        });
        put_list(&mut out, &self.node_readings, |out, reading| {
            put_bytes(out, &reading.encode_to_vec());
        });
        put_list(&mut out, &self.stays, |out, stay| {
            put_bytes(out, &stay.encode_to_vec());
        });
        let facts = [
            self.default_sample_type as u64,
            self.period_ns,
            self.duration_ns,
            self.started_unix_ns,
            u64::from(self.truncated),
            self.stacks_cut,
            self.file_end.number(),
        ];
        put_numbers(&mut out, facts);
        out
    }

    /// The capture of such bytes. Nothing can be added to it.
    ///
    /// # Errors
    /// [`ReadError::Corrupt`] for other bytes.
    pub fn from_decoded(bytes: &[u8]) -> Result<Self, ReadError> {
        let mut parts = Parts::of(bytes);
        let mut capture = Self {
            texts: Texts::take(&mut parts)?,
            is_full: true,
            ..Self::default()
        };
        capture.take_stacks(&mut parts)?;
        capture.label_sets = parts.list(take_labels)?;
        let (stacks, label_sets) = (capture.stacks.len(), capture.label_sets.len());
        for of_type in &mut capture.samples {
            *of_type = parts.list(|parts| take_sample(parts, stacks, label_sets))?;
        }
        capture.types = parts.list(take_type)?;
        capture.shown = take_type(&mut parts)?;
        capture.sample_types =
            parts.list(|parts| Ok([parts.number()? as i64, parts.number()? as i64]))?;
        capture.comments = parts.list(|parts| Ok(parts.number()? as i64))?;
        capture.node_readings = parts
            .list(|parts| NodeReading::decode(parts.bytes()?).map_err(|_| Parts::damaged()))?;
        capture.stays =
            parts.list(|parts| Stay::decode(parts.bytes()?).map_err(|_| Parts::damaged()))?;
        capture.default_sample_type = parts.number()? as i64;
        capture.period_ns = parts.number()?;
        capture.duration_ns = parts.number()?;
        capture.started_unix_ns = parts.number()?;
        capture.truncated = parts.number()? != 0;
        capture.stacks_cut = parts.number()?;
        capture.file_end = FileEnd::of_number(parts.number()?);
        match parts.is_empty() {
            true => Ok(capture),
            false => Err(Parts::damaged()),
        }
    }

    /// Functions, their lines, locations of these and stacks of those.
    fn put_stacks(&self, out: &mut Vec<u8>) {
        put_list(out, &self.functions, put_function);
        put_list(out, &self.lines, |out, frame| {
            put_numbers(out, [frame.function.0, frame.line].map(u64::from));
        });
        // Their lines are one after the other.
        put_list(out, &self.locations, |out, row| {
            put_varint(out, u64::from(row.end_line - row.first_line));
        });
        self.stacks.put(out);
    }

    fn take_stacks(&mut self, parts: &mut Parts<'_>) -> Result<(), ReadError> {
        self.functions = parts.list(take_function)?;
        let functions = self.functions.len();
        self.lines = parts.list(|parts| {
            Ok(Frame {
                function: FunctionIndex(parts.index(functions)?),
                line: parts.small()?,
            })
        })?;
        let lines = self.lines.len();
        let mut first_line = 0u32;
        self.locations = parts.list(|parts| {
            let end_line = first_line.checked_add(parts.index(MAX_LINES_PER_LOCATION + 1)?);
            let end_line = end_line.filter(|end| *end as usize <= lines);
            let end_line = end_line.ok_or_else(Parts::damaged)?;
            let row = LocationRow {
                first_line,
                end_line,
            };
            first_line = end_line;
            Ok(row)
        })?;
        self.stacks = Stacks::take(parts, self.locations.len())?;
        Ok(())
    }
}

fn put_function(out: &mut Vec<u8>, row: &FunctionRow) {
    let texts = [row.name, row.system_name, row.file, row.object].map(TextId::number);
    put_numbers(out, texts.map(u64::from));
    put_position(out, &FrameKind::ALL, Some(row.kind));
    put_varint(out, u64::from(row.head_line));
}

fn take_function(parts: &mut Parts<'_>) -> Result<FunctionRow, ReadError> {
    let mut text = || parts.small().map(TextId::of_number);
    let (name, system_name, file, object) = (text()?, text()?, text()?, text()?);
    Ok(FunctionRow {
        name,
        system_name,
        file,
        object,
        kind: parts.one_of(&FrameKind::ALL)?.ok_or_else(Parts::damaged)?,
        head_line: parts.small()?,
    })
}

fn put_labels(out: &mut Vec<u8>, row: &LabelsRow) {
    put_optional(out, row.thread_id);
    for text in [row.thread_name, row.erlang_pid, row.process_name] {
        put_optional(out, text.map(TextId::number));
    }
    let scheduler = match row.scheduler {
        None => [0, 0],
        Some(SchedulerId::Normal(number)) => [1, number],
        Some(SchedulerId::DirtyCpu(number)) => [2, number],
        Some(SchedulerId::DirtyIo(number)) => [3, number],
    };
    put_numbers(out, scheduler.map(u64::from));
    put_position(out, &SampleClass::ALL, row.class);
    put_position(out, &Trust::ALL, row.trust);
    put_position(out, &OffCpuWhy::ALL, row.off_cpu);
}

fn take_labels(parts: &mut Parts<'_>) -> Result<LabelsRow, ReadError> {
    let thread_id = parts.optional()?;
    let mut text = || Ok::<_, ReadError>(parts.optional()?.map(TextId::of_number));
    let (thread_name, erlang_pid, process_name) = (text()?, text()?, text()?);
    let scheduler = match (parts.number()?, parts.small()?) {
        (0, _) => None,
        (1, number) => Some(SchedulerId::Normal(number)),
        (2, number) => Some(SchedulerId::DirtyCpu(number)),
        (3, number) => Some(SchedulerId::DirtyIo(number)),
        _ => return Err(Parts::damaged()),
    };
    Ok(LabelsRow {
        thread_id,
        thread_name,
        scheduler,
        erlang_pid,
        process_name,
        class: parts.one_of(&SampleClass::ALL)?,
        trust: parts.one_of(&Trust::ALL)?,
        off_cpu: parts.one_of(&OffCpuWhy::ALL)?,
    })
}

fn put_type(out: &mut Vec<u8>, of: TypeIndex) {
    put_varint(out, of.as_usize() as u64);
}

fn take_type(parts: &mut Parts<'_>) -> Result<TypeIndex, ReadError> {
    let position = parts.index(ALL.len())? as usize;
    TypeIndex::all().nth(position).ok_or_else(Parts::damaged)
}

// WebAssembly is optimised while it runs, but a function only between its calls: code that runs a
// million times is a function of its own.
#[inline(never)]
fn put_sample(out: &mut Vec<u8>, sample: &Sample) {
    let (stack, labels) = (u64::from(sample.stack.0), u64::from(sample.labels.0));
    put_numbers(
        out,
        [sample.bucket_ms, sample.count, sample.value, stack, labels],
    );
}

#[inline(never)]
fn take_sample(
    parts: &mut Parts<'_>,
    stacks: usize,
    label_sets: usize,
) -> Result<Sample, ReadError> {
    Ok(Sample {
        bucket_ms: parts.number()?,
        count: parts.number()?,
        value: parts.number()?,
        stack: StackIndex(parts.index(stacks)?),
        labels: LabelsIndex(parts.index(label_sets)?),
    })
}
