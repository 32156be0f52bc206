//! Any bytes as input of the server: framing, JSON, and the parameters of every method.

#![no_main]

use libfuzzer_sys::fuzz_target;
use protocol::attachment::{AttachParams, DetachParams};
use protocol::discovery::DoctorParams;
use protocol::lifecycle::{CancelParams, InitializeParams, SetTraceParams};
use protocol::pstack::PstackParams;
use protocol::recording::{
    CaptureReadParams, CaptureRemoveParams, CaptureStartParams, CaptureStopParams,
};
use rpc_server::frame::{Frame, FrameReader};
use rpc_server::message::{Incoming, classify};
use rpc_server::params::decode;

fuzz_target!(|bytes: &[u8]| {
    let mut frames = FrameReader::new(bytes);
    loop {
        let body = match frames.next_frame() {
            Frame::Body(body) => body,
            Frame::Rejected(_) => continue,
            Frame::End(_) => return,
        };
        let params = match classify(&body) {
            Incoming::Request(request) => request.params,
            Incoming::Notification(notification) => notification.params,
            Incoming::Response | Incoming::Invalid(_) => continue,
        };
        let _ = decode::<InitializeParams>(params.clone());
        let _ = decode::<DoctorParams>(params.clone());
        let _ = decode::<AttachParams>(params.clone());
        let _ = decode::<DetachParams>(params.clone());
        let _ = decode::<CaptureStartParams>(params.clone());
        let _ = decode::<CaptureStopParams>(params.clone());
        let _ = decode::<CaptureReadParams>(params.clone());
        let _ = decode::<CaptureRemoveParams>(params.clone());
        let _ = decode::<PstackParams>(params.clone());
        let _ = decode::<CancelParams>(params.clone());
        let _ = decode::<SetTraceParams>(params);
    }
});
