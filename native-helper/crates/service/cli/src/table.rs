//! Columns of text.

use capture::visible::shown_name;

/// The alignment of a column's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// To the left; the last column is not filled up.
    Left,
    /// To the right: numbers.
    Right,
}

/// Rows under headings, each column as wide as its widest cell as it is shown, where names that are too long
/// are cut. One line each.
pub fn render(columns: &[(&str, Align)], rows: &[Vec<String>]) -> Vec<String> {
    let cell = |row: &Vec<String>, index: usize| {
        let text = row.get(index).map_or("", String::as_str);
        shown_name(text).into_owned()
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

/// Bytes as a number of 10^6, with enough digits for small values.
pub fn megabytes(bytes: u64) -> String {
    format!("{:.2}", bytes as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use capture::visible::LONGEST_NAME;

    #[test]
    fn columns_line_up() {
        let rows = vec![
            vec!["1.5".into(), "a".into()],
            vec!["10.0".into(), "bb".into()],
        ];
        let text = render(&[("%", Align::Right), ("name", Align::Left)], &rows);
        assert_eq!(text, ["   %  name", " 1.5  a", "10.0  bb"]);
    }

    /// The widths of the standard library's formatting end at 65,535.
    #[test]
    fn a_name_of_any_length_has_a_row() {
        for length in [LONGEST_NAME + 1, 65_535, 65_536, 1 << 20] {
            let rows = vec![vec!["n".repeat(length), "1".into()]];
            for align in [Align::Left, Align::Right] {
                let text = render(&[("name", align), ("n", Align::Left)], &rows);
                let cut = format!("{}…  1", "n".repeat(LONGEST_NAME - 1));
                assert_eq!(text[1], cut);
            }
        }
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
