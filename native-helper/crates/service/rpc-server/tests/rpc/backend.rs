//! A backend whose work the tests steer.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use capture::quality::QualityRecord;
use protocol::attachment::{AttachParams, AttachResult, DetachParams};
use protocol::debug_files::{DebugFilesParams, DebugFilesResult};
use protocol::discovery::{DoctorParams, DoctorResult, DoctorRow, DoctorStatus};
use protocol::flight::{FlightEndReason, FlightEndedParams, FlightStartParams, FlightStopParams};
use protocol::recording::{
    CaptureEndReason, CaptureEndedParams, CaptureStartParams, CaptureStopParams, EngineInUse,
    EngineName,
};
use rpc_server::{
    Backend, CaptureSink, Failure, FailureKind, FlightSink, RequestContext, StartedCapture,
};

use crate::client::PATIENCE;
use crate::plain_answers::{self, unknown, written};

pub const FILE: &str = "/captures/one.pb.gz";
/// Doctor of this pid works until cancelled.
pub const SLOW_PID: u32 = 4_000;
/// Doctor of this pid reports progress.
pub const TALKATIVE_PID: u32 = 4_001;
/// Attaching to this pid panics.
pub const PANIC_PID: u32 = 4_002;

#[derive(Default)]
pub struct SteeredBackend {
    pub captures: Mutex<Vec<CaptureSink>>,
    pub flights: Mutex<Vec<FlightSink>>,
    pub closes: AtomicU32,
    /// Increments sent before `start_capture` returns, and whether the capture ends there too.
    pub early: Mutex<(u64, bool)>,
}

impl SteeredBackend {
    fn end_all(&self, reason: CaptureEndReason) {
        for sink in self.captures.lock().unwrap().drain(..) {
            sink.ended(reason, None, FILE, QualityRecord::default());
        }
    }

    pub fn sink(&self) -> CaptureSink {
        self.captures.lock().unwrap().last().unwrap().clone()
    }
}

impl Backend for SteeredBackend {
    fn version(&self) -> String {
        "9.8.7".to_owned()
    }

    plain_answers!();

    fn doctor(
        &self,
        context: &RequestContext,
        params: DoctorParams,
    ) -> Result<DoctorResult, Failure> {
        if params.pid == Some(TALKATIVE_PID) {
            context.progress.report("Reading atoms", Some(40));
            context.progress.report("Reading modules", None);
            context.log.warning("few modules");
        }
        let begun = Instant::now();
        while params.pid == Some(SLOW_PID) && begun.elapsed() < PATIENCE {
            context.cancellation.check()?;
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(DoctorResult {
            rows: vec![DoctorRow {
                check: "perf_event_paranoid".to_owned(),
                status: DoctorStatus::Fail,
                found: "3".to_owned(),
                needed: "2 or less".to_owned(),
                fix: Some("sysctl kernel.perf_event_paranoid=2".to_owned()),
                ..DoctorRow::default()
            }],
        })
    }

    fn attach(&self, _: &RequestContext, params: AttachParams) -> Result<AttachResult, Failure> {
        assert_ne!(params.pid, PANIC_PID, "a mistake for the test");
        Err(Failure::new(
            FailureKind::NotPermitted,
            "Cannot attach",
            "the process belongs to another user",
            "run as that user",
        ))
    }

    fn detach(&self, _: &RequestContext, _: DetachParams) -> Result<(), Failure> {
        self.end_all(CaptureEndReason::Stopped);
        Ok(())
    }

    fn start_capture(
        &self,
        _: &RequestContext,
        params: CaptureStartParams,
        sink: CaptureSink,
    ) -> Result<StartedCapture, Failure> {
        if params.attachment_id != 1 {
            let kind = FailureKind::InvalidParams;
            return Err(Failure::new(
                kind,
                "Cannot capture",
                "no such attachment",
                "attach",
            ));
        }
        let (early_increments, ends) = *self.early.lock().unwrap();
        for number in 1..=early_increments {
            sink.increment(vec![0; 10], number * 10, QualityRecord::default());
        }
        if ends {
            sink.ended(
                CaptureEndReason::TargetGone,
                None,
                FILE,
                QualityRecord::default(),
            );
        } else {
            self.captures.lock().unwrap().push(sink);
        }
        Ok(StartedCapture {
            file: FILE.to_owned(),
            engine: EngineInUse {
                name: EngineName::Readv,
                reason: "requested".to_owned(),
            },
        })
    }

    fn stop_capture(
        &self,
        _: &RequestContext,
        params: CaptureStopParams,
    ) -> Result<CaptureEndedParams, Failure> {
        let mut captures = self.captures.lock().unwrap();
        let position = captures
            .iter()
            .position(|sink| sink.capture_id() == params.capture_id);
        let Some(position) = position else {
            let kind = FailureKind::InvalidParams;
            return Err(Failure::new(
                kind,
                "Cannot stop",
                "no such capture",
                "start one",
            ));
        };
        let sink = captures.remove(position);
        Ok(sink.ended(
            CaptureEndReason::Stopped,
            None,
            FILE,
            QualityRecord::default(),
        ))
    }

    fn fetch_debug_files(
        &self,
        _: &RequestContext,
        _: DebugFilesParams,
    ) -> Result<DebugFilesResult, Failure> {
        Ok(DebugFilesResult::default())
    }

    fn start_flight(
        &self,
        _: &RequestContext,
        params: FlightStartParams,
        sink: FlightSink,
    ) -> Result<EngineInUse, Failure> {
        if params.attachment_id != 1 {
            return Err(unknown("flight recorder"));
        }
        // Before the answer: the client gets the report afterwards.
        sink.written(&written(&sink, FILE));
        self.flights.lock().unwrap().push(sink);
        Ok(EngineInUse {
            name: EngineName::Readv,
            reason: "requested".to_owned(),
        })
    }

    fn stop_flight(
        &self,
        _: &RequestContext,
        params: FlightStopParams,
    ) -> Result<FlightEndedParams, Failure> {
        let flights = self.flights.lock().unwrap();
        let found = flights.iter().find(|it| it.flight_id() == params.flight_id);
        let sink = found.ok_or_else(|| unknown("flight recorder"))?;
        Ok(sink.ended(FlightEndReason::Stopped, None, (1, 0)))
    }

    fn close(&self) {
        self.closes.fetch_add(1, Ordering::SeqCst);
        self.end_all(CaptureEndReason::Shutdown);
    }
}
