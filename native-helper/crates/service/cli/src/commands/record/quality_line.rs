//! The quality record in one line, for people.

use capture::counted::counted;
use capture::faults::FaultsQuality;
use capture::limits::{MAX_STACK_FRAMES, SHORT_STACK_FRAMES};
use capture::marks::Reloaded;
use capture::off_cpu::OffCpuQuality;
use capture::pprof::Stay;
use capture::quality::{EngineQuality, QualityRecord, SamplingGaps, SkidMicros};

use super::overhead;
use crate::table::megabytes;

/// Ports whose programs are named.
const SHOWN_PORTS: usize = 3;

/// The quality record for people.
pub fn quality_line(quality: &QualityRecord) -> String {
    if !quality.has_processor_time() {
        return line_without_time(quality);
    }
    let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
    let (erlang, native) = (&quality.erlang, &quality.native_in_process);
    let engine = &quality.engine;
    format!(
        "quality: {} of {}, {}, {}; {}; {}{}; {}, {} \
         truncated{}{}; engine {} ({}){}; own cost {:.1} % of a core{}{}{}{}{}{}{}{}{}{}",
        counted(quality.samples, "sample"),
        quality.event,
        quality.lost_text(),
        quality.pauses_text(),
        match erlang.samples {
            0 => "no samples of Erlang code".to_owned(),
            all => format!("Erlang {:.1} % complete", share(erlang.complete, all)),
        },
        match native.samples {
            0 => "none of C code in a process".to_owned(),
            all => format!(
                "C code in a process {:.1} % proven ({} bracketed, {} unproven)",
                share(native.with_erlang, all),
                native.bracketed,
                native.unproven
            ),
        },
        not_attributed(quality),
        match quality.frames {
            0 => "no frames".to_owned(),
            all => format!(
                "{:.2} % of frames unresolved",
                share(quality.unresolved_frames, all)
            ),
        },
        counted(quality.truncated, "stack"),
        failed_unwinds(quality),
        marked_figures(quality),
        engine.name,
        engine.reason,
        engine_figures(quality),
        quality.self_cpu_pct,
        overhead::figures(quality),
        gap_figures(&quality.gaps),
        kernel_figure(quality),
        processor_figure(quality),
        offline_schedulers(quality),
        clock_figure(quality),
        programs_figure(quality),
        time_before(quality),
        tracing(quality),
        not_known(quality),
    )
}

/// Where no processor time was sampled: the figures that are of other types as well.
fn line_without_time(quality: &QualityRecord) -> String {
    let engine = &quality.engine;
    format!(
        "quality: no processor time sampled; {}; engine {} ({}){}; own cost {:.1} % of a core{}{}{}{}",
        quality.lost_text(),
        engine.name,
        engine.reason,
        engine_figures(quality),
        quality.self_cpu_pct,
        gap_figures(&quality.gaps),
        offline_schedulers(quality),
        tracing(quality),
        not_known(quality),
    )
}

/// The same, and below it which share of the stacks lacks a part, why, and what gives it, and the figures of other types.
pub fn quality_lines(quality: &QualityRecord) -> Vec<String> {
    std::iter::once(quality_line(quality))
        .chain(quality.incomplete_heading())
        .chain(other_types_lines(quality))
        .chain(stays_line(quality, None))
        .collect()
}

/// The figures of other types than processor time, where they were requested.
pub fn other_types_lines(quality: &QualityRecord) -> impl Iterator<Item = String> {
    let off_cpu = quality.off_cpu.as_ref().map(OffCpuQuality::line);
    let faults = quality.faults.as_ref().map(FaultsQuality::line);
    off_cpu.into_iter().chain(faults)
}

/// The long collections and calls, with the longest one, where there were any.
pub fn stays_line(quality: &QualityRecord, longest: Option<&Stay>) -> Option<String> {
    quality.stays?.line(longest)
}

/// Empty where it is known of every sample whose it is.
fn not_attributed(quality: &QualityRecord) -> String {
    let clauses = [
        quality.unattributed_clause(),
        quality.scheduler_unnamed_clause(),
    ];
    let clauses = clauses.iter().flatten();
    clauses.map(|clause| format!("; {clause}")).collect()
}

