use std::fs::File;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;

const SOURCE: &str = "static __attribute__((noinline)) int hidden(int x) { return x * 3 + 1; }
int shown(int x) { return hidden(x) + hidden(x + 1); }";

/// A folder that serves as root, with /opt/lib.so stripped in it and its debug file beside the
/// root, where no search finds it.
struct Folder(PathBuf);

impl Folder {
    fn new(source: &str) -> Self {
        static LAST: AtomicU32 = AtomicU32::new(0);
        let number = LAST.fetch_add(1, Ordering::Relaxed);
        let folder = format!("extrospect-debug-symbols-{}-{number}", std::process::id());
        let root = Self(std::env::temp_dir().join(folder));
        std::fs::create_dir_all(root.0.join("opt")).unwrap();
        std::fs::write(root.0.join("lib.c"), source).unwrap();
        let build = "gcc -g -O1 -shared -fPIC -Wl,--build-id -o opt/lib.so lib.c && \\
            objcopy --only-keep-debug opt/lib.so lib.debug && strip opt/lib.so && \\
            objcopy --add-gnu-debuglink=lib.debug opt/lib.so";
        let output = Command::new("sh")
            .args(["-c", build])
            .current_dir(&root.0)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "needs gcc and binutils: {output:?}"
        );
        root
    }

    fn image(&self) -> ObjectImage {
        ObjectImage::read(&File::open(self.0.join("opt/lib.so")).unwrap()).unwrap()
    }

    /// Copies the debug file to a place below this root.
    fn put(&self, place: &Path) -> PathBuf {
        let path = self.0.join(place);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::copy(self.0.join("lib.debug"), &path).unwrap();
        path
    }

    fn search(&self, folders: &[&Folder], debuginfod: &[PathBuf]) -> DebugSymbols {
        let roots: Vec<Root> = folders
            .iter()
            .map(|folder| Root {
                folder: RootFolder::open(&folder.0).unwrap(),
                object: PathBuf::from("opt/lib.so"),
            })
            .collect();
        let mut image = self.image();
        let places = candidates(&roots, debuginfod, &image);
        first_proven(places, &mut image, ByteBudget::of_no_target())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn path_of(found: &DebugSymbols) -> &Path {
    match found {
        DebugSymbols::Added { path, .. } => path,
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_usual_place_is_looked_at() {
    let root = Folder::new(SOURCE);
    assert_eq!(root.search(&[&root], &[]), DebugSymbols::Absent);
    let build_id = root.image().build_id().unwrap().clone();
    let cache = root.0.join("cache");
    let fetched = Path::new("cache")
        .join(build_id.to_string())
        .join("debuginfo");
    let by_id = Path::new(DEBUG_FOLDER).join(by_build_id(&build_id).unwrap());
    for place in [
        by_id.as_path(),
        &fetched,
        Path::new("opt/lib.debug"),
        Path::new("opt/.debug/lib.debug"),
        Path::new("usr/lib/debug/opt/lib.debug"),
    ] {
        let path = root.put(place);
        let found = root.search(&[&root], std::slice::from_ref(&cache));
        assert_eq!(path_of(&found), path);
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn an_empty_file_in_the_cache_is_no_file() {
    let root = Folder::new(SOURCE);
    let folder = root.0.join("cache");
    let path = cache::file_in(&folder, root.image().build_id().unwrap());
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, "").unwrap();
    let found = root.search(&[&root], std::slice::from_ref(&folder));
    assert_eq!(found, DebugSymbols::Absent);
}

#[test]
fn a_file_of_another_build_is_passed_over() {
    let root = Folder::new(SOURCE);
    let other = Folder::new(&format!("int more(int x) {{ return x / 7; }}{SOURCE}"));
    let build_id = root.image().build_id().unwrap().clone();
    let by_id = Path::new(DEBUG_FOLDER).join(by_build_id(&build_id).unwrap());
    let wrong = other.put(&by_id);
    let refused = root.search(&[&other], &[]);
    let DebugSymbols::Refused(reasons) = &refused else {
        panic!("{refused:?}")
    };
    assert!(reasons[0].contains(&wrong.display().to_string()));
    assert!(reasons[0].contains("build id"), "{reasons:?}");

    let right = root.put(&by_id);
    assert_eq!(path_of(&root.search(&[&other, &root], &[])), right);
}
