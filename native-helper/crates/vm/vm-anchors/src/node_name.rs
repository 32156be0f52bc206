//! The name of the node, when no symbol leads to it.
//!
//! `erts_this_node_sysname` is a pointer to a buffer, both among the emulator's variables. Only the
//! text distinguishes it from other buffers, so a text is taken only when no other pointer leads to
//! a different one that could be a name as well.

use vm_layout::emulator_image::EmulatorImage;
use vm_layout::vm_version::node_name_in;

/// The VM's own buffer for the name of its node.
const MAX_NODE_BYTES: usize = 256;

/// The name, when there is exactly one text that can be it.
pub fn node_name(image: &EmulatorImage) -> Option<String> {
    let mut found: Option<String> = None;
    for (_, word) in image.words() {
        if !image.is_variable(word) {
            continue;
        }
        let Some(name) = image
            .string_at(word, MAX_NODE_BYTES)
            .and_then(|text| node_name_in(&text))
        else {
            continue;
        };
        if !is_node_name(&name) {
            continue;
        }
        match &found {
            Some(known) if *known != name => return None,
            _ => found = Some(name),
        }
    }
    found
}

/// `name@host` as nodes are called: both parts there, nothing that is no part of a name.
fn is_node_name(text: &str) -> bool {
    let plain = |part: &str| {
        !part.is_empty()
            && part
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '+' | '~'))
    };
    text.split_once('@')
        .is_some_and(|(name, host)| plain(name) && plain(host))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use target_memory::SnapshotMemory;
    use vm_layout::emulator_image::{EmulatorImage, ImageRanges};

    fn image(texts: &[&[u8]]) -> EmulatorImage {
        let mut memory = SnapshotMemory::new();
        let mut bytes: Vec<u8> = Vec::new();
        let texts_at = 0x10000 + texts.len() as u64 * 8;
        for index in 0..texts.len() as u64 {
            bytes.extend((texts_at + index * 64).to_le_bytes());
        }
        for text in texts {
            let mut buffer = text.to_vec();
            buffer.resize(64, 0);
            bytes.extend(buffer);
        }
        let end = 0x10000 + bytes.len() as u64;
        memory.map(0x10000, bytes);
        let ranges = ImageRanges {
            variables: vec![(0x10000, end)],
            ..ImageRanges::default()
        };
        EmulatorImage::read(&memory, &ranges).unwrap()
    }

    #[test]
    fn the_only_text_that_is_a_name_is_it() {
        assert_eq!(
            node_name(&image(&[b"C.UTF-8", b"'rabbit@host-1'"])).as_deref(),
            Some("rabbit@host-1")
        );
        assert_eq!(node_name(&image(&[b"nonode@nohost", b"x"])), None);
        assert_eq!(node_name(&image(&[b"a@b", b"c@d"])), None);
        assert_eq!(node_name(&image(&[b"a@b", b"a@b"])).as_deref(), Some("a@b"));
        assert_eq!(node_name(&image(&[b"@(#) version", b"x@"])), None);
    }

    proptest! {
        #[test]
        fn garbage_never_panics(text in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = node_name(&image(&[&text]));
        }
    }
}
