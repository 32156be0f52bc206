//! The helper's core as the RPC server sees it.

use attach::self_check;
use debuginfod::{Progress, Wish};
use diagnose::look::{Looker, attach_if_it_answers};
use diagnose::refusal::Refusal;
use protocol::attachment::{AttachParams, AttachResult, DetachParams};
use protocol::debug_files::{DebugFileWish, DebugFilesParams, DebugFilesResult};
use protocol::discovery::{DoctorParams, DoctorResult, ListResult};
use protocol::lifecycle::HelperCapabilities;
use protocol::pstack::{PstackParams, PstackResult};
use protocol::recording::{
    CaptureEndReason, CaptureEndedParams, CaptureStartParams, CaptureStopParams,
};
use recorder::Recording;
use rpc_server::{
    Backend, CaptureSink, Failure as RpcFailure, FailureKind, RequestContext, StartedCapture,
};

use crate::attachments::{Attachments, attach_result};
use crate::captures::Captures;
use crate::debug_files::{debug_files_result, fetch_missing, shown_progress};
use crate::rpc_failure::{gone, rpc_failure};

/// Highest frequency that `record -F` takes, too.
const MAX_FREQUENCY_HZ: u32 = 10_000;

/// The helper's core.
#[derive(Debug)]
pub struct HelperBackend {
    looker: Looker,
    attachments: Attachments,
    captures: Captures,
}

impl HelperBackend {
    /// Nothing attached, nothing captured. `looker` finds out first whether a VM lets itself be read.
    pub fn new(looker: Looker) -> Self {
        Self {
            looker,
            attachments: Attachments::default(),
            captures: Captures::default(),
        }
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
        diagnose::list::list(&self.looker).map_err(|error| {
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
        Ok(diagnose::doctor::doctor(params.pid, &self.looker).result)
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
        let outcome = fetch_missing(params.pid, &wish, &self.looker, &mut told, &cancelled);
        context.cancellation.check()?;
        Ok(debug_files_result(outcome))
    }

    fn attach(
        &self,
        context: &RequestContext,
        params: AttachParams,
    ) -> Result<AttachResult, RpcFailure> {
        let mut vm = attach_if_it_answers(params.pid, &self.looker).map_err(rpc_failure)?;
        context.cancellation.check()?;
        let rows = self_check(&mut vm);
        let id = self.attachments.add(&vm);
        Ok(attach_result(id, &mut vm, &rows))
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
        _context: &RequestContext,
        params: CaptureStartParams,
        sink: CaptureSink,
    ) -> Result<StartedCapture, RpcFailure> {
        let attached = self.attachments.get(params.attachment_id)?;
        // Tables change with every module loaded: a capture begins with fresh ones.
        let vm = attach_if_it_answers(attached.pid, &self.looker).map_err(rpc_failure)?;
        if vm.process.start_ticks != attached.start_ticks {
            return Err(gone(attached.pid));
        }
        self.captures.start(vm, &params, sink)
    }

    fn stop_capture(
        &self,
        _context: &RequestContext,
        params: CaptureStopParams,
    ) -> Result<CaptureEndedParams, RpcFailure> {
        self.captures.stop(params.capture_id)
    }

    fn pstack(
        &self,
        context: &RequestContext,
        params: PstackParams,
    ) -> Result<PstackResult, RpcFailure> {
        let cancelled = || context.cancellation.is_cancelled();
        let start =
            |vm, settings| Recording::start(vm, settings).map_err(|error| Refusal::from(&error));
        let looker = &self.looker;
        let result = crate::pstack::look(params.pid, params.all, looker, start, &cancelled)
            .map_err(rpc_failure)?;
        context.cancellation.check()?;
        Ok(result)
    }

    fn close(&self) {
        self.captures.close();
    }
}
