//! Any bytes as a connection to a helper that is held.

#![no_main]

use std::io::Read as _;
use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use resumable_link::frame::Frame;
use resumable_link::link::Link;

fuzz_target!(|bytes: &[u8]| {
    let mut rest = bytes;
    while let Ok(Some(frame)) = Frame::read(&mut rest) {
        let encoded = frame.encode();
        assert_eq!(Frame::read(&mut &encoded[..]).ok().flatten(), Some(frame));
    }
    // The other side does not come back: it is read to its end.
    let link = Link::new(Duration::ZERO);
    let input = std::io::Cursor::new(bytes.to_vec());
    if link.connect(input, std::io::sink()).is_ok() {
        let mut heard = Vec::new();
        let _ = link.reader().read_to_end(&mut heard);
        assert!(heard.len() <= bytes.len());
    }
});
