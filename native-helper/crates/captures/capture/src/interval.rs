//! Profiles that stand alone, each of some seconds, out of the increments of a capture.
//!
//! An increment holds only new entries, so the older ones that it refers to are kept here: functions
//! and lines, which are as many as the code has, and strings except those that a long capture adds
//! without end (pids of Erlang processes, the quality records). Of the labels of samples the class
//! alone is kept: a store makes a series of each combination of labels.

use prost::Message;
use shared_map::{HashMap, HashSet};

use crate::facts::QUALITY_COMMENT;
use crate::increment::message_of;
use crate::limits::MAX_SAMPLE_TYPES;
use crate::pprof::StringTable;
use crate::pprof::{Function, Label, Mapping, Profile, Sample, ValueType};
use crate::quality::QualityRecord;
use crate::reader::ReadError;
use crate::writer::file_of;

const CLASS: &str = "class";

/// Collects increments and returns profiles.
#[derive(Debug, Default)]
pub struct Intervals {
    /// Tables, comments and facts so far; its strings are in `strings`.
    known: Profile,
    /// Strings by index, without those that are not needed again.
    strings: HashMap<i64, String>,
    next_string: i64,
    /// The last quality record, of the whole capture so far.
    quality: String,
    /// How long the capture had run by then, nanoseconds.
    elapsed_ns: u64,
    /// Both as of the last profile.
    before: Option<(u64, QualityRecord)>,
    /// Since the last profile: a value for each column, by stack, class and type.
    samples: HashMap<(Vec<u64>, i64, usize), Vec<i64>>,
    /// The only columns that profiles are to have.
    chosen: Option<Vec<usize>>,
}

impl Intervals {
    /// Profiles are to have only these columns of the capture, such as
    /// [`Capture::shown_columns`](crate::reader::Capture::shown_columns) names.
    pub fn with_columns(columns: Vec<usize>) -> Self {
        Self {
            chosen: Some(columns),
            ..Self::default()
        }
    }

    /// Adds an increment: whole gzip members.
    ///
    /// # Errors
    /// When it is no increment.
    pub fn add(&mut self, member: &[u8]) -> Result<(), ReadError> {
        let mut new = message_of(member)?;
        for text in std::mem::take(&mut new.string_table) {
            self.add_string(text);
        }
        // The first increment defines the sample types.
        let known = &mut self.known;
        if known.sample_type.is_empty() {
            known.sample_type = std::mem::take(&mut new.sample_type);
            known.sample_type.truncate(MAX_SAMPLE_TYPES);
            known.period_type = new.period_type;
            known.period = new.period;
            known.default_sample_type = new.default_sample_type;
            known.comment = std::mem::take(&mut new.comment);
        }
        for sample in std::mem::take(&mut new.sample) {
            self.add_sample(sample);
        }
        let elapsed_ns = u64::try_from(new.duration_nanos).unwrap_or(0);
        self.elapsed_ns = self.elapsed_ns.max(elapsed_ns);
        let known = &mut self.known;
        known.mapping.append(&mut new.mapping);
        known.function.append(&mut new.function);
        known.location.append(&mut new.location);
        Ok(())
    }

    fn add_string(&mut self, text: String) {
        let is_pid = text.starts_with('<') && text.ends_with('>');
        if text.starts_with(QUALITY_COMMENT) {
            self.quality = text;
        } else if !is_pid {
            self.strings.insert(self.next_string, text);
        }
        self.next_string += 1;
    }

    fn add_sample(&mut self, sample: Sample) {
        let is_class = |label: &&Label| self.strings.get(&label.key).is_some_and(|it| it == CLASS);
        let class = sample.label.iter().find(is_class).map_or(0, |it| it.str);
        // A row has values of one type, in two columns beside each other: rows of two types stay two.
        let first = sample.value.iter().position(|value| *value != 0);
        let of = first.map_or(0, |column| column / 2);
        let columns = self.known.sample_type.len();
        let row = self.samples.entry((sample.location_id, class, of));
        let values = row.or_insert_with(|| vec![0; columns]);
        for (sum, value) in values.iter_mut().zip(sample.value) {
            *sum = sum.saturating_add(value);
        }
    }

    /// Notes that sampling ended without a last increment: the next profile, the last one, states it.
    pub fn end_early(&mut self) {
        if let Some(mut quality) = self.known_quality() {
            quality.end_early();
            self.quality = comment_of(&quality);
        }
    }

    fn known_quality(&self) -> Option<QualityRecord> {
        let json = self.quality.strip_prefix(QUALITY_COMMENT)?;
        named_members::from_slice(json.as_bytes()).ok()
    }

    /// How far the samples since the last profile can be trusted; `None` where no increment had that.
    pub fn quality(&self) -> Option<QualityRecord> {
        let now = self.known_quality()?;
        Some(match &self.before {
            Some((before_ns, before)) => now.since(before, *before_ns, self.elapsed_ns),
            None => now,
        })
    }

