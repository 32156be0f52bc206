//! The heap of one process of an attached VM.

mod watch;

use std::time::{Duration, Instant};

use erlang_names::ProcessName;
use erlang_stack::VmWords;
use erlang_terms::{Limits, Term, TermText};
use process_heap::{
    CopyError, HeapCopy, KindCount, Mailbox, Owner, Queued, Reached, Roots, Step, Watch, kinds,
    mailbox, reach,
};
use shared_map::HashMap;
use target_memory::{Range, ReadErrorKind, TargetMemory, read_each, u64_at};
use vm_layout::TableError;
use vm_layout::process_details::{
    ProcessDetails, REGISTERED_BYTES, REGISTERED_NAME, REGISTERED_PROCESS,
};
use vm_processes::{Entry, Fault, Other, ProcessReader, Relation, current_calls, port_of};
use vm_tables::atoms::quoted;
use vm_tables::pids::PidFormat;
use vm_tables::ports::port_format;

use crate::error::AttachError;
use crate::vm::AttachedVm;
pub use watch::HeapProgress;
use watch::{Ended, HeapWatch, LONGEST_LOOK};

/// Processes whose pids are read at once.
const PIDS_AT_ONCE: usize = 4096;
/// How often a process that is at work is read, and the pause between two readings.
const LOOKS: u32 = 200;
const PAUSE: Duration = Duration::from_millis(5);
/// After that, no further reading begins: those of a large heap take long.
const LONGEST_TRYING: Duration = Duration::from_secs(60);

/// The result of reading a process's heap.
#[derive(Debug)]
pub enum HeapLook {
    /// The VM has no such process.
    NoProcess,
    /// It lives, and never rested while its heap was copied.
    NeverRests,
    /// It cannot be read.
    NoCopy(CopyError),
    /// Reading it was ended after that time.
    TookTooLong(Duration),
    /// Things on it are not made as it is known here.
    Unknown,
    /// This is on it.
    Heap(Box<ProcessHeap>),
}

/// A heap that was read.
#[derive(Debug)]
pub struct ProcessHeap {
    /// The process.
    pub entry: Entry,
    /// The function that the process notes; valid where its program counter is in the emulator's own
    /// code.
    pub current_call: Option<String>,
    /// The roots that keep data alive.
    pub roots: Roots,
    /// The amount that they keep alive.
    pub reached: Reached,
    /// Not all of its messages were followed, so more data than that may live.
    pub reached_at_least: bool,
    /// The kinds of its data, garbage included.
    pub kinds: Vec<KindCount>,
    /// Keys of maps that are atoms, by the steps to their values.
    pub keys: HashMap<Step, String>,
    /// Its messages.
    pub messages: MessageShapes,
    /// Its links and its monitors; `None` when unknown.
    pub relations: [Option<Relations>; 2],
    /// Contents, each with its label: only when they were requested.
    pub values: Vec<(String, String)>,
}

/// Links or monitors of a process.
#[derive(Debug, Default)]
pub struct Relations {
    /// How many it has.
    pub count: u64,
    /// The first of them, as the node prints them: `<0.83.0>`, `#Port<0.4>`.
    pub first: Vec<String>,
}

/// The messages of a process by shape.
#[derive(Debug, Default)]
pub struct MessageShapes {
    /// How often each shape is there.
    pub counts: HashMap<String, u64>,
    /// Shapes of the first ones.
    pub first: Vec<String>,
    /// Shapes of the last ones.
    pub last: Vec<String>,
    /// How many have memory of their own.
    pub off_heap: u64,
    /// How many have none.
    pub on_heap: u64,
    /// How many were not read.
    pub unread: u64,
}

/// Messages at either end of a mailbox whose shape is read, and those reported one by one.
const LOOKED_AT: usize = 2500;
const SHOWN_MESSAGES: usize = 5;
/// Links, or monitors, that are reported.
const SHOWN_RELATIONS: usize = 1000;
/// Contents that are shown.
const SHOWN_VALUES: usize = 50;

