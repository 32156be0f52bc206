//! `list`: every Erlang VM that can be seen, attached to for a moment each.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use protocol::discovery::{BeamRow, ListResult};
use shared_channel::channel;
use shared_sort::SharedSort;
use target_proc::ProcFs;
use target_proc::process::BeamProcess;

use crate::look::row::{look_failed, refused};
use crate::look::{Looker, LookingProcess, MAX_LOOK};
use crate::refusal::Refusal;

/// The period over which CPU time is measured. The VMs are attached to during it.
const LOAD_LOOK: Duration = Duration::from_millis(200);
/// Clock ticks of `/proc` a second, on every architecture we run on.
const TICKS_PER_SECOND: f64 = 100.0;
/// VMs attached to at the same time.
const MAX_WORKERS: usize = 8;
/// After this a look is taken to wait for something else than a processor.
const SLOW_LOOK: Duration = Duration::from_secs(2);
/// How often it is looked whether some are slow.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// Every Erlang VM that can be seen, by pid. An odd VM gets a row that states the problem.
///
/// # Errors
/// Only when `/proc` itself cannot be listed.
pub fn list(looker: &Looker) -> io::Result<ListResult> {
    let proc_fs = ProcFs::live();
    let begun = Instant::now();
    let found = match looker {
        Looker::Thread => proc_fs.find_beams()?,
        Looker::Process(_) => proc_fs.find_emulators()?,
    };
    let found: Vec<BeamProcess> = found
        .into_iter()
        .filter(|beam| !beam.status.is_zombie())
        .collect();
    let looks: Vec<(u32, Option<u64>, Instant)> = found
        .iter()
        .map(|beam| (beam.pid, cpu_ticks(&proc_fs, beam.pid), Instant::now()))
        .collect();
    let mut beams = rows(found, looker);
    if !looks.is_empty() {
        std::thread::sleep(LOAD_LOOK.saturating_sub(begun.elapsed()));
    }
    for (pid, before, since) in looks {
        let after = cpu_ticks(&proc_fs, pid);
        if let Some(row) = beams.iter_mut().find(|row| row.pid == pid) {
            row.cpu_pct = before
                .zip(after)
                .map(|(before, after)| load_pct(before, after, since.elapsed()));
        }
    }
    beams.shared_sort_by_key(|row| row.pid);
    Ok(ListResult { beams })
}

fn cpu_ticks(proc_fs: &ProcFs, pid: u32) -> Option<u64> {
    proc_fs.activity(pid).map(|activity| activity.cpu_ticks)
}

fn load_pct(before_ticks: u64, after_ticks: u64, elapsed: Duration) -> f64 {
    let used_s = after_ticks.saturating_sub(before_ticks) as f64 / TICKS_PER_SECOND;
    (100.0 * used_s / elapsed.as_secs_f64().max(0.001)).round()
}

/// One row each. VMs that end during the look are left out. A VM that cannot be read, for example
/// because it has mapped a file of a file system that does not answer, gets a row that states so.
fn rows(found: Vec<BeamProcess>, looker: &Looker) -> Vec<BeamRow> {
    let workers = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(MAX_WORKERS);
    let looker = looker.clone();
    let stuck = ProcFs::live().stuck();
    rows_by(found, workers, MAX_LOOK, move |beam, looking| {
        looker.look(beam, &stuck, looking)
    })
}

/// A look that is under way.
struct Look {
    beam: Arc<BeamProcess>,
    begun: Instant,
    looking: LookingProcess,
}

