//! Who a sample belongs to: thread, scheduler, Erlang process.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use capture::sample::SchedulerId;
use target_memory::{TargetMemory, u64_at};
use vm_layout::ProcessLayout;
use vm_tables::atoms::AtomTable;
use vm_tables::names::display_mfa;
use vm_tables::pids::PidFormat;
use vm_tables::ports::PortFacts;
use vm_tables::processes::{initial_call, process_name};
use vm_tables::schedulers::SchedulerKind;

/// Processes whose names are remembered; a spawn storm makes us forget.
const MAX_PROCESSES: usize = 10_000;
/// A registered name, as other facts that may change at any time, is looked up again after this long.
pub(super) const NAME_HOLDS_NS: u64 = 1_000_000_000;

/// A thread of the target.
#[derive(Debug, Clone)]
pub struct ThreadIdentity {
    /// Its name, which it may have inherited.
    pub name: String,
    /// Scheduler, when it is one.
    pub scheduler: Option<SchedulerId>,
}

/// The scheduler of that kind and number.
pub fn scheduler_id(kind: SchedulerKind, number: u32) -> SchedulerId {
    match kind {
        SchedulerKind::Normal => SchedulerId::Normal(number),
        SchedulerKind::DirtyCpu => SchedulerId::DirtyCpu(number),
        SchedulerKind::DirtyIo => SchedulerId::DirtyIo(number),
    }
}

/// Pid and name of a process, as shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessIdentity {
    /// `<0.123.0>`.
    pub pid: String,
    /// Registered name or initial call.
    pub name: Option<String>,
}

/// The process of one sample.
#[derive(Debug, Clone, Copy)]
pub struct SampledProcess<'a> {
    /// Address of its struct.
    pub address: u64,
    /// Pid term.
    pub id: u64,
    /// Its struct, as of the sample.
    pub bytes: &'a [u8],
    /// CLOCK_MONOTONIC of the sample, nanoseconds.
    pub time_ns: u64,
}

/// Markers of the ports seen, each with when it was looked up. An owner may register, and a port may change hands: then
/// it has other facts.
#[derive(Debug, Default)]
pub struct PortMarkers {
    known: HashMap<PortFacts, (String, u64)>,
}

impl PortMarkers {
    /// The marker of a port as of a sample, by `look_up` unless it is known.
    pub fn marker(
        &mut self,
        port: PortFacts,
        time_ns: u64,
        look_up: impl FnOnce() -> String,
    ) -> &str {
        if self.known.len() >= MAX_PROCESSES && !self.known.contains_key(&port) {
            self.known.clear();
        }
        let (marker, looked_up_ns) = match self.known.entry(port) {
            Entry::Vacant(place) => return &place.insert((look_up(), time_ns)).0,
            Entry::Occupied(place) => place.into_mut(),
        };
        if time_ns.saturating_sub(*looked_up_ns) >= NAME_HOLDS_NS {
            (*marker, *looked_up_ns) = (look_up(), time_ns);
        }
        marker
    }
}

/// Names of the processes seen. A process may register at any time, and unregister.
#[derive(Debug, Default)]
pub struct ProcessNames {
    known: HashMap<(u64, u64), Known>,
}

#[derive(Debug)]
struct Known {
    identity: ProcessIdentity,
    /// The function that it began with, as the VM spells it. A process that ends no longer has its module.
    first: Option<String>,
    /// Where the process had its registered name when that was looked up.
    entry: Option<u64>,
    looked_up_ns: u64,
}

impl ProcessNames {
    /// The identity of a process.
    pub fn identify(
        &mut self,
        memory: &impl TargetMemory,
        atoms: &mut AtomTable,
        layout: &ProcessLayout,
        pids: PidFormat,
        process: SampledProcess<'_>,
    ) -> &ProcessIdentity {
        let key = (process.address, process.id);
        if self.known.len() >= MAX_PROCESSES && !self.known.contains_key(&key) {
            self.known.clear();
        }
        let entry = u64_at(process.bytes, layout.reg);
        let struct_at = (process.address, process.bytes);
        match self.known.entry(key) {
            Entry::Vacant(place) => {
                let identity = ProcessIdentity {
                    pid: pids.text(process.id),
                    name: process_name(memory, atoms, layout, struct_at),
                };
                let known = Known {
                    identity,
                    first: initial_call(memory, atoms, layout, process.bytes),
                    entry,
                    looked_up_ns: process.time_ns,
                };
                &place.insert(known).identity
            }
            Entry::Occupied(place) => {
                let known = place.into_mut();
                let age_ns = process.time_ns.saturating_sub(known.looked_up_ns);
                // Another name may have taken the place of the one before it.
                let may_differ = entry != Some(0) && age_ns >= NAME_HOLDS_NS;
                if entry != known.entry || may_differ {
                    let name = process_name(memory, atoms, layout, struct_at);
                    known.identity.name = name.or_else(|| known.first.as_deref().map(display_mfa));
                    (known.entry, known.looked_up_ns) = (entry, process.time_ns);
                }
                &known.identity
            }
        }
    }

