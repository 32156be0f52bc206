//! `push`: a file to a store.

use std::collections::BTreeMap;
use std::path::Path;

use capture::counted::counted;
use capture::facts::{OriginFacts, TargetFacts};
use capture::interval::Intervals;
use capture::reader::Capture;
use capture::writer::file_of;
use profile_store::credentials::{Credentials, VARIABLE};
use profile_store::profile::{About, Outgoing, service_and_labels, times};
use profile_store::pusher::now_s;
use profile_store::send::{SendError, Store};

use target_proc::caller::was_forgotten;

use super::open_profile::{self, Profile};
use crate::arguments::{Push, Sending};
use crate::failure::{Exit, Failure};
use crate::terminal::print_line;

/// Runs `push`.
pub fn run(arguments: &Push) -> Result<(), Failure> {
    let path = &arguments.file;
    let pprof = match open_profile::read(path, &arguments.which.of_perf)? {
        Profile::Pprof(bytes) => bytes,
        Profile::Foreign(imported) => {
            open_profile::print_notes(path, &imported);
            file_of(&imported.message)
        }
    };
    let mut capture = Capture::from_bytes(&pprof)?;
    open_profile::choose_type(path, &mut capture, &arguments.which)?;
    let is_one_of_several =
        arguments.which.sample_type.is_some() && capture.counted_types().count() > 1;
    let pprof = match is_with_our_labels(&capture) {
        true if is_one_of_several => {
            let of_type = Intervals::with_columns(capture.shown_columns());
            with_few_labels(of_type, &pprof, &capture)?
        }
        true => with_few_labels(Intervals::default(), &pprof, &capture)?,
        false if is_one_of_several => return Err(cut_file(path)),
        false => pprof,
    };
    let target = capture.target().unwrap_or_default();
    let (service, labels) = labels(&arguments.sending, &target, capture.origin().as_ref());
    let (from_s, until_s) = times(&capture, now_s());
    let profile = Outgoing {
        about: About {
            service,
            labels,
            from_s,
            until_s,
        },
        pprof,
    };
    let credentials = credentials(&arguments.sending)?;
    let store = Store::new(
        arguments.to.clone(),
        arguments.sending.protocol(),
        credentials,
    );
    store
        .and_then(|store| store.send(&profile, &|| false))
        .map_err(|error| not_sent(&arguments.to.to_string(), &error))?;
    let about = &profile.about;
    print_line(&format!(
        "{} as {}{}: {}",
        arguments.to,
        about.service,
        shown_labels(&about.labels),
        counted(capture.total_samples(), "sample"),
    ))?;
    // A store shows none of it.
    open_profile::warn_of_cut_file(path, &capture);
    open_profile::warn_of_cut_stacks(&capture);
    open_profile::print_headings(&capture);
    Ok(())
}

/// Whether it was written by this program, recorded or imported.
fn is_with_our_labels(capture: &Capture) -> bool {
    let ours = capture
        .comments()
        .any(|comment| comment.starts_with("extrospect/"));
    ours && !capture.truncated()
}

/// One type of samples is sent of whole captures alone.
fn cut_file(path: &Path) -> Failure {
    let what = format!("{} is sent with all its types of samples", path.display());
    let why = "it ends in the middle, or something else follows";
    Failure::new(Exit::Usage, what, why, "leave --type out")
}

/// Without labels of threads and processes: a store makes a series of each combination of labels.
fn with_few_labels(
    mut whole: Intervals,
    pprof: &[u8],
    capture: &Capture,
) -> Result<Vec<u8>, Failure> {
    whole.add(pprof)?;
    Ok(whole.take(capture.started_unix_ns(), capture.duration_ns()))
}

/// The service and labels that are sent of a target; its commit unless the user names another one.
pub fn labels(
    sending: &Sending,
    target: &TargetFacts,
    origin: Option<&OriginFacts>,
) -> (String, BTreeMap<String, String>) {
    let mut added = BTreeMap::new();
    let found = origin.map(commit_label).filter(|commit| !commit.is_empty());
    if let Some(commit) = sending.commit.clone().or(found) {
        added.insert("commit".to_owned(), commit);
    }
    added.extend(sending.labels.iter().cloned());
    service_and_labels(target, sending.service.as_deref(), &added)
}

/// Sources that differ from the commit do not get its name.
fn commit_label(origin: &OriginFacts) -> String {
    match origin.dirty && !origin.commit.is_empty() {
        true => format!("{}-dirty", origin.commit),
        false => origin.commit.clone(),
    }
}

/// The lines of HTTP that the user wants before each profile.
pub fn credentials(sending: &Sending) -> Result<Credentials, Failure> {
    if sending.credentials.is_none() && was_forgotten(VARIABLE) {
        return Err(Failure::new(
            Exit::Usage,
            format!("{VARIABLE} is not used"),
            "this copy has rights that its caller does not have, and believes no such variable",
            "put the lines into a file: --credentials FILE",
        ));
    }
    Credentials::find(sending.credentials.as_deref()).map_err(|error| {
        let fix = "give lines such as `Authorization: Bearer ...`";
        Failure::new(
            Exit::Other,
            "cannot read the credentials",
            error.to_string(),
            fix,
        )
    })
}

/// Why nothing arrives.
pub fn not_sent(store: &str, error: &SendError) -> Failure {
    let fix = match error {
        SendError::NoCurl => "sudo apt install curl",
        SendError::Away(_) => "see whether the store runs, and try again",
        _ => "see the store's answer; most take no profiles older than an hour",
    };
    let what = format!("the profile is not in {store}");
    Failure::new(Exit::Other, what, error.to_string(), fix)
}

fn shown_labels(labels: &BTreeMap<String, String>) -> String {
    let labels: Vec<String> = labels
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    format!(" {{{}}}", labels.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commit_is_that_of_the_sources_unless_another_one_is_named() {
        let origin = |dirty| OriginFacts {
            commit: "ab12".to_owned(),
            dirty,
            ..OriginFacts::default()
        };
        let label = |sending: &Sending, origin: Option<&OriginFacts>| {
            let (_, labels) = labels(sending, &TargetFacts::default(), origin);
            labels.get("commit").cloned()
        };
        let mut sending = Sending {
            credentials: None,
            otlp: false,
            service: None,
            commit: None,
            labels: Vec::new(),
        };
        assert_eq!(label(&sending, None), None);
        assert_eq!(label(&sending, Some(&OriginFacts::default())), None);
        assert_eq!(
            label(&sending, Some(&origin(false))).as_deref(),
            Some("ab12")
        );
        assert_eq!(
            label(&sending, Some(&origin(true))).as_deref(),
            Some("ab12-dirty")
        );
        sending.commit = Some("v1".to_owned());
        assert_eq!(label(&sending, Some(&origin(true))).as_deref(), Some("v1"));
    }
}
