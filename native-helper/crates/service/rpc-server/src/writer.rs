//! The one thread that writes.

use std::io::{self, BufWriter, Write};

use protocol::base64;
use protocol::method::CaptureIncrement;
use protocol::recording::CaptureIncrementParams;

use crate::body::{Json, notification};
use crate::outgoing::{Increment, Outgoing, OutgoingQueue};

/// Writes the waiting messages until the queue is closed and empty. Errors are those of `output`.
pub(crate) fn write_all(queue: &OutgoingQueue, output: impl Write) -> io::Result<()> {
    let mut output = BufWriter::new(output);
    while let Some(outgoing) = queue.pop() {
        match outgoing {
            Outgoing::Message(message) => write(&mut output, &message)?,
            Outgoing::Increment(increment) => write(&mut output, &with_base64(*increment)?)?,
        }
    }
    Ok(())
}

fn with_base64(increment: Increment) -> io::Result<Json> {
    let params = CaptureIncrementParams {
        capture_id: increment.capture_id,
        sequence: increment.sequence,
        gzip_base64: base64::encode(&increment.gzip),
        file_bytes: increment.file_bytes,
        quality: increment.quality,
    };
    Ok(notification::<CaptureIncrement>(&params)?)
}

fn write(output: &mut impl Write, body: &Json) -> io::Result<()> {
    write!(output, "Content-Length: {}\r\n\r\n", body.bytes().len())?;
    output.write_all(body.bytes())?;
    output.flush()
}
