//! Control groups as the runtimes name them, and hostile ones.

use super::*;
use proptest::prelude::*;

const ID: &str = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0";
const INNER: &str = "abcdefabcdefabcdefabcdefabcdefabcdefabcdefabcdefabcdefabcdefabcd";
const POD: &str = "7d4424e6-bb13-42f4-a47a-45a4828bf54d";

/// With `ID`, `INNER`, `POD` and `P_D`, the pod's uid as systemd has it, written out.
fn path(text: &str) -> String {
    text.replace("INNER", INNER)
        .replace("ID", ID)
        .replace("POD", POD)
        .replace("P_D", &POD.replace('-', "_"))
}

fn containers(text: &str) -> Option<Containers> {
    parse_cgroup(format!("0::{}\n", path(text)).as_bytes())
}

/// Runtime and id (or name) of the only container, and its pod.
fn only(text: &str) -> (Runtime, String, Option<String>) {
    let found = containers(text).unwrap_or_else(|| panic!("{text}"));
    assert_eq!(found.nested.len(), 1, "{text}: {found:?}");
    let place = found.nested.into_iter().next().unwrap();
    (
        place.runtime,
        place.id.or(place.name).unwrap(),
        place.pod_uid,
    )
}

#[test]
fn runtimes_by_themselves() {
    for (text, runtime) in [
        // Docker 20 to 28, with systemd's driver and its own, and a group of the user's choice.
        ("/system.slice/docker-ID.scope", Runtime::Docker),
        ("/docker/ID", Runtime::Docker),
        ("/docker/ID/init.scope", Runtime::Docker),
        (
            "/user.slice/user-1000.slice/user@1000.service/user.slice/docker-ID.scope",
            Runtime::Docker,
        ),
        // Podman 4.3 with `--cgroup-manager cgroupfs`, as on this machine; in a pod of its own.
        ("/libpod_parent/libpod-ID", Runtime::Podman),
        ("/libpod_parent/INNER/libpod-ID", Runtime::Podman),
        // Podman 4 and 5 with systemd, as root, in a pod, without root, and by `--cgroups=split`.
        ("/machine.slice/libpod-ID.scope", Runtime::Podman),
        ("/machine.slice/libpod-ID.scope/container", Runtime::Podman),
        (
            "/machine.slice/machine-libpod_pod_INNER.slice/libpod-ID.scope",
            Runtime::Podman,
        ),
        (
            "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-ID.scope/container",
            Runtime::Podman,
        ),
        (
            "/system.slice/shop.service/libpod-payload-ID",
            Runtime::Podman,
        ),
        // nerdctl 1 and 2 by systemd, and by itself.
        ("/system.slice/nerdctl-ID.scope", Runtime::Containerd),
        ("/default/ID", Runtime::Containerd),
    ] {
        assert_eq!(only(text), (runtime, ID.to_owned(), None), "{text}");
    }
    assert_eq!(
        only("/default/my-shop"),
        (Runtime::Containerd, "my-shop".to_owned(), None),
        "ctr run IMAGE my-shop"
    );
}

