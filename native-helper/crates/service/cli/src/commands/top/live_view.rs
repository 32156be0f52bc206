//! What a table that refreshes shows, and what keys do to it.

use capture::percent_of::SAMPLES;
use capture::top::{Top, TopRow};
use shared_sort::SharedSort;

use super::rows::{function_lines, has_own_function};
use crate::terminal::screen::Size;

const CTRL_C: char = '\u{3}';
const ESCAPE: char = '\u{1b}';
/// Backspace, as one terminal or another sends it.
const BACKSPACES: [char; 2] = ['\u{8}', '\u{7f}'];
/// Longer filters fit no name that is worth looking for.
const MAX_FILTER_CHARS: usize = 200;

/// What the rows are sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Time that counts for own code.
    Own,
    /// Time in the function itself.
    Itself,
    /// Time in the function and its callees.
    Total,
    /// The alphabet.
    Name,
}

/// The part of the samples to show.
#[derive(Debug)]
pub struct LiveView {
    order: Order,
    has_own: bool,
    filter: String,
    is_typing: bool,
    /// At most so many functions, however large the terminal is; 0 for as many as there is room for.
    most: usize,
}

/// Whether to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pressed {
    /// There may be something new to show.
    Continue,
    /// The user ended it.
    Quit,
}

impl LiveView {
    /// A view in this order. `has_own`: own time is known.
    pub fn new(order: Order, has_own: bool, most: usize) -> Self {
        Self {
            order,
            has_own,
            filter: String::new(),
            is_typing: false,
            most,
        }
    }

    /// Handles input that arrived at once: a key, or a key that the terminal sends as several
    /// characters.
    pub fn press(&mut self, typed: &str) -> Pressed {
        // Arrows and the like mean nothing here; the escape key comes alone.
        if typed.len() > 1 && typed.starts_with(ESCAPE) {
            return Pressed::Continue;
        }
        for key in typed.chars() {
            if key == CTRL_C || (key == 'q' && !self.is_typing) {
                return Pressed::Quit;
            }
            match self.is_typing {
                true => self.type_filter(key),
                false => self.choose(key),
            }
        }
        Pressed::Continue
    }

    fn choose(&mut self, key: char) {
        match key {
            'o' if self.has_own => self.order = Order::Own,
            's' => self.order = Order::Itself,
            't' => self.order = Order::Total,
            'n' => self.order = Order::Name,
            '/' => {
                self.filter.clear();
                self.is_typing = true;
            }
            ESCAPE => self.filter.clear(),
            _ => {}
        }
    }

    fn type_filter(&mut self, key: char) {
        match key {
            '\r' | '\n' => self.is_typing = false,
            ESCAPE => {
                self.filter.clear();
                self.is_typing = false;
            }
            key if BACKSPACES.contains(&key) => {
                self.filter.pop();
            }
            key if key.is_control() => {}
            key if self.filter.chars().count() < MAX_FILTER_CHARS => self.filter.push(key),
            _ => {}
        }
    }

    /// The lines to show: the remarks above the table, the rows that fit, and the keys.
    pub fn lines(&self, top: &Top, whole: u64, above: &[String], size: Size) -> Vec<String> {
        let mut rows: Vec<TopRow> = top.functions.clone();
        let has_own_time = rows.iter().any(has_own_function);
        if self.order == Order::Own && has_own_time {
            rows.retain(|row| row.own_samples > Some(0));
        }
        let wanted = self.filter.to_lowercase();
        rows.retain(|row| row.function.to_lowercase().contains(&wanted));
        rows.shared_sort_by(|a, b| {
            let by = |row: &TopRow| match self.order {
                Order::Own => (row.own_samples, row.self_samples),
                Order::Itself => (Some(row.self_samples), row.total_samples),
                Order::Total => (Some(row.total_samples), row.self_samples),
                Order::Name => (None, 0),
            };
            by(b).cmp(&by(a)).then_with(|| a.function.cmp(&b.function))
        });
        let mut lines = above.to_vec();
        // The heading of the table and the line of keys.
        let room = size.rows.saturating_sub(lines.len() + 2);
        rows.truncate(match self.most {
            0 => room,
            most => most.min(room),
        });
        lines.extend(function_lines(&rows, whole, self.has_own, SAMPLES));
        lines.resize(size.rows.saturating_sub(1), String::new());
        lines.push(self.keys());
        lines
    }

