//! A process called `beam.smp` that maps what it is told to, and `list` run beside it.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// Maps each file it is given as code, says so, and waits.
const SOURCE: &str = r#"
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int count, char **files) {
    for (int i = 1; i < count; i++) {
        int fd = open(files[i], O_RDONLY);
        if (fd < 0 || mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED) {
            perror(files[i]);
            return 1;
        }
        close(fd);
    }
    puts("ready");
    fflush(stdout);
    for (;;) pause();
}
"#;

/// A folder of one test with the program in it; removed at its end.
pub struct Room(PathBuf);

impl Room {
    pub fn new(name: &str) -> Self {
        let folder = format!("hostile-{name}-{}", std::process::id());
        let room = Self(std::env::temp_dir().join(folder));
        std::fs::create_dir_all(&room.0).unwrap();
        std::fs::write(room.path("beam.c"), SOURCE).unwrap();
        let compiled = Command::new("gcc")
            .args(["-O1", "-o"])
            .arg(room.program())
            .arg(room.path("beam.c"))
            .output()
            .expect("needs gcc");
        assert!(compiled.status.success(), "{compiled:?}");
        room
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn program(&self) -> PathBuf {
        self.path("beam.smp")
    }

    /// Starts the program, and returns when it has mapped the files.
    pub fn start(&self, files: &[PathBuf]) -> Target {
        let mut child = Command::new(self.program())
            .args(files)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let output = child.stdout.take().unwrap();
        BufReader::new(output).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        Target(child)
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The process; ended at the end of the test.
pub struct Target(Child);

impl Target {
    pub fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs `list` in no more than that much address space; why the process cannot be attached to.
pub fn list(limit_bytes: u64, pid: u32) -> String {
    let command = format!("ulimit -v {} && exec \"$0\" list --json", limit_bytes >> 10);
    let output = Command::new("sh")
        .args(["-c", &command, env!("CARGO_BIN_EXE_extrospect")])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{:?}: {said}", output.status);
    let listed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = listed.as_array().unwrap();
    let row = rows.iter().find(|row| row["pid"] == pid);
    let row = row.unwrap_or_else(|| panic!("{pid} is not listed: {listed}"));
    assert_eq!(row["attachable"], false, "{row}");
    row["reason"].as_str().unwrap().to_owned()
}