#[test]
fn pods_of_kubernetes_with_each_driver_and_class() {
    let pod = Some(POD.to_owned());
    for (text, runtime) in [
        // kubelet 1.24 to 1.33 with systemd's driver: containerd, CRI-O, cri-dockerd; guaranteed last.
        (
            "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podP_D.slice/cri-containerd-ID.scope",
            Runtime::Containerd,
        ),
        (
            "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-podP_D.slice/crio-ID.scope",
            Runtime::CriO,
        ),
        (
            "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podP_D.slice/docker-ID.scope",
            Runtime::Docker,
        ),
        (
            "/kubepods.slice/kubepods-podP_D.slice/cri-containerd-ID.scope",
            Runtime::Containerd,
        ),
        // kubelet with its own driver: the path does not show which runtime it uses, except for
        // CRI-O.
        ("/kubepods/burstable/podPOD/ID", Runtime::Kubernetes),
        ("/kubepods/podPOD/ID", Runtime::Kubernetes),
        ("/kubepods/besteffort/podPOD/crio-ID", Runtime::CriO),
        // Below a group of the node, as kind has it.
        (
            "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-besteffort.slice/kubelet-kubepods-besteffort-podP_D.slice/cri-containerd-ID.scope",
            Runtime::Containerd,
        ),
        // containerd without systemd's driver under a kubelet with it.
        (
            "/system.slice/containerd.service/kubepods-besteffort-podP_D.slice:cri-containerd:ID",
            Runtime::Containerd,
        ),
    ] {
        let (found, id, uid) = only(text);
        assert_eq!((id.as_str(), &uid), (ID, &pod), "{text}");
        assert_eq!(found, runtime, "{text}");
    }
    // A static pod: the uid is a hash, without dashes.
    let hash = "16a4a44fea21553f3c41d03e478379f0";
    let text = format!("/kubepods/burstable/pod{hash}/ID");
    assert_eq!(only(&text).2.as_deref(), Some(hash));
}

#[test]
fn machines_have_names() {
    for (text, runtime, name) in [
        // LXC 4 to 6, 3, and before; Proxmox.
        ("/lxc.payload.web", Runtime::Lxc, "web"),
        (
            "/lxc.payload.web/system.slice/shop.service",
            Runtime::Lxc,
            "web",
        ),
        ("/lxc.payload/web", Runtime::Lxc, "web"),
        ("/lxc/web", Runtime::Lxc, "web"),
        ("/lxc/101/ns/system.slice/shop.service", Runtime::Lxc, "101"),
        // libvirt registers with systemd, too.
        (
            r"/machine.slice/machine-lxc\x2d4021\x2dshop\x2d1.scope/libvirt",
            Runtime::Lxc,
            "shop-1",
        ),
        // systemd-nspawn, from a shell and as a service (systemd 245 to 257).
        (
            r"/machine.slice/machine-shop\x2d1.scope/payload",
            Runtime::Nspawn,
            "shop-1",
        ),
        (
            r"/machine.slice/systemd-nspawn@shop\x2d1.service/payload/system.slice",
            Runtime::Nspawn,
            "shop-1",
        ),
    ] {
        assert_eq!(only(text), (runtime, name.to_owned(), None), "{text}");
    }
    assert_eq!(
        containers(r"/machine.slice/machine-qemu\x2d1\x2dvm.scope"),
        None
    );
}

#[test]
fn containers_in_containers_are_all_shown_from_the_outermost_on() {
    for (text, outer, inner) in [
        (
            "/docker/ID/docker/INNER",
            (Runtime::Docker, ID),
            (Runtime::Docker, INNER),
        ),
        (
            "/docker/ID/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-podP_D.slice/cri-containerd-INNER.scope",
            (Runtime::Docker, ID),
            (Runtime::Containerd, INNER),
        ),
        (
            "/lxc.payload.web/docker/INNER",
            (Runtime::Lxc, "web"),
            (Runtime::Docker, INNER),
        ),
        (
            "/kubepods/podPOD/ID/docker/INNER",
            (Runtime::Kubernetes, ID),
            (Runtime::Docker, INNER),
        ),
    ] {
        let found = containers(text).unwrap().nested;
        let places: Vec<(Runtime, &str)> = found
            .iter()
            .map(|place| {
                let id_or_name = place.id.as_deref().or(place.name.as_deref());
                (place.runtime, id_or_name.unwrap())
            })
            .collect();
        assert_eq!(places, [outer, inner], "{text}");
    }
}

#[test]
fn the_hierarchy_with_the_most_facts_counts() {
    let text = path(
        "12:rdma:/\n4:memory:/docker/ID\n1:name=systemd:/docker/ID/docker/INNER\n0::/system.slice/containerd.service\n",
    );
    let found = parse_cgroup(text.as_bytes()).unwrap();
    assert_eq!(found.innermost().unwrap().id.as_deref(), Some(INNER));
}

