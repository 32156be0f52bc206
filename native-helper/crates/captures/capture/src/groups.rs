//! The groups of native functions that queries name, as data.
//!
//! Names are those of emulator functions, of BIFs (`ets:lookup/2`) and of shared JIT fragments.
//! Static functions are named too: builds that are not stripped have them. Which names a VM really
//! has differs by release, so a group or an old name answers with the symbols it matched.

mod pattern;
mod tables;

pub use pattern::Pattern;
use pattern::base_name;
pub(crate) use pattern::matches_any;
pub use tables::{ALIASES, GROUPS, NativeGroup};
use tables::{CALLBACK, DESTRUCTOR_MARKER, LITERAL_FUNCTIONS, LITERALS_MARKER};
pub(crate) use tables::{IDLE, PORT_MARKER, SCHEDULING, SLEEPING};

use crate::reader::FunctionView;
use crate::sample::{FrameKind, SampleClass};

impl NativeGroup {
    /// The group with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        GROUPS.iter().find(|group| group.name == name)
    }

    /// Whether the function is one of the group's.
    pub fn contains(&self, function: &FunctionView<'_>) -> bool {
        can_be_blamed(function) && matches_any(self.patterns, function.name)
    }
}

/// The part of the name of a port's frame that begins with its driver; `None` for any other frame.
fn named_port<'f>(function: &FunctionView<'f>) -> Option<&'f str> {
    let is_marker = function.kind == FrameKind::Marker;
    let name = is_marker.then_some(function.name)?;
    name.strip_prefix(PORT_MARKER)
}

/// Whether the frame names the port of a task.
fn is_port_marker(function: &FunctionView<'_>) -> bool {
    named_port(function).is_some()
}

/// Whether the frame names the owner of work that a scheduler does for no process: the port of a task, the type of
/// resources of a destructor, or the cause of a search for literals. It stands for the Erlang function that such a stack
/// does not have.
pub(crate) fn is_owner_marker(function: &FunctionView<'_>) -> bool {
    let is_other =
        || function.name.starts_with(DESTRUCTOR_MARKER) || function.name == LITERALS_MARKER;
    is_port_marker(function) || function.kind == FrameKind::Marker && is_other()
}

/// The name of the frame that ends a stack for no process with this function of the emulator in it, where the function
/// shows the cause.
pub fn cause_marker(function: &str) -> Option<&'static str> {
    matches_any(LITERAL_FUNCTIONS, function).then_some(LITERALS_MARKER)
}

/// Whether the frame is of this driver: one of its callbacks, or a port that has it.
fn is_of_driver(function: &FunctionView<'_>, driver: &str) -> bool {
    if let Some(rest) = named_port(function).and_then(|name| name.strip_prefix(driver)) {
        return rest.starts_with([' ', ']']);
    }
    // Drivers that have a callback in common are all named.
    function.name.ends_with(CALLBACK)
        && function
            .name
            .split(" or ")
            .filter_map(|name| name.strip_prefix(driver))
            .any(|rest| rest.starts_with(':'))
}