    /// The comment about the time since the last profile.
    fn take_quality(&mut self) -> String {
        // The first one has it as it came, also from a helper of another version.
        let Some(now) = self.known_quality() else {
            return self.quality.clone();
        };
        let before = self.before.replace((self.elapsed_ns, now.clone()));
        before.map_or_else(
            || self.quality.clone(),
            |(before_ns, before)| comment_of(&now.since(&before, before_ns, self.elapsed_ns)),
        )
    }

    /// Whether there is no sample since the last profile, nor further time of one that goes on.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// Samples since the last profile, of all types.
    pub fn samples(&self) -> u64 {
        let units = self.known.sample_type.iter().map(|it| it.unit);
        let is_count = |unit: i64| self.strings.get(&unit).is_some_and(|it| it == "count");
        let mut counted: Vec<bool> = units.map(is_count).collect();
        if let (false, Some(first)) = (counted.contains(&true), counted.first_mut()) {
            *first = true;
        }
        let rows = self.samples.values();
        let counts = rows.flat_map(|row| row.iter().zip(&counted).filter(|(_, counts)| **counts));
        counts.fold(0, |sum, (count, _)| {
            sum.saturating_add(count.unsigned_abs())
        })
    }

    /// A capture file of the samples since the last one: it began `started_unix_ns` after 1970 and
    /// took `duration_ns`.
    pub fn take(&mut self, started_unix_ns: u64, duration_ns: u64) -> Vec<u8> {
        let samples = std::mem::take(&mut self.samples);
        let quality = self.take_quality();
        let mut strings = StringTable::default();
        let mut profile = self.outline(&mut strings, &quality);
        profile.time_nanos = i64::try_from(started_unix_ns).unwrap_or(i64::MAX);
        profile.duration_nanos = i64::try_from(duration_ns).unwrap_or(i64::MAX);
        self.add_places(
            &mut profile,
            &mut strings,
            samples.keys().map(|(stack, ..)| stack),
        );
        let key = strings.id(CLASS);
        for ((location_id, class, _), value) in samples {
            let label = Label {
                key,
                str: self.renamed(class, &mut strings),
                ..Label::default()
            };
            profile.sample.push(Sample {
                location_id,
                value,
                label: Vec::from_iter((class != 0).then_some(label)),
            });
        }
        if let Some(columns) = &self.chosen {
            keep_columns(&mut profile, columns);
        }
        profile.string_table = strings.into_list();
        file_of(&profile.encode_to_vec())
    }

    /// The index that a string of the capture has in a new table.
    fn renamed(&self, index: i64, strings: &mut StringTable) -> i64 {
        let text = self.strings.get(&index);
        strings.id(text.map_or("", String::as_str))
    }

    /// The sample types, and the comments of the capture about itself.
    fn outline(&self, strings: &mut StringTable, quality: &str) -> Profile {
        let known = &self.known;
        let mut profile = Profile {
            period: known.period,
            sample_type: known.sample_type.clone(),
            period_type: known.period_type,
            default_sample_type: self.renamed(known.default_sample_type, strings),
            ..Profile::default()
        };
        let types = profile.sample_type.iter_mut();
        for value in types.chain(&mut profile.period_type) {
            value.r#type = self.renamed(value.r#type, strings);
            value.unit = self.renamed(value.unit, strings);
        }
        let comments = known.comment.iter();
        profile.comment = comments
            .map(|index| self.renamed(*index, strings))
            .collect();
        profile.comment.push(strings.id(quality));
        profile.comment.retain(|comment| *comment != 0);
        profile
    }

    /// Of all functions and lines those that these stacks are in.
    fn add_places<'s>(
        &self,
        profile: &mut Profile,
        strings: &mut StringTable,
        stacks: impl Iterator<Item = &'s Vec<u64>>,
    ) {
        let used: HashSet<u64> = stacks.flatten().copied().collect();
        let locations = self.known.location.iter();
        profile.location = locations
            .filter(|it| used.contains(&it.id))
            .cloned()
            .collect();
        let lines = profile.location.iter().flat_map(|it| &it.line);
        let called: HashSet<u64> = lines.map(|it| it.function_id).collect();
        let functions = self.known.function.iter();
        for function in functions.filter(|it| called.contains(&it.id)) {
            profile.function.push(Function {
                name: self.renamed(function.name, strings),
                system_name: self.renamed(function.system_name, strings),
                filename: self.renamed(function.filename, strings),
                ..*function
            });
        }
        for mapping in &self.known.mapping {
            profile.mapping.push(Mapping {
                filename: self.renamed(mapping.filename, strings),
                build_id: self.renamed(mapping.build_id, strings),
                ..mapping.clone()
            });
        }
    }
}