#[test]
fn the_user_of_a_container_without_root_is_known() {
    let user = |text: &str| containers(text).and_then(|found| found.user);
    let rootless = "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-ID.scope";
    assert_eq!(user(rootless), Some(1000));
    assert_eq!(user("/machine.slice/libpod-ID.scope"), None);
    // A user inside of a container is not a user of the machine.
    assert_eq!(
        user("/docker/ID/user.slice/user-0.slice/docker-INNER"),
        None
    );
}

#[test]
fn facts_that_no_file_has_are_not_made_up() {
    for text in [
        "/",
        "/..",
        "/../..",
        "/user.slice/user-0.slice/session-3.scope",
        "/system.slice/docker.service",
        "/system.slice/containerd.service",
        "/lxc.monitor.web",
        "/machine.slice/libpod-conmon-ID.scope",
        "/system.slice/crio-conmon-ID.scope",
        "/docker/buildkit/abc",
        "/docker/../../etc",
        "/docker/0123456789ab",
        "/system.slice/other-ID.scope",
        "/default/..",
        "/default/a..b",
    ] {
        assert_eq!(containers(text), None, "{text}");
    }
    assert_eq!(parse_cgroup(b"nonsense"), None);
    // Whose it is may be in the runtimes' files: `docker run --cgroup-parent`, ECS, containerd.
    let found = containers("/shop/ID").unwrap();
    let place = found.innermost().unwrap();
    assert_eq!(place.runtime, Runtime::Unknown);
    assert_eq!(place.containerd_namespace.as_deref(), Some("shop"));
    assert_eq!(only("/ecs/task/ID").0, Runtime::Unknown);
}

#[test]
fn in_a_control_group_namespace_names_of_neighbours_are_evidence() {
    assert_eq!(
        only("/../cri-containerd-ID.scope"),
        (Runtime::Containerd, ID.to_owned(), None)
    );
    assert_eq!(only("/../../docker/ID").0, Runtime::Docker);
    assert_eq!(only("/../ID").0, Runtime::Unknown);
    assert_eq!(only("/docker/ID (deleted)").1, ID);
}

/// The arguments of Podman 4.3.1's monitor on this machine, without some in the middle.
const CONMON: &str = "/usr/bin/conmon --api-version 1 -c ID -u ID -r /usr/bin/runc -b /home/me/.local/share/containers/storage/vfs-containers/ID/userdata -n shop-2 --full-attach --runtime-arg --log-format=json --exit-command /usr/bin/podman --exit-command-arg container --exit-command-arg cleanup --exit-command-arg ID";
/// Of containerd 1.7 under Docker 24.
const SHIM: &str = "/usr/bin/containerd-shim-runc-v2 -namespace moby -id ID -address /run/containerd/containerd.sock";

#[test]
fn monitors_name_their_containers() {
    let monitor = |name: &str, arguments: &str| {
        let arguments: Vec<String> = path(arguments).split(' ').map(str::to_owned).collect();
        parse_monitor(name, &arguments)
    };
    let podmans = monitor("conmon", CONMON).unwrap();
    assert_eq!(podmans.runtime, Runtime::Podman);
    assert_eq!(podmans.id.as_deref(), Some(ID));
    assert_eq!(podmans.name.as_deref(), Some("shop-2"));
    let dockers = monitor("containerd-shim", SHIM).unwrap();
    assert_eq!(
        (dockers.runtime, dockers.id.as_deref()),
        (Runtime::Docker, Some(ID))
    );
    let own = monitor("containerd-shim", &SHIM.replace("moby", "default")).unwrap();
    assert_eq!(own.containerd_namespace.as_deref(), Some("default"));
    for (name, arguments) in [
        ("conmon", CONMON.replace("/usr/bin/podman", "/usr/bin/crio")),
        ("conmon", CONMON.replace("-c ID", "-c ../etc")),
        ("conmon", "conmon -c".to_owned()),
        ("containerd-shim", SHIM.replace("moby", "k8s.io")),
        ("containerd-shim", SHIM.replace("-id ID", "-id ..")),
        ("containerd-shim", SHIM.replace("moby", "..")),
        ("bash", CONMON.to_owned()),
    ] {
        assert_eq!(monitor(name, &arguments), None, "{name} {arguments}");
    }
}

