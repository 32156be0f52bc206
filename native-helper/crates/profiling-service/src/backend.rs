//! The helper's core as the RPC server sees it.

use std::path::PathBuf;

use debuginfod::{Progress, Wish};
use diagnose::look::Looker;
use diagnose::refusal::Refusal;
use protocol::attachment::{AttachParams, AttachResult, DetachParams};
use protocol::debug_files::{DebugFileWish, DebugFilesParams, DebugFilesResult};
use protocol::detached::{
    DetachedCapture, DetachedListResult, DetachedParams, DetachedReadParams, DetachedReadResult,
    DetachedStartParams,
};
use protocol::discovery::{DoctorParams, DoctorResult, ListResult};
use protocol::heap::HeapResult;
use protocol::inside::{
    InsideHeapParams, InsideMemoryResult, InsideNodeParams, InsideOpenParams, InsideOpenResult,
    InsideParams, InsideProcessesParams, InsideProcessesResult,
};
use protocol::lifecycle::HelperCapabilities;
use protocol::node::NodeResult;
use protocol::nodes::{NodesParams, NodesResult};
use protocol::pstack::{PstackParams, PstackResult};
use protocol::recording::{
    CaptureEndReason, CaptureEndedParams, CaptureReadParams, CaptureReadResult,
    CaptureRemoveParams, CaptureStartParams, CaptureStopParams,
};
use rpc_server::{
    Backend, CaptureSink, Failure as RpcFailure, FailureKind, RequestContext, StartedCapture,
};
use sampling_process::{Attached as Found, Sampler};

use crate::attachments::{Attachments, attach_result};
use crate::captures::Captures;
use crate::debug_files::{debug_files_result, fetch_missing, shown_progress};
use crate::detached_requests;
use crate::doctor::doctor;
use crate::insides::Insides;
use crate::rpc_failure::{gone, rpc_failure};

/// Highest frequency that `record -F` takes, too.
const MAX_FREQUENCY_HZ: u32 = 10_000;

/// The helper's core.
#[derive(Debug)]
pub struct HelperBackend {
    program: PathBuf,
    attachments: Attachments,
    captures: Captures,
    insides: Insides,
}

impl HelperBackend {
    /// Nothing attached, nothing captured. `program` is what looks into VMs: this very one, which knows
    /// the commands `look`, `doctor` and `sampler`.
    pub fn new(program: PathBuf) -> Self {
        Self {
            program,
            attachments: Attachments::default(),
            captures: Captures::default(),
            insides: Insides::default(),
        }
    }

    fn attach_to(
        &self,
        context: &RequestContext,
        pid: u32,
    ) -> Result<(Sampler, Found), RpcFailure> {
        let cancelled = || context.cancellation.is_cancelled();
        let attached = Sampler::attach(&self.program, pid, &cancelled);
        context.cancellation.check()?;
        attached.map_err(rpc_failure)
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
            // Where kernel chains are not allowed a capture has fewer of them, and says so.
            kernel_frames: true,
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
                "What sampling needs cannot be looked at",
                error.to_string(),
                "try again in a moment",
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
        let mut told = |progress: &Progress| {
            let (message, percentage) = shown_progress(progress);
            context.progress.report(&message, percentage);
        };
        let cancelled = || context.cancellation.is_cancelled();
        let outcome = fetch_missing(params.pid, &wish, &self.program, &mut told, &cancelled);
        context.cancellation.check()?;
        Ok(debug_files_result(outcome))
    }

    fn attach(
        &self,
        context: &RequestContext,
        params: AttachParams,
    ) -> Result<AttachResult, RpcFailure> {
        let (mut sampler, found) = self.attach_to(context, params.pid)?;
        let cancelled = || context.cancellation.is_cancelled();
        let checked = sampler.check(&cancelled);
        context.cancellation.check()?;
        let checked = checked.map_err(rpc_failure)?;
        let id = self.attachments.add(&found);
        Ok(attach_result(id, found, checked))
    }

    fn detach(&self, _context: &RequestContext, params: DetachParams) -> Result<(), RpcFailure> {
        let id = params.attachment_id;
        self.attachments.remove(id)?;
        self.captures
            .end_of_attachment(id, CaptureEndReason::Stopped);
        Ok(())
    }

    fn start_capture(
        &self,
        context: &RequestContext,
        params: CaptureStartParams,
        sink: CaptureSink,
    ) -> Result<StartedCapture, RpcFailure> {
        let attached = self.attachments.get(params.attachment_id)?;
        // Tables change with every module loaded: a capture begins with fresh ones.
        let (sampler, found) = self.attach_to(context, attached.pid)?;
        if found.start_ticks != attached.start_ticks {
            return Err(gone(attached.pid));
        }
        self.captures.start(sampler, &found.target, &params, sink)
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
        let started = detached_requests::start(&self.program, &params, &cancelled);
        context.cancellation.check()?;
        started
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

    fn pstack(
        &self,
        context: &RequestContext,
        params: PstackParams,
    ) -> Result<PstackResult, RpcFailure> {
        let cancelled = || context.cancellation.is_cancelled();
        let (sampler, _) = self.attach_to(context, params.pid)?;
        let stacks = sampler.pstack(params.all, &cancelled);
        context.cancellation.check()?;
        stacks.map_err(rpc_failure)
    }

    fn nodes(
        &self,
        context: &RequestContext,
        params: NodesParams,
    ) -> Result<NodesResult, RpcFailure> {
        let cancelled = || context.cancellation.is_cancelled();
        let (sampler, _) = self.attach_to(context, params.pid)?;
        let nodes = sampler.nodes(&cancelled);
        context.cancellation.check()?;
        nodes.map_err(rpc_failure)
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
            sampler.process_list(params, cancelled)
        })
    }

    fn inside_heap(
        &self,
        context: &RequestContext,
        params: InsideHeapParams,
    ) -> Result<HeapResult, RpcFailure> {
        self.ask_inside(context, params.inside_id, |sampler, cancelled| {
            sampler.heap(&params.process, cancelled)
        })
    }

    fn inside_memory(
        &self,
        context: &RequestContext,
        params: InsideParams,
    ) -> Result<InsideMemoryResult, RpcFailure> {
        self.ask_inside(context, params.inside_id, Sampler::memory_map)
    }

    fn inside_node(
        &self,
        context: &RequestContext,
        params: InsideNodeParams,
    ) -> Result<NodeResult, RpcFailure> {
        self.ask_inside(context, params.inside_id, |sampler, cancelled| {
            sampler.node(params.look_ms, cancelled)
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
        self.captures.close();
    }
}
