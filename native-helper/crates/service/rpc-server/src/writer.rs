//! The one thread that writes.

use std::io::{self, BufWriter, Write};

use lsp_server::{Message, Notification, ResponseError};
use protocol::base64;
use protocol::method::{CaptureIncrement, Notification as _};
use protocol::recording::CaptureIncrementParams;
use serde::Serialize;

use crate::outgoing::{Increment, Outgoing, OutgoingQueue};

/// Writes the waiting messages until the queue is closed and empty. Errors are those of `output`.
pub(crate) fn write_all(queue: &OutgoingQueue, output: impl Write) -> io::Result<()> {
    let mut output = BufWriter::new(output);
    while let Some(outgoing) = queue.pop() {
        match outgoing {
            Outgoing::Message(message) => message.write(&mut output)?,
            Outgoing::ErrorWithoutId(error) => write_error_without_id(&mut output, &error)?,
            Outgoing::Increment(increment) => {
                Message::from(notification(*increment)?).write(&mut output)?;
            }
        }
    }
    Ok(())
}

fn notification(increment: Increment) -> io::Result<Notification> {
    let params = CaptureIncrementParams {
        capture_id: increment.capture_id,
        sequence: increment.sequence,
        gzip_base64: base64::encode(&increment.gzip),
        file_bytes: increment.file_bytes,
        quality: increment.quality,
    };
    Ok(Notification {
        method: CaptureIncrement::METHOD.to_owned(),
        params: serde_json::to_value(params)?,
    })
}

/// The message type of the framing library has no response without an id, which JSON-RPC requires
/// when the id could not be read.
fn write_error_without_id(output: &mut impl Write, error: &ResponseError) -> io::Result<()> {
    #[derive(Serialize)]
    struct ErrorResponse<'a> {
        jsonrpc: &'static str,
        id: (),
        error: &'a ResponseError,
    }
    let body = serde_json::to_vec(&ErrorResponse {
        jsonrpc: "2.0",
        id: (),
        error,
    })?;
    write!(output, "Content-Length: {}\r\n\r\n", body.len())?;
    output.write_all(&body)?;
    output.flush()
}
