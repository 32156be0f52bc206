//! How far the samples of time without a processor can be trusted.

use serde::{Deserialize, Serialize};

use crate::counted::counted;

/// The counts of the type `off-cpu`. Times are sums over threads; each block counts, also one that goes on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(default)]
pub struct OffCpuQuality {
    /// Why it was not recorded: one clause for people. Absent where it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub refused: Option<String>,
    /// Times that a scheduler left a processor.
    pub switches: u64,
    /// The same, a second.
    pub switches_per_s: f64,
    /// Those of them with a process or a port: each recorded block as often as it stands for.
    pub blocks: u64,
    /// Those of these whose stack is whole.
    pub whole: u64,
    /// Shorter blocks are in no stack: microseconds; 0 where all are.
    pub min_block_us: u32,
    /// Blocks that were shorter.
    pub short_blocks: u64,
    /// Their time, which is in no other: milliseconds.
    pub short_ms: u64,
    /// How long blocks were left out, since they were too many, milliseconds. Those that were recorded then stand for these,
    /// too.
    pub thinned_ms: u64,
    /// Blocks that were left out.
    pub left_out: u64,
    /// Time of schedulers, while blocks were left out, of which no work was recorded: idle, or in such a block. Milliseconds.
    pub idle_or_left_out_ms: u64,
    /// Time in which schedulers with a process or a port waited, milliseconds.
    pub blocked_ms: u64,
    /// Time in which these would have run, but another thread had the processor, milliseconds.
    pub preempted_ms: u64,
    /// Time of schedulers without a process or a port, milliseconds.
    pub idle_ms: u64,
    /// Blocks that had not ended.
    pub in_progress: u64,
    /// Schedulers of which no switch was recorded: their work is not known.
    pub unseen_threads: u64,
    /// Blocks whose end was not recorded.
    pub unmatched: u64,
    /// Records that were lost: of switches, and samples of other threads than schedulers. Lost samples of the processor
    /// time of schedulers are in the `lost` of all.
    pub lost: u64,
    /// Times in which records may be missing.
    pub losses: u64,
    /// Time of schedulers of which it is therefore not known whether they ran, milliseconds.
    pub unknown_ms: u64,
    /// Schedulers that were not recorded, for a part of the capture at least.
    pub threads: u64,
    /// Why not, of the last one: one clause for people.
    pub threads_reason: String,
}

impl OffCpuQuality {
    /// So many in so many seconds, to a tenth.
    #[must_use]
    pub fn per_second(count: u64, seconds: f64) -> f64 {
        match seconds > 0.0 {
            true => (count as f64 / seconds * 10.0).round() / 10.0,
            false => 0.0,
        }
    }

    /// Blocks in the stacks, which have none of the shorter ones; `None` where they were not recorded.
    #[must_use]
    pub fn in_stacks(&self) -> Option<u64> {
        let is_recorded = self.refused.is_none();
        is_recorded.then(|| self.blocks.saturating_sub(self.short_blocks))
    }

    /// The counts of the time after `earlier`, which took so many seconds. Blocks in progress are those of the whole capture.
    #[must_use]
    pub fn since(&self, earlier: &Self, seconds: f64) -> Self {
        let mut rest = self.clone();
        for (now, before) in rest.counts_mut().into_iter().zip(earlier.counts()) {
            *now = now.saturating_sub(before);
        }
        rest.switches_per_s = Self::per_second(rest.switches, seconds);
        rest
    }

    /// Blocked time that the samples have by its own blocks, and that which they may lack, at most: milliseconds. Of a capture
    /// that took so long, in which so many samples were not written. Shorter blocks than were requested are not lacking.
    #[must_use]
    pub fn sampled_and_missing_ms(&self, duration_ms: f64, unwritten: u64) -> [f64; 2] {
        let all_ms = self.blocked_ms as f64 + self.preempted_ms as f64;
        // Others stand for them, so that they are in the blocks and in their time.
        let left_out = self.left_out as f64 / self.blocks.max(1) as f64;
        let left_out_ms = (all_ms * left_out.min(1.0)).min(self.idle_or_left_out_ms as f64);
        let in_samples = self.blocks.saturating_sub(self.short_blocks).max(1);
        let unwritten_ms = all_ms / in_samples as f64 * unwritten as f64;
        let unseen_ms = self.threads as f64 * duration_ms;
        [
            all_ms - left_out_ms,
            self.unknown_ms as f64 + left_out_ms + unwritten_ms + unseen_ms,
        ]
    }

