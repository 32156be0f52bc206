//! The operations that the server requests from the helper's core.

use protocol::attachment::{AttachParams, AttachResult, DetachParams};
use protocol::binaries::BinariesResult;
use protocol::debug_files::{DebugFilesParams, DebugFilesResult};
use protocol::detached::{
    DetachedCapture, DetachedListResult, DetachedParams, DetachedReadParams, DetachedReadResult,
    DetachedStartParams,
};
use protocol::discovery::{DoctorParams, DoctorResult, ListResult};
use protocol::flight::{
    FlightCheckParams, FlightCheckResult, FlightEndedParams, FlightStartParams, FlightStopParams,
};
use protocol::heap::HeapResult;
use protocol::inside::{
    InsideBinariesParams, InsideHeapParams, InsideMemoryResult, InsideNodeParams, InsideOpenParams,
    InsideOpenResult, InsideParams, InsideProcessesParams, InsideProcessesResult,
};
use protocol::lifecycle::HelperCapabilities;
use protocol::node::NodeResult;
use protocol::nodes::{NodesParams, NodesResult};
use protocol::pstack::{PstackParams, PstackResult};
use protocol::recording::{
    CaptureEndedParams, CaptureReadParams, CaptureReadResult, CaptureRemoveParams,
    CaptureStartParams, CaptureStopParams, EngineInUse,
};
use protocol::waits::{WaitsLook, WaitsResult};

use crate::capture_sink::CaptureSink;
use crate::context::RequestContext;
use crate::failure::Failure;
use crate::flight_sink::FlightSink;

/// A capture that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartedCapture {
    /// Absolute path of its file.
    pub file: String,
    /// How Erlang stacks are obtained.
    pub engine: EngineInUse,
}

/// The helper's core, as the server sees it.
///
/// Every request runs on a thread of its own, so methods are called at the same time from several
/// threads and may block; a method that takes long looks at `context.cancellation`. A panic is
/// caught and answered with an internal error. Parameters were checked for their types, and those
/// of `start_capture` against [`Backend::capabilities`]; ids were not checked: an unknown one is a
/// failure of kind `InvalidParams`.
pub trait Backend: Send + Sync {
    /// The helper's version.
    fn version(&self) -> String;

    /// What the helper can do on this machine.
    fn capabilities(&self) -> HelperCapabilities;

    /// The BEAMs on this machine.
    fn list(&self, context: &RequestContext) -> Result<ListResult, Failure>;

    /// What sampling needs, and what of it is there.
    fn doctor(
        &self,
        context: &RequestContext,
        params: DoctorParams,
    ) -> Result<DoctorResult, Failure>;

    /// Fetches the debug files that a target lacks. Takes as long as servers take, and ends with what
    /// there is when it is cancelled.
    fn fetch_debug_files(
        &self,
        context: &RequestContext,
        params: DebugFilesParams,
    ) -> Result<DebugFilesResult, Failure>;

    /// Reads a target's layout and tables; the result's id is the core's to choose.
    fn attach(
        &self,
        context: &RequestContext,
        params: AttachParams,
    ) -> Result<AttachResult, Failure>;

    /// Ends the attachment's captures and forgets it.
    fn detach(&self, context: &RequestContext, params: DetachParams) -> Result<(), Failure>;

    /// Starts a capture named `sink.capture_id()` and announces it; its file exists by then. The capture goes on after
    /// the return; it reports to `sink` every increment and, once, its end.
    fn start_capture(
        &self,
        context: &RequestContext,
        params: CaptureStartParams,
        sink: CaptureSink,
    ) -> Result<StartedCapture, Failure>;

    /// Ends a capture and returns the result of its sink's `ended`, when the file is complete.
    fn stop_capture(
        &self,
        context: &RequestContext,
        params: CaptureStopParams,
    ) -> Result<CaptureEndedParams, Failure>;

    /// A part of the file of a capture of this conversation, running or ended.
    fn read_capture(
        &self,
        context: &RequestContext,
        params: CaptureReadParams,
    ) -> Result<CaptureReadResult, Failure>;

