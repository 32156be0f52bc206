//! Files of the runtimes as they write them, and as they never should.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use super::*;
use target_proc::container::parse_cgroup;

const ID: &str = "9552a960e4234f5b8d1c0a7e6b3f2d1c9552a960e4234f5b8d1c0a7e6b3f2d1c";
const OTHER: &str = "02a2245e717445b01effcce5d558f3db72c4b720d18353ad46855525d8c63aab";

/// A folder that stands for the disk; removed at its end.
struct TestDisk(PathBuf);

impl TestDisk {
    fn new(name: &str) -> Self {
        let folder = format!("container-facts-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(folder);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn with(self, file: &str, text: &str) -> Self {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text.replace("THE_ID", ID)).unwrap();
        self
    }

    fn path(&self, file: &str) -> PathBuf {
        self.0.join(file.replace("ID", ID))
    }

    fn facts(&self, group: &str) -> ContainerFacts {
        let disk = HostDisk::at(&self.0, |_| Some(PathBuf::from("/home/me")));
        container_facts(&containers(group), Some(&disk)).unwrap()
    }

    fn label(&self, group: &str) -> String {
        label(&self.facts(group))
    }
}

impl Drop for TestDisk {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn containers(group: &str) -> Containers {
    let text = format!("0::{}\n", group.replace("ID", ID).replace("OTHER", OTHER));
    parse_cgroup(text.as_bytes()).unwrap()
}

/// Cut to the members that are read and some others, as Docker 24 has it.
const DOCKER: &str = r#"{"StreamConfig":{},"State":{"Running":true,"Pid":4242,"StartedAt":"2024-05-01T10:00:00Z","Health":null},
  "ID":"THE_ID","Created":"2024-05-01T09:59:59.9Z","Managed":false,"Path":"/shop/bin/shop","Args":["foreground"],
  "Config":{"Hostname":"9552a960e423","Env":["PATH=/bin"],"Cmd":null,"Image":"registry/shop:1.2","Volumes":null,"Labels":{"a":"b"}},
  "Image":"sha256:4f1d","Name":"/shop-1","Driver":"overlay2","RestartCount":0,"MountPoints":{}}"#;

/// As Podman 4.3.1 wrote it on this machine, twice.
const PODMAN: &str = r#"[{"id":"02a2245e717445b01effcce5d558f3db72c4b720d18353ad46855525d8c63aab","names":["shop-2"],"image":"2a943de4c51c","layer":"35d27064f2d6","metadata":"{\"image-name\":\"localhost/other:1\",\"name\":\"shop-2\"}","created":"2026-11-23T15:30:46.9Z","flags":{"MountLabel":"","ProcessLabel":"","Volatile":true}},
  {"id":"THE_ID","names":["shop-1"],"image":"2a943de4c51c","layer":"464c1660f6f0","metadata":"{\"image-name\":\"localhost/shop:1.2\",\"image-id\":\"2a943de4c51c\",\"name\":\"shop-1\",\"created-at\":1795447795}","created":"2026-11-23T15:29:55.1Z","flags":{"MountLabel":"","ProcessLabel":""}}]"#;

/// The annotations that containerd 1.7 gives a container of a pod.
const CRI_CONTAINERD: &str = r#"{"ociVersion":"1.1.0","process":{"user":{"uid":0},"args":["/shop/bin/shop","foreground"]},"annotations":{
  "io.kubernetes.cri.container-name":"shop","io.kubernetes.cri.container-type":"container","io.kubernetes.cri.image-name":"registry/shop:1.2",
  "io.kubernetes.cri.sandbox-id":"1f","io.kubernetes.cri.sandbox-name":"shop-7d9f-x2x","io.kubernetes.cri.sandbox-namespace":"market",
  "io.kubernetes.cri.sandbox-uid":"7d4424e6-bb13-42f4-a47a-45a4828bf54d"},"linux":{}}"#;

/// The same by CRI-O 1.28.
const CRI_O: &str = r#"{"ociVersion":"1.1.0","annotations":{"io.container.manager":"cri-o","io.kubernetes.container.name":"shop",
  "io.kubernetes.cri-o.Image":"4f1d","io.kubernetes.cri-o.ImageName":"registry/shop:1.2","io.kubernetes.pod.name":"shop-7d9f-x2x",
  "io.kubernetes.pod.namespace":"market","io.kubernetes.pod.uid":"7d4424e6"}}"#;