impl<M: TargetMemory> AttachedVm<M> {
    /// Reads the heap of a process. `values`: also the contents of its messages and its dictionary. `report` receives
    /// the progress for a large heap.
    ///
    /// # Errors
    /// As for [`Self::processes`].
    pub fn heap(
        &mut self,
        process: &ProcessName,
        values: bool,
        report: &HeapProgress<'_>,
    ) -> Result<HeapLook, AttachError> {
        self.look_with_pauses(|vm| vm.read_heap(process, values, report))
    }

    fn read_heap(
        &mut self,
        process: &ProcessName,
        values: bool,
        report: &HeapProgress<'_>,
    ) -> Result<HeapLook, TableError> {
        let found = match process {
            ProcessName::Pid(pid) => self.place_of(pid)?,
            ProcessName::Registered(name) => self.place_of_name(name)?,
        };
        let Some(Found { place, id }) = found else {
            return Ok(HeapLook::NoProcess);
        };
        let pids = self.pid_format()?;
        let ports = self.ports();
        let ports = ports.and_then(|table| port_format(&self.memory, table, pids).ok());
        let vm_words = self.code.vm_words();
        let mut reader = self.process_reader()?;
        let began = Instant::now();
        for _ in 0..LOOKS {
            if began.elapsed() > LONGEST_TRYING {
                break;
            }
            match reader.entry_or_fault(place) {
                Ok(before) if before.id != id => return Ok(HeapLook::NoProcess),
                Ok(before) => {
                    let asked = (values, ports, vm_words);
                    let look = look_once(&mut reader, &before, asked, (report, began))?;
                    if let Some(look) = look {
                        return Ok(look);
                    }
                }
                Err(Fault::Freed) => return Ok(HeapLook::NoProcess),
                // It is at work, and was in the middle of something.
                Err(Fault::Torn) => {}
            }
            std::thread::sleep(PAUSE);
        }
        Ok(HeapLook::NeverRests)
    }

    /// The process that is registered under a name, an atom without quotes.
    fn place_of_name(&mut self, name: &str) -> Result<Option<Found>, TableError> {
        let mut next = Some(0);
        while let Some(first) = next {
            let table = self.process_table;
            let occupied = table.occupied_from(&self.memory, first, PIDS_AT_ONCE)?;
            let field = self.layout.process.reg as u64;
            let pointers = words_at(&self.memory, &occupied.places, field);
            let named: Vec<((u64, u64), u64)> = occupied
                .places
                .iter()
                .zip(pointers)
                .filter_map(|(place, pointer)| Some((*place, pointer.filter(|it| *it != 0)?)))
                .collect();
            let ranges =
                Range::at_each(named.iter().map(|(_, address)| *address), REGISTERED_BYTES);
            let read = read_each(&self.memory, &ranges, PIDS_AT_ONCE * REGISTERED_BYTES);
            for ((place, _), registered) in named.into_iter().zip(read) {
                let Some(registered) = registered else {
                    continue;
                };
                let word = |offset| u64_at(&registered, offset);
                // The name points back at its process; else it belongs to another one by now.
                let atom =
                    word(REGISTERED_NAME).filter(|_| word(REGISTERED_PROCESS) == Some(place.1));
                let is_it = atom.is_some_and(|atom| {
                    let known = self.atoms.name(&self.memory, atom);
                    known.is_ok_and(|known| known == name)
                });
                if is_it {
                    let id = self.memory.read_u64(place.1)?;
                    return Ok(Some(Found { place, id }));
                }
            }
            next = occupied.next.filter(|next| *next > first);
        }
        Ok(None)
    }

    /// The place of a process in the table: the pid of every entry is compared.
    fn place_of(&self, pid: &str) -> Result<Option<Found>, TableError> {
        let pids = self.pid_format()?;
        let mut next = Some(0);
        while let Some(first) = next {
            let occupied = self
                .process_table
                .occupied_from(&self.memory, first, PIDS_AT_ONCE)?;
            let ids = words_at(&self.memory, &occupied.places, 0);
            let mut found = occupied.places.iter().zip(ids);
            let found = found.find_map(|(place, id)| {
                let id = id.filter(|id| pids.text(*id) == pid)?;
                Some(Found { place: *place, id })
            });
            if found.is_some() {
                return Ok(found);
            }
            next = occupied.next.filter(|next| *next > first);
        }
        Ok(None)
    }
}

