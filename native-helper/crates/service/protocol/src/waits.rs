//! Where processes wait, and for which processes.

use capture::processors::ProcessorLimits;
use capture::sample::SchedulerId;
use capture::schedulers::SchedulersOnline;
use serde::{Deserialize, Serialize};

use crate::explanation::Explanation;

/// A look at where processes wait.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct WaitsLook {
    /// Processes that the VM had.
    pub processes: u64,
    /// Those that waited, and whose stack is known.
    pub waiting: u64,
    /// Those that worked, or that ended during the reading.
    pub restless: u64,
    /// Those that rested, and whose stack is not believed.
    pub unproven: u64,
    /// Of those that waited, how many have a longer stack than was read.
    pub cut: u64,
    /// No more fits into the capture.
    pub full: bool,
    /// After how long the next look would come, milliseconds: so that looks take no more than one part of a
    /// hundred of a processor.
    pub next_ms: u64,
}

/// What the looks at where processes wait have seen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct WaitsResult {
    /// By stack, the most time first; at most 1,000.
    pub waits: Vec<WaitingGroup>,
    /// How many further stacks there are.
    pub left_out: u64,
    /// The processes they wait for.
    pub graph: WaitsGraph,
    /// Which schedulers may run at the end; null when that is not known.
    #[serde(default)]
    pub schedulers: Option<SchedulersOnline>,
    /// The limits of its processor time at the last look, and counts of the time until then; null in answers of older
    /// helpers.
    #[serde(default)]
    pub processors: Option<ProcessorLimits>,
    /// Why nothing of the VM runs and what resumes it; absent when it runs, and with `standstillUnknown`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub standstill: Option<Explanation>,
    /// Why it is not known whether anything of it runs; absent where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub standstill_unknown: Option<Explanation>,
}

/// Result of `extrospect/inside/waits/finish`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct InsideWaitsResult {
    /// The waits in the snapshots.
    pub waits: WaitsResult,
    /// A capture of it: a gzip member with a profile of the time that processes waited, base64.
    pub capture: String,
}

/// Processes that waited at the same place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct WaitingGroup {
    /// How long all of them together, seconds.
    pub seconds: f64,
    /// How many there were in the last look.
    pub processes: u64,
    /// Their names, the most frequent first; at most 5.
    pub names: Vec<String>,
    /// `MODULE:FUNCTION/ARITY`, innermost first.
    pub stack: Vec<String>,
}

/// Which process waits for which, in the last snapshot: processes in a call that leads to one process and no other,
/// and those that send to a busy port.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct WaitsGraph {
    /// Those with the same name, the same call and the same process that they wait for, the most first; at most
    /// 1,000.
    pub edges: Vec<WaitingEdge>,
    /// Processes that wait for each other in a circle: each waits for the next one, the last one for the first. None
    /// of them goes on before one of them gives up. At most 100.
    pub cycles: Vec<Vec<WaitedProcess>>,
    /// Of each circle, how many of its processes wait no longer than they say: with none, they wait for ever.
    #[serde(default)]
    pub cycle_limits: Vec<u64>,
    /// Processes in calls that are not known: each waits in a function that another one called, or keeps a reference in
    /// the frame in which it waits, so an answer with it is expected, or is suspended; the most first, at most 200.
    #[serde(default)]
    pub unknown_calls: Vec<UnknownCall>,
    /// How many processes are in such calls.
    #[serde(default)]
    pub in_unknown_calls: u64,
    /// Processes that wait for an answer, or for whatever comes, and which of both is not known: each waits in a function
    /// that another one called and that has `loop` in its name. Likewise; absent without such.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<_>"))]
    pub maybe_calls: Vec<UnknownCall>,
    /// How many processes these are; absent without such.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<_>"))]
    pub in_maybe_calls: u64,
    /// Processes that are in C code in which their thread sleeps, the longest first: a scheduler runs them, and they use
    /// no processor.
    #[serde(default)]
    pub in_c: Vec<SleepingInC>,
    /// Processes whose time limit has passed and timers whose messages are not sent, as their scheduler does not come to
    /// notice that, by scheduler, those that are late the longest first.
    #[serde(default)]
    pub late: Vec<LateTimeLimits>,
    /// Whether there are such could not be read. Absent where it could.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<_>"))]
    pub late_unknown: bool,
    /// Those that others wait for and that wait for no process themselves, the most waiting first; at most
    /// 100.
    pub ends: Vec<WaitingEnd>,
    /// How many more edges, cycles and ends there are.
    pub more: u64,
    /// Processes in such a call whose target cannot be proven, and those beyond the limit, which may be in none.
    pub unproven: u64,
    /// Processes in such a call that went on before that could be looked up.
    pub moved: u64,
    /// Processes that called one that waits for whatever comes, and of which it is not known who works on the request: no
    /// process that was searched has it, or more than one, or not all that may have it were searched (too many, too large,
    /// or not readable), or its reference is not known.
    #[serde(default)]
    pub not_searched: u64,
}

