//! The client's attachments.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use protocol::attachment::{AttachResult, SelfCheck, TargetFacts};
use rpc_server::{Failure as RpcFailure, RequestContext};
use sampling_process::{Attached as Found, Sampler};
use shared_map::HashMap;

use crate::rpc_failure::{gone, rpc_failure, unknown};

/// One process: its start time distinguishes it from a later process with the same pid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attached {
    /// Process id.
    pub pid: u32,
    /// When it started.
    pub start_ticks: u64,
}

impl Attached {
    /// Tables change with every module loaded: the process that samples begins with fresh ones.
    pub fn attach_anew(
        &self,
        program: &Path,
        context: &RequestContext,
    ) -> Result<(Sampler, Found), RpcFailure> {
        let (sampler, found) = attach(program, context, self.pid)?;
        match found.start_ticks == self.start_ticks {
            true => Ok((sampler, found)),
            false => Err(gone(self.pid)),
        }
    }
}

/// Attaches to a process until the client has cancelled.
pub fn attach(
    program: &Path,
    context: &RequestContext,
    pid: u32,
) -> Result<(Sampler, Found), RpcFailure> {
    let attached = Sampler::attach(program, pid, &|| context.cancellation.is_cancelled());
    context.cancellation.check()?;
    attached.map_err(rpc_failure)
}

/// Attachments by id. Only facts are kept: tables grow old, and reading them takes milliseconds.
#[derive(Debug, Default)]
pub struct Attachments(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    last_id: u32,
    by_id: HashMap<u32, Attached>,
}

impl Attachments {
    /// Remembers a VM and returns its id.
    pub fn add(&self, found: &Found) -> u32 {
        self.insert(Attached {
            pid: found.target.pid,
            start_ticks: found.start_ticks,
        })
    }

    fn insert(&self, attached: Attached) -> u32 {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner.last_id = inner.last_id.wrapping_add(1);
        let id = inner.last_id;
        inner.by_id.insert(id, attached);
        id
    }

    /// The attachment with this `id`.
    pub fn get(&self, id: u32) -> Result<Attached, RpcFailure> {
        let inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner
            .by_id
            .get(&id)
            .copied()
            .ok_or_else(|| unknown("attachment", id))
    }

    /// Forgets `id`.
    pub fn remove(&self, id: u32) -> Result<(), RpcFailure> {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner
            .by_id
            .remove(&id)
            .map(drop)
            .ok_or_else(|| unknown("attachment", id))
    }
}

/// The answer to `extrospect/attach`.
pub fn attach_result(attachment_id: u32, found: Found, self_check: SelfCheck) -> AttachResult {
    AttachResult {
        attachment_id,
        target: target_facts(found),
        self_check,
    }
}

/// The facts about a VM that editors receive.
pub fn target_facts(found: Found) -> TargetFacts {
    let facts = found.target;
    let known = |text: String| Some(text).filter(|text| !text.is_empty());
    TargetFacts {
        pid: facts.pid,
        otp: facts.otp_release,
        erts: facts.erts_version,
        flavor: facts.flavor,
        node: known(facts.node),
        build_id: known(facts.build_id),
        host: facts.host,
        command: facts.command,
        schedulers: found.schedulers,
        dirty_cpu_schedulers: found.dirty_cpu_schedulers,
        dirty_io_schedulers: found.dirty_io_schedulers,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_never_used_again() {
        let attachments = Attachments::default();
        let attached = Attached {
            pid: 5,
            start_ticks: 6,
        };
        let first = attachments.insert(attached);
        assert_eq!(attachments.get(first).unwrap(), attached);
        attachments.remove(first).unwrap();
        assert!(attachments.get(first).is_err() && attachments.remove(first).is_err());
        assert_ne!(attachments.insert(attached), first);
    }
}
