//! The helper's core as the RPC server sees it.

use std::path::PathBuf;
use std::sync::Arc;

use debuginfod::{Progress, Wish};
use diagnose::look::Looker;
use diagnose::refusal::Refusal;
use protocol::attachment::{AttachParams, AttachResult, DetachParams};
use protocol::binaries::BinariesResult;
use protocol::debug_files::{DebugFileWish, DebugFilesParams, DebugFilesResult};
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
use protocol::lifecycle::{HelperCapabilities, MAX_FREQUENCY_HZ};
use protocol::node::NodeResult;
use protocol::nodes::{NodesParams, NodesResult};
use protocol::pstack::{PstackParams, PstackResult};
use protocol::recording::{
    CaptureEndedParams, CaptureReadParams, CaptureReadResult, CaptureRemoveParams,
    CaptureStartParams, CaptureStopParams, EngineInUse,
};
use protocol::waits::{WaitsLook, WaitsResult};
use rpc_server::{
    Backend, CaptureSink, Failure as RpcFailure, FailureKind, FlightSink, RequestContext,
    StartedCapture,
};
use sampling_process::{Attached as Found, ProcessName, Sampler, questions};

use crate::attachments::{Attachments, attach, attach_result};
use crate::captures::Captures;
use crate::debug_files::{debug_files_result, fetch_missing, shown_progress};
use crate::detached_requests;
use crate::doctor::doctor;
use crate::flights::{self, Flights};
use crate::insides::Insides;
use crate::rpc_failure::rpc_failure;
use crate::sampling::recordable_types;

/// The helper's core.
#[derive(Debug)]
pub struct HelperBackend {
    program: PathBuf,
    attachments: Attachments,
    captures: Arc<Captures>,
    flights: Flights,
    insides: Insides,
}

impl HelperBackend {
    /// Nothing attached, nothing captured. `program` is the program that reads VMs: this very one,
    /// which has the commands `look`, `doctor` and `sampler`.
    pub fn new(program: PathBuf) -> Self {
        Self {
            program,
            attachments: Attachments::default(),
            captures: Arc::default(),
            flights: Flights::default(),
            insides: Insides::default(),
        }
    }

    /// Attaches for one question.
    fn ask_once<T>(
        &self,
        context: &RequestContext,
        pid: u32,
        question: impl FnOnce(&mut Sampler, &dyn Fn() -> bool) -> Result<T, Refusal>,
    ) -> Result<(T, Found), RpcFailure> {
        let (mut sampler, found) = attach(&self.program, context, pid)?;
        let answer = question(&mut sampler, &|| context.cancellation.is_cancelled());
        context.cancellation.check()?;
        Ok((answer.map_err(rpc_failure)?, found))
    }

    fn attach_anew(
        &self,
        context: &RequestContext,
        attachment_id: u32,
    ) -> Result<(Sampler, Found), RpcFailure> {
        let attached = self.attachments.get(attachment_id)?;
        attached.attach_anew(&self.program, context)
    }

    /// Fails when the client has cancelled or detached during a start: a detach only ends captures that
    /// have started.
    fn still_wanted(&self, context: &RequestContext, attachment_id: u32) -> Result<(), RpcFailure> {
        context.cancellation.check()?;
        self.attachments.get(attachment_id).map(drop)
    }

    fn ask_inside<T>(
        &self,
        context: &RequestContext,
        id: u32,
        question: impl FnOnce(&mut Sampler, &dyn Fn() -> bool) -> Result<T, Refusal>,
    ) -> Result<T, RpcFailure> {
        self.insides.ask(&self.program, context, id, question)
    }
}

impl Backend for HelperBackend {
    fn version(&self) -> String {
        env!("CARGO_PKG_VERSION").to_owned()
    }

    fn capabilities(&self) -> HelperCapabilities {
        HelperCapabilities {
            max_frequency_hz: MAX_FREQUENCY_HZ,
            // Where kernel chains are not allowed, a capture has fewer of them, and its quality
            // shows that.
            kernel_frames: true,
            sample_types: recordable_types(),
            pstack: true,
            max_message_bytes: protocol::MAX_MESSAGE_BYTES,
        }
    }

    fn list(&self, _context: &RequestContext) -> Result<ListResult, RpcFailure> {
        diagnose::list::list(&Looker::Process(self.program.clone())).map_err(|error| {
            let what = format!("cannot list /proc: {error}");
            RpcFailure::new(
                FailureKind::Other,
                what,
                "",
                "mount it (mount -t proc proc /proc)",
            )
        })
    }