// The signature that serde requires.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Processes that wait for the same one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct WaitingEdge {
    /// Their name.
    pub waiters: String,
    /// How many.
    pub processes: u64,
    /// How many of them wait no longer than they say.
    #[serde(default)]
    pub limited: u64,
    /// Their pids, at most 5.
    pub pids: Vec<String>,
    /// The call they wait in: `gen:do_call/4`.
    pub call: String,
    /// The process they wait for.
    pub target: WaitedProcess,
    /// The process that they called, where that one waits for whatever comes and `target` has their request: it was
    /// handed on. Null for most.
    #[serde(default)]
    pub via: Option<WaitedProcess>,
    /// `target` has or had their request, and which of both is not known: it waits for whatever comes, too, or not all
    /// processes that may have the request were searched. Absent where it has it, and without `via`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<_>"))]
    pub has_or_had: bool,
    /// The lock of mnesia for which they wait; null for any other call.
    #[serde(default)]
    pub lock: Option<WaitedLock>,
}

/// A lock of mnesia that processes wait for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct WaitedLock {
    /// The table.
    pub table: String,
    /// The shape of the record's key, without its values: `{user, _}`; null for a lock on the whole table.
    pub key: Option<String>,
    /// They want to write, so nothing else may be done with it at the same time; else to read.
    pub is_write: bool,
    /// How many processes have a lock that does not go together with this one: the one that is named, and others.
    pub holders: u64,
    /// The process that is named has no lock yet: its own request for one comes first.
    pub is_ahead: bool,
}

/// A process that is in C code in which the thread that runs it sleeps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct SleepingInC {
    /// As the node prints it.
    pub pid: String,
    /// Its name; null when unknown.
    pub name: Option<String>,
    /// The function that it called: `prim_file:open_nif/2`; null where that is not proven.
    pub function: Option<String>,
    /// Who called that, `MODULE:FUNCTION/ARITY`, innermost first, at most 16 frames; empty where that is not proven.
    pub stack: Vec<String>,
    /// The scheduler that runs it.
    pub scheduler: SchedulerId,
    /// That scheduler's thread, as the kernel counts.
    pub thread_id: u32,
    /// What the kernel calls that thread.
    pub thread_name: String,
    /// For how long at least, seconds: since the first look that found it so.
    pub seconds: f64,
}

/// Why a scheduler does not come to the time limits that it has to notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum LateCause {
    /// It runs a process all the time, on a processor or asleep in C code.
    Process,
    /// A quota of the VM's control groups throttles it.
    Throttled,
    /// Its thread waits for a processor.
    WaitsForProcessor,
    /// A process blocks multi-scheduling: it runs nothing until then.
    Blocked,
    /// It is offline.
    Offline,
    /// Not known.
    #[default]
    Unknown,
}

