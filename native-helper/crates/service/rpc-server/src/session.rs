//! One client's conversation: which message may come when, and which handler answers it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

use lsp_server::{Notification, Request, RequestId};
use protocol::detached::DetachedStartParams;
use protocol::flight::{FlightStartParams, FlightStartResult};
use protocol::lifecycle::{
    CancelParams, InitializeParams, InitializeResult, NoParams, NumberOrString, PeerInfo,
    ServerCapabilities, SetTraceParams,
};
use protocol::method::{
    Attach, CancelRequest, CaptureRead, CaptureRemove, CaptureStart, CaptureStop, DebugFilesFetch,
    Detach, DetachedList, DetachedRead, DetachedRemove, DetachedStart, DetachedStop, Doctor, Exit,
    FlightCheck, FlightStart, FlightStop, Initialize, Initialized, InsideBinaries, InsideClose,
    InsideHeap, InsideMemory, InsideNode, InsideOpen, InsideProcesses, InsideWaitsFinish,
    InsideWaitsLook, List, Nodes, Notification as _, Pstack, Request as _, SetTrace, Shutdown,
};
use protocol::recording::{CaptureStartParams, CaptureStartResult};
use protocol::waits::InsideWaitsResult;
use protocol::{MAX_MESSAGE_BYTES, PROTOCOL_VERSION, base64};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::backend::{Backend, StartedCapture};
use crate::body::{self, Json};
use crate::capture_sink::CaptureSink;
use crate::context::{Log, Progress, RequestContext};
use crate::failure::{Failure, FailureKind};
use crate::flight_sink::{FlightSink, next_id};
use crate::in_flight::{InFlight, MAX_IN_FLIGHT, Refused};
use crate::message::{Incoming, Invalid, classify};
use crate::outgoing::OutgoingQueue;
use crate::params::{
    check_capture_start, check_detached_start, check_flight_start, decode, decode_start,
    progress_token,
};

/// What the reading side does after a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    Read,
    Exit,
}

/// Answers a method by the function beside it, which has the parameters and the result that the protocol gives it.
macro_rules! answers {
    ($method:expr, $params:expr; $($request:ident: $answer:expr;)+) => {
        match $method {
            $($request::METHOD => answered::<$request>($params, $answer),)+
            other => Err(Failure::new(
                FailureKind::MethodNotFound,
                "The method is unknown",
                format!("there is no method {other:?}"),
                "see docs/protocol.md for the methods",
            )),
        }
    };
}

/// Shared by the reading side, the requests being worked on and the end of the conversation.
pub(crate) struct Session {
    backend: Arc<dyn Backend>,
    pub queue: Arc<OutgoingQueue>,
    pub log: Log,
    in_flight: InFlight,
    initialized: AtomicBool,
    shut_down: AtomicBool,
    increments_wanted: AtomicBool,
    /// Flight recorders count on from it, too.
    last_capture_id: Arc<AtomicU32>,
    closed: Once,
}

impl Session {
    pub fn new(backend: Arc<dyn Backend>, queue: Arc<OutgoingQueue>) -> Self {
        Self {
            backend,
            log: Log::new(Arc::clone(&queue)),
            queue,
            in_flight: InFlight::default(),
            initialized: AtomicBool::new(false),
            shut_down: AtomicBool::new(false),
            increments_wanted: AtomicBool::new(false),
            last_capture_id: Arc::default(),
            closed: Once::new(),
        }
    }

    /// Whether the client sent `shutdown`.
    pub fn was_shut_down(&self) -> bool {
        self.shut_down.load(Ordering::Acquire)
    }

    /// Takes one message body. Returns at once: work is done on other threads.
    pub fn take(self: &Arc<Self>, body: &[u8]) -> Next {
        match classify(body) {
            Incoming::Request(request) => self.take_request(request),
            Incoming::Notification(notification) => return self.take_notification(notification),
            Incoming::Response => self.log.trace("an answer to nothing was ignored"),
            Incoming::Invalid(invalid) => self.refuse(invalid),
        }
        Next::Read
    }

    /// Answers something that is no request.
    pub fn refuse(&self, invalid: Invalid) {
        let failure = Failure::new(
            FailureKind::InvalidRequest,
            "The message cannot be understood",
            invalid.why,
            "see docs/protocol.md for the form of a message",
        );
        let mut error = failure.reply_error();
        error.code = invalid.code;
        self.reply(body::error(invalid.id.as_ref(), &error));
    }