/// Drops the other columns, and the rows that have values in those alone.
fn keep_columns(profile: &mut Profile, columns: &[usize]) {
    let kept = |column: &usize| profile.sample_type.get(*column).copied();
    let types: Vec<ValueType> = columns.iter().filter_map(kept).collect();
    // By the format, the last one is shown first.
    profile.default_sample_type = types.last().map_or(0, |shown| shown.r#type);
    if profile.period_type.is_some_and(|it| !types.contains(&it)) {
        profile.period_type = None;
        profile.period = 0;
    }
    profile.sample_type = types;
    for sample in &mut profile.sample {
        let value = |column: &usize| sample.value.get(*column).copied();
        sample.value = columns.iter().filter_map(value).collect();
    }
    let has_values = |sample: &Sample| sample.value.iter().any(|value| *value != 0);
    profile.sample.retain(has_values);
}

fn comment_of(quality: &QualityRecord) -> String {
    // Plain structs of numbers and strings always serialize.
    let json = serde_json::to_string(quality).unwrap_or_default();
    format!("{QUALITY_COMMENT}{json}")
}

#[cfg(test)]
mod tests {
    use shared_sort::SharedSort;

    use super::*;
    use crate::facts::{CaptureSettings, TargetFacts};
    use crate::reader::Capture;
    use crate::sample::{FrameKind, FunctionFacts, SampleClass, SampleLabels, Trust};
    use crate::writer::CaptureWriter;

    fn function(name: &str) -> FunctionFacts {
        FunctionFacts {
            name: name.to_owned(),
            raw_name: name.to_owned(),
            kind: FrameKind::Erlang,
            file: "m.erl".to_owned(),
            head_line: 1,
            object: "[erlang]".to_owned(),
        }
    }

    #[test]
    fn each_profile_stands_alone_and_has_its_own_samples_only() {
        let target = TargetFacts {
            node: "shop@h".to_owned(),
            ..TargetFacts::default()
        };
        let mut writer = CaptureWriter::new(target, CaptureSettings::default());
        let mut intervals = Intervals::default();
        let mut taken = Vec::new();
        for round in 0..3_u64 {
            let names = ["m:common/0".to_owned(), format!("m:of_{round}/0")];
            for name in &names {
                let function = writer.intern_function(&function(name));
                let place = writer.intern_location(function, 7);
                let labels = SampleLabels {
                    thread_id: 5,
                    thread_name: "1_scheduler".to_owned(),
                    scheduler: None,
                    erlang_pid: Some(format!("<0.{round}.0>")),
                    process_name: None,
                    class: SampleClass::Gc,
                    trust: Trust::Captured,
                    off_cpu: None,
                };
                writer.add_sample(round * 1_000_000_000, &labels, &[place], 2);
                writer.add_sample(round * 1_000_000_000 + 500_000_000, &labels, &[place], 1);
            }
            let member = writer.take_increment(0, &QualityRecord::default());
            intervals.add(&member).unwrap();
            assert_eq!(intervals.samples(), 6);
            taken.push(intervals.take(round + 1, 10));
        }
        for (round, file) in taken.iter().enumerate() {
            let capture = Capture::from_bytes(file).unwrap();
            let mut names: Vec<&str> = capture
                .function_indices()
                .map(|index| capture.function(index).name)
                .collect();
            names.shared_sort();
            assert_eq!(names, ["m:common/0", &format!("m:of_{round}/0")]);
            assert_eq!(capture.total_samples(), 6);
            assert_eq!(capture.started_unix_ns(), round as u64 + 1);
            assert_eq!(capture.target().unwrap().node, "shop@h");
            assert!(capture.quality().is_some());
            for sample in capture.samples() {
                let labels = capture.labels(sample.labels);
                assert_eq!(
                    (labels.class, labels.erlang_pid),
                    (Some(SampleClass::Gc), None)
                );
                assert!(capture.frames(sample.stack).all(|frame| frame.line == 7));
            }
        }
        assert!(!intervals.strings.values().any(|text| text.starts_with('<')));
    }

    #[test]
    fn each_profile_has_the_quality_of_its_own_time() {
        let settings = CaptureSettings::default();
        let mut writer = CaptureWriter::new(TargetFacts::default(), settings);
        let mut intervals = Intervals::default();
        for second in 1..=3_u64 {
            let so_far = QualityRecord {
                samples: second * 100,
                ..QualityRecord::default()
            };
            let member = writer.take_increment(second * 1_000_000_000, &so_far);
            intervals.add(&member).unwrap();
            if second == 3 {
                intervals.end_early();
            }
            let so_far = intervals.quality().unwrap();
            assert_eq!(
                (so_far.samples, so_far.gaps.ended_early),
                (100, second == 3)
            );
            let file = intervals.take(second, 10);
            let quality = Capture::from_bytes(&file).unwrap().quality().unwrap();
            assert_eq!(quality.samples, 100);
            assert_eq!(quality.gaps.ended_early, second == 3);
        }
    }
}
