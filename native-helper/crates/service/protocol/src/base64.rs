//! Base64 (RFC 4648 section 4): bytes inside JSON.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// `bytes` in base64, padded.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let group = byte(0) << 16 | byte(1) << 8 | byte(2);
        for position in 0..4 {
            if position <= chunk.len() {
                let sextet = group >> (18 - 6 * position) & 0x3f;
                text.push(char::from(ALPHABET[sextet as usize]));
            } else {
                text.push('=');
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{ALPHABET, encode};

    #[test]
    fn the_examples_of_the_standard() {
        let pairs = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (bytes, text) in pairs {
            assert_eq!(encode(bytes.as_bytes()), text);
        }
    }

    /// Reads bit by bit, so that it shares no arithmetic with the encoder.
    fn decode(text: &str) -> Vec<u8> {
        let bits: Vec<bool> = text
            .bytes()
            .filter(|byte| *byte != b'=')
            .flat_map(|byte| {
                let sextet = ALPHABET.iter().position(|known| *known == byte).unwrap();
                (0..6).rev().map(move |bit| sextet >> bit & 1 == 1)
            })
            .collect();
        bits.chunks_exact(8)
            .map(|byte| {
                byte.iter()
                    .fold(0, |value, bit| value << 1 | u8::from(*bit))
            })
            .collect()
    }

    proptest! {
        #[test]
        fn any_bytes_come_back(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let text = encode(&bytes);
            prop_assert_eq!(text.len() % 4, 0);
            prop_assert_eq!(decode(&text), bytes);
        }
    }
}
