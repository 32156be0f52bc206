//! Samples since the last increment, merged where type, bucket, labels and stack are equal.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::strings::StringTable;
use super::{BUCKET_MS, Keys, LocationId};
use crate::sample::SampleLabels;
use crate::sample_types::{TypeIndex, TypeSet};
use crate::wire::{put_bytes_field, put_varint, put_varint_field};

const PROFILE_SAMPLE: u64 = 2;
const SAMPLE_LOCATION: u64 = 1;
const SAMPLE_VALUE: u64 = 2;
const SAMPLE_LABEL: u64 = 3;

/// A merged sample: its stack and labels as indices into the tables of [`Pending`]. Encoded in the order of stacks,
/// and then of these fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Key {
    labels: u32,
    of: TypeIndex,
    /// 20 ms each.
    bucket: u64,
    /// How many periods a sample stands for: samples before and after a change of it are in one bucket.
    weight: u32,
    stack: u32,
}

/// The number of samples, and the quantity that they stand for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sum {
    pub(super) count: u64,
    pub(super) value: u64,
}

/// What an entry of one of the tables takes, apart from its frames and texts: in them, and encoded.
const ENTRY_BYTES: usize = 128;
/// What a frame takes: its id encoded, of each sample; and in the tables, of each stack.
const FRAME_BYTES: usize = 4;
const STACK_FRAME_BYTES: usize = 8;

#[derive(Debug, Default)]
pub(super) struct Pending {
    /// What all takes until it has been encoded, about.
    bytes: usize,
    stacks: HashMap<Box<[LocationId]>, u32>,
    labels: HashMap<SampleLabels, u32>,
    sums: HashMap<Key, Sum>,
}

