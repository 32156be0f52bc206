//! Any bytes as a capture file; every query then runs on the readable ones.
#![no_main]

use capture::blame::{BlameOptions, blame};
use capture::class_split::class_split;
use capture::export::firefox::write_firefox;
use capture::export::folded::{Places, write_folded};
use capture::export::html::write_html;
use capture::export::speedscope::write_speedscope;
use capture::hot_lines::hot_lines;
use capture::percent_of::PercentOf;
use capture::reader::{Capture, ReadLimits};
use capture::top::{TopOptions, top};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let limits = ReadLimits {
        max_bytes: 1 << 20,
        max_total_bytes: 4 << 20,
        max_samples: 1 << 16,
        ..ReadLimits::default()
    };
    let Ok(mut capture) = Capture::from_bytes_within(bytes, limits) else {
        return;
    };
    let types: Vec<String> = capture.counted_types().map(|it| it.name).collect();
    for name in types {
        let _ = capture.show(&name);
        top(&capture, &TopOptions::default());
        top(
            &capture,
            &TopOptions {
                only_erlang: true,
                ..TopOptions::default()
            },
        );
        blame(&capture, "gc", &BlameOptions::default());
        class_split(&capture);
        for percent_of in [PercentOf::Busy, PercentOf::All] {
            hot_lines(&capture, None, percent_of);
            let _ = write_html(&capture, "fuzz", percent_of, std::io::sink());
        }
        let _ = write_folded(&capture, Places::FileAndLine, std::io::sink());
        let _ = write_firefox(&capture, "fuzz", std::io::sink());
        let _ = write_speedscope(&capture, "fuzz", std::io::sink());
    }
});
