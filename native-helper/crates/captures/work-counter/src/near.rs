//! Names like the one that is not there.

use shared_sort::SharedSort;

/// Longer names are like none.
const MAX_NAME: usize = 200;
/// The most names that are listed.
const MOST: usize = 3;

/// The nearest names, the nearest first: those that hold the wanted one or are held by it, and those
/// that a few letters make of it.
pub(crate) fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut found: Vec<(usize, &str)> = names
        .into_iter()
        .filter_map(|name| Some((distance(wanted, name)?, name)))
        .collect();
    found.shared_sort();
    found.dedup();
    let nearest = found.into_iter().take(MOST);
    nearest.map(|(_, name)| name.to_owned()).collect()
}

/// How many letters differ; `None` when the names have nothing to do with each other.
fn distance(wanted: &str, name: &str) -> Option<usize> {
    if wanted.len() > MAX_NAME || name.len() > MAX_NAME {
        return None;
    }
    if name.contains(wanted) || wanted.contains(name) {
        return Some(name.len().abs_diff(wanted.len()));
    }
    let edits = edits(wanted.as_bytes(), name.as_bytes());
    (edits <= wanted.len() / 3).then_some(edits)
}

/// Letters to add, leave out or replace (Levenshtein).
fn edits(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (number, of_a) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = number + 1;
        for (column, of_b) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(of_a != of_b);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_come_first_and_strangers_not_at_all() {
        let names = [
            "orders_total",
            "shop_orders_total",
            "order_totals",
            "memory_bytes",
        ];
        assert_eq!(
            nearest("orders_totl", names),
            ["orders_total", "order_totals"]
        );
        assert_eq!(
            nearest("orders", names),
            ["orders_total", "shop_orders_total"]
        );
        assert!(nearest("x", ["memory_bytes"]).is_empty());
        assert_eq!(edits(b"kitten", b"sitting"), 3);
        assert_eq!(edits(b"", b"abc"), 3);
    }
}