    fn doctor(
        &self,
        _context: &RequestContext,
        params: DoctorParams,
    ) -> Result<DoctorResult, RpcFailure> {
        doctor(&self.program, params.pid).map_err(|error| {
            RpcFailure::new(
                FailureKind::Other,
                "The requirements of sampling cannot be read",
                error.to_string(),
                "try again shortly",
            )
        })
    }

    fn fetch_debug_files(
        &self,
        context: &RequestContext,
        params: DebugFilesParams,
    ) -> Result<DebugFilesResult, RpcFailure> {
        let wish = match params.wish {
            DebugFileWish::Environment => Wish::IfEnvironmentSays,
            DebugFileWish::Always => Wish::Always(params.servers),
        };
        let mut report = |progress: &Progress| {
            let (message, percentage) = shown_progress(progress);
            context.progress.report(&message, percentage);
        };
        let cancelled = || context.cancellation.is_cancelled();
        let outcome = fetch_missing(params.pid, &wish, &self.program, &mut report, &cancelled);
        context.cancellation.check()?;
        Ok(debug_files_result(outcome.map_err(rpc_failure)?))
    }

    fn attach(
        &self,
        context: &RequestContext,
        params: AttachParams,
    ) -> Result<AttachResult, RpcFailure> {
        let (checked, found) = self.ask_once(context, params.pid, |sampler, cancelled| {
            sampler.ask(questions::Check {}, cancelled)
        })?;
        let id = self.attachments.add(&found);
        Ok(attach_result(id, found, checked))
    }

    fn detach(&self, _context: &RequestContext, params: DetachParams) -> Result<(), RpcFailure> {
        let id = params.attachment_id;
        self.attachments.remove(id)?;
        self.flights.end_of_attachment(id);
        self.captures.end_of_attachment(id);
        Ok(())
    }

    fn start_capture(
        &self,
        context: &RequestContext,
        params: CaptureStartParams,
        sink: CaptureSink,
    ) -> Result<StartedCapture, RpcFailure> {
        let (sampler, found) = self.attach_anew(context, params.attachment_id)?;
        let id = sink.capture_id();
        let cancelled = || context.cancellation.is_cancelled();
        let started = self
            .captures
            .start(sampler, &found.target, &params, (sink, &cancelled));
        self.still_wanted(context, params.attachment_id)
            .inspect_err(|_| self.captures.discard(id))?;
        started
    }

    fn stop_capture(
        &self,
        _context: &RequestContext,
        params: CaptureStopParams,
    ) -> Result<CaptureEndedParams, RpcFailure> {
        self.captures.stop(params.capture_id)
    }

    fn read_capture(
        &self,
        _context: &RequestContext,
        params: CaptureReadParams,
    ) -> Result<CaptureReadResult, RpcFailure> {
        self.captures.read(params)
    }

    fn remove_capture(
        &self,
        _context: &RequestContext,
        params: CaptureRemoveParams,
    ) -> Result<(), RpcFailure> {
        self.captures.remove(params.capture_id)
    }

    fn start_detached(
        &self,
        context: &RequestContext,
        params: DetachedStartParams,
    ) -> Result<DetachedCapture, RpcFailure> {
        let cancelled = || context.cancellation.is_cancelled();
        detached_requests::start(&self.program, &params, &cancelled).or_else(|failure| {
            context.cancellation.check()?;
            Err(failure)
        })
    }

    fn list_detached(&self, _context: &RequestContext) -> Result<DetachedListResult, RpcFailure> {
        detached_requests::list()
    }

    fn stop_detached(
        &self,
        context: &RequestContext,
        params: DetachedParams,
    ) -> Result<DetachedCapture, RpcFailure> {
        let cancelled = || context.cancellation.is_cancelled();
        let stopped = detached_requests::stop(&params.name, &cancelled);
        context.cancellation.check()?;
        stopped
    }

    fn read_detached(
        &self,
        _context: &RequestContext,
        params: DetachedReadParams,
    ) -> Result<DetachedReadResult, RpcFailure> {
        detached_requests::read(&params)
    }

    fn remove_detached(
        &self,
        _context: &RequestContext,
        params: DetachedParams,
    ) -> Result<(), RpcFailure> {
        detached_requests::remove(&params.name)
    }

    fn check_flight(&self, params: FlightCheckParams) -> FlightCheckResult {
        flights::check(&params.condition)
    }

    fn start_flight(
        &self,
        context: &RequestContext,
        params: FlightStartParams,
        sink: FlightSink,
    ) -> Result<EngineInUse, RpcFailure> {
        let (sampler, found) = self.attach_anew(context, params.attachment_id)?;
        let id = sink.flight_id();
        let receivers = (sink, Arc::clone(&self.captures));
        let cancelled = || context.cancellation.is_cancelled();
        let engine = self
            .flights
            .start(sampler, &found.target, &params, receivers, &cancelled);
        self.still_wanted(context, params.attachment_id)
            .inspect_err(|_| self.flights.discard(id))?;
        engine
    }

