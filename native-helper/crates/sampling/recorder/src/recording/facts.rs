//! The facts in a capture about itself and its target.

use attach::AttachedVm;
use capture::facts::{BuildFacts, CaptureSettings, MAX_LIBRARIES, TargetFacts};
use perf_ring::{EventSettings, KernelFrames};
use target_proc::ProcFs;
use target_proc::release::add_libraries;

use super::RecordingSettings;
use crate::engine::Engine;

/// The facts in the capture about its target.
pub fn target_facts(vm: &AttachedVm) -> TargetFacts {
    let build_id = vm
        .objects
        .emulator()
        .and_then(|emulator| emulator.image.build_id());
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    TargetFacts {
        pid: vm.process.pid,
        otp_release: vm.version.otp_release.clone(),
        erts_version: vm.version.erts_version.clone(),
        flavor: vm.version.flavor.name().to_owned(),
        node: vm.node.clone().unwrap_or_default(),
        build_id: build_id.map(ToString::to_string).unwrap_or_default(),
        host: host.trim().to_owned(),
        command: vm.process.command_line.join(" "),
        other_files: vm.process.container.other_mount_namespace != Some(false),
    }
}

/// The facts about the build that are known without a look at any module.
pub(super) fn release_facts(vm: &AttachedVm) -> BuildFacts {
    let arguments = &vm.process.command_line;
    let release = ProcFs::live().release(vm.process.pid, arguments);
    let mut facts = BuildFacts {
        release: release.name,
        version: release.version,
        ..BuildFacts::default()
    };
    let arguments = arguments.iter().map(String::as_str);
    add_libraries(&mut facts.libraries, arguments, MAX_LIBRARIES);
    facts
}

pub(super) fn capture_settings(
    event: &EventSettings,
    settings: RecordingSettings,
    engine: Engine,
) -> CaptureSettings {
    let since_1970 = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    CaptureSettings {
        frequency_hz: settings.frequency_hz,
        event: event.source.name().to_owned(),
        engine: engine.name().to_owned(),
        include_kernel: settings.include_kernel && event.kernel == KernelFrames::Chain,
        helper_version: env!("CARGO_PKG_VERSION").to_owned(),
        started_unix_ns: since_1970.map_or(0, |since| since.as_nanos() as u64),
    }
}