    /// Removes the file of a capture that has ended, when the core chose its name.
    fn remove_capture(
        &self,
        context: &RequestContext,
        params: CaptureRemoveParams,
    ) -> Result<(), Failure>;

    /// Begins a capture that goes on when this process ends, and returns when it samples.
    fn start_detached(
        &self,
        context: &RequestContext,
        params: DetachedStartParams,
    ) -> Result<DetachedCapture, Failure>;

    /// Captures that run without a client, or did.
    fn list_detached(&self, context: &RequestContext) -> Result<DetachedListResult, Failure>;

    /// Ends one and returns when its file is complete.
    fn stop_detached(
        &self,
        context: &RequestContext,
        params: DetachedParams,
    ) -> Result<DetachedCapture, Failure>;

    /// A part of the file of one.
    fn read_detached(
        &self,
        context: &RequestContext,
        params: DetachedReadParams,
    ) -> Result<DetachedReadResult, Failure>;

    /// Removes one that has ended.
    fn remove_detached(
        &self,
        context: &RequestContext,
        params: DetachedParams,
    ) -> Result<(), Failure>;

    /// Whether a text is a condition.
    fn check_flight(&self, params: FlightCheckParams) -> FlightCheckResult;

    /// Starts a flight recorder with the id `sink.flight_id()`, and returns when it samples. It goes on after the
    /// return; it reports its observations to `sink` and, once, its end.
    fn start_flight(
        &self,
        context: &RequestContext,
        params: FlightStartParams,
        sink: FlightSink,
    ) -> Result<EngineInUse, Failure>;

    /// Stops the flight recorder, and returns the result of its sink's `ended`, when its files are
    /// complete.
    fn stop_flight(
        &self,
        context: &RequestContext,
        params: FlightStopParams,
    ) -> Result<FlightEndedParams, Failure>;

    /// One stack for each scheduler.
    fn pstack(
        &self,
        context: &RequestContext,
        params: PstackParams,
    ) -> Result<PstackResult, Failure>;

    /// The nodes that a VM knows.
    fn nodes(&self, context: &RequestContext, params: NodesParams) -> Result<NodesResult, Failure>;

    /// Begins to look at the inside of a VM; the result's id is the core's to choose.
    fn open_inside(
        &self,
        context: &RequestContext,
        params: InsideOpenParams,
    ) -> Result<InsideOpenResult, Failure>;

    /// A window of the list of its processes.
    fn inside_processes(
        &self,
        context: &RequestContext,
        params: InsideProcessesParams,
    ) -> Result<InsideProcessesResult, Failure>;

    /// The content of the heap of one of them.
    fn inside_heap(
        &self,
        context: &RequestContext,
        params: InsideHeapParams,
    ) -> Result<HeapResult, Failure>;

    /// The uses of its memory.
    fn inside_memory(
        &self,
        context: &RequestContext,
        params: InsideParams,
    ) -> Result<InsideMemoryResult, Failure>;

    /// The processes that hold its binaries, and the code that allocated them.
    fn inside_binaries(
        &self,
        context: &RequestContext,
        params: InsideBinariesParams,
    ) -> Result<BinariesResult, Failure>;

    /// The VM as a whole.
    fn inside_node(
        &self,
        context: &RequestContext,
        params: InsideNodeParams,
    ) -> Result<NodeResult, Failure>;

    /// Looks at where its processes wait, once more.
    fn look_at_waits(
        &self,
        context: &RequestContext,
        params: InsideParams,
    ) -> Result<WaitsLook, Failure>;

    /// The result of those looks, and a capture of it: a gzip member.
    fn finish_waits(
        &self,
        context: &RequestContext,
        params: InsideParams,
    ) -> Result<(WaitsResult, Vec<u8>), Failure>;

    /// Ends the look at the inside of the VM.
    fn close_inside(&self, context: &RequestContext, params: InsideParams) -> Result<(), Failure>;

    /// Ends every capture and flight recorder, keeping their data, and returns when the files are complete. Called
    /// once, at `shutdown` or when the client has disconnected, perhaps while other methods run: from then on
    /// `start_capture` and `start_flight` fail.
    fn close(&self);
}
