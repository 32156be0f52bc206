//! A core that looks at no process and writes no file, and checks the promises that the server
//! makes to a core.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use capture::quality::QualityRecord;
use protocol::attachment::{AttachParams, AttachResult, DetachParams, SelfCheck};
use protocol::debug_files::{DebugFilesParams, DebugFilesResult};
use protocol::discovery::{DoctorParams, DoctorResult};
use protocol::flight::{FlightEndReason, FlightEndedParams, FlightStartParams, FlightStopParams};
use protocol::recording::{
    CaptureEndReason, CaptureEndedParams, CaptureStartParams, CaptureStopParams, EngineInUse,
    EngineName,
};
use rpc_server::{Backend, CaptureSink, Failure, FlightSink, RequestContext, StartedCapture};

use super::plain_answers::{self, target, unknown, written};

const MAX_FREQUENCY_HZ: u32 = 10_000;
/// No client gets more attachments than this in one conversation.
const MAX_ATTACHMENTS: u32 = 3;

#[derive(Default)]
pub struct HarmlessBackend {
    attachments: AtomicU32,
    captures: Mutex<Vec<CaptureSink>>,
    flights: Mutex<Vec<FlightSink>>,
    closes: AtomicU32,
    is_closed: AtomicBool,
}

impl HarmlessBackend {
    /// It is closed at the end, and once.
    pub fn expect_closed_once(&self) {
        assert_eq!(self.closes.load(Ordering::SeqCst), 1);
    }

    fn captures(&self) -> MutexGuard<'_, Vec<CaptureSink>> {
        self.captures.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn flights(&self) -> MutexGuard<'_, Vec<FlightSink>> {
        self.flights.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Backend for HarmlessBackend {
    fn version(&self) -> String {
        "0.0.0".to_owned()
    }

    plain_answers!();

    fn doctor(&self, context: &RequestContext, _: DoctorParams) -> Result<DoctorResult, Failure> {
        context.progress.report("Looking", Some(50));
        context.log.warning("nothing was looked at");
        context.cancellation.check()?;
        Ok(DoctorResult::default())
    }

    fn fetch_debug_files(
        &self,
        context: &RequestContext,
        params: DebugFilesParams,
    ) -> Result<DebugFilesResult, Failure> {
        for server in &params.servers {
            context.progress.report(server, None);
        }
        Ok(DebugFilesResult::default())
    }

    fn attach(&self, _: &RequestContext, params: AttachParams) -> Result<AttachResult, Failure> {
        let attachment_id = self.attachments.fetch_add(1, Ordering::SeqCst) + 1;
        if attachment_id > MAX_ATTACHMENTS {
            return Err(unknown("attachment"));
        }
        Ok(AttachResult {
            attachment_id,
            target: target(params.pid),
            self_check: SelfCheck {
                layout: String::new(),
                atoms: Some(u64::MAX),
                modules: 0,
                rows: Vec::new(),
                took_ms: f64::NAN,
            },
        })
    }

    fn detach(&self, _: &RequestContext, params: DetachParams) -> Result<(), Failure> {
        let attached = self.attachments.load(Ordering::SeqCst);
        match (1..=attached).contains(&params.attachment_id) {
            true => Ok(()),
            false => Err(unknown("attachment")),
        }
    }

    fn start_capture(
        &self,
        _: &RequestContext,
        params: CaptureStartParams,
        sink: CaptureSink,
    ) -> Result<StartedCapture, Failure> {
        assert!((1..=MAX_FREQUENCY_HZ).contains(&params.sampling.frequency_hz));
        assert!(params.duration_seconds >= 0.0 && params.duration_seconds.is_finite());
        assert!(!params.sampling.include_kernel && params.file.as_deref() != Some(""));
        if !(1..=MAX_ATTACHMENTS).contains(&params.attachment_id) {
            return Err(unknown("attachment"));
        }
        let mut captures = self.captures();
        if self.is_closed.load(Ordering::SeqCst) {
            return Err(unknown("capture"));
        }
        sink.increment(vec![0; 3], 3, QualityRecord::default());
        if params.duration_seconds > 1.0 {
            let reason = CaptureEndReason::Duration;
            sink.ended(reason, None, "/f", QualityRecord::default());
            // After its end nothing more may be reported.
            sink.increment(vec![0; 3], 6, QualityRecord::default());
        } else {
            captures.push(sink);
        }
        Ok(StartedCapture {
            file: params.file.unwrap_or_else(|| "/f".to_owned()),
            engine: EngineInUse {
                name: EngineName::Readv,
                reason: String::new(),
            },
        })
    }

    fn stop_capture(
        &self,
        _: &RequestContext,
        params: CaptureStopParams,
    ) -> Result<CaptureEndedParams, Failure> {
        let mut captures = self.captures();
        let at = captures
            .iter()
            .position(|sink| sink.capture_id() == params.capture_id)
            .ok_or_else(|| unknown("capture"))?;
        let sink = captures.remove(at);
        sink.increment(vec![1; 5], 8, QualityRecord::default());
        let reason = CaptureEndReason::Stopped;
        Ok(sink.ended(reason, None, "/f", QualityRecord::default()))
    }

    fn start_flight(
        &self,
        _: &RequestContext,
        params: FlightStartParams,
        sink: FlightSink,
    ) -> Result<EngineInUse, Failure> {
        assert!((1..=MAX_FREQUENCY_HZ).contains(&params.sampling.frequency_hz));
        assert!(params.duration_seconds > 0.0 && params.duration_seconds <= 86_400.0);
        assert!((1.0..=3600.0).contains(&params.before_seconds));
        assert!((1.0..=3600.0).contains(&params.after_seconds));
        assert!((1..=1000).contains(&params.max_files));
        assert!(!params.sampling.include_kernel && params.file.as_deref() != Some(""));
        if !(1..=MAX_ATTACHMENTS).contains(&params.attachment_id) {
            return Err(unknown("attachment"));
        }
        let mut flights = self.flights();
        if self.is_closed.load(Ordering::SeqCst) {
            return Err(unknown("flight recorder"));
        }
        sink.written(&written(&sink, "/f"));
        if params.duration_seconds > 1.0 {
            sink.ended(FlightEndReason::Duration, None, (1, 0));
            // After its end nothing more may be reported.
            sink.written(&written(&sink, "/f"));
        } else {
            flights.push(sink);
        }
        Ok(EngineInUse {
            name: EngineName::Readv,
            reason: String::new(),
        })
    }

    fn stop_flight(
        &self,
        _: &RequestContext,
        params: FlightStopParams,
    ) -> Result<FlightEndedParams, Failure> {
        let mut flights = self.flights();
        let at = flights
            .iter()
            .position(|sink| sink.flight_id() == params.flight_id)
            .ok_or_else(|| unknown("flight recorder"))?;
        let sink = flights.remove(at);
        Ok(sink.ended(FlightEndReason::Stopped, None, (1, 0)))
    }

    fn close(&self) {
        self.closes.fetch_add(1, Ordering::SeqCst);
        let mut captures = self.captures();
        self.is_closed.store(true, Ordering::SeqCst);
        for sink in self.flights().drain(..) {
            sink.ended(FlightEndReason::Shutdown, None, (1, 0));
        }
        for sink in captures.drain(..) {
            let reason = CaptureEndReason::Shutdown;
            sink.ended(reason, None, "/f", QualityRecord::default());
        }
    }
}