/// A process, and where it is in the table.
struct Found {
    place: (u64, u64),
    id: u64,
}

/// A word of each process struct.
fn words_at(memory: &impl TargetMemory, places: &[(u64, u64)], offset: u64) -> Vec<Option<u64>> {
    let ranges = Range::at_each(
        places
            .iter()
            .map(|(_, address)| address.saturating_add(offset)),
        8,
    );
    let read = read_each(memory, &ranges, PIDS_AT_ONCE * 8);
    read.into_iter().map(|word| u64_at(&word?, 0)).collect()
}

/// One reading; `None` when the process was at work. `asked`: whether contents are wanted, how ports are numbered, and
/// what the VM itself puts on stacks.
fn look_once<M: TargetMemory>(
    reader: &mut ProcessReader<'_, M>,
    before: &Entry,
    (values, ports, vm_words): (bool, Option<PidFormat>, VmWords),
    progress: (&HeapProgress<'_>, Instant),
) -> Result<Option<HeapLook>, TableError> {
    if !before.rested_since(before) || before.abandoned_heap != 0 {
        return Ok(None);
    }
    let (memory, details) = (reader.memory, reader.details);
    let watch = HeapWatch::of(memory, (reader.layout, details), *before, progress);
    let goes_on = |words, all_words| watch.goes_on(words, all_words);
    let Mailbox { messages, has_more } = mailbox(memory, before);
    let looked = look_through(memory, details, before, (&messages, vm_words), &goes_on);
    let place = (before.slot, before.address);
    let rested = |after: Entry| after.rested_since(before);
    let current_call = current_calls(memory, reader.atoms, &[*before])
        .pop()
        .flatten();
    let (copy, roots, found) = match (looked, watch.ended()) {
        (Ok(looked), _) => looked,
        (Err(_), Some(Ended::AtWork)) => return Ok(None),
        (Err(_), Some(Ended::TooLong)) => return Ok(Some(HeapLook::TookTooLong(LONGEST_LOOK))),
        (Err(error), _) => return not_copied(error, || reader.entry(place).is_some_and(rested)),
    };
    let steps = found.iter().flat_map(|(reached, _)| &reached.parts);
    let steps: Vec<Step> = steps.flat_map(|part| part.path.iter().copied()).collect();
    let keys = key_names(reader, &copy, &steps);
    let relations = reader.relations(before);
    let relations = relations.map(|found| Some(shown_relations(reader, before, &found?, ports)));
    let mut text = TermText {
        memory,
        atoms: reader.atoms,
        pids: reader.pids,
        binary: details.binary,
        heap: details.heap,
    };
    let shapes = message_shapes(&mut text, before, &messages);
    let values = match values {
        true => shown_values(&mut text, &messages, &roots),
        false => Vec::new(),
    };
    // All of the above lay still until now.
    if !reader.entry(place).is_some_and(rested) {
        return Ok(None);
    }
    Ok(Some(match found {
        Some((reached, kinds)) => HeapLook::Heap(Box::new(ProcessHeap {
            entry: *before,
            current_call,
            roots,
            reached,
            reached_at_least: has_more,
            kinds,
            keys,
            messages: shapes,
            relations,
            values,
        })),
        None => HeapLook::Unknown,
    }))
}

/// A heap, its roots, the data that these lead to and the kinds of its data; `None` when it is not made as it is
/// known.
type LookedThrough<'m> = (HeapCopy<'m>, Roots, Option<(Reached, Vec<KindCount>)>);

fn look_through<'m>(
    memory: &'m impl TargetMemory,
    details: &ProcessDetails,
    process: &Entry,
    (messages, vm_words): (&[Queued], VmWords),
    watch: &'m Watch<'m>,
) -> Result<LookedThrough<'m>, CopyError> {
    let copy = HeapCopy::take(memory, process, watch)?;
    let roots = Roots::of(memory, process, &copy, messages, vm_words)?;
    let kinds = kinds(&copy, &details.heap, details.binary);
    let reached = reach(&copy, &details.heap, &roots.roots);
    match copy.fault() {
        Some(error) => Err(error),
        None => Ok((copy, roots, reached.zip(kinds))),
    }
}

