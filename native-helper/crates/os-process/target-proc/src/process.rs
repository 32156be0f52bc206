//! Finding Erlang VMs among the processes of the machine.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use shared_sort::SharedSort;

use crate::command_line::{NodeName, node_name, parse_command_line};
use crate::container::ContainerHint;
use crate::error::ProcError;
use crate::maps::DELETED;
use crate::proc_fs::ProcFs;
use crate::status::Status;
use crate::wait_limit::WaitLimit;

/// Linux allows command lines of some megabytes; beyond this they are of no use for a VM.
const MAX_CMDLINE_BYTES: u64 = 4 << 20;

/// How long the command line of a process is waited for.
const CMDLINE_PATIENCE: Duration = Duration::from_secs(3);

/// How the names of emulators end; `smp` is the flavor that is started by default.
const EMULATOR_FLAVORS: [&str; 3] = ["smp", "emu", "jit"];

/// The program that a process runs.
#[derive(Debug)]
pub enum Executable {
    /// The kernel shows it.
    Known {
        /// As the kernel words it, without ` (deleted)`. A path in the target's own mount
        /// namespace, or nearly so.
        path: PathBuf,
        /// The file has no name any more (package upgrade, container layers).
        is_deleted: bool,
    },
    /// The kernel does not, for this reason; the command line is that of an emulator.
    Hidden(ProcError),
}

/// Whether to read the arguments of a process.
#[derive(Debug, Clone, Copy)]
enum Arguments {
    Read,
    LeaveAlone,
}

/// One Erlang VM.
#[derive(Debug)]
pub struct BeamProcess {
    /// Process id, as this pid namespace numbers it.
    pub pid: u32,
    /// Program.
    pub executable: Executable,
    /// Arguments, `argv[0]` first, the cookie hidden.
    pub command_line: Vec<String>,
    /// Node name among the arguments.
    pub node: Option<NodeName>,
    /// Surroundings.
    pub container: ContainerHint,
    /// Status at the time of the reading.
    pub status: Status,
    /// When it started, clock ticks (of 10 ms) after boot: distinguishes it from a later process
    /// with its pid.
    pub start_ticks: u64,
}

impl BeamProcess {
    /// Effective user id.
    #[must_use]
    pub fn uid(&self) -> u32 {
        self.status.uids.effective
    }
}

/// Whether a file name is that of an emulator: `beam.smp`, and by type and flavor `beam.emu`,
/// `beam.jit`, `beam.debug.smp`, `beam.lcnt.emu`.
#[must_use]
pub fn is_emulator_name(name: &str) -> bool {
    let flavor = name
        .strip_prefix("beam.")
        .map(|rest| rest.rsplit_once('.').map_or(rest, |(_, flavor)| flavor));
    flavor.is_some_and(|flavor| EMULATOR_FLAVORS.contains(&flavor))
}

impl ProcFs {
    /// Every Erlang VM that can be seen, sorted by pid. Processes that end during the search are
    /// left out; those that cannot be read are listed with the reason.
    ///
    /// # Errors
    /// Only when the proc file system itself cannot be listed.
    pub fn find_beams(&self) -> io::Result<Vec<BeamProcess>> {
        self.find(Arguments::Read)
    }

    /// The same, but nothing is read from the memory of processes whose program the kernel shows,
    /// where it may be a mapped file that never answers: no arguments, no node name.
    ///
    /// # Errors
    /// As [`ProcFs::find_beams`].
    pub fn find_emulators(&self) -> io::Result<Vec<BeamProcess>> {
        self.find(Arguments::LeaveAlone)
    }

    fn find(&self, arguments: Arguments) -> io::Result<Vec<BeamProcess>> {
        let mut pids: Vec<u32> = fs::read_dir(self.root())?
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .collect();
        pids.shared_sort();
        Ok(pids
            .into_iter()
            .filter_map(|pid| self.beam_with(pid, arguments).ok().flatten())
            .collect())
    }

    /// The Erlang VM with that pid; `None` when the process is there but is no Erlang VM.
    ///
    /// # Errors
    /// No such process, or a `/proc` that is not Linux's.
    pub fn beam(&self, pid: u32) -> Result<Option<BeamProcess>, ProcError> {
        self.beam_with(pid, Arguments::Read)
    }