    /// The function that a process began with, as the VM spells it, if that was seen before the process ended.
    pub fn first_function(&self, address: u64, id: u64) -> Option<&str> {
        self.known.get(&(address, id))?.first.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use target_memory::SnapshotMemory;
    use vm_layout::rows::ROWS;

    const PROCESS: u64 = 0x10_000;
    const ENTRIES: [u64; 2] = [0x20_000, 0x20_100];
    const ATOMS: u64 = 0x30_000;
    const LAYOUT: ProcessLayout = ROWS[0].process;

    /// Atoms `shop` and `cart`, and a process with that initial call, arity 1.
    fn memory() -> SnapshotMemory {
        let mut memory = SnapshotMemory::new();
        let mut head = [0; 16];
        (head[14], head[15]) = (2 << 32 | 1024, ATOMS + 0x1000);
        memory.map_words(ATOMS, &head);
        memory.map_words(ATOMS + 0x1000, &[ATOMS + 0x2000]);
        memory.map_words(ATOMS + 0x2000, &[ATOMS + 0x5000, ATOMS + 0x6000]);
        for (index, name) in (0u64..).zip(["shop", "cart"]) {
            let at = ATOMS + 0x5000 + index * 0x1000;
            memory.map_words(at, &[0, 0, index, 4, at + 0x80]);
            memory.map(at + 0x80, name.as_bytes().to_vec());
        }
        memory
    }

    struct Seen {
        names: ProcessNames,
        memory: SnapshotMemory,
    }

    impl Seen {
        /// The entry at `entry` is that of the process at `owner`, with the name of an atom.
        fn register(&mut self, entry: u64, owner: u64, atom: u64) {
            let words = [0, 0, owner, 0, atom << 6 | 0xb];
            self.memory.map_words(entry, &words);
        }

        /// The name shown with a sample in which the process pointed to `entry`.
        fn at(&mut self, time_ms: u64, entry: u64) -> Option<String> {
            self.with_module(time_ms, entry, 0xb)
        }

        /// The same while the process ends: the place of the module has a pointer of the VM's.
        fn at_end(&mut self, time_ms: u64) -> Option<String> {
            self.with_module(time_ms, 0, 0x561d_6639_41c0)
        }

        fn with_module(&mut self, time_ms: u64, entry: u64, module: u64) -> Option<String> {
            let mut bytes = vec![0; LAYOUT.read_bytes];
            let call = [module, 1 << 6 | 0xb, 1];
            for (offset, word) in [(LAYOUT.reg, entry)]
                .into_iter()
                .chain((LAYOUT.initial_call..).step_by(8).zip(call))
            {
                bytes[offset..offset + 8].copy_from_slice(&word.to_le_bytes());
            }
            let process = SampledProcess {
                address: PROCESS,
                id: 0x6b3,
                bytes: &bytes,
                time_ns: time_ms * 1_000_000,
            };
            let mut atoms = AtomTable::new(ATOMS);
            let pids = PidFormat::SlotAbove;
            let found = self
                .names
                .identify(&self.memory, &mut atoms, &LAYOUT, pids, process);
            found.name.clone()
        }
    }

    fn seen() -> Seen {
        Seen {
            names: ProcessNames::default(),
            memory: memory(),
        }
    }

    #[test]
    fn the_marker_of_a_port_holds_for_a_second() {
        let port = PortFacts {
            id: 0x77,
            owner: None,
            driver: 0x1000,
        };
        let mut markers = PortMarkers::default();
        let mut at = |time_ns, name: &str| {
            let marker = markers.marker(port, time_ns, || name.to_owned());
            marker.to_owned()
        };
        assert_eq!(at(0, "[port a of b]"), "[port a of b]");
        assert_eq!(at(NAME_HOLDS_NS - 1, "[port a of c]"), "[port a of b]");
        assert_eq!(at(NAME_HOLDS_NS, "[port a of c]"), "[port a of c]");
    }

    #[test]
    fn a_process_that_registers_later_has_its_name_from_then_on() {
        let mut seen = seen();
        assert_eq!(seen.at(0, 0).unwrap(), "shop:cart/1");
        seen.register(ENTRIES[0], PROCESS, 1);
        assert_eq!(seen.at(1, ENTRIES[0]).unwrap(), "cart");
        assert_eq!(seen.at(2, 0).unwrap(), "shop:cart/1");
    }

    #[test]
    fn a_process_that_ends_keeps_the_function_that_it_began_with() {
        let mut seen = seen();
        seen.register(ENTRIES[0], PROCESS, 0);
        assert_eq!(seen.at(0, ENTRIES[0]).unwrap(), "shop");
        assert_eq!(seen.at_end(1).unwrap(), "shop:cart/1");
        let first = |seen: &Seen, id| seen.names.first_function(PROCESS, id).map(str::to_owned);
        assert_eq!(first(&seen, 0x6b3).unwrap(), "shop:cart/1");
        assert_eq!(first(&seen, 0x6c3), None, "another process");
        // Not seen before: its first function is not known.
        let mut late = self::seen();
        assert_eq!(late.at_end(0), None);
        assert_eq!(first(&late, 0x6b3), None);
    }

    #[test]
    fn an_entry_that_is_another_process_s_by_now_names_none() {
        let mut seen = seen();
        seen.register(ENTRIES[0], PROCESS + 0x1000, 0);
        assert_eq!(seen.at(0, ENTRIES[0]).unwrap(), "shop:cart/1");
        assert_eq!(seen.at(1, ENTRIES[1]).unwrap(), "shop:cart/1");
    }

    #[test]
    fn another_name_in_the_place_of_the_one_before_is_seen() {
        let mut seen = seen();
        seen.register(ENTRIES[0], PROCESS, 0);
        assert_eq!(seen.at(0, ENTRIES[0]).unwrap(), "shop");
        seen.register(ENTRIES[0], PROCESS, 1);
        assert_eq!(seen.at(999, ENTRIES[0]).unwrap(), "shop");
        assert_eq!(seen.at(1000, ENTRIES[0]).unwrap(), "cart");
    }
}
