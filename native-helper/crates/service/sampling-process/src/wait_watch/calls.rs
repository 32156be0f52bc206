//! Functions in which a process waits for the answer of one other, or for a port.

use std::rc::Rc;

use vm_processes::Status;

/// How the frame of a process that waits in a call leads to the one that it waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leads {
    /// By a monitor or a link of the process, whose reference or pid is in the frame.
    Relation,
    /// By the only pid in the frame: the VM itself sends that process a request, without a monitor.
    Pid,
    /// It is always the process with this name.
    Name(&'static str),
    /// By the locks of mnesia.
    Lock,
}

/// Each sends another process a request by a signal of the VM's own, and keeps its pid.
const ASKED_BY_SIGNAL: &[&str] = &[
    "erlang:garbage_collect/2",
    "erlang:suspend_process/1",
    "erlang:suspend_process/2",
];

/// Each sends to the process with a name, of which nothing is kept.
const ASKED_BY_NAME: &[(&str, &str)] = &[
    ("erts_code_purger:purge/1", "erts_code_purger"),
    ("erts_code_purger:soft_purge/1", "erts_code_purger"),
];

/// Each has requested a lock from `mnesia_locker`.
const LOCKS: &[&str] = &[
    "mnesia_locker:do_sticky_lock/4",
    "mnesia_locker:l_req_rec/2",
    "mnesia_locker:receive_wlocks/4",
];

/// Loops in which a process waits for whatever comes: `module:function`.
const LOOPS: &[&str] = &[
    "code_server:loop",
    "gen_event:fetch_msg",
    "gen_fsm:loop",
    "gen_server:loop",
    "gen_statem:loop_receive",
    "gen_statem:loop_receive_result",
];

/// Functions in which processes begin. A function that one of them calls is the process's own.
const STARTS: &[&str] = &[
    "erlang:apply/2",
    "proc_lib:init_p/3",
    "proc_lib:init_p/5",
    "proc_lib:init_p_do_apply/3",
];

/// Waits for time, or for the other end of a connection.
const FOR_NO_PROCESS: &[&str] = &[
    "timer:sleep/1",
    "Process.sleep/1",
    "prim_inet:accept0/3",
    "prim_inet:recv0/2",
    "prim_inet:recv0/3",
];

/// Each keeps the reference of a monitor on the other one, or its pid, in a variable until the answer is there.
/// Loops that wait for any process do not belong here, however many references they keep. The function in which
/// a call waits differs by release, and so do the functions inlined into it: those of OTP 23 to 29 are here, and
/// a test makes each of them wait.
const CALLS: &[&str] = &[
    "application_master:call/2",
    "code_server:call/1",
    "dets:req/2",
    "DBConnection.Holder.checkout_call/5",
    "disk_log:monitor_request/2",
    "erpc:call/5",
    "erpc:receive_response/2",
    "erpc:wait_response/2",
    "file:file_request/2",
    "file_io_server:do_start/4",
    "gen:do_call/4",
    "gen:receive_response/2",
    "gen:wait_response/2",
    "gen_server:do_multi_call/4",
    "gen_statem:call_clean/4",
    "io:execute_request/2",
    "io:execute_request/3",
    "logger_std_h:file_ctrl_call/2",
    "proc_lib:stop/3",
    "proc_lib:sync_start/2",
    "proc_lib:sync_start_link/2",
    "proc_lib:sync_start_monitor/2",
    "qlc:monitor_request/2",
    "rpc:do_srv_call/3",
    "supervisor:shutdown/1",
    "supervisor:shutdown/2",
    "Task.await/2",
    "Task.await_receive/3",
    "Task.shutdown_receive/4",
    "Task.shutdown_receive/5",
    "Task.yield/2",
    "Task.yield_receive/3",
];

/// Each sends to a port, and its caller is suspended while the port is busy.
const SENDS: &[&str] = &[
    "erlang:!/2",
    "erlang:'!'/2",
    "erlang:port_command/2",
    "erlang:port_command/3",
    "erlang:send/2",
    "erlang:send/3",
    "erts_internal:port_command/3",
];

/// Each has sent to a socket and waits for its port's confirmation, with the port in a variable.
const SENT: &[&str] = &[
    "prim_inet:send/3",
    "prim_inet:send/4",
    "prim_inet:send_recv_reply/2",
];

/// Whether a process with this status in `function`, as displayed, waits for a port.
pub(super) fn is_send(function: &str, status: Status) -> bool {
    match status {
        Status::Suspended => SENDS.contains(&function),
        Status::Waiting => SENT.contains(&function),
        _ => false,
    }
}

