//! Pages of a heap: the most recently requested ones are held, as many as there is room for.

use std::collections::VecDeque;

use target_memory::ReadError;

/// Words of a page: it is read with one call. The last one of a block may have fewer.
pub(super) const PAGE_WORDS: usize = 8192;

#[derive(Debug)]
pub(super) struct Pages {
    /// By number; empty when it is not held.
    held: Vec<Vec<u8>>,
    /// Requested since it came, or since it was last considered for making room.
    is_used: Vec<bool>,
    /// Those held, in the order in which room is looked for.
    order: VecDeque<usize>,
    bytes: usize,
    most_bytes: usize,
}

impl Pages {
    /// Of so many pages, none held; later at most so many bytes, and one page.
    pub fn of(count: usize, most_bytes: usize) -> Self {
        Self {
            held: vec![Vec::new(); count],
            is_used: vec![false; count],
            order: VecDeque::new(),
            bytes: 0,
            most_bytes,
        }
    }

    /// A page that is held.
    pub fn page(&mut self, number: usize) -> Option<&[u8]> {
        let bytes = self.held.get(number).filter(|bytes| !bytes.is_empty())?;
        if let Some(is_used) = self.is_used.get_mut(number) {
            *is_used = true;
        }
        Some(bytes)
    }

    /// Reads a page that is not held, and holds it.
    pub fn bring(
        &mut self,
        number: usize,
        len_bytes: usize,
        read: impl FnOnce(&mut [u8]) -> Result<(), ReadError>,
    ) -> Result<&[u8], ReadError> {
        let mut bytes = self.room(len_bytes);
        bytes.resize(len_bytes, 0);
        read(&mut bytes)?;
        self.bytes += len_bytes;
        self.order.push_back(number);
        let Some(place) = self.held.get_mut(number) else {
            return Ok(&[]);
        };
        *place = bytes;
        Ok(place)
    }

    /// Gives pages back until there is room for one more, and one of them for its memory.
    fn room(&mut self, len_bytes: usize) -> Vec<u8> {
        let mut left = Vec::new();
        while self.bytes + len_bytes > self.most_bytes
            && let Some(number) = self.order.pop_front()
        {
            if std::mem::take(&mut self.is_used[number]) {
                self.order.push_back(number);
                continue;
            }
            left = std::mem::take(&mut self.held[number]);
            self.bytes -= left.len();
        }
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bring(pages: &mut Pages, number: usize) {
        let value = number as u8;
        let read = pages.bring(number, 16, |bytes| {
            bytes.fill(value);
            Ok(())
        });
        assert_eq!(read.unwrap(), [value; 16]);
    }

    #[test]
    fn pages_read_again_stay_and_no_more_are_held_than_there_is_room_for() {
        let mut pages = Pages::of(100, 4 * 16 + 15);
        for number in 0..4 {
            bring(&mut pages, number);
        }
        assert_eq!(pages.page(0), Some(&[0; 16][..]));
        for number in 4..100 {
            bring(&mut pages, number);
            assert_eq!(pages.bytes, 4 * 16);
            assert_eq!(pages.order.len(), 4);
            assert!(pages.page(0).is_some(), "{number}");
        }
        assert_eq!(pages.page(1), None);
        assert_eq!(pages.page(99), Some(&[99; 16][..]));
    }

    #[test]
    fn what_cannot_be_read_is_not_held() {
        let mut pages = Pages::of(1, 0);
        let kind = target_memory::ReadErrorKind::Unmapped;
        let failed = pages.bring(0, 16, |_| Err(ReadError::new(8, 16, kind)));
        assert!(failed.is_err());
        assert!(pages.page(0).is_none() && pages.bytes == 0);
        bring(&mut pages, 0);
        assert_eq!(pages.page(0), Some(&[0; 16][..]), "one has room always");
    }
}
