//! The sentences above the figures of a capture: the missing parts of the figures, and why.

use crate::counted::counted;
use crate::quality::{EngineReason, QualityRecord, SamplingGaps, StandstillReason};

/// Below this share of whole stacks of processes there is a sentence, percent.
const ENOUGH_WHOLE_PCT: u64 = 85;
/// Shares of fewer samples are chance.
const FEWEST_SAMPLES: u64 = 50;
/// Processor time of programs beside the VM from which on there is a sentence: milliseconds, and percent of the VM's.
const MUCH_BESIDE_MS: u64 = 100;
const MUCH_BESIDE_PCT: u64 = 10;

impl QualityRecord {
    /// All of them; empty where the figures have all that was to be sampled.
    pub fn headings(&self) -> Vec<String> {
        [
            self.kernel.and_then(|kernel| kernel.heading()),
            self.standstill_heading(),
            self.processors.as_ref().and_then(|it| it.heading()),
            self.incomplete_heading(),
            self.port_programs_heading(),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// Why a capture has no samples, or lacks those of a time; `None` where the VM ran.
    pub fn standstill_heading(&self) -> Option<String> {
        if self.samples > 0 {
            return self.gaps.standstill_clause();
        }
        let why = self.gaps.standstill_clause().or_else(|| {
            let seconds = self.process_time?.cpu_ns as f64 / 1e9;
            Some(format!(
                "the VM used {seconds:.3} s of processor time by its own clock"
            ))
        });
        Some(format!(
            "no samples: {}",
            why.as_deref().unwrap_or("the capture has no reason")
        ))
    }

    /// The processor time of the programs below the VM's ports; `None` where it is little beside that of the VM, or one of
    /// both is not known.
    pub fn port_programs_heading(&self) -> Option<String> {
        let vm_ms = self.process_time?.cpu_ns / 1_000_000;
        let programs_ms = self.port_programs_ms?;
        let is_much =
            u128::from(programs_ms) * 100 >= u128::from(vm_ms) * u128::from(MUCH_BESIDE_PCT);
        (programs_ms >= MUCH_BESIDE_MS && is_much).then(|| {
            format!(
                "programs below the VM's ports used at least {:.1} s of processor time, which is in no sample",
                programs_ms as f64 / 1000.0
            )
        })
    }

    /// Which share of the samples in a process lacks a part of its Erlang stack, why, and what gives it; `None` where the
    /// share is small or there are too few samples.
    pub fn incomplete_heading(&self) -> Option<String> {
        let (erlang, native) = (&self.erlang, &self.native_in_process);
        let all = erlang.samples.saturating_add(native.samples);
        let whole = erlang.complete.saturating_add(native.complete);
        let lacking = all.saturating_sub(whole);
        let is_enough = u128::from(whole) * 100 >= u128::from(all) * u128::from(ENOUGH_WHOLE_PCT);
        if all < FEWEST_SAMPLES || is_enough {
            return None;
        }
        Some(format!(
            "{:.0} % of the samples in a process ({lacking} of {all}) lack a part of their Erlang stack: {}",
            100.0 * lacking as f64 / all as f64,
            self.why_incomplete()
        ))
    }

    fn why_incomplete(&self) -> String {
        let engine = &self.engine;
        let late = "engine readv reads it after the sample, when the process has often moved on";
        match engine.reason_code {
            Some(EngineReason::BpfUnusable) => format!(
                "{late}; `extrospect doctor` shows what engine bpf requires, which copies it at the sample"
            ),
            Some(EngineReason::AskedFor) if engine.name == "readv" => {
                format!("{late}; without --engine readv, engine bpf copies it at the sample")
            }
            _ => {
                let causes = [
                    (engine.cut, "of stacks longer than their copy"),
                    (engine.copy_failed, "whose memory was not there"),
                    (engine.unmatched, "without the copy made at them"),
                    (self.unwind_failed, "whose C stack was not unwound"),
                    (self.reloaded, "in code that was being reloaded"),
                ];
                let causes: Vec<String> = causes
                    .iter()
                    .filter(|(samples, _)| *samples > 0)
                    .map(|(samples, cause)| format!("{} {cause}", counted(*samples, "sample")))
                    .collect();
                match causes.is_empty() {
                    true => "no counter has the reason".to_owned(),
                    false => causes.join(", "),
                }
            }
        }
    }
}

impl SamplingGaps {
    /// How long the VM did not run, and why; `None` where it ran.
    pub fn standstill_clause(&self) -> Option<String> {
        let why = match self.standstill_reason? {
            StandstillReason::Stopped => "a signal had stopped it",
            StandstillReason::Traced => "a debugger held it",
            StandstillReason::Frozen => "its control group was frozen",
        };
        let seconds = self.standstill_ms as f64 / 1000.0;
        Some(format!(
            "the VM did not run for {seconds:.1} s at least ({why})"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process_time::ProcessTime;
    use crate::quality::{EngineQuality, ErlangQuality, NativeQuality};

    /// A hundred samples in processes, of which that many have their whole stack.
    fn quality(whole: u64, engine: EngineQuality) -> QualityRecord {
        QualityRecord {
            samples: 150,
            erlang: ErlangQuality {
                samples: 60,
                complete: whole.min(60),
            },
            native_in_process: NativeQuality {
                samples: 40,
                complete: whole.saturating_sub(60),
                ..NativeQuality::default()
            },
            engine,
            ..QualityRecord::default()
        }
    }

    fn engine(name: &str, reason_code: EngineReason) -> EngineQuality {
        EngineQuality {
            name: name.to_owned(),
            reason_code: Some(reason_code),
            ..EngineQuality::default()
        }
    }

    #[test]
    fn stacks_that_lack_a_part_are_counted_with_the_cause_and_the_remedy() {
        let late = engine("readv", EngineReason::BpfUnusable);
        assert_eq!(quality(85, late.clone()).headings(), [""; 0]);
        let [heading] = &quality(55, late).headings()[..] else {
            panic!("not one heading");
        };
        assert!(
            heading.starts_with("45 % of the samples in a process (45 of 100) lack a part"),
            "{heading}"
        );
        assert!(heading.contains("`extrospect doctor`"), "{heading}");
        let asked = quality(55, engine("readv", EngineReason::AskedFor));
        let heading = asked.incomplete_heading().unwrap();
        assert!(heading.contains("without --engine readv"), "{heading}");
    }

    #[test]
    fn causes_that_engine_bpf_counts_are_named() {
        let bpf = EngineQuality {
            cut: 40,
            ..engine("bpf", EngineReason::Accepted)
        };
        let heading = quality(55, bpf).incomplete_heading().unwrap();
        assert!(
            heading.ends_with(": 40 samples of stacks longer than their copy"),
            "{heading}"
        );
        let unknown = quality(55, engine("bpf", EngineReason::Accepted));
        let heading = unknown.incomplete_heading().unwrap();
        assert!(heading.ends_with("no counter has the reason"), "{heading}");
    }

    #[test]
    fn programs_below_ports_are_named_where_they_use_much_beside_the_vm() {
        let headings = |programs_ms, vm_ms: Option<u64>| {
            let quality = QualityRecord {
                samples: 1,
                port_programs_ms: programs_ms,
                process_time: vm_ms.map(|ms| ProcessTime {
                    cpu_ns: ms * 1_000_000,
                    missing_ns: 0,
                }),
                ..QualityRecord::default()
            };
            quality.headings()
        };
        for (programs_ms, vm_ms) in [
            (None, Some(0)),
            (Some(0), Some(0)),
            (Some(90), Some(0)),
            (Some(150), Some(1600)),
            (Some(u64::MAX), None),
        ] {
            assert_eq!(
                headings(programs_ms, vm_ms),
                [""; 0],
                "{programs_ms:?} {vm_ms:?}"
            );
        }
        let said = "programs below the VM's ports used at least 3.9 s of processor time, which is in no sample";
        assert_eq!(headings(Some(3900), Some(0)), [said]);
        assert_eq!(headings(Some(u64::MAX), Some(1)).len(), 1);
    }

    #[test]
    fn a_vm_without_samples_that_used_nothing_is_known_to_have_used_nothing() {
        let quality = |process_time| QualityRecord {
            process_time,
            ..QualityRecord::default()
        };
        let unknown = quality(None).standstill_heading();
        assert_eq!(
            unknown.as_deref(),
            Some("no samples: the capture has no reason")
        );
        let nothing = quality(Some(ProcessTime::default())).standstill_heading();
        assert_eq!(
            nothing.as_deref(),
            Some("no samples: the VM used 0.000 s of processor time by its own clock")
        );
    }

    #[test]
    fn a_few_samples_are_no_share() {
        let few = QualityRecord {
            samples: 49,
            erlang: ErlangQuality {
                samples: 49,
                complete: 1,
            },
            ..QualityRecord::default()
        };
        assert_eq!(few.headings(), [""; 0]);
    }
}