/// Empty where all facts that were looked for are known.
fn not_known(quality: &QualityRecord) -> String {
    let clause = quality.not_known_clause();
    clause.map_or_else(String::new, |clause| format!("; {clause}"))
}

/// Empty where nothing was traced, as far as that is known.
fn tracing(quality: &QualityRecord) -> String {
    let clauses = [quality.tracing_clause(), quality.process_tracing_clause()];
    let clauses = clauses.iter().flatten();
    clauses.map(|clause| format!("; {clause}")).collect()
}

/// Empty where sampling did not begin after the VM.
fn time_before(quality: &QualityRecord) -> String {
    match quality.before_sampling_ms {
        0 => String::new(),
        ms => format!(
            "; {:.2} s of processor time before sampling began, which no samples stand for",
            ms as f64 / 1000.0
        ),
    }
}

/// Empty where time in the kernel is in the samples.
fn kernel_figure(quality: &QualityRecord) -> String {
    let missing = quality.kernel.and_then(|kernel| kernel.heading());
    missing.map_or_else(String::new, |missing| format!("; {missing}"))
}

/// Empty where it is known that no quota limits the target and nothing was taken from it. Groups around those in sight may
/// have a quota.
fn processor_figure(quality: &QualityRecord) -> String {
    let Some(limits) = &quality.processors else {
        return String::new();
    };
    let quota = match (limits.allowed_text(), limits.throttled()) {
        (Some(allowed), Some(_)) => format!("; a quota allows it {allowed}"),
        (Some(allowed), None) => {
            format!("; a quota allows it {allowed}, and whether it was throttled is not known")
        }
        (None, _) if limits.groups_known && limits.whole_tree => String::new(),
        (None, _) if limits.groups_known => {
            "; no quota in the control groups in sight, and whether others limit the VM is not known".to_owned()
        }
        (None, _) => "; whether a quota limits the VM is not known".to_owned(),
    };
    let processors = (limits.affinity_text()).map(|it| format!("; it may run on {it}"));
    let taken = [limits.heading(), limits.pressure_clause()];
    let taken = taken.iter().flatten().map(|it| format!("; {it}"));
    quota + &processors.unwrap_or_default() + &taken.collect::<String>()
}

/// Empty where all schedulers might run, as far as that is known.
fn offline_schedulers(quality: &QualityRecord) -> String {
    let heading = quality.schedulers_heading();
    heading.map_or_else(String::new, |heading| format!("; {heading}"))
}

/// Empty where samples account for the time of the process's own clock.
fn clock_figure(quality: &QualityRecord) -> String {
    let missing = quality.process_time.and_then(|time| time.heading());
    missing.map_or_else(String::new, |missing| format!("; {missing}"))
}

/// Empty where programs below ports, and other children, used nothing, as far as that is known.
fn programs_figure(quality: &QualityRecord) -> String {
    let seconds = |ms: Option<u64>| ms.filter(|ms| *ms > 0).map(|ms| ms as f64 / 1000.0);
    let below = seconds(quality.port_programs_ms).map(|used| {
        let ports = ports_figure(quality);
        format!("; programs below ports used at least {used:.2} s beside the VM{ports}")
    });
    let others = seconds(quality.beside_ports_ms)
        .map(|used| format!("; children below no port used at least {used:.2} s beside the VM"));
    below.into_iter().chain(others).collect()
}

/// The ports whose programs used the most; empty where none is known.
fn ports_figure(quality: &QualityRecord) -> String {
    let used = quality.port_programs.iter().filter(|it| it.cpu_ms > 0);
    let ports = used.take(SHOWN_PORTS).map(|it| {
        let seconds = it.cpu_ms as f64 / 1000.0;
        format!(
            "{} {seconds:.2} s and up to {} MB",
            it.port_text(),
            megabytes(it.rss_bytes)
        )
    });
    let ports: Vec<String> = ports.collect();
    match ports.is_empty() {
        true => String::new(),
        false => format!(" ({})", ports.join(", ")),
    }
}