fn rows_by(
    found: Vec<BeamProcess>,
    workers: usize,
    longest: Duration,
    look: impl Fn(&BeamProcess, &LookingProcess) -> Option<BeamRow> + Send + Sync + 'static,
) -> Vec<BeamRow> {
    let look = Arc::new(look);
    let mut queue: VecDeque<Arc<BeamProcess>> = found.into_iter().map(Arc::new).collect();
    let mut running: Vec<Look> = Vec::new();
    let mut rows = Vec::new();
    let (send, results) = channel();
    while !queue.is_empty() || !running.is_empty() {
        // One that is slow takes no processor and keeps no other waiting.
        let busy = running
            .iter()
            .filter(|look| look.begun.elapsed() < SLOW_LOOK);
        let free = workers.saturating_sub(busy.count());
        for beam in queue.drain(..free.min(queue.len())) {
            let (send, on_thread, look) = (send.clone(), Arc::clone(&beam), Arc::clone(&look));
            let looking = LookingProcess::default();
            let in_process = looking.clone();
            let spawned = std::thread::Builder::new().spawn(move || {
                // Without a receiver the row is not missed.
                let _ = send.send((on_thread.pid, look(&on_thread, &in_process)));
            });
            match spawned {
                Ok(_) => running.push(Look {
                    beam,
                    begun: Instant::now(),
                    looking,
                }),
                Err(error) => {
                    rows.push(refused(&beam, look_failed(beam.pid, &error)));
                }
            }
        }
        if let Ok((pid, row)) = results.recv_timeout(LOOK_AGAIN) {
            // Of one that was given up there is a row already.
            if running.iter().any(|look| look.beam.pid == pid) {
                running.retain(|look| look.beam.pid != pid);
                rows.extend(row);
            }
        }
        running.retain(|look| {
            let is_late = look.begun.elapsed() >= longest;
            if is_late {
                let late = match look.looking.progress().is_runnable {
                    true => Refusal::still_reading(look.beam.pid, longest),
                    false => Refusal::no_answer(look.beam.pid, longest),
                };
                rows.push(refused(&look.beam, late.explanation.what_text()));
            }
            !is_late
        });
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::look::row::row_without_look;
    use std::sync::atomic::{AtomicBool, Ordering};
    use target_proc::container::ContainerHint;
    use target_proc::process::Executable;

    #[test]
    fn load_is_percent_of_one_core() {
        assert!((load_pct(100, 140, Duration::from_millis(200)) - 200.0).abs() < f64::EPSILON);
        assert!(load_pct(5, 3, Duration::ZERO).abs() < f64::EPSILON);
    }

    /// As of this process, under another number.
    fn beam(pid: u32) -> BeamProcess {
        BeamProcess {
            pid,
            executable: Executable::Known {
                path: "/x/beam.smp".into(),
                is_deleted: false,
            },
            command_line: vec!["beam.smp".to_owned()],
            node: None,
            container: ContainerHint::default(),
            status: ProcFs::live().status(std::process::id()).unwrap(),
            start_ticks: 1,
        }
    }

    /// Never ends for even numbers.
    fn look_for_ever_at_even(beam: &BeamProcess, _: &LookingProcess) -> Option<BeamRow> {
        if beam.pid.is_multiple_of(2) {
            loop {
                std::thread::park();
            }
        }
        Some(row_without_look(beam))
    }

    #[test]
    fn a_vm_that_does_not_let_itself_be_read_keeps_no_other_waiting() {
        let found = (2..10).map(beam).collect();
        let longest = Duration::from_millis(50);
        let mut rows = rows_by(found, 1, longest, look_for_ever_at_even);
        rows.shared_sort_by_key(|row| row.pid);
        let pids: Vec<u32> = rows.iter().map(|row| row.pid).collect();
        assert_eq!(pids, [2, 3, 4, 5, 6, 7, 8, 9]);
        for row in rows.iter().filter(|row| row.pid % 2 == 0) {
            let reason = row.reason.as_deref().unwrap();
            assert!(reason.contains("a file that does not answer"), "{reason}");
        }
    }

    #[test]
    fn a_look_that_is_at_work_to_the_end_blames_no_file() {
        let found = vec![beam(2)];
        let longest = Duration::from_millis(50);
        let is_judged = Arc::new(AtomicBool::new(false));
        let on_thread = Arc::clone(&is_judged);
        let rows = rows_by(found, 1, longest, move |_, looking| {
            // This process is at work as long as this thread is.
            looking.started_as(std::process::id());
            while !on_thread.load(Ordering::Relaxed) {
                std::hint::spin_loop();
            }
            None
        });
        is_judged.store(true, Ordering::Relaxed);
        let reason = rows[0].reason.as_deref().unwrap();
        assert!(reason.contains("this machine is overloaded"), "{reason}");
    }

    #[test]
    fn listing_works_whatever_runs_here() {
        let beams = list(&Looker::Thread).unwrap().beams;
        assert!(beams.windows(2).all(|pair| pair[0].pid < pair[1].pid));
        assert!(
            beams
                .iter()
                .all(|row| row.attachable == row.reason.is_none())
        );
    }
}
