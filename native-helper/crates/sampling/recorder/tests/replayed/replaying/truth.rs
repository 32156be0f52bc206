//! Whether a stack that was shown can stand beside the true one. For true counts here what the golden
//! master shows: the same sample, read while nothing happened.

use corpus::ShownStack;

fn is_marker(frame: &str) -> bool {
    frame.starts_with("marker ")
}

/// The frames above the first marker and those below the last one.
fn parts(frames: &[String]) -> (&[String], &[String]) {
    let first = frames
        .iter()
        .position(|frame| is_marker(frame))
        .unwrap_or(frames.len());
    let last = frames.iter().rposition(|frame| is_marker(frame));
    (
        &frames[..first],
        last.map_or(&[], |last| &frames[last + 1..]),
    )
}

/// Without frames of C code: the names of those depend on many tables, of which some may be
/// unreadable, and a built-in function is shown under two names.
pub fn without_c(stack: &ShownStack) -> ShownStack {
    let mut stack = stack.clone();
    stack.frames.retain(|frame| {
        let is_c = ["native ", "bif ", "nif "]
            .iter()
            .any(|kind| frame.starts_with(kind));
        !is_c
    });
    stack
}

/// Without functions of which the truth shows the C code: an interpreter has an Erlang function for
/// each native one, and which of the two is shown depends on tables that may be unreadable.
pub fn without_own_functions(mut shown: ShownStack, truth: &ShownStack) -> ShownStack {
    let name = |frame: &str| {
        let (_, place) = frame.split_once(' ')?;
        Some(place.rsplit_once(':')?.0.to_owned())
    };
    let is_native = |frame: &&String| frame.starts_with("nif ") || frame.starts_with("bif ");
    let native: Vec<_> = truth.frames.iter().filter(is_native).collect();
    shown.frames.retain(|frame| {
        let is_own = native.iter().any(|other| name(other) == name(frame));
        !(frame.starts_with("erlang ") && is_own)
    });
    shown
}

/// Every frame of `shown` is where it is in `truth`, or a marker shows that some are missing.
///
/// Where the truth itself is known in part only, the parts have to agree as far as both reach.
pub fn is_compatible(shown: &ShownStack, truth: &ShownStack) -> bool {
    let (shown_top, shown_bottom) = parts(&shown.frames);
    let (true_top, true_bottom) = parts(&truth.frames);
    if truth.frames.iter().any(|frame| is_marker(frame)) {
        let reach = shown_top.len().min(true_top.len());
        let deep = shown_bottom.len().min(true_bottom.len());
        return shown_top[..reach] == true_top[..reach]
            && shown_bottom[shown_bottom.len() - deep..]
                == true_bottom[true_bottom.len() - deep..];
    }
    if truth.trust == "no_process" {
        // The VM was seen to work for a port or for no process: no Erlang frames are known, except
        // the caller of the C code, which the sample itself shows.
        let reach = shown_top.len().min(truth.frames.len());
        let is_erlang = |frame: &&String| frame.starts_with("erlang ");
        let callers = shown_top.last().filter(is_erlang).iter().count();
        let most = usize::from(shown.trust == "unproven") * callers;
        return shown_top[..reach] == truth.frames[..reach]
            && shown.frames.iter().filter(is_erlang).count() <= most;
    }
    if shown.frames.iter().any(|frame| is_marker(frame)) {
        return shown_top.len() + shown_bottom.len() <= truth.frames.len()
            && truth.frames.starts_with(shown_top)
            && truth.frames.ends_with(shown_bottom);
    }
    // A scheduler that was seen to run no process shows its C frames and claims nothing more.
    shown.frames == truth.frames
        || shown.trust == "no_process" && truth.frames.starts_with(&shown.frames)
}
