//! What takes a VM's time or limits its processors while a command reads it: tracing, a quota, schedulers that may
//! not run. Above the output for people, a member in `--json`.

use std::collections::BTreeMap;

use capture::processors::ProcessorLimits;
use capture::schedulers::{OnlineCount, SchedulerBlocker, SchedulersBlocked, SchedulersOnline};
use capture::tracing::{TracedFunctions, TracedProcesses};
use sampling_process::{Circumstances as Found, Sampler, questions};
use serde::Serialize;
use shared_sort::Inserted;

use crate::terminal::print_lines;

/// What `--json` prints of it.
#[derive(Debug, Serialize)]
pub struct Circumstances {
    schedulers_online: Option<Online>,
    processors: Option<ProcessorLimits>,
    traced_functions: Option<TracedFunctions>,
    traced_processes: Option<TracedProcesses>,
    /// The members that are null, and why.
    unknown: BTreeMap<String, String>,
}

/// How many schedulers are online, and who blocks them.
#[derive(Debug, Serialize)]
pub struct Online {
    normal: OnlineCount,
    dirty_cpu: OnlineCount,
    blocked: Option<SchedulersBlocked>,
    blockers: Vec<SchedulerBlocker>,
    #[serde(skip)]
    pub lines: Vec<String>,
}

impl From<SchedulersOnline> for Online {
    fn from(schedulers: SchedulersOnline) -> Self {
        Self {
            lines: schedulers.lines(),
            normal: schedulers.normal,
            dirty_cpu: schedulers.dirty_cpu,
            blocked: schedulers.blocked,
            blockers: schedulers.blockers,
        }
    }
}

impl From<Found> for Circumstances {
    fn from(found: Found) -> Self {
        let unknown = found.unknown.into_iter();
        Self {
            schedulers_online: found.schedulers_online.map(Online::from),
            processors: Some(found.processors),
            traced_functions: found.traced_functions,
            traced_processes: found.traced_processes,
            unknown: unknown.map(|it| (it.what, it.why)).inserted(),
        }
    }
}

impl Circumstances {
    /// Of the VM now. Where they cannot be read, the command still prints its result.
    pub fn of(sampler: &mut Sampler) -> Self {
        match sampler.ask(questions::CircumstancesNow {}, &|| false) {
            Ok(found) => found.into(),
            Err(refusal) => Self::not_known(&refusal.to_string()),
        }
    }

    fn not_known(why: &str) -> Self {
        let members = [
            "schedulers_online",
            "processors",
            "traced_functions",
            "traced_processes",
        ];
        let unknown = members.into_iter();
        Self {
            schedulers_online: None,
            processors: None,
            traced_functions: None,
            traced_processes: None,
            unknown: unknown
                .map(|what| (what.to_owned(), why.to_owned()))
                .inserted(),
        }
    }

    /// Those of the VM by the end of a command that takes time; where it has ended, those of before.
    pub fn or_now(self, sampler: &mut Sampler) -> Self {
        sampler
            .ask(questions::CircumstancesNow {}, &|| false)
            .map_or(self, Circumstances::from)
    }

    /// Prints its lines, and an empty one below them.
    pub fn print(&self) -> std::io::Result<()> {
        let lines = self.lines();
        let end = (!lines.is_empty()).then(String::new);
        print_lines(lines.into_iter().chain(end))
    }

    /// Schedulers of the VM have to wait for each other: a VM that begins with fewer processors has fewer schedulers online.
    fn has_too_few(&self, limits: &ProcessorLimits) -> bool {
        let online = (self.schedulers_online.as_ref()).map(|it| it.normal.online);
        let allowed = limits.affinity.map(|it| it.allowed);
        online
            .zip(allowed)
            .is_none_or(|(online, allowed)| allowed < online)
    }

    /// None where all schedulers may run, nothing limits processors and nothing is traced.
    fn lines(&self) -> Vec<String> {
        let online = self.schedulers_online.iter();
        let mut lines: Vec<String> = online.flat_map(|it| it.lines.clone()).collect();
        let limits = self.processors.as_ref();
        lines.extend(limits.and_then(since_reading_began));
        lines.extend(
            limits
                .filter(|it| self.has_too_few(it))
                .and_then(affinity_line),
        );
        lines.extend(self.traced_functions.and_then(|found| found.heading()));
        lines.extend(self.traced_processes.and_then(|found| found.heading()));
        let unknown = self.unknown.iter();
        lines.extend(unknown.map(|(what, why)| unknown_line(what, why)));
        lines
    }
}

/// An unknown member of the JSON, in words.
pub fn unknown_line(what: &str, why: &str) -> String {
    format!("{}: not known: {why}", what.replace('_', " "))
}

/// The quota of a VM, and how often it was throttled in the time that has this name.
pub fn quota_line(limits: &ProcessorLimits, time: &str) -> Option<String> {
    let throttled = match limits.throttled() {
        Some((throttled, periods, ms)) => {
            let least = limits.least();
            format!("; throttled in {least}{throttled} of {periods} periods {time}, {least}{ms} ms")
        }
        None => "; whether it was throttled is not known".to_owned(),
    };
    Some(allowed_line(limits)? + &throttled)
}

fn allowed_line(limits: &ProcessorLimits) -> Option<String> {
    let allowed = limits.allowed_text()?;
    Some(format!("a quota of its control group allows it {allowed}"))
}