#[test]
fn a_monitor_is_found_among_the_ancestors_and_its_user_is_whose_container_it_is() {
    let folder = std::env::temp_dir().join(format!("monitors-{}", std::process::id()));
    let add = |pid: u32, parent: u32, name: &str, uids: &str, arguments: &str| {
        let own = folder.join(pid.to_string());
        std::fs::create_dir_all(&own).unwrap();
        let status = format!(
            "Name:\t{name}\nState:\tS\nPPid:\t{parent}\nTracerPid:\t0\nUid:\t{uids}\nGid:\t0\t0\t0\t0\nThreads:\t1\nCapEff:\t0\n"
        );
        std::fs::write(own.join("status"), status).unwrap();
        std::fs::write(own.join("cmdline"), path(arguments).replace(' ', "\0")).unwrap();
    };
    add(1, 0, "systemd", "0\t0\t0\t0", "init");
    add(5, 1, "conmon", "1000\t1000\t1000\t1000", CONMON);
    add(6, 5, "sh", "1000\t1000\t1000\t1000", "sh");
    add(7, 6, "beam.smp", "1000\t1000\t1000\t1000", "beam.smp");
    add(8, 1, "conmon", "1000\t0\t0\t0", CONMON);
    add(9, 8, "beam.smp", "1000\t1000\t1000\t1000", "beam.smp");
    add(10, 10, "beam.smp", "0\t0\t0\t0", "beam.smp");
    let fs = ProcFs::at(&folder);
    let found = fs.containers_by_monitor(7).unwrap();
    assert_eq!(found.user, Some(1000));
    assert_eq!(found.nested[0].name.as_deref(), Some("shop-2"));
    assert_eq!(fs.containers_by_monitor(9), None, "of another's user id");
    assert_eq!(fs.containers_by_monitor(1), None);
    assert_eq!(fs.containers_by_monitor(10), None, "its own parent");
    assert_eq!(fs.containers_by_monitor(11), None);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn hostile_paths_are_bounded() {
    let deep = format!("/docker/{ID}").repeat(1000);
    assert!(containers(&deep).unwrap().nested.len() <= 8);
    let lines = format!("0::/docker/{ID}\n").repeat(10_000);
    assert!(parse_cgroup(lines.as_bytes()).is_some());
    let name = "x".repeat(100_000);
    assert_eq!(only(&format!("/lxc/{name}")).1.len(), 128);
    assert!(is_containerd_name("k8s.io") && is_container_id(ID));
    for wrong in [
        "",
        ".",
        "..",
        "a..b",
        ".a",
        "a/",
        "a\0b",
        "system.slice",
        &name,
    ] {
        assert!(!is_containerd_name(wrong), "{wrong}");
    }
    for wrong in ["", &ID[1..], &format!("{ID}0"), &ID.replace('0', "/")] {
        assert!(!is_container_id(wrong), "{wrong}");
    }
}

#[test]
fn we_are_in_our_own_namespaces() {
    let (fs, pid) = (ProcFs::live(), std::process::id());
    let hint = fs.container_hint(pid, &fs.status(pid).unwrap());
    assert_eq!(hint.other_mount_namespace, Some(false));
    assert_eq!(hint.other_pid_namespace, Some(false));
}

proptest! {
    #[test]
    fn garbage_never_panics(text in proptest::collection::vec(any::<u8>(), 0..256)) {
        let _ = parse_cgroup(&text);
    }

    #[test]
    fn odd_components_never_panic(text in r"0::/(docker|machine\.slice|lxc|kubepods|default)/[-:.@\\x2\PC]{0,80}(\.slice:|\.scope)?[-:.\PC]{0,20}") {
        let _ = parse_cgroup(text.as_bytes());
    }
}