    fn stop_flight(
        &self,
        _context: &RequestContext,
        params: FlightStopParams,
    ) -> Result<FlightEndedParams, RpcFailure> {
        self.flights.stop(params.flight_id)
    }

    fn pstack(
        &self,
        context: &RequestContext,
        params: PstackParams,
    ) -> Result<PstackResult, RpcFailure> {
        let all = params.all;
        self.ask_once(context, params.pid, |sampler, cancelled| {
            sampler.ask(questions::Pstack { all }, cancelled)
        })
        .map(|(stacks, _)| stacks)
    }

    fn nodes(
        &self,
        context: &RequestContext,
        params: NodesParams,
    ) -> Result<NodesResult, RpcFailure> {
        self.ask_once(context, params.pid, |sampler, cancelled| {
            sampler.ask(questions::Nodes {}, cancelled)
        })
        .map(|(nodes, _)| nodes)
    }

    fn open_inside(
        &self,
        context: &RequestContext,
        params: InsideOpenParams,
    ) -> Result<InsideOpenResult, RpcFailure> {
        self.insides.open(&self.program, context, params.pid)
    }

    fn inside_processes(
        &self,
        context: &RequestContext,
        params: InsideProcessesParams,
    ) -> Result<InsideProcessesResult, RpcFailure> {
        let id = params.inside_id;
        self.ask_inside(context, id, |sampler, cancelled| {
            sampler.ask(questions::ProcessList { wanted: params }, cancelled)
        })
    }

    fn inside_heap(
        &self,
        context: &RequestContext,
        params: InsideHeapParams,
    ) -> Result<HeapResult, RpcFailure> {
        if let Err(error) = params.process.parse::<ProcessName>() {
            return Err(RpcFailure::new(
                FailureKind::InvalidParams,
                "the parameter process is no Erlang process",
                error.to_string(),
                "docs/protocol.md lists the valid values",
            ));
        }
        self.ask_inside(context, params.inside_id, |sampler, cancelled| {
            let process = params.process;
            sampler.ask_at_length(
                questions::Heap { process },
                cancelled,
                &|bytes, of_bytes| {
                    let megabytes = of_bytes / 1_000_000;
                    let percent = u8::try_from(bytes.saturating_mul(100) / of_bytes.max(1));
                    let message = format!("{megabytes} MB");
                    context.progress.report(&message, percent.ok());
                },
            )
        })
    }

    fn inside_memory(
        &self,
        context: &RequestContext,
        params: InsideParams,
    ) -> Result<InsideMemoryResult, RpcFailure> {
        self.ask_inside(context, params.inside_id, |sampler, cancelled| {
            sampler.ask(questions::MemoryMap {}, cancelled)
        })
    }

    fn inside_binaries(
        &self,
        context: &RequestContext,
        params: InsideBinariesParams,
    ) -> Result<BinariesResult, RpcFailure> {
        self.ask_inside(context, params.inside_id, |sampler, cancelled| {
            let wanted = params.wanted;
            sampler.ask(questions::Binaries { wanted }, cancelled)
        })
    }

    fn inside_node(
        &self,
        context: &RequestContext,
        params: InsideNodeParams,
    ) -> Result<NodeResult, RpcFailure> {
        self.ask_inside(context, params.inside_id, |sampler, cancelled| {
            let look_ms = params.look_ms;
            sampler.ask(questions::Node { look_ms }, cancelled)
        })
    }

    fn look_at_waits(
        &self,
        context: &RequestContext,
        params: InsideParams,
    ) -> Result<WaitsLook, RpcFailure> {
        self.ask_inside(context, params.inside_id, |sampler, cancelled| {
            sampler.ask(questions::LookAtWaits {}, cancelled)
        })
    }

    fn finish_waits(
        &self,
        context: &RequestContext,
        params: InsideParams,
    ) -> Result<(WaitsResult, Vec<u8>), RpcFailure> {
        self.ask_inside(context, params.inside_id, |sampler, cancelled| {
            sampler.ask_with_bytes(questions::Waits {}, cancelled)
        })
    }

    fn close_inside(
        &self,
        _context: &RequestContext,
        params: InsideParams,
    ) -> Result<(), RpcFailure> {
        self.insides.close(params.inside_id)
    }

    fn close(&self) {
        self.insides.close_all();
        self.flights.close();
        self.captures.close();
    }
}
