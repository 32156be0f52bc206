//! Remarks on the cost of sampling where the user set a limit.

use capture::quality::{OverheadQuality, QualityRecord};

/// For the progress line: empty while the rate is the requested one.
pub fn rate_now(quality: &QualityRecord) -> String {
    match &quality.overhead {
        Some(it) if it.now_hz < f64::from(it.asked_hz) => format!(
            ", {} of {} Hz to cost at most {} % of a core",
            it.now_hz, it.asked_hz, it.max_pct
        ),
        _ => String::new(),
    }
}

/// For the summary: empty where nothing was done and nothing had to be.
pub fn figures(quality: &QualityRecord) -> String {
    let Some(it) = &quality.overhead else {
        return String::new();
    };
    let lowered = lowered(it);
    if !it.not_kept {
        return lowered;
    }
    let cost = it.own_pct.max(it.target_pct);
    format!(
        "{lowered}; the limit of {} % is not kept: the recent cost is {cost} %, which a lower rate would not change",
        it.max_pct
    )
}

fn lowered(it: &OverheadQuality) -> String {
    match it.changes {
        0 if it.seldom_looks => format!(
            "; loaded code read less often, to cost at most {} % of a core",
            it.max_pct
        ),
        0 => String::new(),
        changes => format!(
            "; rate lowered from {} Hz to {} Hz at the least, for {} s ({changes} changes), to cost at most {} % of a core",
            it.asked_hz, it.lowest_hz, it.lowered_s, it.max_pct
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quality(overhead: Option<OverheadQuality>) -> QualityRecord {
        QualityRecord {
            overhead,
            ..QualityRecord::default()
        }
    }

    #[test]
    fn there_is_no_line_where_nothing_was_done() {
        let kept = OverheadQuality {
            asked_hz: 99,
            now_hz: 99.0,
            ..OverheadQuality::default()
        };
        for quality in [quality(None), quality(Some(kept))] {
            assert_eq!(rate_now(&quality) + &figures(&quality), "");
        }
    }

    #[test]
    fn a_lowered_rate_is_shown_during_the_capture_and_afterwards() {
        let lowered = quality(Some(OverheadQuality {
            max_pct: 1.0,
            own_pct: 1.4,
            asked_hz: 99,
            now_hz: 24.8,
            lowest_hz: 12.4,
            changes: 3,
            lowered_s: 55.1,
            not_kept: true,
            ..OverheadQuality::default()
        }));
        assert_eq!(
            rate_now(&lowered),
            ", 24.8 of 99 Hz to cost at most 1 % of a core"
        );
        assert_eq!(
            figures(&lowered),
            "; rate lowered from 99 Hz to 12.4 Hz at the least, for 55.1 s (3 changes), to cost at \
             most 1 % of a core; the limit of 1 % is not kept: the recent cost is 1.4 %, which a lower \
             rate would not change"
        );
    }
}
