//! The contents behind a header, as text: tuples, maps, binaries wherever their bytes are, numbers.

use target_memory::{TargetMemory, address_at, bytes_to_words};
use vm_layout::process_details::{PART_FLAGS, PART_MAY_MOVE, PartFormat};

use super::{Enough, Left, Limits, Shown, TermText, shortened};
use crate::{Boxed, Term};

/// Digits of 64 bits of an integer that is shown.
const MAX_DIGITS: u64 = 2;
/// Of the header of a map: its kind, 0 for one whose keys are a tuple.
const MAP_KIND_SHIFT: u32 = 6;
const MAP_KIND_BITS: u64 = 3;
/// Keys of such a map.
const MAX_KEYS: u64 = 32;
/// No binary is longer than memory.
const MAX_BITS: u64 = 1 << 50;

/// Bits in memory.
struct Bits {
    /// Where their first byte is.
    address: u64,
    /// How many there are.
    count: u64,
}

impl<M: TargetMemory> TermText<'_, M> {
    pub(super) fn boxed(&mut self, address: u64, depth: u32, left: &mut Left) -> Shown {
        let header = self.words(address, 1, left)?[0];
        let boxed = Boxed::of(header).ok_or(Enough)?;
        match boxed.subtag {
            Boxed::TUPLE => return self.tuple(address, boxed.words, depth, left),
            subtag if subtag == self.heap.map => {
                let is_flat = header >> MAP_KIND_SHIFT & MAP_KIND_BITS == 0;
                return match is_flat {
                    true => self.map(address, depth, left),
                    false => {
                        left.push("#Map");
                        Ok(())
                    }
                };
            }
            Boxed::FLOAT => {
                let bits = self.words(address_at(address, 8).map_err(|_| Enough)?, 1, left)?[0];
                left.push(&float(f64::from_bits(bits)));
            }
            Boxed::POSITIVE_INTEGER | Boxed::NEGATIVE_INTEGER if boxed.words <= MAX_DIGITS => {
                let first = address_at(address, 8).map_err(|_| Enough)?;
                let digits = self.words(first, boxed.words as usize, left)?;
                let value = digits.iter().rev();
                let value = value.fold(0, |value: u128, digit| value << 64 | u128::from(*digit));
                let sign = if boxed.subtag == Boxed::NEGATIVE_INTEGER {
                    "-"
                } else {
                    ""
                };
                left.push(&format!("{sign}{value}"));
            }
            subtag => match self.bits(address, subtag, left)? {
                Some(bits) => self.binary(&bits, left)?,
                None => left.push(kind_of(subtag)),
            },
        }
        Ok(())
    }

    fn tuple(&mut self, address: u64, arity: u64, depth: u32, left: &mut Left) -> Shown {
        let arity = usize::try_from(arity).map_err(|_| Enough)?;
        let shown = arity.min(left.limits.width);
        let first = address_at(address, 8).map_err(|_| Enough)?;
        let elements = self.words(first, shown, left)?;
        left.push("{");
        for (index, element) in elements.into_iter().enumerate() {
            if index > 0 {
                left.push(",");
            }
            self.term(element, depth + 1, left)?;
        }
        left.push(if shown < arity { ",…}" } else { "}" });
        Ok(())
    }

    /// A map whose keys are a tuple: how many, the tuple, then the values in its order.
    fn map(&mut self, address: u64, depth: u32, left: &mut Left) -> Shown {
        let field = |offset| address_at(address, offset).map_err(|_| Enough);
        let head = self.words(field(8)?, 2, left)?;
        let (count, Term::Boxed(keys)) = (head[0], Term::of(head[1])) else {
            return Err(Enough);
        };
        if count > MAX_KEYS {
            return Err(Enough);
        }
        let shown = (count as usize).min(left.limits.width);
        let keys = self.words(address_at(keys, 8).map_err(|_| Enough)?, shown, left)?;
        let values = self.words(field(24)?, shown, left)?;
        left.push("#{");
        for (index, (key, value)) in keys.into_iter().zip(values).enumerate() {
            if index > 0 {
                left.push(",");
            }
            self.term(key, depth + 1, left)?;
            left.push(" => ");
            self.term(value, depth + 1, left)?;
        }
        left.push(if (shown as u64) < count { ",…}" } else { "}" });
        Ok(())
    }

    /// Where the bits of a binary are; `None` when it is none.
    fn bits(&self, address: u64, subtag: u64, left: &mut Left) -> Result<Option<Bits>, Enough> {
        let format = self.binary;
        if subtag == format.on_heap_subtag {
            let size = self.words(address_at(address, 8).map_err(|_| Enough)?, 1, left)?[0];
            return Ok(Some(Bits {
                address: address_at(address, 16).map_err(|_| Enough)?,
                count: size.checked_mul(format.on_heap_unit_bits).ok_or(Enough)?,
            }));
        }
        if subtag == format.reference_subtag {
            return self.referred(address, left).map(Some);
        }
        let is_part = Some(subtag) == self.heap.term_behind || Some(subtag) == self.heap.term_last;
        if !is_part {
            return Ok(None);
        }
        let words = self.words(address_at(address, 8).map_err(|_| Enough)?, 4, left)?;
        let [first, second, third, whole] = words[..] else {
            return Err(Enough);
        };
        // It may be of a binary outside of the heap or, before OTP 27, of one on it.
        let of_whole = |left: &mut Left| {
            let Term::Boxed(address) = Term::of(whole) else {
                return Err(Enough);
            };
            let header = self.words(address, 1, left)?[0];
            let subtag = Boxed::of(header).ok_or(Enough)?.subtag;
            let is_whole = [format.reference_subtag, format.on_heap_subtag].contains(&subtag);
            let bits = if is_whole {
                self.bits(address, subtag, left)?
            } else {
                None
            };
            bits.ok_or(Enough)
        };
        let (base, start, count) = match format.part {
            PartFormat::OfReference { .. } => {
                let [more_bits, later_bits, ..] = third.to_le_bytes();
                if later_bits != 0 {
                    return Ok(None);
                }
                let count = first.checked_mul(8).ok_or(Enough)?;
                let count = count.checked_add(more_bits.into()).ok_or(Enough)?;
                (of_whole(left)?.address, second, count)
            }
            PartFormat::OfAddress => {
                let base = match first & PART_MAY_MOVE {
                    0 => first & !PART_FLAGS,
                    _ => of_whole(left)?.address,
                };
                if second % 8 != 0 {
                    return Ok(None);
                }
                (base, second / 8, third.checked_sub(second).ok_or(Enough)?)
            }
        };
        Ok(Some(Bits {
            address: address_at(base, start).map_err(|_| Enough)?,
            count,
        }))
    }

    /// The bits of a binary outside of the heap, all of them.
    fn referred(&self, address: u64, left: &mut Left) -> Result<Bits, Enough> {
        let format = self.binary;
        let field = |offset: usize| address_at(address, offset as u64).map_err(|_| Enough);
        let binary = self.words(field(format.binary)?, 1, left)?[0];
        let of_binary = |offset: usize| address_at(binary, offset as u64).map_err(|_| Enough);
        let (bytes, content) = match format.part {
            // The reference has both: while a binary grows there is more room than bytes.
            PartFormat::OfReference { content } => (
                self.words(field(8)?, 1, left)?[0],
                self.words(field(content)?, 1, left)?[0],
            ),
            PartFormat::OfAddress => (
                self.words(of_binary(format.size)?, 1, left)?[0],
                of_binary(format.content)?,
            ),
        };
        Ok(Bits {
            address: content,
            count: bytes.checked_mul(8).ok_or(Enough)?,
        })
    }

    /// How many bits the binary at `address` has, and its bytes as words, with zeros behind the last bit; `None` when
    /// it is none, or longer.
    pub(crate) fn binary_bits(&self, address: u64, most_bytes: usize) -> Option<(u64, Vec<u64>)> {
        let mut left = Left::new(Limits::LABEL);
        let header = *self.words(address, 1, &mut left).ok()?.first()?;
        let subtag = Boxed::of(header)?.subtag;
        let bits = self.bits(address, subtag, &mut left).ok()??;
        let len_bytes = usize::try_from(bits.count.div_ceil(8)).ok()?;
        let mut bytes = match len_bytes {
            0 => Vec::new(),
            _ => self
                .memory
                .read_vec(bits.address, len_bytes, most_bytes)
                .ok()?,
        };
        if let (Some(last), more @ 1..) = (bytes.last_mut(), bits.count % 8) {
            *last &= !(0xff >> more);
        }
        bytes.resize(len_bytes.next_multiple_of(8), 0);
        Some((bits.count, bytes_to_words(&bytes).collect()))
    }

    fn binary(&self, bits: &Bits, left: &mut Left) -> Shown {
        if bits.count > MAX_BITS {
            return Err(Enough);
        }
        let len_bytes = usize::try_from(bits.count / 8).map_err(|_| Enough)?;
        let most = left.limits.string_chars * 4;
        left.take_read()?;
        let bytes = self
            .memory
            .read_vec(bits.address, len_bytes.min(most), most);
        let bytes = bytes.map_err(|_| Enough)?;
        // A character may be cut in two.
        let text = match std::str::from_utf8(&bytes) {
            Ok(text) => Some(text),
            Err(error) if error.error_len().is_none() && len_bytes > most => {
                let whole = bytes.get(..error.valid_up_to()).unwrap_or_default();
                std::str::from_utf8(whole).ok()
            }
            Err(_) => None,
        };
        let is_text =
            |text: &&str| bits.count.is_multiple_of(8) && text.chars().all(|one| !one.is_control());
        match text.filter(is_text) {
            Some(text) => {
                let text = shortened(text, len_bytes <= most, left.limits.string_chars);
                left.push(&format!("<<{text}>>"));
            }
            None => left.push("#Binary"),
        }
        Ok(())
    }
}

/// As Erlang prints it: with a point in any case.
fn float(value: f64) -> String {
    let text = format!("{value:?}");
    match text.split_once('e') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0e{exponent}"),
        _ => text,
    }
}

/// A term that is not shown by its contents. Subtags differ by release except for these.
fn kind_of(subtag: u64) -> &'static str {
    match subtag {
        Boxed::POSITIVE_INTEGER | Boxed::NEGATIVE_INTEGER => "#Integer",
        Boxed::REFERENCE => "#Ref",
        5 => "#Fun",
        _ => "#Term",
    }
}
