//! The sentences above the figures of a capture: the missing parts of the figures, and why.

use crate::counted::counted;
use crate::quality::{EngineReason, QualityRecord, SamplingGaps, StandstillReason, UnknownFact};

/// Below this share of whole stacks of processes there is a sentence, percent.
const ENOUGH_WHOLE_PCT: u64 = 85;
/// Shares of fewer samples are chance.
const FEWEST_SAMPLES: u64 = 50;
/// Below this share of the VM's processor time in samples there is a sentence, and above this one of samples that are not
/// attributed, percent.
const ENOUGH_ACCOUNTED_PCT: u64 = 95;
const MUCH_UNATTRIBUTED_PCT: u64 = 1;
/// Processor time of programs beside the VM from which on there is a sentence: milliseconds, and percent of the VM's.
const MUCH_BESIDE_MS: u64 = 100;
const MUCH_BESIDE_PCT: u64 = 10;

impl QualityRecord {
    /// All of them; empty where the figures have all that was to be sampled.
    pub fn headings(&self) -> Vec<String> {
        let mut headings = self.headings_above_line();
        let time = self.process_time.filter(|time| {
            let pct = time.accounted_pct();
            pct.is_some_and(|pct| pct < ENOUGH_ACCOUNTED_PCT)
        });
        headings.extend(time.and_then(|time| time.heading()));
        let unattributed = self.no_process.map_or(0, |rest| rest.unattributed);
        let is_much = u128::from(unattributed) * 100
            > u128::from(self.samples) * u128::from(MUCH_UNATTRIBUTED_PCT);
        if self.samples >= FEWEST_SAMPLES && is_much {
            headings.extend(self.unattributed_clause());
        }
        headings.extend(self.tracing_clause());
        headings.extend(self.process_tracing_clause());
        headings.extend(self.gaps.ended_early_clause().map(str::to_owned));
        headings.extend(self.gaps.missing_end.map(|missing| missing.clause()));
        headings
    }