/// Empty where everything could be sampled.
fn gap_figures(gaps: &SamplingGaps) -> String {
    let mut figures = String::new();
    if let Some(clause) = gaps.ended_early_clause() {
        figures += &format!("; {clause}");
    }
    if let Some(missing) = gaps.missing_end {
        figures += &format!("; {}", missing.clause());
    }
    if !gaps.cpus.is_empty() {
        let cpus: Vec<String> = gaps.cpus.iter().map(ToString::to_string).collect();
        figures += &format!(
            "; CPU {} not read completely ({})",
            cpus.join(", "),
            gaps.cpus_reason
        );
    }
    if gaps.threads > 0 {
        figures += &format!(
            "; {} not sampled ({})",
            counted(gaps.threads, "thread"),
            gaps.threads_reason
        );
    }
    if gaps.reader_failures > 0 {
        figures += &format!(
            "; reading failed {} and went on",
            counted(gaps.reader_failures, "time")
        );
    }
    if gaps.failed_looks > 0 {
        let times = counted(gaps.failed_looks, "time");
        figures += &format!("; threads could not be listed {times}");
    }
    if gaps.unwritten > 0 {
        figures += &format!(
            "; {} left out while the capture was not written",
            counted(gaps.unwritten, "sample")
        );
    }
    if let Some(clause) = gaps.standstill_clause() {
        figures += &format!("; {clause}");
    }
    figures
}

/// Empty where all C stacks could be unwound.
fn failed_unwinds(quality: &QualityRecord) -> String {
    match quality.unwind_failed {
        0 => String::new(),
        failed => format!(" ({failed} not unwound)"),
    }
}

/// Empty where no modules were loaded and no stack was too long.
fn marked_figures(quality: &QualityRecord) -> String {
    let mut figures = String::new();
    let shortened = quality.stacks_shortened;
    let too_deep = quality.stacks_cut.saturating_sub(shortened);
    if too_deep > 0 {
        figures +=
            &format!(", {too_deep} without their middle (more than {MAX_STACK_FRAMES} frames)");
    }
    if shortened > 0 {
        figures += &format!(
            ", {shortened} shortened to {SHORT_STACK_FRAMES} frames (too many deep stacks waited to be written)"
        );
    }
    if quality.reloaded > 0 {
        let samples = counted(quality.reloaded, "sample");
        figures += &format!(", {samples} [code reloaded]{}", reasons(quality));
    }
    if quality.unknown_functions > 0 {
        let samples = counted(quality.unknown_functions, "sample");
        figures += &format!(", {samples} [unknown function]");
    }
    figures
}

/// Why it is not known which version of their code samples ran; empty in captures of helpers that did not count that.
fn reasons(quality: &QualityRecord) -> String {
    let counts = Reloaded::ALL.map(|reason| (reason, quality.reloaded_by.of(reason)));
    let counted = counts.into_iter().filter(|(_, samples)| *samples > 0);
    let parts: Vec<String> = counted
        .map(|(reason, samples)| format!("{samples} {}", reason.words()))
        .collect();
    match parts.as_slice() {
        [] => String::new(),
        parts => format!(" ({})", parts.join(", ")),
    }
}

fn copies(count: u64) -> String {
    match count {
        1 => "1 copy".to_owned(),
        count => format!("{count} copies"),
    }
}

fn dropped_copies(engine: &EngineQuality) -> String {
    match (engine.dropped, engine.dropped_at_least) {
        (dropped, false) => copies(dropped),
        (0, true) => "an unknown number of copies".to_owned(),
        (dropped, true) => format!("at least {}", copies(dropped)),
    }
}