/// The query of `blame`, ready to match functions.
#[derive(Debug, Clone)]
pub enum NativeQuery<'q> {
    /// A group.
    Group(&'static NativeGroup),
    /// An old name: itself, and the patterns of its successors.
    Alias(&'q str, &'static [Pattern]),
    /// A name.
    Symbol(&'q str),
    /// Frames of the NIF or driver library with this name in its file name.
    Nif(&'q str),
    /// Callbacks of the driver with this name, and tasks of its ports.
    Driver(&'q str),
}

impl<'q> NativeQuery<'q> {
    /// Understands a group (`copy`), a library (`nif:crypto`), a driver (`port:tcp_inet`), or a symbol
    /// (`copy_struct`).
    pub fn parse(text: &'q str) -> Self {
        if let Some(library) = text.strip_prefix("nif:") {
            Self::Nif(library)
        } else if let Some(driver) = text.strip_prefix("port:") {
            Self::Driver(driver)
        } else if let Some(group) = NativeGroup::named(text) {
            Self::Group(group)
        } else if let Some((_, patterns)) = ALIASES.iter().find(|(old, _)| *old == text) {
            Self::Alias(text, patterns)
        } else {
            Self::Symbol(text)
        }
    }

    /// Whether the query matches this function.
    pub fn matches(&self, function: &FunctionView<'_>) -> bool {
        if is_port_marker(function) {
            return match self {
                Self::Group(group) => group.class == SampleClass::Port,
                Self::Driver(driver) => is_of_driver(function, driver),
                _ => false,
            };
        }
        if !can_be_blamed(function) {
            return false;
        }
        match self {
            Self::Group(group) => group.contains(function),
            Self::Alias(old, patterns) => {
                base_name(function.name) == *old || matches_any(patterns, function.name)
            }
            Self::Symbol(name) => function.name == *name || base_name(function.name) == *name,
            Self::Nif(library) => {
                function.kind == FrameKind::Nif && function.object.contains(library)
            }
            Self::Driver(driver) => is_of_driver(function, driver),
        }
    }
}

/// Erlang functions have the stack for a cause and need no `blame`.
fn can_be_blamed(function: &FunctionView<'_>) -> bool {
    !matches!(function.kind, FrameKind::Erlang | FrameKind::Marker)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn native(name: &str) -> FunctionView<'_> {
        FunctionView {
            name,
            raw_name: name,
            kind: FrameKind::Native,
            file: "",
            head_line: 0,
            object: "beam.smp",
        }
    }

    #[test]
    fn old_names_find_todays_symbols() {
        for (old, today) in [
            ("copy_struct", "copy_struct_x"),
            ("copy_struct", "copy_struct_x.part.0"),
            ("copy_shallow", "copy_shallow_x"),
            ("size_object", "size_object_x"),
            ("erts_garbage_collect", "erts_garbage_collect_nobump"),
            ("schedule", "erts_schedule"),
        ] {
            assert!(
                NativeQuery::parse(old).matches(&native(today)),
                "{old} -> {today}"
            );
        }
        assert!(!NativeQuery::parse("schedule").matches(&native("erts_schedule_bif")));
        assert!(!NativeQuery::parse("eq").matches(&native("eq2")));
    }

    #[test]
    fn building_a_map_is_no_garbage_collection() {
        let gc = NativeGroup::named("gc").unwrap();
        assert!(gc.contains(&native("erts_garbage_collect")));
        assert!(!gc.contains(&native("erts_gc_update_map_assoc")));
        let erlang = FunctionView {
            kind: FrameKind::Erlang,
            ..native("sweep:it/1")
        };
        assert!(!gc.contains(&erlang));
    }

    #[test]
    fn ports_are_found_by_their_calls_and_by_their_drivers() {
        let marker = |name| FunctionView {
            kind: FrameKind::Marker,
            ..native(name)
        };
        let (all, tcp) = (
            NativeQuery::parse("port"),
            NativeQuery::parse("port:tcp_inet"),
        );
        for (function, is_all, is_tcp) in [
            (native("erts_port_output"), true, false),
            (native("erts_internal:port_command/3"), true, false),
            (native("tcp_inet:outputv (driver)"), true, true),
            (
                native("sctp_inet:stop (driver) or tcp_inet:stop (driver)"),
                true,
                true,
            ),
            (native("udp_inet:control (driver)"), true, false),
            (native("tcp_inet_commandv"), false, false),
            (native("erts_port_task_execute"), false, false),
            (marker("[port tcp_inet of shop]"), true, true),
            (marker("[port tcp_inet]"), true, true),
            (marker("[port tcp_inet2 of shop]"), true, false),
            (marker("[unproven]"), false, false),
        ] {
            let found = (all.matches(&function), tcp.matches(&function));
            assert_eq!(found, (is_all, is_tcp), "{}", function.name);
        }
        assert!(!NativeQuery::parse("[port tcp_inet]").matches(&marker("[port tcp_inet]")));
        let destructor = marker("[destructor of img:png]");
        for query in ["port", "nif", "img:png", "[destructor of img:png]"] {
            assert!(!NativeQuery::parse(query).matches(&destructor), "{query}");
        }
        assert!(is_owner_marker(&destructor) && is_owner_marker(&marker("[port tcp_inet]")));
        assert!(
            !is_owner_marker(&marker("[exiting]")) && !is_owner_marker(&native(destructor.name))
        );
    }

    #[test]
    fn a_search_for_literals_has_its_cause_as_owner() {
        for function in [
            "erts_check_copy_literals_gc_need",
            "erts_check_copy_literals_gc_need_max_reds",
            "erts_copy_literals_gc",
            "erts_garbage_collect_literals",
        ] {
            let name = cause_marker(function).unwrap();
            let marker = FunctionView {
                kind: FrameKind::Marker,
                ..native(name)
            };
            assert!(is_owner_marker(&marker) && !is_owner_marker(&native(name)));
        }
        for other in ["erts_garbage_collect", "erts_queue_release_literals", ""] {
            assert_eq!(cause_marker(other), None);
        }
    }

    #[test]
    fn libraries_are_found_by_their_file() {
        let frame = FunctionView {
            kind: FrameKind::Nif,
            object: "crypto.so",
            ..native("hash_nif")
        };
        assert!(NativeQuery::parse("nif:crypto").matches(&frame));
        assert!(!NativeQuery::parse("nif:asn1rt").matches(&frame));
        assert!(!NativeQuery::parse("nif:beam").matches(&native("eq")));
    }

    #[test]
    fn mangled_names_are_taken_apart() {
        assert_eq!(
            base_name("_Z26beam_jit_take_receive_lockP7process"),
            "beam_jit_take_receive_lock"
        );
        assert_eq!(base_name("_Z99short"), "_Z99short");
        assert_eq!(
            base_name("copy_struct_x (called by enif_make_copy)"),
            "copy_struct_x"
        );
        assert_eq!(base_name("Enum.map/2"), "Enum.map/2");
        assert_eq!(base_name("beam.smp!fn@0x10"), "beam.smp!fn@0x10");
    }
}
