//! VMs whose inside is read repeatedly, each by a process of its own.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use diagnose::refusal::Refusal;
use protocol::inside::InsideOpenResult;
use rpc_server::{Failure as RpcFailure, FailureKind, RequestContext};
use sampling_process::Sampler;
use shared_map::HashMap;

use crate::attachments::{Attached, attach, target_facts};
use crate::rpc_failure::{rpc_failure, unknown};

/// Each is a process with the tables of a VM in it.
const MOST_OPEN: usize = 16;

/// Those that are open, by id.
#[derive(Debug, Default)]
pub struct Insides(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    last_id: u32,
    open: HashMap<u32, Arc<Mutex<Inside>>>,
}

#[derive(Debug)]
struct Inside {
    attached: Attached,
    /// `None` after it was lost, or given up in the middle of an answer: the next question attaches anew.
    sampler: Option<Sampler>,
}

impl Insides {
    /// Attaches to a VM, and returns the id that names it from now on.
    pub fn open(
        &self,
        program: &Path,
        context: &RequestContext,
        pid: u32,
    ) -> Result<InsideOpenResult, RpcFailure> {
        if self.with(|inner| inner.open.len() >= MOST_OPEN) {
            return Err(RpcFailure::new(
                FailureKind::TooManyRequests,
                "The limit of VMs whose inside can be read is reached",
                format!("{MOST_OPEN} are open"),
                "close one of them",
            ));
        }
        let (sampler, found) = attach(program, context, pid)?;
        let inside = Inside {
            attached: Attached {
                pid,
                start_ticks: found.start_ticks,
            },
            sampler: Some(sampler),
        };
        let inside_id = self.with(|inner| {
            inner.last_id = inner.last_id.wrapping_add(1);
            inner
                .open
                .insert(inner.last_id, Arc::new(Mutex::new(inside)));
            inner.last_id
        });
        Ok(InsideOpenResult {
            inside_id,
            start_ticks: found.start_ticks,
            target: target_facts(found),
        })
    }

    /// Queries the process that reads `id`, one question after the other.
    pub fn ask<T>(
        &self,
        program: &Path,
        context: &RequestContext,
        id: u32,
        question: impl FnOnce(&mut Sampler, &dyn Fn() -> bool) -> Result<T, Refusal>,
    ) -> Result<T, RpcFailure> {
        let inside = self.with(|inner| inner.open.get(&id).cloned());
        let inside = inside.ok_or_else(|| unknown("inside", id))?;
        let mut inside = inside.lock().unwrap_or_else(PoisonError::into_inner);
        context.cancellation.check()?;
        let mut sampler = match inside.sampler.take() {
            Some(sampler) => sampler,
            None => inside.attached.attach_anew(program, context)?.0,
        };
        let answer = question(&mut sampler, &|| context.cancellation.is_cancelled());
        // One that still owes an answer would give it to the next question.
        if !sampler.is_lost() {
            inside.sampler = Some(sampler);
        }
        context.cancellation.check()?;
        answer.map_err(rpc_failure)
    }

    /// Ends the process that reads `id`.
    pub fn close(&self, id: u32) -> Result<(), RpcFailure> {
        let closed = self.with(|inner| inner.open.remove(&id));
        closed.map(drop).ok_or_else(|| unknown("inside", id))
    }

    /// Ends all of them.
    pub fn close_all(&self) {
        let closed = self.with(|inner| std::mem::take(&mut inner.open));
        drop(closed);
    }

    fn with<T>(&self, work: impl FnOnce(&mut Inner) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