    /// Those that stand above figures with a quality line below them, which has the others.
    pub fn headings_above_line(&self) -> Vec<String> {
        [
            self.kernel.and_then(|kernel| kernel.heading()),
            self.standstill_heading(),
            self.processors.as_ref().and_then(|it| it.heading()),
            self.schedulers_heading(),
            self.incomplete_heading(),
            self.port_programs_heading(),
            self.beside_ports_heading(),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// How many samples were lost, as far as that is known: a CPU that is no longer read reports none.
    pub fn lost_text(&self) -> String {
        match (self.lost, self.gaps.are_counts_whole()) {
            (lost, true) => format!("{lost} lost"),
            (0, false) => "an unknown number lost".to_owned(),
            (lost, false) => format!("at least {lost} lost"),
        }
    }

    /// How often the kernel paused sampling, as far as that is known.
    pub fn pauses_text(&self) -> String {
        let times = counted(self.throttled, "time");
        match (self.throttled, self.gaps.are_counts_whole()) {
            (_, true) => format!("sampling paused {times}"),
            (0, false) => "sampling paused an unknown number of times".to_owned(),
            (_, false) => format!("sampling paused at least {times}"),
        }
    }

    /// The samples of which it is not known whose they are; `None` where there are none.
    pub fn unattributed_clause(&self) -> Option<String> {
        let samples = self.no_process?.unattributed;
        (samples > 0).then(|| {
            format!(
                "{} ({:.1} %) not attributed to a process, a port or the scheduler",
                counted(samples, "sample"),
                100.0 * samples as f64 / self.samples.max(1) as f64
            )
        })
    }

    /// The samples of schedulers that may be work for others; `None` where there are none.
    pub fn scheduler_unnamed_clause(&self) -> Option<String> {
        let samples = self.scheduler_unnamed;
        (samples > 0).then(|| {
            format!(
                "{} ({:.1} %) of schedulers in C code without names: whether this is their own work, as freeing memory \
                 for other threads, or a search for replaced persistent terms or purged code is not known",
                counted(samples, "sample"),
                100.0 * samples as f64 / self.samples.max(1) as f64
            )
        })
    }

    /// The facts that were looked for and are not known; `None` where there are none.
    pub fn not_known_clause(&self) -> Option<String> {
        let facts = self.not_known.iter().map(|fact| match fact {
            UnknownFact::Tracing => "whether calls were traced",
            UnknownFact::ProcessTracing => "whether messages or events of processes were traced",
            UnknownFact::ProcessTime => "the VM's processor time by its own clock",
            UnknownFact::PortPrograms => "the processor time of programs below ports",
            UnknownFact::SchedulersOnline => "which schedulers were online",
            UnknownFact::Standstill => "whether the VM was halted",
        });
        let facts: Vec<&str> = facts.collect();
        (!facts.is_empty()).then(|| format!("not known: {}", facts.join(", ")))
    }

    /// The schedulers that might not run, and when; `None` where all might, as far as that is known.
    pub fn schedulers_heading(&self) -> Option<String> {
        self.schedulers_online.as_ref()?.heading()
    }

    /// The functions that are traced, and the samples in or below traced calls; `None` where there is neither, as far as
    /// that is known.
    pub fn tracing_clause(&self) -> Option<String> {
        let heading = self.tracing.and_then(|found| found.heading());
        if heading.is_none() && self.traced == 0 {
            return None;
        }
        Some(format!(
            "{}, {} in or below traced calls",
            heading.unwrap_or_else(|| "call tracing was on".to_owned()),
            counted(self.traced, "sample")
        ))
    }

    /// The processes whose messages or events are traced; `None` where there are none, as far as that is known.
    pub fn process_tracing_clause(&self) -> Option<String> {
        self.traced_processes.and_then(|found| found.heading())
    }

    /// Why a capture has no samples, or lacks those of a time; `None` where the VM ran.
    pub fn standstill_heading(&self) -> Option<String> {
        if self.samples > 0 || !self.has_processor_time() {
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

    /// Why there are no samples of a time, other than that the VM did nothing; `None` where there are some, or no such reason
    /// is known.
    pub fn without_samples_clause(&self) -> Option<String> {
        if self.samples > 0 {
            return None;
        }
        let unwritten = self.gaps.unwritten;
        let reasons = [
            self.gaps.standstill_clause(),
            self.gaps.ended_early_clause().map(str::to_owned),
            (self.lost > 0).then(|| self.lost_text()),
            (unwritten > 0).then(|| format!("{} left out", counted(unwritten, "sample"))),
        ];
        let reasons: Vec<String> = reasons.into_iter().flatten().collect();
        (!reasons.is_empty()).then(|| reasons.join(", "))
    }

    /// The processor time of the programs below the VM's ports; `None` where it is little beside that of the VM, or one of
    /// both is not known.
    pub fn port_programs_heading(&self) -> Option<String> {
        self.beside_heading("programs below the VM's ports", self.port_programs_ms?)
    }

    /// The same of the children of the VM that are below none of its ports.
    pub fn beside_ports_heading(&self) -> Option<String> {
        self.beside_heading("children of the VM below no port", self.beside_ports_ms?)
    }

    fn beside_heading(&self, what: &str, used_ms: u64) -> Option<String> {
        let vm_ms = self.process_time?.cpu_ns / 1_000_000;
        let is_much = u128::from(used_ms) * 100 >= u128::from(vm_ms) * u128::from(MUCH_BESIDE_PCT);
        (used_ms >= MUCH_BESIDE_MS && is_much).then(|| {
            format!(
                "{what} used at least {:.1} s of processor time, which is in no sample",
                used_ms as f64 / 1000.0
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

    /// Engine readv is late, whatever else its stacks lack.
    fn why_incomplete(&self) -> String {
        let engine = &self.engine;
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
        let causes = causes.join(", ");
        if engine.name != "readv" {
            return match causes.is_empty() {
                true => "no counter has the reason".to_owned(),
                false => causes,
            };
        }
        let late = "engine readv reads it after the sample, when the process has often moved on";
        let remedy = match engine.reason_code {
            Some(EngineReason::BpfUnusable) => {
                "`extrospect doctor` shows what engine bpf requires, which copies it at the sample"
            }
            _ => {
                "without --engine readv, engine bpf copies it at the sample, where the system permits that"
            }
        };
        match causes.is_empty() {
            true => format!("{late}; {remedy}"),
            false => format!("{late}; besides, {causes}; {remedy}"),
        }
    }
}

impl SamplingGaps {
    /// Losses and pauses were counted on each CPU until the capture ended.
    fn are_counts_whole(&self) -> bool {
        self.cpus.is_empty() && !self.ended_early
    }

    /// Why there are no samples of the end; `None` where there are.
    pub fn ended_early_clause(&self) -> Option<&'static str> {
        self.ended_early
            .then_some("sampling ended early: the sampling process exited")
    }

    /// How long the VM did not run, and why; `None` where it ran.
    pub fn standstill_clause(&self) -> Option<String> {
        let why = match self.standstill_reason? {
            StandstillReason::Stopped => "a signal had stopped it",
            StandstillReason::Traced => "a debugger held it",
            StandstillReason::Frozen => "its control group was frozen",
        };
        // At least that long, so the figure is not rounded up.
        let tenths = self.standstill_ms / 100;
        let (seconds, tenth) = (tenths / 10, tenths % 10);
        Some(match tenths {
            // A time that the figure does not show.
            0 => format!("the VM did not run for a time ({why})"),
            _ => format!("the VM did not run for at least {seconds}.{tenth} s ({why})"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::end::{MissingEnd, MissingEndReason};
    use crate::process_time::ProcessTime;
    use crate::quality::{EngineQuality, ErlangQuality, NativeQuality, NoProcessQuality};
    use crate::schedulers::{OnlineCount, SchedulersOnline, SchedulersSeen};
    use crate::tracing::{TracedFunctions, TracedProcesses};

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

    #[test]
    fn facts_that_are_not_known_are_one_clause() {
        let clause = |not_known: &[UnknownFact]| {
            let quality = QualityRecord {
                not_known: not_known.to_vec(),
                ..QualityRecord::default()
            };
            quality.not_known_clause()
        };
        assert_eq!(clause(&[]), None);
        assert_eq!(
            clause(&[UnknownFact::Tracing, UnknownFact::PortPrograms]).unwrap(),
            "not known: whether calls were traced, the processor time of programs below ports"
        );
        let schedulers = clause(&[UnknownFact::SchedulersOnline]).unwrap();
        assert_eq!(schedulers, "not known: which schedulers were online");
        let halted = clause(&[UnknownFact::Standstill]).unwrap();
        assert_eq!(halted, "not known: whether the VM was halted");
        let clock = clause(&[UnknownFact::ProcessTime]).unwrap();
        assert_eq!(clock, "not known: the VM's processor time by its own clock");
    }

    #[test]
    fn a_missing_end_is_named_above_figures_without_a_quality_line() {
        let mut quality = QualityRecord {
            samples: 1,
            ..QualityRecord::default()
        };
        assert_eq!(quality.headings(), [""; 0]);
        let missing = MissingEnd {
            reason: MissingEndReason::NotClosed,
            last_unix_ms: 0,
        };
        quality.gaps.missing_end = Some(missing);
        assert_eq!(quality.headings(), [missing.clause()]);
        assert_eq!(quality.headings_above_line(), [""; 0]);
    }

    #[test]
    fn counts_of_a_cpu_that_is_no_longer_read_are_not_known_or_at_least() {
        let texts = |lost, throttled, cpus: &[u32]| {
            let mut quality = QualityRecord {
                lost,
                throttled,
                ..QualityRecord::default()
            };
            quality.gaps.cpus = cpus.to_vec();
            [quality.lost_text(), quality.pauses_text()]
        };
        assert_eq!(texts(0, 1, &[]), ["0 lost", "sampling paused 1 time"]);
        assert_eq!(
            texts(0, 0, &[3]),
            [
                "an unknown number lost",
                "sampling paused an unknown number of times"
            ]
        );
        let both = ["at least 16 lost", "sampling paused at least 2 times"];
        assert_eq!(texts(16, 2, &[3]), both);
        let mut ended = QualityRecord {
            lost: 16,
            throttled: 2,
            ..QualityRecord::default()
        };
        ended.end_early();
        assert_eq!([ended.lost_text(), ended.pauses_text()], both);
        assert!(ended.engine.dropped_at_least);
        let why = "sampling ended early: the sampling process exited";
        assert_eq!(ended.headings().last().map(String::as_str), Some(why));
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
        let chosen = quality(55, engine("readv", EngineReason::AskedFor));
        let heading = chosen.incomplete_heading().unwrap();
        assert!(heading.contains("without --engine readv"), "{heading}");
        // An older helper wrote no reason; it was late all the same.
        let older = EngineQuality {
            reason_code: None,
            ..chosen.engine
        };
        let heading = quality(55, older).incomplete_heading().unwrap();
        assert!(
            heading.contains("after the sample") && heading.contains("engine bpf"),
            "{heading}"
        );
    }

    #[test]
    fn being_late_is_not_the_only_cause_of_engine_readv() {
        let reloading = QualityRecord {
            reloaded: 30,
            unwind_failed: 1,
            ..quality(55, engine("readv", EngineReason::BpfUnusable))
        };
        let heading = reloading.incomplete_heading().unwrap();
        let causes = "moved on; besides, 1 sample whose C stack was not unwound, 30 samples in code that was being reloaded; ";
        assert!(heading.contains(causes), "{heading}");
        assert!(heading.contains("`extrospect doctor`"), "{heading}");
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
        let text = "programs below the VM's ports used at least 3.9 s of processor time, which is in no sample";
        assert_eq!(headings(Some(3900), Some(0)), [text]);
        let by_no_port = QualityRecord {
            samples: 1,
            beside_ports_ms: Some(1200),
            process_time: Some(ProcessTime::default()),
            ..QualityRecord::default()
        };
        assert_eq!(
            by_no_port.headings(),
            [
                "children of the VM below no port used at least 1.2 s of processor time, which is in no sample"
            ]
        );
        assert_eq!(headings(Some(u64::MAX), Some(1)).len(), 1);
    }

    #[test]
    fn what_a_quality_line_has_stands_above_figures_without_one() {
        let quality = |samples, unattributed, missing_ns| QualityRecord {
            samples,
            process_time: Some(ProcessTime {
                cpu_ns: 1000,
                missing_ns,
            }),
            no_process: Some(NoProcessQuality {
                port_tasks: 0,
                unattributed,
            }),
            ..QualityRecord::default()
        };
        for little in [quality(1000, 10, 50), quality(49, 49, 0)] {
            assert_eq!(little.headings(), [""; 0]);
        }
        let much = quality(1000, 11, 60);
        assert_eq!(
            much.headings(),
            [
                "samples account for at most 94 % of the VM's processor time",
                "11 samples (1.1 %) not attributed to a process, a port or the scheduler"
            ]
        );
        assert_eq!(much.headings_above_line(), [""; 0]);
    }

    #[test]
    fn schedulers_that_were_offline_stand_above_figures_with_and_without_a_quality_line() {
        let of = |online| {
            let now = SchedulersOnline {
                normal: OnlineCount { online, all: 2 },
                ..SchedulersOnline::default()
            };
            QualityRecord {
                samples: 10,
                schedulers_online: Some(SchedulersSeen {
                    at_start: Some(now.clone()),
                    at_end: Some(now),
                }),
                ..QualityRecord::default()
            }
        };
        assert_eq!(of(2).headings(), [""; 0]);
        let text = "when the capture began and at the last reading: 1 of 2 schedulers online";
        assert_eq!(of(1).headings(), [text]);
        assert_eq!(of(1).headings_above_line(), [text]);
    }

    #[test]
    fn call_tracing_is_named_while_it_is_on_and_where_it_was() {
        let headings = |functions, traced| {
            let quality = QualityRecord {
                samples: 10,
                tracing: Some(TracedFunctions {
                    looked_at: 9000,
                    traced: functions,
                    reported: functions,
                    ..TracedFunctions::default()
                }),
                traced,
                ..QualityRecord::default()
            };
            assert_eq!(quality.headings_above_line(), [""; 0]);
            quality.headings()
        };
        assert_eq!(headings(0, 0), [""; 0]);
        let was_on = "call tracing was on, 1 sample in or below traced calls";
        assert_eq!(headings(0, 1), [was_on]);
        let is_on = "call tracing is on: 2 of 9000 functions with a breakpoint (2 reported), 0 samples in or below traced calls";
        assert_eq!(headings(2, 0), [is_on]);
    }

    #[test]
    fn process_tracing_is_named_while_it_is_on() {
        let headings = |traced| {
            let quality = QualityRecord {
                samples: 10,
                traced_processes: Some(TracedProcesses {
                    looked_at: 340,
                    traced,
                    receives: traced,
                    ..TracedProcesses::default()
                }),
                ..QualityRecord::default()
            };
            assert_eq!(quality.headings_above_line(), [""; 0]);
            quality.headings()
        };
        assert_eq!(headings(0), [""; 0]);
        let is_on = "process tracing is on: 2 of 340 processes (messages received of 2)";
        assert_eq!(headings(2), [is_on]);
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
    fn a_time_without_samples_is_not_taken_for_one_in_which_nothing_happened() {
        let mut quality = QualityRecord::default();
        assert_eq!(quality.without_samples_clause(), None);
        quality.lost = 3;
        quality.gaps.unwritten = 1;
        quality.gaps.standstill_reason = Some(StandstillReason::Stopped);
        assert_eq!(
            quality.without_samples_clause().as_deref(),
            Some(
                "the VM did not run for a time (a signal had stopped it), 3 lost, 1 sample left out"
            )
        );
        quality.samples = 1;
        assert_eq!(quality.without_samples_clause(), None);
        let mut early = QualityRecord::default();
        early.end_early();
        let clause = early.without_samples_clause();
        assert_eq!(clause.as_deref(), early.gaps.ended_early_clause());
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