    fn beam_with(&self, pid: u32, arguments: Arguments) -> Result<Option<BeamProcess>, ProcError> {
        let Some(executable) = self.emulator(pid)? else {
            return Ok(None);
        };
        // A process that has mapped a file that does not answer over its own arguments is listed
        // all the same.
        let command_line = match arguments {
            Arguments::LeaveAlone => Vec::new(),
            Arguments::Read => match self.command_line(pid) {
                Err(error) if error.is_timeout() => Vec::new(),
                result => result?,
            },
        };
        let status = self.status(pid)?;
        Ok(Some(BeamProcess {
            pid,
            executable,
            node: node_name(&command_line),
            command_line,
            container: self.container_hint(pid, &status),
            status,
            start_ticks: self.start_ticks(pid)?,
        }))
    }

    /// The arguments of a process, `argv[0]` first, the cookie hidden. Empty for a zombie.
    ///
    /// # Errors
    /// No such process, or not permitted.
    pub fn command_line(&self, pid: u32) -> Result<Vec<String>, ProcError> {
        // The kernel reads it out of the memory of the process, which may be a mapped file.
        let proc_fs = self.clone();
        let read = move || proc_fs.read(pid, "cmdline", MAX_CMDLINE_BYTES);
        let text = WaitLimit::of(CMDLINE_PATIENCE)
            .wait(read)
            .map_err(|error| ProcError::from_io(pid, "cmdline", error))??;
        Ok(parse_command_line(&text))
    }

    fn emulator(&self, pid: u32) -> Result<Option<Executable>, ProcError> {
        match self.link(pid, "exe") {
            Ok(path) => {
                let text = path.to_string_lossy();
                let (path, is_deleted) = match text.strip_suffix(DELETED) {
                    Some(path) => (PathBuf::from(path), true),
                    None => (path.clone(), false),
                };
                let known = Executable::Known {
                    path: path.clone(),
                    is_deleted,
                };
                Ok(has_emulator_name(&path).then_some(known))
            }
            // Kernel threads and zombies have no program; a process that is gone has none either.
            Err(ProcError::NoSuchProcess { .. }) if self.exists(pid) => Ok(None),
            Err(error @ ProcError::PermissionDenied { .. }) => {
                let command_line = self.command_line(pid)?;
                let is_emulator = command_line
                    .first()
                    .is_some_and(|program| has_emulator_name(Path::new(program)));
                Ok(is_emulator.then_some(Executable::Hidden(error)))
            }
            Err(error) => Err(error),
        }
    }
}

impl ProcFs {
    /// The program that a process runs, as the kernel words its path; `None` where the kernel does not
    /// show it.
    #[must_use]
    pub fn program(&self, pid: u32) -> Option<PathBuf> {
        self.link(pid, "exe").ok()
    }

    /// The working directory of a process, as the kernel words its path: in the process's own mount namespace, with
    /// ` (deleted)` behind one that no longer exists. `None` where the kernel does not show it to these rights. The
    /// kernel answers it from memory: no file system can delay it.
    #[must_use]
    pub fn working_directory(&self, pid: u32) -> Option<PathBuf> {
        self.link(pid, "cwd").ok()
    }

    /// Whether a process that had a program has ended, or is just ending: the program goes first, and the entry in `/proc`
    /// last. One that is hidden has not ended.
    #[must_use]
    pub fn has_ended(&self, pid: u32) -> bool {
        let program = self.link(pid, "exe");
        matches!(program, Err(ProcError::NoSuchProcess { .. })) && !self.is_hidden(pid)
    }

    /// Whether a process runs the emulator, by the name of its program alone; where the kernel does not show that, as of
    /// another user's process, by the first word of its command line.
    #[must_use]
    pub fn runs_emulator(&self, pid: u32) -> bool {
        matches!(self.emulator(pid), Ok(Some(_)))
    }
}