/// Processes whose time limit (`receive … after`) has passed, and timers of messages whose time is over, while the
/// scheduler that has to notice that does not come to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct LateTimeLimits {
    /// The scheduler, a normal one.
    pub scheduler: u32,
    /// How many processes.
    pub processes: u64,
    /// Their names, those that are late the longest first, at most 5.
    pub names: Vec<String>,
    /// Their pids, likewise.
    pub pids: Vec<String>,
    /// How many timers of `erlang:send_after/3` and `erlang:start_timer/3`, so also those of `gen_statem`, at least; null
    /// where they were not looked at.
    #[serde(default)]
    pub timers: Option<u64>,
    /// The processes that these are for, as far as they are known, those that are late the longest first, at most 5.
    #[serde(default)]
    pub receivers: Vec<WaitedProcess>,
    /// How late the first of all of them is, at least, seconds.
    pub late_s: f64,
    /// Why the scheduler does not come to them.
    #[serde(default)]
    pub cause: LateCause,
    /// The process that the scheduler runs all this time; null when that is not the cause.
    pub holder: Option<WaitedProcess>,
    /// The native function that this process is in; null where that is not proven.
    pub function: Option<String>,
    /// Who called that, `MODULE:FUNCTION/ARITY`, innermost first, at most 16 frames; empty where that is not proven.
    pub stack: Vec<String>,
}

/// Processes with the same name that wait in the same function, which is no call that is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct UnknownCall {
    /// Their name.
    pub waiters: String,
    /// How many.
    pub processes: u64,
    /// Their pids, at most 5.
    pub pids: Vec<String>,
    /// The function they wait in.
    pub call: String,
    /// The process that they monitor, whose reference is in the frame in which they wait: they likely wait for it,
    /// but that is not proven. Null when there is none, or more than one.
    pub monitors: Option<WaitedProcess>,
    /// The process in whose mailbox a message waits that names them, and in no other one's: they likely sent it a
    /// request, but that is not proven. Null when there is none, or more than one.
    #[serde(default)]
    pub asked: Option<WaitedProcess>,
    /// The only process whose pid is in the frame in which they wait; null when there is none, or more than one.
    #[serde(default)]
    pub keeps: Option<WaitedProcess>,
}

/// A process, a port, or the connection to a node, that another one waits for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct WaitedProcess {
    /// As the node prints it: `<0.83.0>`, `#Port<0.12>`; `{name,node}` of a process with a name on another node;
    /// of a connection its node.
    pub pid: String,
    /// Its name, of a port its driver; null when unknown.
    pub name: Option<String>,
    /// Its node, when it is another one; else null.
    pub node: Option<String>,
}

/// One that others wait for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct WaitingEnd {
    /// Which.
    pub process: WaitedProcess,
    /// How many wait for it.
    pub direct: u64,
    /// How many wait for it or for one that waits for it.
    pub all: u64,
    /// Its activity: `running`, `waiting`; `in C`: a scheduler runs it, in C code in which the scheduler's thread sleeps;
    /// `gone`: it has ended; `busy`: a port or a connection that suspends its senders. Null for one of another node.
    pub status: Option<String>,
    /// Where it is, `MODULE:FUNCTION/ARITY`, innermost first, at most 16 frames; empty when it runs, has ended,
    /// or is another node's.
    pub stack: Vec<String>,
    /// It waits for whatever comes, with nothing in its mailbox, so it is not at work on their requests: it keeps them, or
    /// has handed them on to a process that is not known.
    #[serde(default)]
    pub idle: bool,
    /// It is idle by the name of its function alone, which has `loop` in it: it may wait for an answer there. Absent where
    /// its loop is known to receive any message.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<_>"))]
    pub idle_by_name: bool,
    /// Of a port or a connection; else null.
    pub port: Option<WaitedPort>,
}

/// A port or a connection that suspends who sends to it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct WaitedPort {
    /// Whose it is; null when that is not known.
    pub owner: Option<WaitedProcess>,
    /// Bytes that wait to be written or sent; null when that is not known.
    pub bytes: Option<u64>,
}