    /// Ends the work: cancels the pending requests, closes the backend, waits for the answers.
    /// Answers that take longer than `patience` are given up.
    pub fn end(&self, patience: Duration) {
        self.in_flight.cancel_all_but(None);
        self.close_backend();
        self.in_flight.wait_until_answered(patience);
    }

    fn close_backend(&self) {
        self.closed.call_once(|| {
            if catch_unwind(AssertUnwindSafe(|| self.backend.close())).is_err() {
                self.log
                    .error("ending the captures failed: a mistake in the helper");
            }
        });
    }

    fn take_notification(&self, notification: Notification) -> Next {
        let Notification { method, params } = notification;
        let taken = match method.as_str() {
            Exit::METHOD => return Next::Exit,
            CancelRequest::METHOD => decode::<CancelParams>(params).map(|params| {
                self.in_flight.cancel(&match params.id {
                    NumberOrString::Number(number) => RequestId::from(number),
                    NumberOrString::String(text) => RequestId::from(text),
                });
            }),
            SetTrace::METHOD => {
                decode::<SetTraceParams>(params).map(|params| self.log.set_trace(params.value))
            }
            Initialized::METHOD => Ok(()),
            other => {
                self.log
                    .trace(format!("unknown notification {other:?} was ignored"));
                Ok(())
            }
        };
        if let Err(failure) = taken {
            self.log.warning(format!(
                "notification {method:?} was ignored: {}",
                failure.explanation.why
            ));
        }
        Next::Read
    }

    fn take_request(self: &Arc<Self>, request: Request) {
        if let Err(failure) = self.permit(&request.method) {
            return self.answer(&request.id, Err(failure));
        }
        if request.method == Initialize::METHOD {
            let result = self.initialize(request.params);
            return self.answer(&request.id, result);
        }
        let cancellation = match self.in_flight.begin(&request.id) {
            Ok(cancellation) => cancellation,
            Err(refused) => return self.refuse_request(&request.id, &refused),
        };
        let context = RequestContext {
            cancellation,
            progress: Progress::new(progress_token(&request.params), Arc::clone(&self.queue)),
            log: self.log.clone(),
        };
        let id = request.id.clone();
        let session = Arc::clone(self);
        let worker = std::thread::Builder::new()
            .name("rpc-request".to_owned())
            .spawn(move || session.work(request, &context));
        if let Err(error) = worker {
            self.in_flight.free_id(&id);
            let failure = Failure::new(
                FailureKind::Other,
                "The request cannot be worked on",
                format!("no thread can be started: {error}"),
                "end other programs, or raise the limit on processes",
            );
            self.answer(&id, Err(failure));
            self.in_flight.answered();
        }
    }

    /// Whether a request may come now. Marks the session as shut down when it is that request, so
    /// that whatever is read next finds it so.
    fn permit(&self, method: &str) -> Result<(), Failure> {
        let initialized = self.initialized.load(Ordering::Acquire);
        let out_of_order = |why: &str, fix: &str| {
            let kind = FailureKind::InvalidRequest;
            Err(Failure::new(
                kind,
                format!("{method} cannot come now"),
                why,
                fix,
            ))
        };
        if self.was_shut_down() {
            return out_of_order(
                "the client requested shutdown",
                "send exit and start a new helper",
            );
        }
        if method == Initialize::METHOD && initialized {
            return out_of_order("the helper is initialized already", "start a new helper");
        }
        if method != Initialize::METHOD && !initialized {
            return Err(Failure::new(
                FailureKind::NotInitialized,
                format!("{method} cannot come now"),
                "initialize comes first",
                "send initialize and wait for its answer",
            ));
        }
        if method == Shutdown::METHOD {
            self.shut_down.store(true, Ordering::Release);
        }
        Ok(())
    }

