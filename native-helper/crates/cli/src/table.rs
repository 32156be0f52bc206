//! Columns of text.

/// Where a column's text goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// To the left; the last column is not filled up.
    Left,
    /// To the right: numbers.
    Right,
}

/// Rows under headings, each column as wide as its widest cell.
pub fn render(columns: &[(&str, Align)], rows: &[Vec<String>]) -> String {
    let cell = |row: &Vec<String>, index: usize| row.get(index).cloned().unwrap_or_default();
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
    let mut out = String::new();
    for row in std::iter::once(&headings).chain(rows) {
        let mut line = String::new();
        for (index, ((_, align), width)) in columns.iter().zip(&widths).enumerate() {
            let text = cell(row, index);
            match align {
                Align::Left => line.push_str(&format!("{text:<width$}  ")),
                Align::Right => line.push_str(&format!("{text:>width$}  ")),
            }
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// `12.3 %` as `12.3`.
pub fn percent(value: f64) -> String {
    format!("{value:.1}")
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
        assert_eq!(text, "   %  name\n 1.5  a\n10.0  bb\n");
    }
}
