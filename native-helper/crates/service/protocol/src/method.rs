//! The methods: each with its name, its parameters and its result.

use crate::attachment::{AttachParams, AttachResult, DetachParams};
use crate::binaries::BinariesResult;
use crate::debug_files::{DebugFilesParams, DebugFilesResult};
use crate::detached::{
    DetachedCapture, DetachedListResult, DetachedParams, DetachedReadParams, DetachedReadResult,
    DetachedStartParams,
};
use crate::discovery::{DoctorParams, DoctorResult, ListResult};
use crate::flight::{
    FlightCheckParams, FlightCheckResult, FlightEndedParams, FlightLookedParams, FlightStartParams,
    FlightStartResult, FlightStopParams, FlightWrittenParams,
};
use crate::heap::HeapResult;
use crate::inside::{
    InsideBinariesParams, InsideHeapParams, InsideMemoryResult, InsideNodeParams, InsideOpenParams,
    InsideOpenResult, InsideParams, InsideProcessesParams, InsideProcessesResult,
};
use crate::lifecycle::{
    CancelParams, InitializeParams, InitializeResult, LogMessageParams, LogTraceParams, NoParams,
    ProgressParams, SetTraceParams,
};
use crate::node::NodeResult;
use crate::nodes::{NodesParams, NodesResult};
use crate::pstack::{PstackParams, PstackResult};
use crate::recording::{
    CaptureEndedParams, CaptureIncrementParams, CaptureReadParams, CaptureReadResult,
    CaptureRemoveParams, CaptureResyncParams, CaptureStartParams, CaptureStartResult,
    CaptureStopParams,
};
use crate::waits::{InsideWaitsResult, WaitsLook};

/// Parameters or a result. With the feature `ts-rs` their TypeScript declaration is known.
#[cfg(feature = "ts-rs")]
pub trait MessageType: ts_rs::TS + 'static {}
#[cfg(feature = "ts-rs")]
impl<Type: ts_rs::TS + 'static> MessageType for Type {}

/// Parameters or a result.
#[cfg(not(feature = "ts-rs"))]
pub trait MessageType: 'static {}
#[cfg(not(feature = "ts-rs"))]
impl<Type: 'static> MessageType for Type {}

/// A method that is answered.
pub trait Request {
    /// Name on the wire.
    const METHOD: &'static str;
    /// Its parameters.
    type Params: MessageType;
    /// Its result.
    type Result: MessageType;
}

/// A method that is not answered.
pub trait Notification {
    /// Name on the wire.
    const METHOD: &'static str;
    /// Its parameters.
    type Params: MessageType;
}

/// Visits every method; see [`visit_methods`].
pub trait MethodVisitor {
    /// A request, client to helper.
    fn request<R: Request>(&mut self);
    /// A notification, client to helper.
    fn client_notification<N: Notification>(&mut self);
    /// A notification, helper to client.
    fn helper_notification<N: Notification>(&mut self);
}

