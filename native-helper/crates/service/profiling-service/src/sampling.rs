//! How a VM is sampled: from the request of a client or a user to the settings of a recording, and to a command line.

use std::time::Duration;

use protocol::sampling::{EngineChoice, SamplingParams};
use recorder::{MECHANISMS, Mechanism, RecordingSettings, SourceSet};

/// The ids of the types of samples that can be recorded.
pub fn recordable_types() -> Vec<String> {
    let mut ids: Vec<String> = MECHANISMS.iter().map(|one| one.of.id.to_owned()).collect();
    // Those of a type follow each other.
    ids.dedup();
    ids
}

/// The settings of a recording. Types that cannot be recorded are refused where they come in.
pub fn recording_settings(params: &SamplingParams) -> RecordingSettings {
    let every_ms = params.node_every_ms.map(u64::from);
    RecordingSettings {
        frequency_hz: params.frequency_hz,
        include_kernel: params.include_kernel,
        engine: match params.engine {
            EngineChoice::Auto => recorder::EngineChoice::Auto,
            EngineChoice::Bpf => recorder::EngineChoice::Bpf,
            EngineChoice::Readv => recorder::EngineChoice::Readv,
        },
        look_at_node_every: every_ms.map_or(recorder::USUAL_NODE_INTERVAL, Duration::from_millis),
        notes_time_before: false,
        sources: sources(&params.types).with_min_block_us(params.min_block_us.unwrap_or(0)),
    }
}

/// The arguments of `record` with the same meaning.
pub fn arguments(params: &SamplingParams) -> Vec<String> {
    let engine = match params.engine {
        EngineChoice::Auto => "auto",
        EngineChoice::Bpf => "bpf",
        EngineChoice::Readv => "readv",
    };
    let mut arguments = vec![
        format!("--frequency={}", params.frequency_hz),
        format!("--engine={engine}"),
    ];
    if params.include_kernel {
        arguments.push("--include-kernel".to_owned());
    }
    if !params.types.is_empty() {
        arguments.push(format!("--event={}", params.types.join(",")));
    }
    if let Some(every_ms) = params.node_every_ms {
        arguments.push(format!("--every={}", f64::from(every_ms) / 1000.0));
    }
    if let Some(us) = params.min_block_us {
        arguments.push(format!("--min-block={us}us"));
    }
    arguments
}

/// Processor time when none is named.
fn sources(types: &[String]) -> SourceSet {
    let is_named = |one: &&Mechanism| types.iter().any(|id| id == one.of.id);
    let named = MECHANISMS.iter().filter(is_named);
    let sources = named.map(|one| one.sources);
    sources.reduce(SourceSet::with).unwrap_or(SourceSet::CPU)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(types: &[&str]) -> SamplingParams {
        SamplingParams {
            frequency_hz: 499,
            include_kernel: false,
            engine: EngineChoice::Auto,
            types: types.iter().map(|&id| id.to_owned()).collect(),
            node_every_ms: None,
            min_block_us: None,
        }
    }

    #[test]
    fn each_recordable_type_has_its_source_and_none_is_processor_time() {
        let sources = |types: &[&str]| recording_settings(&params(types)).sources;
        let both = SourceSet::CPU.with(SourceSet::OFF_CPU);
        assert_eq!(sources(&[]), SourceSet::CPU);
        assert_eq!(sources(&["cpu"]), SourceSet::CPU);
        assert_eq!(sources(&["off-cpu"]), SourceSet::OFF_CPU);
        assert_eq!(sources(&["off-cpu", "cpu", "off-cpu"]), both);
        assert_eq!(sources(&["faults"]), SourceSet::FAULTS);
        assert_eq!(
            sources(&["off-cpu", "faults", "cpu"]),
            both.with(SourceSet::FAULTS)
        );
        for id in recordable_types() {
            let types: Vec<&str> = sources(&[&id]).types().iter().map(|one| one.id).collect();
            assert_eq!(types, [id]);
        }
    }

    #[test]
    fn a_recording_has_the_requested_settings() {
        let settings = recording_settings(&SamplingParams {
            include_kernel: true,
            engine: EngineChoice::Bpf,
            node_every_ms: Some(250),
            min_block_us: Some(100),
            ..params(&[])
        });
        assert_eq!(
            (settings.frequency_hz, settings.include_kernel),
            (499, true)
        );
        assert_eq!(settings.engine, recorder::EngineChoice::Bpf);
        assert_eq!(settings.look_at_node_every, Duration::from_millis(250));
        assert_eq!(settings.sources.min_block_us, 100);
        let usual = recording_settings(&params(&[])).look_at_node_every;
        assert_eq!(usual, recorder::USUAL_NODE_INTERVAL);
    }
}