    fn refuse_request(&self, id: &RequestId, refused: &Refused) {
        match refused {
            // With that id the answer would be taken for the other request's.
            Refused::DuplicateId => self.refuse(Invalid {
                code: FailureKind::InvalidRequest.code(),
                id: None,
                why: format!("the request with id {id} is not answered yet"),
            }),
            Refused::TooMany => {
                let failure = Failure::new(
                    FailureKind::TooManyRequests,
                    "The request was not taken",
                    format!("{MAX_IN_FLIGHT} requests wait for their answers"),
                    "send it again when one of them is answered",
                );
                self.answer(id, Err(failure));
            }
        }
    }

    fn initialize(&self, params: Value) -> Result<Json, Failure> {
        let params: InitializeParams = decode(params)?;
        let theirs = params.initialization_options.protocol_version;
        if theirs != PROTOCOL_VERSION {
            return Err(Failure::new(
                FailureKind::VersionMismatch,
                "Editor and helper do not fit together",
                format!("the editor speaks protocol {theirs}, the helper {PROTOCOL_VERSION}"),
                "install editor extension and helper of the same release",
            ));
        }
        let result = caught(|| {
            Ok(InitializeResult {
                server_info: PeerInfo {
                    name: "extrospect".to_owned(),
                    version: Some(self.backend.version()),
                },
                protocol_version: PROTOCOL_VERSION,
                capabilities: ServerCapabilities {
                    experimental: self.backend.capabilities(),
                },
            })
        })?;
        self.log.set_trace(params.trace);
        let increments = params.initialization_options.capabilities.increments;
        self.increments_wanted.store(increments, Ordering::Release);
        self.initialized.store(true, Ordering::Release);
        to_json(&result)
    }

    /// Runs on a thread of its own.
    fn work(&self, request: Request, context: &RequestContext) {
        let begun = Instant::now();
        let Request { id, method, params } = request;
        let (mut started, mut watching) = (None, None);
        let result = match method.as_str() {
            CaptureStart::METHOD => {
                self.start_capture(context, params)
                    .and_then(|(sink, result)| {
                        let json = to_json(&result);
                        started = Some((sink, result.file));
                        json
                    })
            }
            FlightStart::METHOD => self
                .start_flight(context, params)
                .and_then(|(sink, result)| {
                    watching = Some(sink);
                    to_json(&result)
                }),
            _ => caught(|| self.dispatch(&id, &method, params, context)),
        };
        context.progress.end();
        let outcome = if result.is_ok() { "answered" } else { "failed" };
        // Before the answer: the client may change the trace setting as soon as it has it.
        self.log.trace(format!(
            "{method} {outcome} after {} ms",
            begun.elapsed().as_millis()
        ));
        self.in_flight.free_id(&id);
        self.answer(&id, result);
        if let Some((sink, file)) = started {
            sink.announce(&file);
        }
        if let Some(sink) = watching {
            sink.announce();
        }
        self.in_flight.answered();
    }

    fn dispatch(
        &self,
        id: &RequestId,
        method: &str,
        params: Value,
        context: &RequestContext,
    ) -> Result<Json, Failure> {
        let backend = &self.backend;
        if method == Shutdown::METHOD {
            self.in_flight.cancel_all_but(Some(id));
            self.close_backend();
            return Ok(Json::null());
        }
        if method == DetachedStart::METHOD {
            let params: DetachedStartParams = decode_start(params)?;
            check_detached_start(&params, &backend.capabilities())?;
            return to_json(&backend.start_detached(context, params)?);
        }
        answers!(method, params;
            List: |NoParams {}| backend.list(context);
            Doctor: |it| backend.doctor(context, it);
            DebugFilesFetch: |it| backend.fetch_debug_files(context, it);
            Attach: |it| backend.attach(context, it);
            Detach: |it| backend.detach(context, it);
            CaptureStop: |it| backend.stop_capture(context, it);
            CaptureRead: |it| backend.read_capture(context, it);
            CaptureRemove: |it| backend.remove_capture(context, it);
            DetachedList: |NoParams {}| backend.list_detached(context);
            DetachedStop: |it| backend.stop_detached(context, it);
            DetachedRead: |it| backend.read_detached(context, it);
            DetachedRemove: |it| backend.remove_detached(context, it);
            FlightCheck: |it| Ok(backend.check_flight(it));
            FlightStop: |it| backend.stop_flight(context, it);
            Pstack: |it| backend.pstack(context, it);
            Nodes: |it| backend.nodes(context, it);
            InsideOpen: |it| backend.open_inside(context, it);
            InsideProcesses: |it| backend.inside_processes(context, it);
            InsideHeap: |it| backend.inside_heap(context, it);
            InsideMemory: |it| backend.inside_memory(context, it);
            InsideBinaries: |it| backend.inside_binaries(context, it);
            InsideNode: |it| backend.inside_node(context, it);
            InsideWaitsLook: |it| backend.look_at_waits(context, it);
            InsideWaitsFinish: |it| {
                let (waits, capture) = backend.finish_waits(context, it)?;
                let capture = waits_capture(&capture)?;
                Ok(InsideWaitsResult { waits, capture })
            };
            InsideClose: |it| backend.close_inside(context, it);
        )
    }