/// The processors of a VM that may not run on all.
pub fn affinity_line(limits: &ProcessorLimits) -> Option<String> {
    let processors = limits.affinity_text()?;
    Some(format!("it may run on {processors}"))
}

fn since_reading_began(limits: &ProcessorLimits) -> Option<String> {
    match limits.throttled() {
        // Too short a time for a period.
        Some((_, 0, 0)) => allowed_line(limits),
        _ => quota_line(limits, "since reading began"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use capture::processors::Affinity;
    use protocol::node::Unknown;

    fn usual() -> Found {
        Found {
            schedulers_online: Some(SchedulersOnline {
                normal: OnlineCount { online: 4, all: 4 },
                dirty_cpu: OnlineCount { online: 4, all: 4 },
                ..SchedulersOnline::default()
            }),
            processors: ProcessorLimits {
                groups_known: true,
                whole_tree: true,
                ..ProcessorLimits::default()
            },
            traced_functions: Some(TracedFunctions {
                looked_at: 9000,
                ..TracedFunctions::default()
            }),
            traced_processes: Some(TracedProcesses {
                looked_at: 340,
                ..TracedProcesses::default()
            }),
            unknown: Vec::new(),
        }
    }

    fn lines(found: Found) -> Vec<String> {
        Circumstances::from(found).lines()
    }

    #[test]
    fn there_is_no_line_where_nothing_takes_or_limits_time() {
        assert!(lines(usual()).is_empty());
    }

    #[test]
    fn schedulers_a_quota_processors_and_tracing_have_a_line_each() {
        let mut found = usual();
        if let Some(online) = &mut found.schedulers_online {
            online.normal.online = 2;
        }
        found.processors = ProcessorLimits {
            allowed: Some(0.3),
            periods: Some(4),
            throttled_periods: Some(3),
            throttled_ms: Some(210),
            affinity: Some(Affinity {
                allowed: 1,
                online: 8,
            }),
            ..found.processors
        };
        found.traced_functions = Some(TracedFunctions {
            looked_at: 9000,
            traced: 3,
            timed: 3,
            ..TracedFunctions::default()
        });
        found.traced_processes = Some(TracedProcesses {
            looked_at: 340,
            traced: 2,
            scheduling: 2,
            ..TracedProcesses::default()
        });
        assert_eq!(
            lines(found),
            [
                "2 of 4 schedulers online",
                "a quota of its control group allows it 0.3 processors; throttled in 3 of 4 periods since reading began, \
                 210 ms",
                "it may run on 1 of 8 processors",
                "call tracing is on: 3 of 9000 functions with a breakpoint (3 timed)",
                "process tracing is on: 2 of 340 processes (scheduling of 2)",
            ]
        );
    }

    #[test]
    fn a_vm_with_as_many_schedulers_as_processors_has_no_line_of_these() {
        let mut found = usual();
        found.processors.affinity = Some(Affinity {
            allowed: 4,
            online: 8,
        });
        assert!(lines(found.clone()).is_empty());
        found.schedulers_online = None;
        assert_eq!(lines(found), ["it may run on 4 of 8 processors"]);
    }

    #[test]
    fn a_time_without_a_period_of_the_quota_does_not_show_throttling() {
        let limits = |throttled_ms| ProcessorLimits {
            whole_tree: true,
            allowed: Some(1.0),
            periods: Some(0),
            throttled_periods: Some(0),
            throttled_ms,
            ..ProcessorLimits::default()
        };
        let line = |throttled_ms| since_reading_began(&limits(throttled_ms)).unwrap();
        let quota = "a quota of its control group allows it 1 processor";
        assert_eq!(line(Some(0)), quota);
        assert_eq!(
            line(None),
            format!("{quota}; whether it was throttled is not known")
        );
    }

    #[test]
    fn a_group_that_is_not_in_sight_may_have_throttled_it_too() {
        let limits = ProcessorLimits {
            allowed: Some(1.0),
            periods: Some(4),
            throttled_periods: Some(3),
            throttled_ms: Some(210),
            ..ProcessorLimits::default()
        };
        assert_eq!(
            since_reading_began(&limits).unwrap(),
            "a quota of its control group allows it at most 1 processor; throttled in at least 3 of 4 periods since \
             reading began, at least 210 ms"
        );
    }

    #[test]
    fn each_unknown_member_has_its_own_name() {
        let json = serde_json::to_value(Circumstances::not_known("it ended")).unwrap();
        let members = json.as_object().unwrap();
        for (what, why) in members["unknown"].as_object().unwrap() {
            assert!(members[what].is_null(), "{what}");
            assert_eq!(why, "it ended");
        }
    }

    #[test]
    fn what_could_not_be_read_is_not_called_absent() {
        let mut found = usual();
        found.traced_functions = None;
        found.unknown.push(Unknown {
            what: "traced_functions".to_owned(),
            why: "not all functions could be looked at".to_owned(),
        });
        assert_eq!(
            lines(found),
            ["traced functions: not known: not all functions could be looked at"]
        );
        let gone = Circumstances::not_known("there is no process 7").lines();
        let members = [
            "processors",
            "schedulers online",
            "traced functions",
            "traced processes",
        ];
        let why = "not known: there is no process 7";
        assert_eq!(gone, members.map(|what| format!("{what}: {why}")));
    }
}