/// How a process that waits in `function`, as displayed, leads to the one for whose answer it waits; `None` for
/// an unknown function.
pub(super) fn call(function: &str) -> Option<Leads> {
    if CALLS.contains(&function) {
        return Some(Leads::Relation);
    }
    if ASKED_BY_SIGNAL.contains(&function) {
        return Some(Leads::Pid);
    }
    if LOCKS.contains(&function) {
        return Some(Leads::Lock);
    }
    let by_name = ASKED_BY_NAME.iter();
    by_name
        .filter(|(call, _)| *call == function)
        .map(|(_, name)| Leads::Name(name))
        .next()
}

/// Whether a process waits in a function that another one called, so that it goes on there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BelowCall {
    /// No other one called it, or it waits for no process.
    No,
    /// It does.
    Yes,
    /// It does, and the name of the function is that of a loop: one that serves any process is called by the function that
    /// began, too, and a loop until an answer comes by that which needs it.
    InLoop,
}

/// That of a process with this stack, innermost first.
pub(super) fn below_call(stack: &[Rc<str>]) -> BelowCall {
    let Some((function, callers)) = stack.split_first() else {
        return BelowCall::No;
    };
    let is_called = callers.iter().any(|caller| !STARTS.contains(&&**caller));
    if !is_called || FOR_NO_PROCESS.contains(&&**function) {
        return BelowCall::No;
    }
    match is_loop_by_name(function) {
        true => BelowCall::InLoop,
        false => BelowCall::Yes,
    }
}

/// Whether a function has "loop" in its own name, not that of its module.
fn is_loop_by_name(function: &str) -> bool {
    let name = function.rsplit_once([':', '.']);
    name.map_or(function, |(_, name)| name).contains("loop")
}

/// The evidence that a process waits for whatever comes, and for no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Idle {
    /// Its loop is known to receive any message.
    Known,
    /// The name of its function alone: it may wait for an answer there.
    ByName,
}

/// Whether a process with this stack, innermost first, waits for whatever comes; `None` where nothing shows that.
pub(super) fn idle(stack: &[Rc<str>]) -> Option<Idle> {
    let function = stack.first()?;
    match is_loop(function) {
        true => Some(Idle::Known),
        false => (is_loop_by_name(function) && call(function).is_none()).then_some(Idle::ByName),
    }
}

/// Whether a process in `function` waits for whatever comes.
pub(super) fn is_loop(function: &str) -> bool {
    let name = function.rsplit_once('/').map_or(function, |(name, _)| name);
    LOOPS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_below_a_call_goes_on_in_its_caller_and_a_loop_may() {
        let cases: &[(&[&str], BelowCall)] = &[
            (&["kv:get/1", "shop:run/0"], BelowCall::Yes),
            (
                &["kv:get/1", "shop:run/0", "proc_lib:init_p/3"],
                BelowCall::Yes,
            ),
            // It begins there.
            (&["kv:serve/1"], BelowCall::No),
            (&["kv:serve/1", "proc_lib:init_p_do_apply/3"], BelowCall::No),
            (&["kv:loop/1"], BelowCall::No),
            (&["kv:loop/1", "proc_lib:init_p_do_apply/3"], BelowCall::No),
            // One serves any process, the other one polls until an answer comes: their stacks are alike.
            (
                &["reader:recvloop/4", "reader:init/2", "proc_lib:init_p/3"],
                BelowCall::InLoop,
            ),
            (
                &["shop:poll_loop/1", "shop:run/0", "erlang:apply/2"],
                BelowCall::InLoop,
            ),
            (&["Shop.poll_loop/1", "Shop.run/0"], BelowCall::InLoop),
            // The name of its module.
            (&["loop_tools:ask/1", "shop:run/0"], BelowCall::Yes),
            (&["timer:sleep/1", "shop:run/0"], BelowCall::No),
            (&[], BelowCall::No),
        ];
        for (stack, below) in cases {
            let names: Vec<Rc<str>> = stack.iter().map(|it| Rc::from(*it)).collect();
            assert_eq!(below_call(&names), *below, "{stack:?}");
        }
    }

    #[test]
    fn a_server_in_its_loop_is_idle_and_one_in_a_call_is_not() {
        let idle = |stack: &[&str]| {
            let stack: Vec<Rc<str>> = stack.iter().map(|it| Rc::from(*it)).collect();
            idle(&stack)
        };
        let server = ["gen_server:loop/7", "proc_lib:init_p_do_apply/3"];
        assert_eq!(idle(&server), Some(Idle::Known));
        assert_eq!(idle(&["code_server:loop/1"]), Some(Idle::Known));
        assert_eq!(idle(&["gen:do_call/4", "gen_server:loop/7"]), None);
        // It may as well be a loop until an answer comes.
        assert_eq!(idle(&["shop:cart_loop/2"]), Some(Idle::ByName));
        for other in ["loop_tools:ask/1", "kv:serve/1"] {
            assert_eq!(idle(&[other]), None);
        }
        assert_eq!(idle(&[]), None);
    }
}