fn has_emulator_name(path: &Path) -> bool {
    path.file_name()
        .and_then(|name| name.to_str())
        .is_some_and(is_emulator_name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    const STATUS: &str = "Name:\tbeam.smp\nState:\tS\nTracerPid:\t0\nUid:\t7\t8\t9\t7\n\
        Gid:\t0\t0\t0\t0\nNSpid:\t10\t3\nThreads:\t4\nCapEff:\t0\n";
    const STAT: &str = "10 (beam.smp) S 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 2222 23";

    /// A directory that imitates `/proc`; removed when dropped.
    struct FakeProc(PathBuf);

    impl FakeProc {
        fn new(name: &str) -> Self {
            let root = std::env::temp_dir().join(format!("proc-{name}-{}", std::process::id()));
            fs::create_dir_all(&root).unwrap();
            Self(root)
        }

        fn add(&self, pid: u32, exe: Option<&str>, cmdline: &str) {
            let dir = self.0.join(pid.to_string());
            fs::create_dir_all(&dir).unwrap();
            if let Some(exe) = exe {
                symlink(exe, dir.join("exe")).unwrap();
            }
            fs::write(dir.join("cmdline"), cmdline.replace(' ', "\0")).unwrap();
            fs::write(dir.join("status"), STATUS).unwrap();
            fs::write(dir.join("stat"), STAT).unwrap();
        }
    }

    impl Drop for FakeProc {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn lists_emulators_and_nothing_else() {
        let fake = FakeProc::new("list");
        fake.add(
            10,
            Some("/x/beam.smp (deleted)"),
            "/x/beam.smp -- -sname a@b",
        );
        fake.add(9, Some("/usr/bin/beam.debug.smp"), "beam");
        fake.add(11, Some("/usr/bin/vim"), "vim beam.smp");
        fake.add(12, None, "");
        fs::create_dir_all(fake.0.join("sys")).unwrap();
        let beams = ProcFs::at(&fake.0).find_beams().unwrap();
        assert_eq!(
            beams.iter().map(|beam| beam.pid).collect::<Vec<_>>(),
            [9, 10]
        );
        let deleted = &beams[1];
        assert!(matches!(&deleted.executable,
            Executable::Known { path, is_deleted: true } if path == Path::new("/x/beam.smp")));
        assert_eq!(deleted.node.as_ref().unwrap().name, "a@b");
        assert_eq!(deleted.start_ticks, 2222);
        assert_eq!(deleted.uid(), 8);
        assert_eq!(deleted.container.other_pid_namespace, Some(true));
    }

    #[test]
    fn a_process_runs_the_emulator_by_the_name_of_its_program() {
        let fake = FakeProc::new("runs");
        fake.add(10, Some("/x/beam.smp (deleted)"), "a");
        fake.add(11, Some("/usr/bin/vim"), "beam.smp");
        fake.add(12, None, "beam.smp");
        let proc_fs = ProcFs::at(&fake.0);
        let runs = [10, 11, 12, 13].map(|pid| proc_fs.runs_emulator(pid));
        assert_eq!(runs, [true, false, false, false]);
    }

    #[test]
    fn the_working_directory_is_where_the_kernel_shows_it() {
        let fake = FakeProc::new("folder");
        fake.add(10, None, "beam.smp");
        fake.add(11, None, "beam.smp");
        symlink("/srv/shop (deleted)", fake.0.join("10/cwd")).unwrap();
        let proc_fs = ProcFs::at(&fake.0);
        let shown = [10, 11, 12].map(|pid| proc_fs.working_directory(pid));
        assert_eq!(shown, [Some("/srv/shop (deleted)".into()), None, None]);
        let own = ProcFs::live().working_directory(std::process::id());
        assert_eq!(own, std::env::current_dir().ok());
    }

    #[test]
    fn recognises_the_names_of_emulators() {
        for name in [
            "beam.smp",
            "beam.debug.smp",
            "beam.emu.smp",
            "beam.lcnt.emu.smp",
            "beam.emu",
            "beam.jit",
            "beam.debug.jit",
        ] {
            assert!(is_emulator_name(name), "{name}");
        }
        for name in [
            "beam",
            "beam.",
            "beam.smp.old",
            "beamsmp",
            "xbeam.smp",
            "",
            "beam.emus",
            "beam.debug",
        ] {
            assert!(!is_emulator_name(name), "{name}");
        }
    }

    #[test]
    fn this_process_is_no_emulator_and_a_missing_one_is_an_error() {
        let fs = ProcFs::live();
        assert!(fs.beam(std::process::id()).unwrap().is_none());
        assert!(matches!(
            fs.beam(u32::MAX),
            Err(ProcError::NoSuchProcess { .. })
        ));
    }
}
