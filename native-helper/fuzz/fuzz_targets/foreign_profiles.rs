//! Any bytes as a profile of another tool; the convertible ones become a capture, on which every query
//! runs. The first byte chooses how they begin, since no fuzzer invents the outline of a JSON file.
#![no_main]

use capture::class_split::class_split;
use capture::reader::Capture;
use capture::top::{TopOptions, top};
use foreign_profiles::{Limits, convert};

/// The bytes put around the input: before and behind.
const AROUND: [(&[u8], &[u8]); 12] = [
    (b"", b""),
    (b"a;", b" 1\n"),
    (b"<0.1.0>;", b" 1\n"),
    (b"x 1 [000] 1.5: 7 cpu-clock: \n\tffff0000 ", b"+0x1 (/a)\n\n"),
    (b"{\"shared\":{\"frames\":[{\"name\":\"a\"},{\"name\":\"b\"}]},\"profiles\":[{\"type\":\"evented\",\"unit\":\"seconds\",\"events\":[", b"]}]}"),
    (b"{\"shared\":{\"frames\":[{\"name\":\"a\"},{\"name\":\"b\"}]},\"profiles\":[{\"type\":\"sampled\",\"unit\":\"seconds\",", b"}]}"),
    (b"{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\"}},", b"],\"samples\":[1]}"),
    (b"{\"nodes\":[", b"]}"),
    // A profile of OpenTelemetry without anything in it, and what follows.
    (b"\x0a\x02\x12\x00", b""),
    // New ones at the end: the first byte of kept inputs chooses by position.
    (b"{\"meta\":{\"interval\":1,\"categories\":[{\"name\":\"Kernel\"}]},\"libs\":[{\"path\":\"/a\"}],\"threads\":[{\"stringArray\":[\"f\",\"a:b/1\"],\"funcTable\":{\"name\":[0,1],\"resource\":[0,-1]},\"resourceTable\":{\"lib\":[0]},\"frameTable\":{\"func\":[0,1],\"line\":[1,null]},\"stackTable\":{\"prefix\":[null,0],\"frame\":[0,1]},\"samples\":{\"stack\":[0,1],", b"}}]}"),
    (b"{\"meta\":{},\"threads\":[{\"samples\":{\"stack\":[0]}}],\"shared\":{\"stringArray\":[\"f\"],", b"}}"),
    (b"x 1 1.5: PERF_RECORD_COMM: x\nx 1 1.5: 7 cpu-clock: ", b" f (/a)\n  a.c:1\n"),
];

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((chosen, bytes)) = bytes.split_first() else {
        return;
    };
    let (before, behind) = AROUND[usize::from(*chosen) % AROUND.len()];
    let whole = [before, bytes, behind].concat();
    let limits = Limits {
        max_bytes: 1 << 20,
        max_samples: 1 << 16,
        max_depth: 64,
        max_frames: 1 << 20,
    };
    let Ok(Some(found)) = convert(&whole, &limits) else {
        return;
    };
    let capture = Capture::from_bytes(&found.message).expect("what is converted is a capture");
    top(&capture, &TopOptions::default());
    class_split(&capture);
});