const DOCKER_FILE: &str = "var/lib/docker/containers/ID/config.v2.json";
const PODMAN_FILE: &str = "var/lib/containers/storage/overlay-containers/containers.json";
const POD_GROUP: &str = "/kubepods/burstable/pod7d4424e6-bb13-42f4-a47a-45a4828bf54d";

#[test]
fn docker_has_name_and_image() {
    let disk = TestDisk::new("docker").with(DOCKER_FILE, DOCKER);
    assert_eq!(
        disk.facts("/docker/ID"),
        ContainerFacts {
            runtime: "docker".into(),
            id: Some(ID.into()),
            name: Some("shop-1".into()),
            image: Some("registry/shop:1.2".into()),
            ..ContainerFacts::default()
        }
    );
    for group in [
        "/docker/ID",
        "/system.slice/docker-ID.scope",
        "/ecs/task/ID",
    ] {
        assert_eq!(disk.label(group), "docker shop-1 (registry/shop:1.2)");
    }
    // Another one, of which nothing is there.
    assert_eq!(disk.label("/docker/OTHER"), "docker 02a2245e7174");
}

#[test]
fn docker_with_its_files_elsewhere_and_without_root() {
    let moved = TestDisk::new("moved")
        .with(
            "etc/docker/daemon.json",
            r#"{"log-driver":"journald","data-root":"/srv/docker"}"#,
        )
        .with("srv/docker/containers/ID/config.v2.json", DOCKER);
    assert_eq!(
        moved.label("/docker/ID"),
        "docker shop-1 (registry/shop:1.2)"
    );
    let own = rustix::process::getuid().as_raw();
    let group =
        format!("/user.slice/user-{own}.slice/user@{own}.service/user.slice/docker-ID.scope");
    let rootless = TestDisk::new("rootless").with(
        "home/me/.local/share/docker/containers/ID/config.v2.json",
        DOCKER,
    );
    assert_eq!(rootless.label(&group), "docker shop-1 (registry/shop:1.2)");
}

