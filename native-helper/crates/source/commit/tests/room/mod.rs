//! Folders with repositories in them that go with a test, and captures of their code.
#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use capture::facts::{CaptureSettings, TargetFacts};
use capture::reader::Capture;
use capture::sample::{FrameKind, FunctionFacts};
use capture::writer::CaptureWriter;
use commit::Repository;

pub struct Room(pub PathBuf);

impl Room {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("commit-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path.canonicalize().unwrap())
    }

    /// A repository with one commit of one source.
    pub fn with_shop(name: &str) -> Self {
        let room = Self::new(name);
        room.git(&["init", "-q", "-b", "main"]);
        room.write("src/shop.erl", "-module(shop).\n");
        room.git(&["add", "."]);
        room.git(&["commit", "-qm", "first"]);
        room
    }

    pub fn git(&self, arguments: &[&str]) -> String {
        git(&self.0, arguments)
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn repository(&self) -> Repository {
        Repository::of(&self.0).unwrap().unwrap()
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args([
            "-c",
            "user.name=me",
            "-c",
            "user.email=me@host",
            "-c",
            "protocol.file.allow=always",
        ])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

pub fn has_git() -> bool {
    Command::new("git").arg("--version").output().is_ok()
}

/// A capture whose functions are in these files.
pub fn capture_of(files: &[(&str, &str)]) -> Capture {
    let mut writer = CaptureWriter::new(TargetFacts::default(), CaptureSettings::default());
    for (module, file) in files {
        writer.intern_function(&FunctionFacts {
            name: format!("{module}:f/1"),
            raw_name: format!("{module}:f/1"),
            kind: FrameKind::Erlang,
            file: (*file).into(),
            head_line: 1,
            object: "[erlang]".into(),
        });
    }
    Capture::from_bytes(&writer.functions()).unwrap()
}