    fn keys(&self) -> String {
        if self.is_typing {
            return format!("filter: {}_   (Enter keeps it, Esc clears it)", self.filter);
        }
        let orders = [
            (Order::Own, "o own"),
            (Order::Itself, "s self"),
            (Order::Total, "t total"),
            (Order::Name, "n name"),
        ];
        let mut keys = String::from("sort:");
        for (order, text) in orders {
            if order == Order::Own && !self.has_own {
                continue;
            }
            match order == self.order {
                true => keys.push_str(&format!(" [{text}]")),
                false => keys.push_str(&format!("  {text} ")),
            }
        }
        keys.push_str("   / filter");
        if !self.filter.is_empty() {
            keys.push_str(&format!(": {}", self.filter));
        }
        keys + "   q quit"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use capture::sample::FrameKind;

    const SIZE: Size = Size {
        rows: 8,
        columns: 80,
    };

    fn top() -> Top {
        let row = |function: &str, own, itself, total| TopRow {
            function: function.to_owned(),
            kind: FrameKind::Erlang,
            file: String::new(),
            line: 0,
            called_from: None,
            own_samples: Some(own),
            own_pct: Some(own as f64),
            self_samples: itself,
            total_samples: total,
            self_pct: itself as f64,
            total_pct: total as f64,
            self_busy_pct: 0.0,
            total_busy_pct: 0.0,
        };
        Top {
            samples: 100,
            busy: 100,
            functions: vec![
                row("shop:b/1", 60, 1, 60),
                row("shop:a/1", 30, 5, 90),
                row("Enum.map/2", 0, 80, 80),
            ],
            quality: None,
        }
    }

    fn shown(view: &LiveView) -> Vec<String> {
        let lines = view.lines(&top(), 100, &["100 samples".to_owned()], SIZE);
        assert_eq!(lines.len(), SIZE.rows);
        assert_eq!(lines[0], "100 samples");
        let names = ["shop:a/1", "shop:b/1", "Enum.map/2"];
        let rows = lines[2..].iter().filter_map(|line| {
            let name = names.iter().find(|name| line.contains(**name))?;
            Some((*name).to_owned())
        });
        rows.collect()
    }

    #[test]
    fn keys_sort() {
        let mut view = LiveView::new(Order::Own, true, 0);
        assert_eq!(shown(&view), ["shop:b/1", "shop:a/1"]);
        for (key, order) in [
            ("s", ["Enum.map/2", "shop:a/1", "shop:b/1"]),
            ("t", ["shop:a/1", "Enum.map/2", "shop:b/1"]),
            ("n", ["Enum.map/2", "shop:a/1", "shop:b/1"]),
            ("\u{1b}[A", ["Enum.map/2", "shop:a/1", "shop:b/1"]),
        ] {
            assert_eq!(view.press(key), Pressed::Continue);
            assert_eq!(shown(&view), order, "{key:?}");
        }
        view.press("o");
        assert_eq!(shown(&view), ["shop:b/1", "shop:a/1"]);
        let mut without = LiveView::new(Order::Itself, false, 1);
        without.press("o");
        assert_eq!(shown(&without), ["Enum.map/2"]);
    }

    #[test]
    fn a_filter_is_typed_corrected_kept_and_cleared() {
        let mut view = LiveView::new(Order::Itself, true, 0);
        view.press("/");
        view.press("SHOPx");
        assert!(shown(&view).is_empty());
        view.press("\u{7f}");
        // While it is typed, no key is a command.
        assert_eq!(view.press("q"), Pressed::Continue);
        view.press("\u{8}");
        assert_eq!(shown(&view), ["shop:a/1", "shop:b/1"]);
        view.press("\r");
        view.press("t");
        let keys = view.lines(&top(), 100, &[], SIZE).pop().unwrap();
        assert!(
            keys.contains("[t total]") && keys.contains("filter: SHOP"),
            "{keys}"
        );
        view.press("\u{1b}");
        assert_eq!(shown(&view).len(), 3);
        view.press("/");
        view.press("none");
        view.press("\u{1b}");
        assert_eq!(shown(&view).len(), 3);
    }

    #[test]
    fn q_and_ctrl_c_quit() {
        let mut view = LiveView::new(Order::Itself, false, 0);
        assert_eq!(view.press("q"), Pressed::Quit);
        view.press("/");
        assert_eq!(view.press("\u{3}"), Pressed::Quit);
    }

    #[test]
    fn a_terminal_of_no_height_is_no_reason_to_panic() {
        let view = LiveView::new(Order::Own, true, 0);
        for rows in 0..5 {
            let size = Size { rows, columns: 1 };
            view.lines(&top(), 100, &["a".to_owned(), "b".to_owned()], size);
        }
    }
}
