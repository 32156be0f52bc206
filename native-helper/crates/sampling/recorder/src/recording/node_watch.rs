//! The VM's figures about itself while it is sampled, about once a second.

use std::time::Duration;

use attach::{AttachedVm, NodeReader};
use capture::pprof::NodeReading;
use permitted_target::PermittedTarget;

use super::mailboxes::{MailboxLook, Mailboxes, PAGE};
use crate::sys;

/// A reading that took long is followed by so many times that long without one, so that readings stay below
/// three parts of a thousand of a processor; mailboxes have a budget of their own.
const PAUSE_TIMES: u32 = 330;

/// Looks at the VM as a whole.
#[derive(Debug)]
pub(super) struct NodeWatch {
    reader: NodeReader,
    interval: Duration,
    next: Duration,
    look: MailboxLook,
    /// The result of the last complete look, until a reading has it.
    mailboxes: Option<Mailboxes>,
    /// Since the reading before.
    cost_ns: u64,
}

impl NodeWatch {
    pub(super) fn of(vm: &AttachedVm, target: &PermittedTarget, interval: Duration) -> Self {
        Self {
            reader: vm.node_reader(Some(target)),
            interval,
            next: Duration::ZERO,
            look: MailboxLook::every(interval),
            mailboxes: None,
            cost_ns: 0,
        }
    }

    /// The VM's figures, when it is time to look again. `now` counts from the start of the capture.
    pub(super) fn look(&mut self, vm: &mut AttachedVm, now: Duration) -> Option<NodeReading> {
        let before_ns = sys::thread_cpu_ns();
        let page = |place| vm.entry_page(place, PAGE);
        let seen = self.look.go_on(now, sys::thread_cpu_ns, page);
        self.mailboxes = seen.or(self.mailboxes);
        if now < self.next {
            self.cost_ns += sys::thread_cpu_ns().saturating_sub(before_ns);
            return None;
        }
        let began_ns = sys::thread_cpu_ns();
        let reading = self.reading(vm, now);
        let ended_ns = sys::thread_cpu_ns();
        let took = Duration::from_nanos(ended_ns.saturating_sub(began_ns));
        self.next = now + self.interval.max(took.saturating_mul(PAUSE_TIMES));
        let cost_ns = std::mem::take(&mut self.cost_ns) + ended_ns.saturating_sub(before_ns);
        reading.has_figures().then_some(NodeReading {
            cost_us: Some(cost_ns / 1000),
            ..reading
        })
    }

    fn reading(&mut self, vm: &AttachedVm, now: Duration) -> NodeReading {
        let numbers = self.reader.read(vm);
        // Figures that are not known of this VM, or cannot be read right now, are absent; the target may be
        // ending.
        let (queues, counters) = (numbers.queues.ok(), numbers.counters.ok());
        // A number that may be too small is left out: a condition that needs it cannot be judged, and that is
        // reported.
        let mailboxes = self.mailboxes.take().filter(|it| !it.are_at_least);
        let owner = mailboxes.filter(|it| it.owner != 0).zip(vm.pids);
        NodeReading {
            at_ms: now.as_millis() as u64,
            run_queue: queues.map(|it| it.lengths.normal),
            dirty_cpu_run_queue: queues.map(|it| it.lengths.dirty_cpu),
            dirty_io_run_queue: queues.map(|it| it.lengths.dirty_io),
            processes: numbers.processes.map(u64::from),
            memory_bytes: numbers.memory_bytes.ok(),
            rss_bytes: numbers.rss_bytes,
            largest_mailbox: mailboxes.map(|it| it.largest),
            waiting_messages: mailboxes.map(|it| it.messages),
            collections: counters.map(|it| it.collections),
            reclaimed_words: counters.map(|it| it.reclaimed_words),
            reductions: queues.map(|it| it.reductions),
            context_switches: queues.map(|it| it.context_switches),
            io_in_bytes: counters.map(|it| it.io_in_bytes),
            io_out_bytes: counters.map(|it| it.io_out_bytes),
            largest_mailbox_pid: owner.map(|(it, pids)| pids.number(it.owner)),
            cost_us: None,
        }
    }
}