    fn start_capture(
        &self,
        context: &RequestContext,
        params: Value,
    ) -> Result<(CaptureSink, CaptureStartResult), Failure> {
        let capture_id = next_id(&self.last_capture_id);
        let streamed = self.increments_wanted.load(Ordering::Acquire);
        let sink = CaptureSink::new(capture_id, streamed, Arc::clone(&self.queue));
        let result = caught(|| {
            let params: CaptureStartParams = decode_start(params)?;
            check_capture_start(&params, &self.backend.capabilities())?;
            self.backend.start_capture(context, params, sink.clone())
        });
        match result {
            Ok(StartedCapture { file, engine }) => {
                let result = CaptureStartResult {
                    capture_id,
                    file,
                    engine,
                };
                Ok((sink, result))
            }
            Err(failure) => {
                sink.discard();
                Err(failure)
            }
        }
    }

    fn start_flight(
        &self,
        context: &RequestContext,
        params: Value,
    ) -> Result<(FlightSink, FlightStartResult), Failure> {
        let ids = Arc::clone(&self.last_capture_id);
        let flight_id = next_id(&ids);
        let sink = FlightSink::new(flight_id, ids, Arc::clone(&self.queue));
        let started = caught(|| {
            let params: FlightStartParams = decode_start(params)?;
            check_flight_start(&params, &self.backend.capabilities())?;
            self.backend.start_flight(context, params, sink.clone())
        });
        match started {
            Ok(engine) => Ok((sink, FlightStartResult { flight_id, engine })),
            Err(failure) => {
                sink.discard();
                Err(failure)
            }
        }
    }

    fn answer(&self, id: &RequestId, result: Result<Json, Failure>) {
        self.reply(match result {
            Ok(result) => body::answer(id, &result),
            Err(failure) => body::error(Some(id), &failure.reply_error()),
        });
    }

    fn reply(&self, body: serde_json::Result<Json>) {
        // Ids and errors, which are texts and numbers, are always JSON.
        if let Ok(body) = body {
            self.queue.push_reply(body);
        }
    }
}

/// In base64 it is a third longer, and stacks come beside it.
const MAX_WAITS_BYTES: u64 = MAX_MESSAGE_BYTES / 2;

/// A panic is a bug of the helper; it costs one request, not the conversation.
fn caught<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        let text = payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "no message".to_owned());
        Err(Failure::new(
            FailureKind::Internal,
            "The helper made a mistake",
            text,
            "report it with the log; other requests still work",
        ))
    })
}

/// A capture as text that fits into one message.
fn waits_capture(capture: &[u8]) -> Result<String, Failure> {
    match capture.len() as u64 <= MAX_WAITS_BYTES {
        true => Ok(base64::encode(capture)),
        false => Err(Failure::new(
            FailureKind::Internal,
            "The recorded waits are too long for one message",
            format!("{} bytes", capture.len()),
            "choose a shorter time, or use `extrospect waits PID -o FILE`",
        )),
    }
}

fn answered<R: protocol::method::Request>(
    params: Value,
    answer: impl FnOnce(R::Params) -> Result<R::Result, Failure>,
) -> Result<Json, Failure>
where
    R::Params: DeserializeOwned,
    R::Result: Serialize,
{
    to_json(&answer(decode(params)?)?)
}

fn to_json(result: &impl Serialize) -> Result<Json, Failure> {
    Json::of(result).map_err(|error| {
        Failure::new(
            FailureKind::Internal,
            "The helper made a mistake",
            format!("the result cannot be written as JSON: {error}"),
            "report it with the log",
        )
    })
}
