//! The part kept of a program's error messages.

/// Bytes of its start, and as many of its end.
const KEPT_BYTES: usize = 4096;

/// The start, where most programs name the error, and the end, where they report how they ended.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    start: Vec<u8>,
    end: Vec<u8>,
    is_cut: bool,
}

impl Messages {
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        let room = KEPT_BYTES.saturating_sub(self.start.len());
        let (first, rest) = bytes.split_at(bytes.len().min(room));
        self.start.extend_from_slice(first);
        self.end.extend_from_slice(rest);
        let too_many = self.end.len().saturating_sub(KEPT_BYTES);
        self.is_cut |= too_many > 0;
        self.end.drain(..too_many);
    }

    pub(crate) fn text(&self) -> String {
        let between: &[u8] = if self.is_cut { b"\n...\n" } else { b"" };
        String::from_utf8_lossy(&[&self.start, between, &self.end].concat()).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_and_the_end_are_kept() {
        let mut messages = Messages::default();
        messages.add(b"dubious ownership\n");
        for _ in 0..1000 {
            messages.add(b"one of very many lines\n");
        }
        messages.add(b"http status 404\n");
        let text = messages.text();
        assert!(text.starts_with("dubious ownership\n"));
        assert!(text.contains("\n...\n"));
        assert!(text.ends_with("lines\nhttp status 404\n"));
        assert!(text.len() <= 2 * KEPT_BYTES + 5, "{}", text.len());
    }

    #[test]
    fn short_ones_are_kept_whole() {
        let mut messages = Messages::default();
        messages.add(&[b'a'; KEPT_BYTES - 1]);
        messages.add(b"bcd");
        assert_eq!(messages.text().len(), KEPT_BYTES + 2);
        assert!(messages.text().ends_with("abcd"));
    }
}