/// What only one of the engines can say.
fn engine_figures(quality: &QualityRecord) -> String {
    let engine = &quality.engine;
    if engine.matched + engine.unmatched > 0 {
        format!(
            ": {} with their copy, {} not joined, {} dropped, {} failed, {} cut",
            counted(engine.matched, "sample"),
            engine.unmatched,
            dropped_copies(engine),
            copies(engine.copy_failed),
            counted(engine.cut, "stack"),
        )
    } else if quality.skid_us == SkidMicros::default() {
        ": no stack below C code was read after its sample".to_owned()
    } else {
        format!(
            ": reading delay {} us median, {} us p99",
            quality.skid_us.p50, quality.skid_us.p99
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use capture::end::{MissingEnd, MissingEndReason};
    use capture::process_time::ProcessTime;
    use capture::quality::ErlangQuality;
    use capture::quality::NoProcessQuality;
    use capture::quality::ProgramsOfPort;
    use capture::quality::ReloadedBy;
    use capture::quality::StandstillReason;
    use capture::quality::UnknownFact;
    use capture::schedulers::{OnlineCount, SchedulersOnline, SchedulersSeen};
    use capture::stays::StaysQuality;

    #[test]
    fn a_share_of_stacks_that_lack_a_part_has_a_line_of_its_own() {
        let lines = |complete| {
            quality_lines(&QualityRecord {
                erlang: ErlangQuality {
                    samples: 100,
                    complete,
                },
                ..QualityRecord::default()
            })
        };
        assert_eq!(lines(85).len(), 1);
        let [line, heading] = &lines(84)[..] else {
            panic!("not two lines");
        };
        assert!(line.contains("Erlang 84.0 % complete"), "{line}");
        assert!(heading.starts_with("16 % of the samples in a process (16 of 100) lack"));
    }

    #[test]
    fn time_without_a_processor_has_a_line_of_its_own_where_it_was_requested() {
        let lines = |event: &str, off_cpu| {
            quality_lines(&QualityRecord {
                event: event.to_owned(),
                off_cpu,
                ..QualityRecord::default()
            })
        };
        assert_eq!(lines("cpu-clock", None).len(), 1);
        let blocks = OffCpuQuality {
            blocks: 3,
            ..OffCpuQuality::default()
        };
        let both = lines("cpu-clock", Some(blocks.clone()));
        assert!(both[0].starts_with("quality: 0 samples of cpu-clock"));
        assert!(both[1].starts_with("off-cpu: 3 blocks"), "{both:?}");
        let alone = lines("", Some(blocks));
        let line = "quality: no processor time sampled; 0 lost; engine ";
        assert!(alone[0].starts_with(line), "{alone:?}");
        assert_eq!(alone[1], both[1]);
        let of_faults = quality_lines(&QualityRecord {
            faults: Some(FaultsQuality::default()),
            ..QualityRecord::default()
        });
        assert!(of_faults[0].starts_with(line), "{of_faults:?}");
        assert!(of_faults[1].starts_with("faults: 0 page faults"));
    }

    #[test]
    fn long_collections_and_calls_have_a_line_where_there_were_any() {
        let lines = |collections| {
            quality_lines(&QualityRecord {
                stays: Some(StaysQuality {
                    period_us: 10_101,
                    collections,
                    collections_ms: 40 * collections,
                    ..StaysQuality::default()
                }),
                ..QualityRecord::default()
            })
        };
        assert_eq!(lines(0).len(), 1);
        let line = "long collections and calls: 2 collections (at least 80 ms); of those below 20 ms of processor time, \
                    not all";
        assert_eq!(lines(2)[1], line);
    }

    #[test]
    fn a_reading_delay_is_stated_where_a_stack_was_read_late() {
        let mut quality = QualityRecord::default();
        let line = quality_line(&quality);
        assert!(
            line.contains(": no stack below C code was read after its sample;"),
            "{line}"
        );
        assert!(!line.contains("reading delay"), "{line}");
        quality.skid_us = SkidMicros {
            p50: 62,
            p99: 196,
            max: 300,
        };
        let line = quality_line(&quality);
        assert!(
            line.contains(": reading delay 62 us median, 196 us p99;"),
            "{line}"
        );
    }

    #[test]
    fn time_before_sampling_is_in_the_line_where_there_is_some() {
        let line = |before_sampling_ms| {
            quality_line(&QualityRecord {
                before_sampling_ms,
                ..QualityRecord::default()
            })
        };
        assert!(!line(0).contains("before sampling"));
        assert!(line(1234).contains("; 1.23 s of processor time before sampling began"));
    }

    #[test]
    fn sampling_that_ended_early_is_in_the_line() {
        let mut quality = QualityRecord::default();
        assert!(!quality_line(&quality).contains("early"));
        quality.end_early();
        let ended = quality_line(&quality);
        assert!(ended.contains(", an unknown number lost, "), "{ended}");
        assert!(ended.contains("; sampling ended early: the sampling process exited"));
    }

    #[test]
    fn an_end_that_a_file_lacks_is_in_the_line() {
        let mut quality = QualityRecord::default();
        assert!(!quality_line(&quality).contains("missing"));
        quality.gaps.missing_end = Some(MissingEnd {
            reason: MissingEndReason::DiskFull,
            last_unix_ms: 0,
        });
        let line = quality_line(&quality);
        let expected = "; the disk was full: the samples after the last increment are missing";
        assert!(line.contains(expected), "{line}");
    }

    #[test]
    fn facts_that_are_not_known_are_in_the_line() {
        let line = |not_known| {
            quality_line(&QualityRecord {
                not_known,
                ..QualityRecord::default()
            })
        };
        assert!(!line(Vec::new()).contains("not known"));
        let unknown = line(vec![UnknownFact::Tracing]);
        assert!(unknown.ends_with("; not known: whether calls were traced"));
    }

    #[test]
    fn programs_below_ports_are_in_the_line_where_they_used_something() {
        let line = |port_programs_ms| {
            quality_line(&QualityRecord {
                port_programs_ms,
                ..QualityRecord::default()
            })
        };
        for nothing in [line(None), line(Some(0))] {
            assert!(!nothing.contains("programs"), "{nothing}");
        }
        let by_no_port = quality_line(&QualityRecord {
            beside_ports_ms: Some(340),
            ..QualityRecord::default()
        });
        assert!(by_no_port.contains("; children below no port used at least 0.34 s beside the VM"));
        let used = "; programs below ports used at least 1.92 s beside the VM";
        assert!(line(Some(1920)).contains(used));
        let of = |name: Option<&str>, cpu_ms| ProgramsOfPort {
            name: name.map(str::to_owned),
            owner: name.map(|_| "<0.80.0>".to_owned()),
            cpu_ms,
            rss_bytes: 3_456_000,
        };
        let by_port = quality_line(&QualityRecord {
            port_programs_ms: Some(1920),
            port_programs: vec![of(Some("sh"), 1500), of(None, 100), of(Some("cat"), 0)],
            ..QualityRecord::default()
        });
        let ports =
            " (sh of <0.80.0> 1.50 s and up to 3.46 MB, port not known 0.10 s and up to 3.46 MB)";
        assert!(by_port.contains(&format!("{used}{ports}")), "{by_port}");
    }

    #[test]
    fn each_reason_why_frames_are_missing_is_in_the_line() {
        let line = |stacks_cut, stacks_shortened| {
            quality_line(&QualityRecord {
                stacks_cut,
                stacks_shortened,
                ..QualityRecord::default()
            })
        };
        let nameless = quality_line(&QualityRecord {
            unknown_functions: 7,
            ..QualityRecord::default()
        });
        assert!(nameless.contains(", 7 samples [unknown function]"));
        assert!(!line(0, 0).contains('['));
        assert!(line(5, 0).contains(", 5 without their middle (more than 16384 frames)"));
        let both = line(5, 2);
        assert!(both.contains(", 3 without their middle") && both.contains(", 2 shortened to 128"));
        let shortened = line(2, 2);
        assert!(!shortened.contains("without their middle") && shortened.contains(", 2 shortened"));
    }

    #[test]
    fn a_quota_of_the_target_is_no_pause_of_sampling() {
        let line = |processors| {
            quality_line(&QualityRecord {
                throttled: 1,
                processors,
                ..QualityRecord::default()
            })
        };
        assert!(line(None).contains("0 lost, sampling paused 1 time; "));
        assert!(!line(None).contains("quota"));
        let limits = capture::processors::ProcessorLimits {
            groups_known: true,
            allowed: Some(0.5),
            whole_tree: true,
            periods: Some(20),
            throttled_periods: Some(12),
            throttled_ms: Some(1200),
            ..Default::default()
        };
        let limited = line(Some(limits));
        assert!(
            limited.contains(
                "; a quota allows it 0.5 processors; its control group's quota throttled"
            )
        );
    }

    #[test]
    fn a_quota_of_which_something_is_not_known_is_called_that() {
        let line = |groups_known, allowed, throttled_ms| {
            quality_line(&QualityRecord {
                processors: Some(capture::processors::ProcessorLimits {
                    groups_known,
                    allowed,
                    whole_tree: true,
                    periods: Some(20),
                    throttled_periods: Some(0),
                    throttled_ms,
                    ..Default::default()
                }),
                ..QualityRecord::default()
            })
        };
        for known in [line(true, None, None), line(true, Some(0.5), Some(0))] {
            assert!(!known.contains("not known"), "{known}");
        }
        let no_group = line(false, None, None);
        assert!(no_group.ends_with("; whether a quota limits the VM is not known"));
        let no_count = line(true, Some(0.5), None);
        let expected =
            "; a quota allows it 0.5 processors, and whether it was throttled is not known";
        assert!(no_count.ends_with(expected), "{no_count}");
    }

    #[test]
    fn schedulers_that_might_not_run_are_in_the_line() {
        let line = |normal| {
            quality_line(&QualityRecord {
                schedulers_online: Some(SchedulersSeen {
                    at_start: Some(SchedulersOnline::default()),
                    at_end: Some(SchedulersOnline {
                        normal,
                        ..SchedulersOnline::default()
                    }),
                }),
                ..QualityRecord::default()
            })
        };
        assert!(!line(OnlineCount { online: 4, all: 4 }).contains("schedulers"));
        let offline = line(OnlineCount { online: 2, all: 4 });
        let expected = "; when the capture began: all schedulers online; at the last reading: 2 of 4 schedulers online";
        assert!(offline.ends_with(expected), "{offline}");
    }

    #[test]
    fn a_quota_of_a_group_that_is_not_in_sight_may_limit_the_vm_too() {
        let line = |whole_tree, allowed, throttled_periods| {
            quality_line(&QualityRecord {
                processors: Some(capture::processors::ProcessorLimits {
                    groups_known: true,
                    whole_tree,
                    allowed,
                    periods: allowed.map(|_| 20),
                    throttled_periods,
                    throttled_ms: throttled_periods.map(|_| 1200),
                    ..Default::default()
                }),
                ..QualityRecord::default()
            })
        };
        assert!(!line(true, None, None).contains("quota"));
        let none = line(false, None, None);
        let expected = "; no quota in the control groups in sight, and whether others limit the VM is not known";
        assert!(none.ends_with(expected), "{none}");
        let some = line(false, Some(0.5), Some(12));
        let expected = "; a quota allows it at most 0.5 processors; its control group's quota throttled the VM in at \
                        least 12 of 20 periods, for at least 1.2 s";
        assert!(some.ends_with(expected), "{some}");
    }

    #[test]
    fn the_processors_that_the_vm_may_run_on_and_waiting_for_them_are_in_the_line() {
        let line = |allowed, pressure_ms| {
            quality_line(&QualityRecord {
                processors: Some(capture::processors::ProcessorLimits {
                    groups_known: true,
                    whole_tree: true,
                    affinity: Some(capture::processors::Affinity { allowed, online: 8 }),
                    pressure_ms,
                    ..Default::default()
                }),
                ..QualityRecord::default()
            })
        };
        assert!(line(2, None).ends_with("; it may run on 2 of 8 processors"));
        assert!(!line(8, Some(900)).contains("processors"));
        let waited = line(8, Some(9000));
        assert!(waited.ends_with("; threads of the machine waited 9.0 s for a processor"));
        assert_eq!(line(2, Some(9000)).matches("waited").count(), 1);
    }

    #[test]
    fn why_the_version_of_code_is_not_known_is_in_the_line_where_it_was_counted() {
        let line = |reloaded_by| {
            quality_line(&QualityRecord {
                reloaded: 14,
                reloaded_by,
                ..QualityRecord::default()
            })
        };
        let none = line(ReloadedBy::default());
        assert!(none.contains(", 14 samples [code reloaded];"), "{none}");
        let all = line(ReloadedBy {
            between_readings: 1,
            just_purged: 2,
            process_ending: 0,
            before_readings: 4,
            code_gone: 7,
        });
        let reasons = "1 between readings, 2 just purged, 4 before readings, 7 code gone";
        let expected = format!(", 14 samples [code reloaded] ({reasons});");
        assert!(all.contains(&expected), "{all}");
    }

    #[test]
    fn counts_that_ended_before_the_capture_are_not_known_or_at_least() {
        let line = |lost, dropped| {
            let mut quality = QualityRecord {
                lost,
                ..QualityRecord::default()
            };
            quality.gaps.cpus = vec![3];
            quality.engine.matched = 5;
            (quality.engine.dropped, quality.engine.dropped_at_least) = (dropped, true);
            quality_line(&quality)
        };
        let nothing = line(0, 0);
        assert!(nothing.contains(", an unknown number lost, sampling paused an unknown"));
        assert!(nothing.contains(", an unknown number of copies dropped, 0 copies failed"));
        let some = line(16, 1);
        assert!(
            some.contains(", at least 16 lost, ") && some.contains(", at least 1 copy dropped")
        );
    }

    #[test]
    fn samples_that_were_not_written_are_in_the_line() {
        let line = |unwritten| {
            quality_line(&QualityRecord {
                gaps: SamplingGaps {
                    unwritten,
                    ..SamplingGaps::default()
                },
                ..QualityRecord::default()
            })
        };
        assert!(!line(0).contains("written"));
        let expected = "; 1 sample left out while the capture was not written";
        assert!(line(1).contains(expected));
    }

    #[test]
    fn time_in_no_sample_or_of_no_process_is_in_the_line_only_where_it_was_counted() {
        let line = |no_process, process_time| {
            quality_line(&QualityRecord {
                samples: 40,
                no_process,
                process_time,
                ..QualityRecord::default()
            })
        };
        let rest = |unattributed| {
            Some(NoProcessQuality {
                port_tasks: 7,
                unattributed,
            })
        };
        let time = |missing_ns| {
            Some(ProcessTime {
                cpu_ns: 1_280,
                missing_ns,
            })
        };
        for nothing in [line(None, None), line(rest(0), time(0))] {
            assert!(!nothing.contains("attributed") && !nothing.contains("account"));
            assert!(!nothing.contains("without names"));
        }
        let unnamed = quality_line(&QualityRecord {
            samples: 40,
            scheduler: 12,
            scheduler_unnamed: 2,
            ..QualityRecord::default()
        });
        assert!(unnamed.contains(
            "; 2 samples (5.0 %) of schedulers in C code without names: whether this is their own work, as freeing \
             memory for other threads, or a search for replaced persistent terms or purged code is not known"
        ));
        let text = line(rest(3), time(1_240));
        assert!(text.contains("; 3 samples (7.5 %) not attributed to a process, a port or the"));
        assert!(text.ends_with("; samples account for at most 4 % of the VM's processor time"));
    }

    #[test]
    fn a_vm_that_was_stopped_or_frozen_is_the_reason_for_no_samples() {
        let line = |standstill_ms, standstill_reason| {
            quality_line(&QualityRecord {
                gaps: SamplingGaps {
                    standstill_ms,
                    standstill_reason,
                    ..SamplingGaps::default()
                },
                ..QualityRecord::default()
            })
        };
        assert!(!line(0, None).contains("the VM did not run"));
        let stopped = line(1960, Some(StandstillReason::Stopped));
        assert!(stopped.contains("; the VM did not run for at least 1.9 s (a signal had"));
        for ms in [0, 99] {
            let short = line(ms, Some(StandstillReason::Frozen));
            assert!(
                short.contains("; the VM did not run for a time (its control group was frozen)")
            );
        }
    }
}