/// The meaning of a failed copy; `None` when the process was at work.
fn not_copied(
    error: CopyError,
    rested: impl FnOnce() -> bool,
) -> Result<Option<HeapLook>, TableError> {
    match error {
        CopyError::Read(error) if error.kind == ReadErrorKind::Gone => Err(error.into()),
        // The fault of a heap that was moved during the reading is meaningless.
        error => Ok(rested().then_some(HeapLook::NoCopy(error))),
    }
}

fn key_names<M: TargetMemory>(
    reader: &mut ProcessReader<'_, M>,
    copy: &HeapCopy<'_>,
    steps: &[Step],
) -> HashMap<Step, String> {
    let mut names = HashMap::new();
    for step in steps {
        let key = step.key(reader.memory, copy);
        if let Some(Term::Atom(atom)) = key.map(Term::of)
            && !names.contains_key(step)
            && let Ok(name) = reader.atoms.name(reader.memory, atom)
        {
            names.insert(*step, quoted(name));
        }
    }
    names
}

/// How many relations there are, and the first of them.
fn shown_relations<M: TargetMemory>(
    reader: &mut ProcessReader<'_, M>,
    process: &Entry,
    relations: &[Relation],
    ports: Option<PidFormat>,
) -> Relations {
    // One on itself is an alias.
    let others = relations.iter().filter(|it| it.other != process.id);
    let mut text = |relation: &Relation| match Term::of(relation.other) {
        Term::Port(_) => Some(
            ports
                .and_then(|format| port_of(relation, format))
                .map_or_else(|| "#Port".to_owned(), |number| format!("#Port<0.{number}>")),
        ),
        _ => reader.other(*relation).map(|other| match other {
            Other::Here(id) => reader.pids.text(id),
            Other::Elsewhere { pid, .. } => pid,
            Other::Named { name, node } => format!("{{{name},{node}}}"),
        }),
    };
    Relations {
        count: others.clone().count() as u64,
        first: others
            .take(SHOWN_RELATIONS)
            .map(|relation| text(relation).unwrap_or_else(|| "?".to_owned()))
            .collect(),
    }
}

fn message_shapes<M: TargetMemory>(
    text: &mut TermText<'_, M>,
    process: &Entry,
    queued: &[Queued],
) -> MessageShapes {
    let (begin, rest) = queued.split_at(queued.len().min(LOOKED_AT));
    let (_, end) = rest.split_at(rest.len().saturating_sub(LOOKED_AT));
    let off_heap = queued.iter().filter(|message| message.is_off_heap).count();
    let mut found = MessageShapes {
        off_heap: off_heap as u64,
        on_heap: (queued.len() - off_heap) as u64,
        unread: process
            .mailbox
            .saturating_sub((begin.len() + end.len()) as u64),
        ..MessageShapes::default()
    };
    for message in begin.iter().chain(end) {
        *found.counts.entry(text.shape(message.term)).or_default() += 1;
    }
    let (first, rest) = queued.split_at(queued.len().min(SHOWN_MESSAGES));
    let (_, last) = rest.split_at(rest.len().saturating_sub(SHOWN_MESSAGES));
    found.first = first.iter().map(|it| text.shape(it.term)).collect();
    found.last = last.iter().map(|it| text.shape(it.term)).collect();
    found
}

/// The first messages, and the contents of the dictionary.
fn shown_values<M: TargetMemory>(
    text: &mut TermText<'_, M>,
    queued: &[Queued],
    roots: &Roots,
) -> Vec<(String, String)> {
    let mut values = Vec::new();
    for (index, message) in queued.iter().take(SHOWN_MESSAGES).enumerate() {
        let what = format!("message {}", index + 1);
        values.push((what, text.show(message.term, Limits::VALUE)));
    }
    let pairs = roots.roots.iter();
    let pairs = pairs.filter(|root| matches!(root.owner, Owner::Dictionary(Some(_))));
    for pair in pairs.take(SHOWN_VALUES) {
        values.push(("dictionary".to_owned(), text.show(pair.term, Limits::VALUE)));
    }
    values
}
