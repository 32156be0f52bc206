//! A series as one line of blocks.

use compare::history_answer::Series;

const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Wider lines break.
const WIDEST: usize = 100;

/// A block for each commit, the newest last; a bar stands before each step. Of more commits than a line
/// has room for, the newest.
pub fn line(series: &Series) -> String {
    let hidden = series.points.len().saturating_sub(WIDEST);
    let shown = &series.points[hidden..];
    let values = || shown.iter().map(|point| point.value);
    let (least, most) = (
        values().fold(f64::INFINITY, f64::min),
        values().fold(f64::NEG_INFINITY, f64::max),
    );
    let mut line = String::new();
    for (position, value) in values().enumerate() {
        if series.steps.iter().any(|step| step.at == position + hidden) {
            line.push('|');
        }
        // From nothing, unless that would show no difference.
        let height = match most > 0.0 && most.is_finite() {
            true if least < most / 2.0 => value / most,
            true => 0.2 + 0.8 * (value - least) / (most - least).max(most * 0.05),
            false => 0.0,
        };
        let block = (height * (BLOCKS.len() - 1) as f64).round() as usize;
        line.push(BLOCKS[block.min(BLOCKS.len() - 1)]);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use compare::Measure;
    use compare::history_answer::{HistoryNoise, HistoryPoint, SeriesOf};

    fn series(values: &[f64]) -> Series {
        let point = |value: &f64| HistoryPoint {
            value: *value,
            low: 0.0,
            high: 0.0,
            samples: 1,
            captures: vec![*value],
        };
        Series {
            of: SeriesOf::Whole,
            function: None,
            measure: Measure::Cpu,
            unit: String::new(),
            points: values.iter().map(point).collect(),
            steps: Vec::new(),
            latest: None,
            commits_lacking: 0,
            unlike: Vec::new(),
            beside: Vec::new(),
            noise: HistoryNoise {
                of_runs_pct: 0.0,
                of_commits_pct: 0.0,
                is_measured: false,
            },
        }
    }

    #[test]
    fn larger_values_have_larger_blocks_and_odd_ones_any() {
        assert_eq!(line(&series(&[0.0, 5.0, 10.0])), "▁▅█");
        assert_eq!(line(&series(&[])), "");
        assert_eq!(line(&series(&[0.0, 0.0])), "▁▁");
        for odd in [f64::NAN, f64::INFINITY, -1.0] {
            assert_eq!(line(&series(&[1.0, odd])).chars().count(), 2);
        }
        assert_eq!(line(&series(&[1.0; 500])).chars().count(), WIDEST);
    }
}
