//! Release, emulator version and flavor out of the emulator's own data.
//!
//! Every emulator carries the format of what `erlang:system_info(system_version)` answers:
//! `Erlang/OTP 29%s [erts-17.1.1] [source] [64-bit] ... [jit:ns%s]`. It is part of the
//! binary as loaded, so it holds whatever the files are called.

use vm_layout::emulator_image::EmulatorImage;
use vm_layout::vm_version::{Build, VmVersion};
use vm_layout::{INTERPRETER, JIT, TableError};

const PREFIX: &str = "Erlang/OTP ";
/// The whole format is some 150 bytes on every release known.
const MAX_FORMAT_BYTES: usize = 512;
/// Longest version we accept, as in `vm_version`.
const MAX_VERSION_CHARS: usize = 32;

/// Reads release and flavor. Several formats that contradict each other count as none.
pub fn release_of(image: &EmulatorImage) -> Result<VmVersion, TableError> {
    let mut found: Vec<VmVersion> = image
        .strings_with_prefix(PREFIX, MAX_FORMAT_BYTES)
        .iter()
        .filter_map(|format| parse_system_version(format))
        .collect();
    found.dedup();
    match <[VmVersion; 1]>::try_from(found) {
        Ok([version]) => Ok(version),
        Err(others) if others.is_empty() => Err(TableError::NotFound {
            table: "the release",
            wanted: "text like that of erlang:system_info(system_version)",
        }),
        Err(others) => Err(TableError::Ambiguous {
            table: "the release",
            candidates: others.len(),
        }),
    }
}

/// `Erlang/OTP 29%s [erts-17.1.1] ... [jit...]`, where `%s` stands for `-rc1` and the like.
fn parse_system_version(format: &str) -> Option<VmVersion> {
    let rest = format.strip_prefix(PREFIX)?;
    let digits = rest.find(|c: char| !c.is_ascii_digit())?;
    let (release, rest) = rest.split_at(digits);
    let (_, rest) = rest.split_once(" [erts-")?;
    let (erts, flags) = rest.split_once(']')?;
    let is_version = |text: &str| {
        !text.is_empty()
            && text.len() <= MAX_VERSION_CHARS
            && text.starts_with(|c: char| c.is_ascii_digit())
            && text.chars().all(|c| c.is_ascii_graphic())
    };
    (is_version(release) && is_version(erts)).then(|| VmVersion {
        otp_release: release.to_owned(),
        erts_version: erts.to_owned(),
        flavor: match flags.contains("[jit") {
            true => JIT,
            false => INTERPRETER,
        },
        build: Build::from_facts(
            flags.contains("[debug-compiled]") || flags.contains("[lock-checking]"),
            flags.contains("[lock-counting]"),
            flags.contains("[hipe]"),
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn formats_of_four_releases() {
        for (format, release, erts, flavor) in [
            (
                "Erlang/OTP 23%s [erts-11.1.8] [source] [64-bit] [smp:%beu:%beu] [async-threads:%d]",
                "23",
                "11.1.8",
                INTERPRETER,
            ),
            (
                "Erlang/OTP 25%s [erts-13.1.5] [source] [64-bit] [jit:ns%s]",
                "25",
                "13.1.5",
                JIT,
            ),
            (
                "Erlang/OTP 29%s [erts-17.1.1] [source] [64-bit] [jit:ns%s]",
                "29",
                "17.1.1",
                JIT,
            ),
        ] {
            let version = parse_system_version(format).unwrap();
            assert_eq!(
                (
                    version.otp_release.as_str(),
                    version.erts_version.as_str(),
                    version.flavor
                ),
                (release, erts, flavor)
            );
        }
        for no_format in [
            "Erlang/OTP 25 compiler",
            "Erlang/OTP 18. For more information",
            "Erlang/OTP x%s [erts-1]",
            "Erlang/OTP 25%s [erts-]",
        ] {
            assert_eq!(parse_system_version(no_format), None, "{no_format}");
        }
    }

    #[test]
    fn what_it_was_built_for_is_in_the_format() {
        let build = |flags: &str| {
            let format = format!("Erlang/OTP 29%s [erts-17.1.1] [source] [64-bit]{flags}");
            parse_system_version(&format).unwrap().build
        };
        assert_eq!(build(" [jit:ns%s]"), Build::Optimized);
        assert_eq!(build(" [lock-counting] [jit:ns%s]"), Build::LockCounting);
        assert_eq!(
            build(" [type-assertions] [debug-compiled] [lock-checking]"),
            Build::Debug
        );
        assert_eq!(build(" [async-threads:%d] [hipe]"), Build::Hipe);
    }

    proptest! {
        #[test]
        fn garbage_never_panics(text: String) {
            let _ = parse_system_version(&format!("{PREFIX}{text}"));
        }
    }
}