macro_rules! methods {
    (
        requests { $($(#[$rdoc:meta])+ $request:ident = $rname:literal: $rparams:ty => $result:ty;)+ }
        client_notifications { $($(#[$cdoc:meta])+ $client:ident = $cname:literal: $cparams:ty;)+ }
        helper_notifications { $($(#[$hdoc:meta])+ $helper:ident = $hname:literal: $hparams:ty;)+ }
    ) => {
        $(
            $(#[$rdoc])+
            pub enum $request {}
            impl Request for $request {
                const METHOD: &'static str = $rname;
                type Params = $rparams;
                type Result = $result;
            }
        )+
        $(
            $(#[$cdoc])+
            pub enum $client {}
            impl Notification for $client {
                const METHOD: &'static str = $cname;
                type Params = $cparams;
            }
        )+
        $(
            $(#[$hdoc])+
            pub enum $helper {}
            impl Notification for $helper {
                const METHOD: &'static str = $hname;
                type Params = $hparams;
            }
        )+

        /// Shows every method there is to `visitor`.
        pub fn visit_methods(visitor: &mut impl MethodVisitor) {
            $(visitor.request::<$request>();)+
            $(visitor.client_notification::<$client>();)+
            $(visitor.helper_notification::<$helper>();)+
        }
    };
}

methods! {
    requests {
        /// The handshake, first of all.
        Initialize = "initialize": InitializeParams => InitializeResult;
        /// Ends every capture; only `exit` may follow.
        Shutdown = "shutdown": NoParams => ();
        /// The BEAMs on this machine.
        List = "extrospect/list": NoParams => ListResult;
        /// What sampling needs, and what of it is there.
        Doctor = "extrospect/doctor": DoctorParams => DoctorResult;
        /// Fetches the debug files that a target lacks.
        DebugFilesFetch = "extrospect/debugFiles/fetch": DebugFilesParams => DebugFilesResult;
        /// Reads the layout and tables of a target.
        Attach = "extrospect/attach": AttachParams => AttachResult;
        /// Forgets a target.
        Detach = "extrospect/detach": DetachParams => ();
        /// Begins a capture.
        CaptureStart = "extrospect/capture/start": CaptureStartParams => CaptureStartResult;
        /// Ends a capture.
        CaptureStop = "extrospect/capture/stop": CaptureStopParams => CaptureEndedParams;
        /// A part of the file of a capture.
        CaptureRead = "extrospect/capture/read": CaptureReadParams => CaptureReadResult;
        /// Removes the file of a capture that was read to its end.
        CaptureRemove = "extrospect/capture/remove": CaptureRemoveParams => ();
        /// Begins a capture that goes on without this conversation.
        DetachedStart = "extrospect/detached/start": DetachedStartParams => DetachedCapture;
        /// The captures that continue without a client, or did.
        DetachedList = "extrospect/detached/list": NoParams => DetachedListResult;
        /// Ends one.
        DetachedStop = "extrospect/detached/stop": DetachedParams => DetachedCapture;
        /// A part of the file of one.
        DetachedRead = "extrospect/detached/read": DetachedReadParams => DetachedReadResult;
        /// Removes one that has ended, with its file.
        DetachedRemove = "extrospect/detached/remove": DetachedParams => ();
        /// Whether a text is a condition.
        FlightCheck = "extrospect/flight/check": FlightCheckParams => FlightCheckResult;
        /// Watches until a condition comes to hold, and keeps the samples before and after.
        FlightStart = "extrospect/flight/start": FlightStartParams => FlightStartResult;
        /// Stops watching.
        FlightStop = "extrospect/flight/stop": FlightStopParams => FlightEndedParams;
        /// One stack for each scheduler.
        Pstack = "extrospect/pstack": PstackParams => PstackResult;
        /// The nodes that a VM knows.
        Nodes = "extrospect/nodes": NodesParams => NodesResult;
        /// Begins to look at the inside of a VM.
        InsideOpen = "extrospect/inside/open": InsideOpenParams => InsideOpenResult;
        /// A window of its processes.
        InsideProcesses = "extrospect/inside/processes": InsideProcessesParams => InsideProcessesResult;
        /// The heap of one process.
        InsideHeap = "extrospect/inside/heap": InsideHeapParams => HeapResult;
        /// What its memory is for.
        InsideMemory = "extrospect/inside/memory": InsideParams => InsideMemoryResult;
        /// The holders of its binaries, and their allocating processes.
        InsideBinaries = "extrospect/inside/binaries": InsideBinariesParams => BinariesResult;
        /// The VM as a whole.
        InsideNode = "extrospect/inside/node": InsideNodeParams => NodeResult;
        /// Looks at where its processes wait, once more.
        InsideWaitsLook = "extrospect/inside/waits/look": InsideParams => WaitsLook;
        /// What those looks saw, and a capture of it.
        InsideWaitsFinish = "extrospect/inside/waits/finish": InsideParams => InsideWaitsResult;
        /// Stops reading.
        InsideClose = "extrospect/inside/close": InsideParams => ();
    }
    client_notifications {
        /// The client took the result of `initialize`.
        Initialized = "initialized": NoParams;
        /// The helper ends now.
        Exit = "exit": NoParams;
        /// The answer to a request is no longer needed.
        CancelRequest = "$/cancelRequest": CancelParams;
        /// How much the helper logs of its own work.
        SetTrace = "$/setTrace": SetTraceParams;
    }
    helper_notifications {
        /// The samples captured since the increment before.
        CaptureIncrement = "extrospect/capture/increment": CaptureIncrementParams;
        /// Increments were left out; they are in the file.
        CaptureResync = "extrospect/capture/resync": CaptureResyncParams;
        /// A capture is over.
        CaptureEnded = "extrospect/capture/ended": CaptureEndedParams;
        /// What a flight recorder sees.
        FlightLooked = "extrospect/flight/looked": FlightLookedParams;
        /// It has written a file.
        FlightWritten = "extrospect/flight/written": FlightWrittenParams;
        /// It is over.
        FlightEnded = "extrospect/flight/ended": FlightEndedParams;
        /// How far a request is.
        Progress = "$/progress": ProgressParams;
        /// Something to log.
        LogMessage = "window/logMessage": LogMessageParams;
        /// Something about the helper's own work.
        LogTrace = "$/logTrace": LogTraceParams;
    }
}
