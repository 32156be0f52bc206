//! The answers of a backend that looks at nothing to the requests in which its kept state has no part: the fuzz target's
//! backend and that of the server's tests have these in common.

use protocol::attachment::TargetFacts;
use protocol::detached::{DetachedCapture, DetachedState};
use protocol::flight::FlightWrittenParams;
use rpc_server::{Failure, FailureKind, FlightSink};

/// Methods of a backend that give the default of their answer; those about the inside of a VM when it is open.
macro_rules! default_answers {
    ($($name:ident($($param:ty)?) -> $result:ty;)*) => {
        $(fn $name(&self, _: &RequestContext $(, _: $param)?) -> Result<$result, Failure> {
            Ok(Default::default())
        })*
    };
    (inside $($name:ident($param:ty) -> $result:ty;)*) => {
        $(fn $name(&self, _: &RequestContext, params: $param) -> Result<$result, Failure> {
            plain_answers::expect_open(params.inside_id)?;
            Ok(Default::default())
        })*
    };
}

/// Methods of a backend.
macro_rules! plain_answers {
    () => {
        fn capabilities(&self) -> protocol::lifecycle::HelperCapabilities {
            protocol::lifecycle::HelperCapabilities {
                max_frequency_hz: 10_000,
                kernel_frames: false,
                sample_types: ["cpu", "off-cpu", "faults"].map(str::to_owned).to_vec(),
                pstack: true,
                max_message_bytes: protocol::MAX_MESSAGE_BYTES,
            }
        }

        fn check_flight(
            &self,
            _: protocol::flight::FlightCheckParams,
        ) -> protocol::flight::FlightCheckResult {
            Default::default()
        }

        fn start_detached(
            &self,
            _: &RequestContext,
            params: protocol::detached::DetachedStartParams,
        ) -> Result<protocol::detached::DetachedCapture, Failure> {
            Ok(plain_answers::detached(params.name))
        }

        fn stop_detached(
            &self,
            _: &RequestContext,
            params: protocol::detached::DetachedParams,
        ) -> Result<protocol::detached::DetachedCapture, Failure> {
            Ok(plain_answers::detached(params.name))
        }

        fn list_detached(
            &self,
            _: &RequestContext,
        ) -> Result<protocol::detached::DetachedListResult, Failure> {
            Ok(protocol::detached::DetachedListResult {
                captures: vec![plain_answers::detached("night".to_owned())],
            })
        }

        fn open_inside(
            &self,
            _: &RequestContext,
            params: protocol::inside::InsideOpenParams,
        ) -> Result<protocol::inside::InsideOpenResult, Failure> {
            Ok(protocol::inside::InsideOpenResult {
                inside_id: 1,
                target: plain_answers::target(params.pid),
                start_ticks: 4_711,
            })
        }

        fn finish_waits(
            &self,
            _: &RequestContext,
            params: protocol::inside::InsideParams,
        ) -> Result<(protocol::waits::WaitsResult, Vec<u8>), Failure> {
            plain_answers::expect_open(params.inside_id)?;
            Ok((protocol::waits::WaitsResult::default(), vec![7; 3]))
        }

        default_answers! { inside
            inside_processes(protocol::inside::InsideProcessesParams) -> protocol::inside::InsideProcessesResult;
            inside_heap(protocol::inside::InsideHeapParams) -> protocol::heap::HeapResult;
            inside_memory(protocol::inside::InsideParams) -> protocol::inside::InsideMemoryResult;
            inside_binaries(protocol::inside::InsideBinariesParams) -> protocol::binaries::BinariesResult;
            inside_node(protocol::inside::InsideNodeParams) -> protocol::node::NodeResult;
            look_at_waits(protocol::inside::InsideParams) -> protocol::waits::WaitsLook;
            close_inside(protocol::inside::InsideParams) -> ();
        }

        default_answers! {
            list() -> protocol::discovery::ListResult;
            read_capture(protocol::recording::CaptureReadParams) -> protocol::recording::CaptureReadResult;
            remove_capture(protocol::recording::CaptureRemoveParams) -> ();
            read_detached(protocol::detached::DetachedReadParams) -> protocol::detached::DetachedReadResult;
            remove_detached(protocol::detached::DetachedParams) -> ();
            pstack(protocol::pstack::PstackParams) -> protocol::pstack::PstackResult;
            nodes(protocol::nodes::NodesParams) -> protocol::nodes::NodesResult;
        }
    };
}

/// Only one is open.
pub fn expect_open(inside_id: u32) -> Result<(), Failure> {
    match inside_id {
        1 => Ok(()),
        _ => Err(unknown("inside")),
    }
}

/// A VM.
pub fn target(pid: u32) -> TargetFacts {
    TargetFacts {
        pid,
        otp: "27".to_owned(),
        erts: "15.0".to_owned(),
        flavor: "jit".to_owned(),
        node: Some("\u{202e}node@\x1b[31mhost".to_owned()),
        build_id: None,
        host: String::new(),
        command: String::new(),
        schedulers: 1,
        dirty_cpu_schedulers: 1,
        dirty_io_schedulers: 1,
    }
}

/// A detached capture.
pub fn detached(name: String) -> DetachedCapture {
    DetachedCapture {
        name,
        state: DetachedState::Starting,
        file_bytes: 0,
        facts: None,
    }
}

/// A file of a flight recorder.
pub fn written(sink: &FlightSink, file: &str) -> FlightWrittenParams {
    FlightWrittenParams {
        flight_id: sink.flight_id(),
        capture_id: sink.new_capture_id(),
        file: file.to_owned(),
        file_bytes: 3,
        found: Vec::new(),
        from_seconds: 0.0,
        triggered_seconds: 1.0,
        until_seconds: 2.0,
    }
}

/// There is no such thing.
pub fn unknown(what: &str) -> Failure {
    Failure::new(FailureKind::InvalidParams, what, "there is no such", "none")
}
