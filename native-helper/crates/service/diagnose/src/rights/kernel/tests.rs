//! Root folders of machines that are not this one.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;

/// A root folder that goes with the test.
struct Root(PathBuf);

impl Root {
    fn with(files: &[(&str, &str)]) -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("extrospect-kernel-facts-{}-{number}", std::process::id());
        let root = Self(std::env::temp_dir().join(name));
        for (path, text) in files {
            let path = root.0.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    fn facts(&self) -> KernelFacts {
        KernelFacts::read(&self.0)
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Of a machine whose kernel refuses nothing.
pub fn open_kernel() -> KernelFacts {
    KernelFacts {
        paranoid: Some(1),
        kptr_restrict: Some(0),
        unprivileged_bpf: Some(2),
        perf_mlock_kb: Some(516),
        ..Root::with(&[]).facts()
    }
}

#[test]
fn settings_are_numbers_of_their_files() {
    let facts = Root::with(&[
        ("proc/sys/kernel/perf_event_paranoid", "-1\n"),
        ("proc/sys/kernel/yama/ptrace_scope", "1\n"),
        ("proc/sys/kernel/kptr_restrict", "2\n"),
        ("proc/sys/kernel/unprivileged_bpf_disabled", "no number\n"),
    ])
    .facts();
    assert_eq!(facts.paranoid, Some(-1));
    assert_eq!(facts.yama_scope, Some(1));
    assert_eq!(facts.kptr_restrict, Some(2));
    assert_eq!(facts.unprivileged_bpf, None);
    assert_eq!(facts.perf_mlock_kb, None);
}

#[test]
fn a_machine_without_such_files_has_no_guards() {
    let facts = Root::with(&[]).facts();
    assert_eq!(facts.lockdown, None);
    assert_eq!(facts.user_namespace, UserNamespace::MachinesOwn);
    assert_eq!((facts.selinux, facts.apparmor), (None, None));
    assert_eq!(facts.bounding_capabilities, u64::MAX);
    assert!(!facts.no_new_privileges);
}

#[test]
fn lockdown_is_what_stands_in_brackets() {
    let with = |text| {
        Root::with(&[("sys/kernel/security/lockdown", text)])
            .facts()
            .lockdown
    };
    let all = [
        ("[none] integrity confidentiality\n", Some(Lockdown::Off)),
        (
            "none [integrity] confidentiality\n",
            Some(Lockdown::Integrity),
        ),
        (
            "none integrity [confidentiality]\n",
            Some(Lockdown::Confidentiality),
        ),
        ("none [more]\n", Some(Lockdown::Confidentiality)),
        ("nothing", None),
    ];
    for (text, expected) in all {
        assert_eq!(with(text), expected, "{text}");
    }
}

#[test]
fn the_machines_own_user_namespace_has_its_number() {
    let in_namespace = |link: &str| {
        let root = Root::with(&[("proc/self/ns/other", "")]);
        symlink(link, root.0.join("proc/self/ns/user")).unwrap();
        root.facts().user_namespace
    };
    assert_eq!(
        in_namespace("user:[4026531837]"),
        UserNamespace::MachinesOwn
    );
    assert_eq!(in_namespace("user:[4026532201]"), UserNamespace::Another);
}

#[test]
fn the_status_shows_which_rights_a_programs_file_can_give() {
    let status = "Name:\tx\nCapEff:\t0000000000000000\nCapBnd:\t00000000a80425fb\nNoNewPrivs:\t1\n";
    let facts = Root::with(&[("proc/self/status", status)]).facts();
    assert_eq!(facts.bounding_capabilities, 0xa804_25fb);
    assert!(facts.no_new_privileges);
}

#[test]
fn selinux_by_its_switch_and_our_context() {
    let with = |enforce, context| {
        let files = [
            ("sys/fs/selinux/enforce", enforce),
            ("proc/self/attr/current", context),
        ];
        Root::with(&files).facts().selinux.unwrap()
    };
    let free = "unconfined_u:unconfined_r:unconfined_t:s0-s0:c0.c1023\0";
    let container = "system_u:system_r:container_t:s0:c1,c2\0";
    assert!(with("1", free).leaves_us_alone());
    assert!(with("0", container).leaves_us_alone());
    let confined = with("1", container);
    assert!(!confined.leaves_us_alone());
    assert_eq!(confined.context, "system_u:system_r:container_t:s0:c1,c2");
    assert!(
        !with("1", "").leaves_us_alone(),
        "it does not say who we are"
    );
}

#[test]
fn apparmor_by_its_switch_and_our_profile() {
    const ENABLED: (&str, &str) = ("sys/module/apparmor/parameters/enabled", "Y\n");
    let profile = |path, label| {
        let facts = Root::with(&[ENABLED, (path, label)]).facts();
        facts.apparmor.unwrap().profile
    };
    let [new, old] = ["proc/self/attr/apparmor/current", "proc/self/attr/current"];
    assert_eq!(profile(new, "unconfined\n"), None);
    let docker = Some("docker-default (enforce)".to_owned());
    assert_eq!(profile(new, "docker-default (enforce)\n"), docker);
    assert_eq!(profile(old, "docker-default (enforce)\n"), docker);
    let hostile = format!("\x1b[31m\u{202e}x{}", "y".repeat(500));
    let shown = profile(new, &hostile).unwrap();
    assert!(
        shown.starts_with("[31mxyy") && shown.len() == 100,
        "{shown}"
    );
    let off = Root::with(&[("sys/module/apparmor/parameters/enabled", "N\n")]);
    assert_eq!(off.facts().apparmor, None);
}

#[test]
fn this_machine_can_be_read() {
    let facts = KernelFacts::read(Path::new("/"));
    assert_ne!(facts.bounding_capabilities, 0);
}