    fn counts(&self) -> [u64; COUNTS] {
        self.clone().counts_mut().map(|count| *count)
    }

    fn counts_mut(&mut self) -> [&mut u64; COUNTS] {
        [
            &mut self.switches,
            &mut self.blocks,
            &mut self.whole,
            &mut self.short_blocks,
            &mut self.short_ms,
            &mut self.thinned_ms,
            &mut self.left_out,
            &mut self.idle_or_left_out_ms,
            &mut self.blocked_ms,
            &mut self.preempted_ms,
            &mut self.idle_ms,
            &mut self.unmatched,
            &mut self.lost,
            &mut self.losses,
            &mut self.unknown_ms,
        ]
    }

    /// All of it in one line, for people.
    #[must_use]
    pub fn line(&self) -> String {
        if let Some(why) = &self.refused {
            return format!("off-cpu: not recorded: {why}");
        }
        let further = self.further().into_iter().filter(|(count, _)| *count > 0);
        let further: String = further.map(|(_, clause)| format!("; {clause}")).collect();
        format!(
            "off-cpu: {} ({} whole), {} blocked, {} preempted, {} idle; {} switches a second{further}",
            counted(self.blocks, "block"),
            self.whole,
            seconds(self.blocked_ms),
            seconds(self.preempted_ms),
            seconds(self.idle_ms),
            self.switches_per_s,
        )
    }

    /// Clauses of the line, each with the number without which it is left out.
    fn further(&self) -> [(u64, String); 7] {
        [
            (
                self.thinned_ms,
                format!(
                    "too many for {}: {} left out (others stand for those below 100 ms), and {} idle or in these",
                    seconds(self.thinned_ms),
                    counted(self.left_out, "block"),
                    seconds(self.idle_or_left_out_ms)
                ),
            ),
            (
                self.short_blocks,
                format!(
                    "{} shorter than {}, together {} ms, not in the stacks",
                    counted(self.short_blocks, "block"),
                    short_time(self.min_block_us),
                    self.short_ms
                ),
            ),
            (
                self.in_progress,
                format!("{} in progress", self.in_progress),
            ),
            (
                self.unseen_threads,
                format!(
                    "no switch of {}: their work is not known",
                    counted(self.unseen_threads, "scheduler")
                ),
            ),
            (
                self.unmatched,
                format!("{} without an end", counted(self.unmatched, "block")),
            ),
            (
                self.losses,
                format!(
                    "{} lost, {}: {} not known",
                    counted(self.lost, "record"),
                    counted(self.losses, "time"),
                    seconds(self.unknown_ms)
                ),
            ),
            (
                self.threads,
                format!(
                    "{} not recorded ({})",
                    counted(self.threads, "scheduler"),
                    self.threads_reason
                ),
            ),
        ]
    }
}

fn seconds(ms: u64) -> String {
    format!("{:.2} s", ms as f64 / 1000.0)
}

/// `100 µs`, `2 ms`.
fn short_time(us: u32) -> String {
    match us % 1_000 {
        0 => format!("{} ms", us / 1_000),
        _ => format!("{us} µs"),
    }
}

/// Counts that only ever grow.
const COUNTS: usize = 15;

#[cfg(test)]
mod tests {
    use super::*;

    fn quality() -> OffCpuQuality {
        OffCpuQuality {
            switches: 100,
            switches_per_s: 10.0,
            blocks: 40,
            whole: 39,
            blocked_ms: 3_200,
            preempted_ms: 40,
            idle_ms: 16_000,
            ..OffCpuQuality::default()
        }
    }

