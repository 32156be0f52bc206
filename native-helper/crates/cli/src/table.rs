//! Columns of text.

use capture::visible::visible;

/// Where a column's text goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// To the left; the last column is not filled up.
    Left,
    /// To the right: numbers.
    Right,
}

/// Rows under headings, each column as wide as its widest cell as it is shown. One line each.
pub fn render(columns: &[(&str, Align)], rows: &[Vec<String>]) -> Vec<String> {
    let cell = |row: &Vec<String>, index: usize| {
        let text = row.get(index).map_or("", String::as_str);
        visible(text).into_owned()
    };
    let width = |index: usize| {
        let cells = rows.iter().map(|row| cell(row, index).chars().count());
        cells
            .max()
            .unwrap_or(0)
            .max(columns[index].0.chars().count())
    };
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    let headings = columns
        .iter()
        .map(|(heading, _)| (*heading).to_owned())
        .collect();
    let mut lines = Vec::with_capacity(rows.len() + 1);
    for row in std::iter::once(&headings).chain(rows) {
        let mut line = String::new();
        for (index, ((_, align), width)) in columns.iter().zip(&widths).enumerate() {
            let text = cell(row, index);
            match align {
                Align::Left => line.push_str(&format!("{text:<width$}  ")),
                Align::Right => line.push_str(&format!("{text:>width$}  ")),
            }
        }
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// `12.3 %` as `12.3`.
pub fn percent(value: f64) -> String {
    format!("{value:.1}")
}

/// Bytes as a number of 10^6, with digits enough for what is small.
pub fn megabytes(bytes: u64) -> String {
    format!("{:.2}", bytes as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = vec![
            vec!["1.5".into(), "a".into()],
            vec!["10.0".into(), "bb".into()],
        ];
        let text = render(&[("%", Align::Right), ("name", Align::Left)], &rows);
        assert_eq!(text, ["   %  name", " 1.5  a", "10.0  bb"]);
    }

    #[test]
    fn a_name_with_a_line_break_and_an_escape_sequence_stays_one_visible_cell() {
        let rows = vec![
            vec!["a\n\u{1b}[2J".into(), "1".into()],
            vec!["b".into(), "2".into()],
        ];
        let text = render(&[("name", Align::Left), ("n", Align::Left)], &rows);
        assert_eq!(
            text,
            ["name          n", r"a\n\u{1b}[2J  1", "b             2"]
        );
    }
}