#[test]
fn pods_of_docker_are_labelled() {
    let labels = r#""Labels":{"io.kubernetes.container.name":"shop","io.kubernetes.pod.name":"shop-7d9f-x2x","io.kubernetes.pod.namespace":"market"}"#;
    let text = DOCKER.replace(r#""Labels":{"a":"b"}"#, labels);
    let disk = TestDisk::new("cri-dockerd").with(DOCKER_FILE, &text);
    assert_eq!(
        disk.label(&format!("{POD_GROUP}/ID")),
        "kubernetes market/shop-7d9f-x2x shop (registry/shop:1.2)"
    );
}

#[test]
fn podman_has_name_and_image_with_every_storage() {
    let label = "podman shop-1 (localhost/shop:1.2)";
    for file in [
        PODMAN_FILE,
        "var/lib/containers/storage/vfs-containers/containers.json",
        "var/lib/containers/storage/overlay-containers/volatile-containers.json",
        "run/containers/storage/overlay-containers/volatile-containers.json",
    ] {
        let disk = TestDisk::new("podman").with(file, PODMAN);
        assert_eq!(disk.label("/libpod_parent/libpod-ID"), label, "{file}");
        assert_eq!(disk.label("/machine.slice/libpod-ID.scope"), label);
    }
    let moved = TestDisk::new("graphroot")
        .with(
            "etc/containers/storage.conf",
            "[storage]\ndriver = \"overlay\"\n# graphroot = \"/no\"\ngraphroot = \"/srv/pods\"\n",
        )
        .with("srv/pods/overlay-containers/containers.json", PODMAN);
    assert_eq!(moved.label("/libpod_parent/libpod-ID"), label);
}

#[test]
fn podman_without_root_is_looked_up_in_the_users_own_files_alone() {
    let own = rustix::process::getuid().as_raw();
    let group = |uid: u32| {
        format!(
            "/user.slice/user-{uid}.slice/user@{uid}.service/user.slice/libpod-ID.scope/container"
        )
    };
    let list = "home/me/.local/share/containers/storage/overlay-containers/containers.json";
    let disk = TestDisk::new("rootless-podman").with(list, PODMAN);
    assert_eq!(
        disk.label(&group(own)),
        "podman shop-1 (localhost/shop:1.2)"
    );
    // The file is not that user's: its writer may name anything, but not containers of others.
    assert_eq!(disk.label(&group(own + 1)), "podman 9552a960e423");
    // A user may give a group of their own any name, and gets no other container's name by it.
    let system = TestDisk::new("systems").with(PODMAN_FILE, PODMAN);
    assert_eq!(system.label(&group(own)), "podman 9552a960e423");
}

#[test]
fn containerd_and_cri_o_have_pod_and_namespace() {
    let label = "kubernetes market/shop-7d9f-x2x shop (registry/shop:1.2)";
    let bundle = "run/containerd/io.containerd.runtime.v2.task/k8s.io/ID/config.json";
    for file in [bundle, &bundle.replace("run/", "run/k3s/")] {
        let disk = TestDisk::new("containerd").with(file, CRI_CONTAINERD);
        let systemd = "/kubepods.slice/kubepods-pod7d4424e6_bb13_42f4_a47a_45a4828bf54d.slice/cri-containerd-ID.scope";
        for group in [systemd, &format!("{POD_GROUP}/ID")] {
            let facts = disk.facts(group);
            assert_eq!(super::label(&facts), label, "{file} {group}");
            assert_eq!(facts.runtime, "containerd");
            let uid = "7d4424e6-bb13-42f4-a47a-45a4828bf54d";
            assert_eq!(facts.pod_uid.as_deref(), Some(uid));
        }
    }
    for place in ["run", "var/lib"] {
        let file = format!("{place}/containers/storage/overlay-containers/ID/userdata/config.json");
        let disk = TestDisk::new("cri-o").with(&file, CRI_O);
        for group in ["crio-ID.scope", "ID"] {
            assert_eq!(disk.label(&format!("{POD_GROUP}/{group}")), label);
        }
    }
    // Nothing may be read: the pod's uid shows that it is Kubernetes.
    let none = TestDisk::new("none");
    assert_eq!(
        none.label(&format!("{POD_GROUP}/ID")),
        "kubernetes 9552a960e423"
    );
}

#[test]
fn containerd_by_itself_and_by_nerdctl() {
    // nerdctl 1.7: the name, and no image.
    let nerdctl = r#"{"annotations":{"nerdctl/name":"shop-1","nerdctl/namespace":"default"}}"#;
    let tasks = "run/containerd/io.containerd.runtime.v2.task";
    let disk = TestDisk::new("nerdctl")
        .with(&format!("{tasks}/default/ID/config.json"), nerdctl)
        .with(&format!("{tasks}/shop/ID/config.json"), nerdctl)
        .with(&format!("{tasks}/default/my-shop/config.json"), "{}");
    for group in ["/system.slice/nerdctl-ID.scope", "/default/ID", "/shop/ID"] {
        assert_eq!(disk.label(group), "containerd shop-1", "{group}");
    }
    assert_eq!(disk.label("/default/my-shop"), "containerd my-shop");
    assert_eq!(disk.label("/elsewhere/ID"), "container 9552a960e423");
}

#[test]
fn machines_are_called_as_their_group_is() {
    let disk = TestDisk::new("machines");
    assert_eq!(disk.label("/lxc.payload.web"), "lxc web");
    assert_eq!(
        disk.label(r"/machine.slice/machine-shop\x2d1.scope/payload"),
        "systemd-nspawn shop-1"
    );
    let hostile = "/lxc/\u{1b}[31m\u{7}red";
    assert_eq!(disk.label(hostile), "lxc [31mred");
}

#[test]
fn of_containers_in_containers_only_the_outermost_is_looked_up() {
    let disk = TestDisk::new("nested").with(DOCKER_FILE, DOCKER);
    let facts = disk.facts("/docker/ID/docker/OTHER");
    assert_eq!(
        label(&facts),
        "docker 02a2245e7174 in docker shop-1 (registry/shop:1.2)"
    );
    // A program that may make groups in a container may give one of them the name of another
    // container.
    assert_eq!(
        disk.label("/docker/OTHER/docker/ID"),
        "docker 9552a960e423 in docker 02a2245e7174"
    );
}

#[test]
fn without_a_disk_the_group_alone_speaks() {
    let facts = container_facts(&containers("/docker/ID"), None).unwrap();
    assert_eq!(label(&facts), "docker 9552a960e423");
    assert_eq!(container_facts(&Containers::default(), None), None);
}

#[test]
fn images_are_shown_without_their_digests() {
    let shown = |image: &str| {
        label(&ContainerFacts {
            runtime: "docker".into(),
            image: Some(image.into()),
            ..ContainerFacts::default()
        })
    };
    assert_eq!(shown(&format!("r/shop:1@sha256:{ID}")), "docker (r/shop:1)");
    assert_eq!(shown(&format!("sha256:{ID}")), "docker (9552a960e423)");
}

#[test]
fn hostile_files_give_no_facts_and_cost_little() {
    let refused = |text: &str| {
        let disk = TestDisk::new("hostile").with(DOCKER_FILE, text);
        assert_eq!(disk.label("/docker/ID"), "docker 9552a960e423");
    };
    refused("");
    refused("\0\0\0");
    refused(&DOCKER[..DOCKER.len() / 2]);
    refused(r#"{"ID":"THE_ID","Name":7}"#);
    // It is of another container.
    refused(&DOCKER.replace(r#""ID":"THE_ID""#, r#""ID":"7""#));
    // Too long by blanks alone.
    refused(&format!("{DOCKER}{}", " ".repeat(1 << 20)));
    // Deeper than any stack: where it is read, and where it is skipped.
    let deep = "[".repeat(400_000);
    refused(&DOCKER.replace(r#""registry/shop:1.2""#, &deep));
    refused(&DOCKER.replace("null", &deep));
    let names = format!(
        r#"{{"ID":"THE_ID","Name":"/a\u0000\u001b[31m\n{}","Config":{{"Image":" \u0007 "}}}}"#,
        "b".repeat(100_000)
    );
    let disk = TestDisk::new("hostile").with(DOCKER_FILE, &names);
    let facts = disk.facts("/docker/ID");
    assert_eq!(facts.image, None);
    let name = facts.name.unwrap();
    assert!(name.starts_with("a[31mb") && name.len() == 400, "{name}");
}

#[test]
fn links_pipes_and_folders_are_not_read() {
    let disk = TestDisk::new("links").with("elsewhere/config.v2.json", DOCKER);
    let folder = disk.path("var/lib/docker/containers");
    fs::create_dir_all(&folder).unwrap();
    let refused = || assert_eq!(disk.label("/docker/ID"), "docker 9552a960e423");
    symlink(disk.path("elsewhere"), folder.join(ID)).unwrap();
    refused();
    fs::remove_file(folder.join(ID)).unwrap();
    fs::create_dir_all(folder.join(ID)).unwrap();
    let file = disk.path(DOCKER_FILE);
    symlink(disk.path("elsewhere/config.v2.json"), &file).unwrap();
    refused();
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    refused();
    fs::remove_dir(&file).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&file).status();
    assert!(made.unwrap().success());
    refused();
    // A folder of root's that is a link leads where root wants.
    let moved = TestDisk::new("moved-folder").with("data/containers/ID/config.v2.json", DOCKER);
    fs::create_dir_all(moved.path("var/lib")).unwrap();
    symlink(moved.path("data"), moved.path("var/lib/docker")).unwrap();
    assert_eq!(
        moved.label("/docker/ID"),
        "docker shop-1 (registry/shop:1.2)"
    );
}

#[test]
fn an_id_that_is_a_path_is_no_id() {
    let disk = TestDisk::new("paths").with("var/lib/docker/config.v2.json", DOCKER);
    let read = |place: ContainerPlace| {
        let containers = Containers {
            nested: vec![place],
            user: None,
        };
        let disk = HostDisk::at(&disk.0, |_| None);
        label(&container_facts(&containers, Some(&disk)).unwrap())
    };
    for runtime in [
        Runtime::Docker,
        Runtime::Podman,
        Runtime::CriO,
        Runtime::Containerd,
        Runtime::Kubernetes,
        Runtime::Unknown,
    ] {
        for id in ["..", "", "../../docker", "a/b", "a\0b", "."] {
            let place = ContainerPlace {
                id: Some(id.to_owned()),
                containerd_namespace: Some("..".to_owned()),
                ..ContainerPlace::of(runtime)
            };
            assert!(read(place).starts_with(runtime.name()), "{id}");
        }
    }
}