    #[test]
    fn the_line_has_what_is_not_known_only_where_there_is_such() {
        let whole = "off-cpu: 40 blocks (39 whole), 3.20 s blocked, 0.04 s preempted, 16.00 s idle; 10 switches a second";
        assert_eq!(quality().line(), whole);
        let lacking = OffCpuQuality {
            in_progress: 1,
            unseen_threads: 3,
            unmatched: 1,
            lost: 31,
            losses: 2,
            unknown_ms: 1_500,
            threads: 1,
            threads_reason: "too many open files".to_owned(),
            ..quality()
        };
        assert_eq!(
            lacking.line(),
            format!(
                "{whole}; 1 in progress; no switch of 3 schedulers: their work is not known; 1 block without an end; \
                 31 records lost, 2 times: 1.50 s not known; 1 scheduler not recorded (too many open files)"
            )
        );
        let fewer = OffCpuQuality {
            min_block_us: 100,
            short_blocks: 7,
            short_ms: 1,
            thinned_ms: 3_050,
            left_out: 41_000,
            idle_or_left_out_ms: 2_000,
            ..quality()
        };
        assert_eq!(
            fewer.line(),
            format!(
                "{whole}; too many for 3.05 s: 41000 blocks left out (others stand for those below \
                 100 ms), and 2.00 s idle or in these; 7 blocks shorter than 100 µs, together 1 ms, not in the stacks"
            )
        );
        let none_short = OffCpuQuality {
            min_block_us: 2_000,
            ..quality()
        };
        assert_eq!(none_short.line(), whole);
        assert_eq!(short_time(2_000), "2 ms");
        let refused = OffCpuQuality {
            refused: Some("the kernel may not be sampled here".to_owned()),
            ..OffCpuQuality::default()
        };
        let line = "off-cpu: not recorded: the kernel may not be sampled here";
        assert_eq!(refused.line(), line);
    }

    #[test]
    fn blocks_that_are_too_short_are_in_no_stack() {
        let fewer = OffCpuQuality {
            short_blocks: 7,
            ..quality()
        };
        assert_eq!(fewer.in_stacks(), Some(33));
        let refused = OffCpuQuality {
            refused: Some("the kernel may not be sampled here".to_owned()),
            ..OffCpuQuality::default()
        };
        assert_eq!(refused.in_stacks(), None);
    }

    #[test]
    fn blocked_time_that_samples_may_lack_is_bounded() {
        let of = |quality: OffCpuQuality, unwritten| {
            let [sampled_ms, missing_ms] = quality.sampled_and_missing_ms(10_000.0, unwritten);
            (sampled_ms, missing_ms)
        };
        assert_eq!(of(quality(), 0), (3_240.0, 0.0));
        // As many as there are.
        assert_eq!(of(quality(), 40), (3_240.0, 3_240.0));
        let lacking = OffCpuQuality {
            short_blocks: 7,
            short_ms: 1,
            unknown_ms: 1_500,
            threads: 1,
            ..quality()
        };
        assert_eq!(of(lacking, 0), (3_240.0, 11_500.0));
        // Half of the blocks stand for others, which schedulers had so much time for.
        let left_out = |idle_or_left_out_ms| OffCpuQuality {
            left_out: 20,
            idle_or_left_out_ms,
            ..quality()
        };
        assert_eq!(of(left_out(5_000), 0), (1_620.0, 1_620.0));
        assert_eq!(of(left_out(240), 0), (3_000.0, 240.0));
        assert_eq!(of(OffCpuQuality::default(), 0), (0.0, 0.0));
    }

    #[test]
    fn what_came_later_is_counted_alone() {
        let later = OffCpuQuality {
            switches: 160,
            blocked_ms: 4_000,
            in_progress: 2,
            short_blocks: 3,
            left_out: 9,
            min_block_us: 100,
            ..quality()
        };
        let rest = later.since(&quality(), 3.0);
        assert_eq!((rest.switches, rest.blocks, rest.blocked_ms), (60, 0, 800));
        assert_eq!((rest.switches_per_s, rest.in_progress), (20.0, 2));
        assert_eq!((rest.short_blocks, rest.left_out), (3, 9));
        assert_eq!(rest.min_block_us, 100);
        assert_eq!(OffCpuQuality::per_second(5, 0.0), 0.0);
    }
}
