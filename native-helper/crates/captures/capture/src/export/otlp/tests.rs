use prost::Message;

use super::*;
use crate::pprof::{Label, Profile as Pprof, Sample as PprofSample};

const TEXTS: [&str; 18] = [
    "",
    "samples",
    "count",
    "cpu",
    "nanoseconds",
    "f",
    "erlang!m:f/1",
    "m.erl",
    "class",
    "gc",
    "bucket_ms",
    "tid",
    "extrospect/target {}",
    "g",
    "native!g",
    "beam.smp",
    "off_cpu_blocks",
    "off_cpu",
];

/// A profile of two samples: `f` called by `g`, counted and timed.
fn pprof(times: [i64; 2]) -> Pprof {
    let value = |name, unit| pprof::ValueType { r#type: name, unit };
    let function = |id, name, system_name, filename| pprof::Function {
        id,
        name,
        system_name,
        filename,
        start_line: 3,
    };
    let location = |id, mapping_id, function_id| pprof::Location {
        id,
        mapping_id,
        line: vec![pprof::Line {
            function_id,
            line: 7,
            column: 0,
        }],
        ..pprof::Location::default()
    };
    let label = |key, str, num| Label {
        key,
        str,
        num,
        num_unit: 0,
    };
    let sample = |value: [i64; 2], bucket_ms| PprofSample {
        location_id: vec![20, 10],
        value: value.to_vec(),
        label: vec![label(8, 9, 0), label(11, 0, 77), label(10, 0, bucket_ms)],
    };
    Pprof {
        sample_type: vec![value(1, 2), value(3, 4)],
        sample: vec![sample([2, times[0]], 20), sample([1, times[1]], 40)],
        mapping: vec![pprof::Mapping {
            id: 5,
            filename: 15,
            ..pprof::Mapping::default()
        }],
        location: vec![location(10, 0, 1), location(20, 5, 2)],
        function: vec![function(1, 5, 6, 7), function(2, 13, 14, 0)],
        string_table: TEXTS.map(str::to_owned).to_vec(),
        time_nanos: 1_000_000_000,
        duration_nanos: 5,
        period_type: Some(value(3, 4)),
        period: 10,
        comment: vec![12],
        ..Pprof::default()
    }
}

fn made(pprof: &Pprof) -> (Vec<Profile>, ProfilesDictionary) {
    let resource = vec![("service.name".to_owned(), "shop".to_owned())];
    let data = ProfilesData::decode(&otlp(pprof, resource, 9)[..]).unwrap();
    let [of] = &data.resource_profiles[..] else {
        panic!("one resource")
    };
    assert_eq!(
        of.resource.as_ref().unwrap().attributes[0].key,
        "service.name"
    );
    let profiles = of.scope_profiles[0].profiles.clone();
    (profiles, data.dictionary.unwrap())
}

#[test]
fn counts_suffice_when_times_follow_from_them() {
    let (profiles, tables) = made(&pprof([20, 10]));
    let text = |index: i32| tables.string_table[index as usize].as_str();
    let [profile] = &profiles[..] else {
        panic!("one profile")
    };
    let measured = profile.sample_type.unwrap();
    assert_eq!(
        (text(measured.type_strindex), text(measured.unit_strindex)),
        ("samples", "count")
    );
    assert_eq!(
        (profile.period, profile.time_unix_nano),
        (10, 1_000_000_000)
    );
    let [first, second] = &profile.samples[..] else {
        panic!("two samples")
    };
    assert_eq!(
        (&first.values[..], &second.values[..]),
        (&[2][..], &[1][..])
    );
    assert_eq!(first.timestamps_unix_nano, [1_020_000_000]);
    assert_eq!(first.stack_index, second.stack_index);
    let attributes = first.attribute_indices.iter().map(|index| {
        let attribute = &tables.attribute_table[*index as usize];
        let value = attribute.value.clone().unwrap().value.unwrap();
        (text(attribute.key_strindex), value)
    });
    assert_eq!(
        attributes.collect::<Vec<_>>(),
        [
            ("class", Value::Text("gc".to_owned())),
            ("thread.id", Value::Number(77))
        ]
    );
    let places = tables.stack_table[first.stack_index as usize]
        .location_indices
        .iter()
        .map(|index| {
            let location = &tables.location_table[*index as usize];
            let function = tables.function_table[location.lines[0].function_index as usize];
            let mapping = &tables.mapping_table[location.mapping_index as usize];
            let kind = &tables.attribute_table[location.attribute_indices[0] as usize];
            let Some(Value::Text(kind)) = kind.value.clone().unwrap().value else {
                panic!("a text")
            };
            let name = text(function.name_strindex);
            (name, text(mapping.filename_strindex), kind)
        });
    assert_eq!(
        places.collect::<Vec<_>>(),
        [
            ("g", "beam.smp", "native".to_owned()),
            ("f", "", "beam".to_owned())
        ]
    );
}

#[test]
fn entries_zero_are_empty_in_every_table() {
    let (_, tables) = made(&pprof([20, 10]));
    assert_eq!(tables.string_table[0], "");
    assert_eq!(tables.mapping_table[0], Mapping::default());
    assert_eq!(tables.location_table[0], Location::default());
    assert_eq!(tables.function_table[0], Function::default());
    assert_eq!(tables.attribute_table[0], Attribute::default());
    assert_eq!(tables.stack_table[0], Stack::default());
    assert_eq!(tables.link_table.len(), 1);
}

#[test]
fn times_of_their_own_are_a_profile_of_their_own() {
    let (profiles, _) = made(&pprof([21, 10]));
    let values: Vec<Vec<i64>> = profiles
        .iter()
        .map(|profile| {
            profile
                .samples
                .iter()
                .flat_map(|it| it.values.clone())
                .collect()
        })
        .collect();
    assert_eq!(values, [vec![21, 10], vec![2, 1]]);
}

/// A store names a profile after the type of its period, so that of a clock is of no other type.
#[test]
fn a_capture_of_two_types_has_a_profile_of_each_column_that_does_not_follow_from_another() {
    let mut pprof = pprof([20, 10]);
    for sample in &mut pprof.sample {
        sample.value.extend([0, 0]);
    }
    let value = |name, unit| pprof::ValueType { r#type: name, unit };
    pprof.sample_type.extend([value(16, 2), value(17, 4)]);
    pprof.default_sample_type = 3;
    for values in [[0, 0, 1, 700], [0, 0, 0, 90]] {
        let location_id = vec![20, 10];
        pprof.sample.push(PprofSample {
            location_id,
            value: values.to_vec(),
            label: Vec::new(),
        });
    }
    let (profiles, tables) = made(&pprof);
    let text = |index: i32| tables.string_table[index as usize].as_str();
    let named = |it: Option<ValueType>| {
        let it = it.unwrap();
        [text(it.type_strindex), text(it.unit_strindex)]
    };
    let found = profiles.iter().map(|it| {
        let values = it.samples.iter().flat_map(|sample| &sample.values);
        let sum: i64 = values.sum();
        (named(it.sample_type), named(it.period_type), it.period, sum)
    });
    let (blocks, off_cpu) = (["off_cpu_blocks", "count"], ["off_cpu", "nanoseconds"]);
    assert_eq!(
        found.collect::<Vec<_>>(),
        [
            (["samples", "count"], ["cpu", "nanoseconds"], 10, 3),
            (blocks, blocks, 1, 1),
            (off_cpu, off_cpu, 1, 790),
        ]
    );
}

#[test]
fn a_profile_without_time_or_period_gets_both() {
    let bare = Pprof {
        period_type: None,
        time_nanos: 0,
        ..pprof([0, 0])
    };
    let (profiles, _) = made(&bare);
    assert_eq!(profiles[0].time_unix_nano, 9);
    for profile in profiles {
        assert_eq!(
            (profile.period_type, profile.period),
            (profile.sample_type, 1)
        );
    }
}