impl Pending {
    /// Whether it is a sample of its own, not merged with another.
    pub(super) fn add(
        &mut self,
        of: TypeIndex,
        (bucket, weight): (u64, u32),
        labels: &SampleLabels,
        stack: &[LocationId],
        sum: Sum,
    ) -> bool {
        let frames = stack.len();
        // Looked up by reference first: a sample seen before allocates nothing.
        let stack = match self.stacks.get(stack) {
            Some(&index) => index,
            None => {
                let index = self.stacks.len() as u32;
                self.stacks.insert(stack.into(), index);
                self.bytes += ENTRY_BYTES + frames * STACK_FRAME_BYTES;
                index
            }
        };
        let labels = match self.labels.get(labels) {
            Some(&index) => index,
            None => {
                let index = self.labels.len() as u32;
                self.labels.insert(labels.clone(), index);
                self.bytes += ENTRY_BYTES * 4 + text_bytes(labels);
                index
            }
        };
        let key = Key {
            labels,
            of,
            bucket,
            weight,
            stack,
        };
        match self.sums.entry(key) {
            Entry::Occupied(mut merged) => {
                let all = merged.get_mut();
                all.count = all.count.saturating_add(sum.count);
                all.value = all.value.saturating_add(sum.value);
                false
            }
            Entry::Vacant(new) => {
                new.insert(sum);
                self.bytes += ENTRY_BYTES + frames * FRAME_BYTES;
                true
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.sums.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Encodes and forgets everything: `Profile.sample` fields one after the other.
    pub(super) fn take_encoded(
        &mut self,
        keys: &Keys,
        strings: &mut StringTable,
        types: TypeSet,
    ) -> Vec<u8> {
        self.bytes = 0;
        let mut stacks: Vec<_> = self.stacks.drain().collect();
        stacks.sort_unstable_by(|(a, _), (b, _)| a.iter().rev().cmp(b.iter().rev()));
        let mut stack_rank = vec![0usize; stacks.len()];
        for (rank, (_, index)) in stacks.iter().enumerate() {
            stack_rank[*index as usize] = rank;
        }
        let encoded_stacks: Vec<_> = stacks.iter().map(|(ids, _)| encode_stack(ids)).collect();

        let mut labels: Vec<_> = self.labels.drain().collect();
        labels.sort_unstable_by_key(|(_, index)| *index);
        let encoded_labels: Vec<_> = labels
            .iter()
            .map(|(labels, _)| encode_labels(labels, keys, strings))
            .collect();

        let mut sums: Vec<_> = self.sums.drain().collect();
        sums.sort_unstable_by_key(|(key, _)| (stack_rank[key.stack as usize], *key));

        let mut out = Vec::with_capacity(sums.len() * 128);
        let (mut sample, mut scratch) = (Vec::new(), Vec::new());
        for (key, sum) in sums {
            sample.clear();
            sample.extend_from_slice(&encoded_stacks[stack_rank[key.stack as usize]]);
            scratch.clear();
            for of in types.indices() {
                let values = match of == key.of {
                    true => [sum.count, sum.value],
                    false => [0, 0],
                };
                for value in values {
                    // Readers take a value below zero for that of a difference of two profiles.
                    put_varint(&mut scratch, value.min(i64::MAX as u64));
                }
            }
            put_bytes_field(&mut sample, SAMPLE_VALUE, &scratch);
            sample.extend_from_slice(&encoded_labels[key.labels as usize]);
            scratch.clear();
            let bucket_ms = key.bucket.saturating_mul(BUCKET_MS);
            put_label(
                &mut scratch,
                keys.bucket_ms,
                0,
                bucket_ms,
                keys.milliseconds,
            );
            put_bytes_field(&mut sample, SAMPLE_LABEL, &scratch);
            put_bytes_field(&mut out, PROFILE_SAMPLE, &sample);
        }
        out
    }
}

/// Of the table, and of the strings as they are written.
fn text_bytes(labels: &SampleLabels) -> usize {
    let name = labels.process_name.as_ref().map_or(0, String::len);
    2 * (name + labels.thread_name.len())
}

fn encode_stack(ids: &[LocationId]) -> Vec<u8> {
    let (mut packed, mut field) = (Vec::with_capacity(ids.len() * 2), Vec::new());
    for id in ids {
        put_varint(&mut packed, u64::from(id.0));
    }
    put_bytes_field(&mut field, SAMPLE_LOCATION, &packed);
    field
}

/// The labels except the bucket, in a fixed order.
fn encode_labels(labels: &SampleLabels, keys: &Keys, strings: &mut StringTable) -> Vec<u8> {
    let mut out = Vec::new();
    let mut text = |key: i64, value: &str| {
        if !value.is_empty() {
            let mut label = Vec::new();
            put_label(&mut label, key, strings.intern(value), 0, 0);
            put_bytes_field(&mut out, SAMPLE_LABEL, &label);
        }
    };
    text(keys.class, labels.class.as_str());
    text(keys.trust, labels.trust.as_str());
    text(
        keys.process,
        labels.process_name.as_deref().unwrap_or_default(),
    );
    text(keys.pid, labels.erlang_pid.as_deref().unwrap_or_default());
    if let Some(scheduler) = labels.scheduler {
        text(keys.scheduler, &scheduler.to_string());
    }
    text(keys.thread, &labels.thread_name);
    if let Some(why) = labels.off_cpu {
        // Not among the keys: a capture of processor time has no such string.
        let key = strings.intern("off_cpu");
        let mut label = Vec::new();
        put_label(&mut label, key, strings.intern(why.as_str()), 0, 0);
        put_bytes_field(&mut out, SAMPLE_LABEL, &label);
    }
    if labels.thread_id != 0 {
        let mut label = Vec::new();
        put_label(&mut label, keys.tid, 0, u64::from(labels.thread_id), 0);
        put_bytes_field(&mut out, SAMPLE_LABEL, &label);
    }
    out
}

fn put_label(out: &mut Vec<u8>, key: i64, text: i64, number: u64, unit: i64) {
    put_varint_field(out, 1, key as u64);
    put_varint_field(out, 2, text as u64);
    put_varint_field(out, 3, number);
    put_varint_field(out, 4, unit as u64);
}
