//! A VM of which nothing runs, in words, and the command that resumes it.

use std::path::Path;

use protocol::explanation::Explanation;
use protocol::message::texts;
use target_proc::ProcFs;
use target_proc::container::{ContainerPlace, Runtime};
use target_proc::standstill::Standstill;

use crate::rights::shell_word;

/// Why nothing of process `pid` runs and how to resume it; `None` when it runs, or is gone.
///
/// # Errors
/// Why that is not known.
pub fn standstill(pid: u32) -> Result<Option<Explanation>, Explanation> {
    let found = ProcFs::live().standstill(pid);
    match found.map_err(|_| not_known(pid))? {
        Some(found) => Ok(Some(explained(pid, &found))),
        None => Ok(None),
    }
}

fn not_known(pid: u32) -> Explanation {
    let what = texts::WHETHER_HALTED_UNKNOWN.with(&[("pid", &pid)]);
    Explanation::new(what, texts::TO_SEE_WHETHER_HALTED.text())
        .mended_by(&format!("sudo extrospect doctor {pid}"))
}

fn explained(pid: u32, found: &Standstill) -> Explanation {
    let (what, command, advice) = match found {
        Standstill::Stopped => (
            texts::VM_STOPPED.with(&[("pid", &pid)]),
            Some(format!("kill -CONT {pid}")),
            texts::TO_THAW,
        ),
        Standstill::Traced { by } => (
            texts::VM_TRACED.with(&[("pid", &pid), ("debugger", by)]),
            None,
            texts::TO_LET_GO,
        ),
        Standstill::Frozen { thaw } => {
            let thaw = thaw.as_ref().map(|(file, text)| (&**file, *text));
            let frozen = texts::VM_FROZEN.with(&[("pid", &pid)]);
            (frozen, thaw_command(pid, thaw), texts::TO_THAW)
        }
    };
    match command {
        Some(command) => Explanation::new(what, texts::TO_RESUME.with(&[("command", &command)]))
            .mended_by(&command),
        None => Explanation::new(what, advice.text()),
    }
}

fn thaw_command(pid: u32, thaw: Option<(&Path, &str)>) -> Option<String> {
    let proc_fs = ProcFs::live();
    let status = proc_fs.status(pid).ok()?;
    let containers = proc_fs.container_hint(pid, &status).containers;
    let places = containers.as_ref().map_or(&[][..], |it| &it.nested);
    command_of(places, thaw)
}

/// The command to resume a container, by the program that paused it; `places` are those that the process is in.
fn command_of(places: &[ContainerPlace], thaw: Option<(&Path, &str)>) -> Option<String> {
    let paused = places.iter().find_map(|place| {
        let program = match place.runtime {
            Runtime::Docker => "docker",
            Runtime::Podman => "podman",
            _ => return None,
        };
        let id = place.id.as_deref()?;
        // The group of another container can be the frozen one: that of one around it, for example.
        let is_it = thaw.is_none_or(|(file, _)| file.to_string_lossy().contains(id));
        is_it.then(|| format!("{program} unpause {id}"))
    });
    paused.or_else(|| {
        let (file, text) = thaw?;
        let file = shell_word(&file.to_string_lossy());
        Some(format!("echo {text} | sudo tee {file}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_that_paused_a_container_resumes_it() {
        let id = "0123456789abcdef".repeat(4);
        let docker = ContainerPlace {
            id: Some(id.clone()),
            ..ContainerPlace::of(Runtime::Docker)
        };
        let command = |thaw: Option<&str>| {
            let thaw = thaw.map(|file| (Path::new(file), "0"));
            command_of(std::slice::from_ref(&docker), thaw)
        };
        let unpause = format!("docker unpause {id}");
        let own = format!("/sys/fs/cgroup/system.slice/docker-{id}.scope/cgroup.freeze");
        assert_eq!(command(Some(&own)), Some(unpause.clone()));
        assert_eq!(command(None), Some(unpause));
        let around = "/sys/fs/cgroup/a b/cgroup.freeze";
        let thaw = format!("echo 0 | sudo tee '{around}'");
        assert_eq!(command(Some(around)), Some(thaw));
        assert_eq!(command_of(&[], None), None);
    }

    #[test]
    fn a_process_that_runs_or_is_gone_does_not_stand_still() {
        assert_eq!(standstill(std::process::id()), Ok(None));
        assert_eq!(standstill(u32::MAX), Ok(None));
    }

    #[test]
    fn a_state_that_the_kernel_does_not_show_is_reported() {
        let unknown = not_known(7);
        assert_eq!(
            unknown.actionable.command.as_deref(),
            Some("sudo extrospect doctor 7")
        );
        assert_eq!(
            unknown.to_string(),
            "it is not known whether process 7 is halted: the kernel shows neither its control group nor where it \
             waits; root sees where it waits"
        );
    }
}
