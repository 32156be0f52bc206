//! Where the lines of a text are in a later one.

use imara_diff::{Algorithm, Diff, InternedInput};

/// From a line of one text to the same line of another.
#[derive(Debug)]
pub struct LineMap {
    /// Of each run of equal lines: first in the old text, first in the new text, how many; from 0.
    equal: Vec<(u32, u32, u32)>,
}

impl LineMap {
    pub fn between(old: &str, new: &str) -> Self {
        let input = InternedInput::new(old, new);
        let mut diff = Diff::compute(Algorithm::Histogram, &input);
        diff.postprocess_lines(&input);
        let (mut old_line, mut new_line) = (0, 0);
        let mut equal = Vec::new();
        for hunk in diff.hunks() {
            equal.push((old_line, new_line, hunk.before.start - old_line));
            (old_line, new_line) = (hunk.before.end, hunk.after.end);
        }
        equal.push((old_line, new_line, input.before.len() as u32 - old_line));
        Self { equal }
    }

    /// The line, from 1, that a line is in the new text; `None` when it changed or is gone.
    pub fn get(&self, line: u32) -> Option<u32> {
        let line = line.checked_sub(1)?;
        let mut runs = self.equal.iter();
        let run = runs.find(|(old, _, len)| (*old..old + len).contains(&line))?;
        Some(run.1 + (line - run.0) + 1)
    }
}

/// How alike two lists of lines or words are, from 0 to 1.
pub fn likeness(a: &[impl AsRef<str>], b: &[impl AsRef<str>]) -> f64 {
    let mut input = InternedInput::default();
    input.update_before(a.iter().map(AsRef::as_ref));
    input.update_after(b.iter().map(AsRef::as_ref));
    let diff = Diff::compute(Algorithm::Myers, &input);
    let equal = a.len() as f64 - f64::from(diff.count_removals());
    2.0 * equal / (a.len() + b.len()).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_where_it_went() {
        let map = LineMap::between("a\nb\nc\nd\n", "x\na\nb\nC\nd\n");
        let lines: Vec<_> = (0..6).map(|line| map.get(line)).collect();
        assert_eq!(lines, [None, Some(2), Some(3), None, Some(5), None]);
    }

    #[test]
    fn likeness_is_the_share_of_equal_lines() {
        let lines = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert!((likeness(&lines("a b c d"), &lines("a b c e")) - 0.75).abs() < 1e-6);
        assert!((likeness(&lines("a"), &lines("a")) - 1.0).abs() < 1e-6);
    }
}
