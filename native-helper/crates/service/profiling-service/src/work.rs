//! The counter of work that a client names.

use outside_programs::WebAddress;
use protocol::recording::{WorkCounter, WorkSource};
use rpc_server::{Failure as RpcFailure, FailureKind};
use work_counter::{Counter, Metric, Source};

/// More words than any command has.
const MAX_WORDS: usize = 256;

/// The counter, if the client's description of it is valid.
pub fn counter_of(wanted: &WorkCounter) -> Result<Counter, RpcFailure> {
    let source = match &wanted.source {
        WorkSource::Command { command } => {
            let has_program = command.first().is_some_and(|program| !program.is_empty());
            if !has_program || command.len() > MAX_WORDS {
                return Err(refused("work.source.command", "it names no program"));
            }
            Source::Command(command.clone())
        }
        WorkSource::Metric { metric, url } => {
            let page = WebAddress::parse(url).map_err(|error| refused("work.source.url", error))?;
            if page.has_credentials() {
                return Err(refused("work.source.url", "it holds a name or password"));
            }
            let metric =
                Metric::parse(metric).map_err(|error| refused("work.source.metric", error))?;
            Source::Metric { metric, page }
        }
    };
    Ok(Counter::new(wanted.name.as_deref(), source))
}

fn refused(member: &str, why: impl std::fmt::Display) -> RpcFailure {
    RpcFailure::new(
        FailureKind::InvalidParams,
        format!("the parameter {member} is not usable"),
        why.to_string(),
        "docs/protocol.md lists the valid values",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_sense_counts_nothing() {
        let of = |source| counter_of(&WorkCounter { name: None, source });
        let command = |words: &[&str]| WorkSource::Command {
            command: words.iter().map(|word| (*word).to_owned()).collect(),
        };
        let metric = |metric: &str, url: &str| WorkSource::Metric {
            metric: metric.to_owned(),
            url: url.to_owned(),
        };
        assert_eq!(of(command(&["/bin/count", "x"])).unwrap().name(), "count");
        let orders = of(metric("orders{a=\"b\"}", "http://h/metrics")).unwrap();
        assert_eq!(orders.name(), "orders{a=\"b\"}");
        for odd in [
            command(&[]),
            command(&[""]),
            command(&["x"; 300]),
            metric("a b", "http://h/"),
            metric("a", "file:///etc/passwd"),
            metric("a", "http://me:secret@h/"),
        ] {
            let failure = of(odd).unwrap_err();
            assert_eq!(failure.kind, FailureKind::InvalidParams);
        }
    }
}
