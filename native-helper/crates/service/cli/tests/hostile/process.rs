//! A process called `beam.smp` that maps the files it is given, and commands of the helper run
//! beside it.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Maps each file it is given as code, reports that, and waits.
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
pub struct TestFolder(PathBuf);

impl TestFolder {
    pub fn new(name: &str) -> Self {
        let folder = format!("hostile-{name}-{}", std::process::id());
        let test_folder = Self(std::env::temp_dir().join(folder));
        std::fs::create_dir_all(&test_folder.0).unwrap();
        std::fs::write(test_folder.path("beam.c"), SOURCE).unwrap();
        let compiled = Command::new("gcc")
            .args(["-O1", "-o"])
            .arg(test_folder.program())
            .arg(test_folder.path("beam.c"))
            .output()
            .expect("needs gcc");
        assert!(compiled.status.success(), "{compiled:?}");
        test_folder
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

impl Drop for TestFolder {
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

/// Long enough for any machine: who takes longer waits for ever.
const FOR_EVER: Duration = Duration::from_secs(300);

/// The output of a command of the helper, and its exit code.
pub struct Ended {
    pub code: Option<i32>,
    pub output: String,
    pub errors: String,
}

/// A running command of the helper.
pub struct Running {
    child: Child,
    input: Option<ChildStdin>,
    output: Printed,
    errors: Printed,
}

/// The helper that cargo compiled for these tests: beside their own folder, wherever that lies now.
fn helper() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    tests.parent().unwrap().with_file_name("extrospect")
}

impl Running {
    /// Starts it. Nothing follows `input` until its end.
    pub fn start(arguments: &[&str], input: &[u8]) -> Self {
        let mut child = Command::new(helper())
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(input).unwrap();
        let output = Printed::read(child.stdout.take().unwrap());
        let errors = Printed::read(child.stderr.take().unwrap());
        Self {
            child,
            input: Some(stdin),
            output,
            errors,
        }
    }

    /// Waits until it has printed that, or all it prints; `None`: it does neither.
    pub fn printed(&self, text: &str) -> Option<()> {
        let output = &self.output;
        let is_over = || output.so_far().contains(text) || output.reader.is_finished();
        eventually(|| is_over().then_some(()))
    }

    /// Ends its input and waits for its end. `None`: it does not end.
    pub fn end(mut self) -> Option<Ended> {
        drop(self.input.take());
        let status = eventually(|| self.child.try_wait().unwrap())?;
        Some(Ended {
            code: status.code(),
            output: self.output.all(),
            errors: self.errors.all(),
        })
    }
}

/// What a command prints.
struct Printed {
    text: Arc<Mutex<String>>,
    reader: JoinHandle<()>,
}

impl Printed {
    fn read(stream: impl Read + Send + 'static) -> Self {
        let text: Arc<Mutex<String>> = Arc::default();
        let read = Arc::clone(&text);
        let reader = std::thread::spawn(move || {
            let mut stream = BufReader::new(stream);
            let mut line = Vec::new();
            // Messages of `serve` end with a brace, lines with their end.
            while stream.read_until(b'}', &mut line).unwrap() > 0 {
                read.lock()
                    .unwrap()
                    .push_str(&String::from_utf8_lossy(&line));
                line.clear();
            }
        });
        Self { text, reader }
    }

    fn so_far(&self) -> String {
        self.text.lock().unwrap().clone()
    }

    fn all(self) -> String {
        self.reader.join().unwrap();
        let text = self.text.lock().unwrap();
        text.clone()
    }
}

/// What `look` gives at last; `None` when it never gives anything.
fn eventually<T>(mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let begun = Instant::now();
    loop {
        match look() {
            Some(found) => return Some(found),
            None if begun.elapsed() > FOR_EVER => return None,
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    }
}

/// Runs `list` in no more than that much address space; why the process cannot be attached to. On a
/// machine with much else to do that may be that it took too long.
pub fn list(limit_bytes: u64, pid: u32) -> String {
    let listed = json_of("list --json", limit_bytes);
    let rows = listed.as_array().unwrap();
    let row = rows.iter().find(|row| row["pid"] == pid);
    reason_of(row.unwrap_or_else(|| panic!("{pid} is not listed: {listed}")))
}

/// The same of the process that `list` has look at one target, which takes all the time it needs.
pub fn look(limit_bytes: u64, pid: u32) -> String {
    reason_of(&json_of(&format!("look {pid}"), limit_bytes))
}

fn json_of(arguments: &str, limit_bytes: u64) -> serde_json::Value {
    let command = format!("ulimit -v {} && exec \"$0\" {arguments}", limit_bytes >> 10);
    let output = Command::new("sh")
        .args(["-c", &command])
        .arg(helper())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{:?}: {errors}", output.status);
    serde_json::from_slice(&output.stdout).unwrap()
}

fn reason_of(row: &serde_json::Value) -> String {
    assert_eq!(row["attachable"], false, "{row}");
    row["reason"].as_str().unwrap().to_owned()
}
