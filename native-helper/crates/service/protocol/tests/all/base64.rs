//! Base64 by the examples of its standard and by a decoder.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use protocol::base64::{ALPHABET, encode};

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
