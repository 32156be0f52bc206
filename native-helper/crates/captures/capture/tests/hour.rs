//! An hour of capture, as fast as this machine can: 200,000 samples, by night ten million. Memory stays flat, the
//! files stay within their bound, and every sample is in a file or counted as removed with one.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

#[path = "all/synthetic/mod.rs"]
mod synthetic;

use std::fs;
use std::path::Path;
use std::time::Duration;

use capture::end::CaptureEnd;
use capture::file::kept::{Keep, KeptFiles};
use capture::reader::Capture;
use capture::writer::CaptureWriter;
use synthetic::{Random, night_or_day};

const SECONDS: u64 = 3600;
const PER_SECOND: u64 = 56;
/// By `npm run nightly`.
const PER_SECOND_BY_NIGHT: u64 = 2_800;
const MOST_BYTES: u64 = 8_000_000;
/// After these seconds everything that is kept is there.
const WARM_SECONDS: u64 = 900;
/// Memory may grow by as much from then on, for the allocator's own use.
const MOST_GROWTH_BYTES: u64 = 6 << 20;

fn resident_bytes() -> u64 {
    let statm = fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = statm.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4096
}

fn taken(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).unwrap().flatten();
    entries
        .filter_map(|it| Some(it.metadata().ok()?.len()))
        .sum()
}

#[test]
fn an_hour_in_bounded_files_and_flat_memory() {
    let folder = std::env::temp_dir().join(format!("capture-hour-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let keep = Keep {
        age: Some(Duration::from_secs(1800)),
        bytes: Some(MOST_BYTES),
    };
    let mut files = KeptFiles::create(&folder.join("hour.pb.gz"), keep).unwrap();
    let mut writer = CaptureWriter::new(synthetic::target(), synthetic::settings());
    let mut random = Random(2_026);
    let stacks = synthetic::stacks(&mut writer, &mut random, 300);
    // Processes without end, as a node has them that starts one for each request.
    let per_second = night_or_day(PER_SECOND_BY_NIGHT, PER_SECOND);
    let (mut samples, mut process) = (0, 0_u64);
    let (mut most_taken, mut warm_bytes, mut most_bytes) = (0, 0, 0);
    for second in 0..SECONDS {
        for number in 0..per_second {
            let time_ns = second * 1_000_000_000 + number * 1_000_000_000 / per_second;
            let stack = &stacks[random.skewed(40) as usize];
            let mut labels = synthetic::labels(&mut Random(number % 7 + 1));
            if number % 20 == 0 {
                process += 1;
                labels.erlang_pid = Some(format!("<0.{process}.0>"));
            }
            writer.add_sample(time_ns, &labels, stack, 1);
            samples += 1;
        }
        let quality = synthetic::quality(samples);
        let member = writer.take_increment((second + 1) * 1_000_000_000, &quality);
        files.append(&member).unwrap();
        most_taken = most_taken.max(taken(&folder));
        match second {
            0..WARM_SECONDS => warm_bytes = warm_bytes.max(resident_bytes()),
            _ => most_bytes = most_bytes.max(resident_bytes()),
        }
    }
    let (kept, removed) = files.finish(CaptureEnd::Stopped);
    println!(
        "{samples} samples: at most {warm_bytes} bytes of memory until second {WARM_SECONDS}, \
         {most_bytes} afterwards; {most_taken} bytes of files at most, {} files in the end, {} removed",
        kept.len(),
        removed.files
    );
    let mut in_files = 0;
    for file in &kept {
        let capture = Capture::from_bytes(&fs::read(&file.path).unwrap()).unwrap();
        assert!(!capture.truncated());
        assert_eq!(Some(capture.total_samples()), file.samples);
        in_files += capture.total_samples();
    }
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(samples, SECONDS * per_second);
    assert!(samples >= 200_000);
    assert_eq!(in_files + removed.samples, samples);
    assert!(removed.files > 0 && removed.for_room == 0);
    assert!(most_taken <= MOST_BYTES, "{most_taken} bytes");
    assert!(
        most_bytes <= warm_bytes + MOST_GROWTH_BYTES,
        "{warm_bytes} bytes, then {most_bytes}"
    );
}
