//! What gives us the rights that we lack: the least that would do, and where that would do nothing, what
//! stands in its way.

use permitted_target::POLICY_PATH;
use privileged_copy::{CopyStatus, DEFAULT_FOLDER, DEFAULT_GROUP, Likeness, PROGRAM_NAME};
use protocol::message::texts;
use recorder::kernel_asks::COMMAND_TO_LOWER_PARANOID;

use super::capabilities::has;
use super::capability_numbers::{PERFMON, SYS_ADMIN};
use super::checked_row::Mend;
use super::kernel::UserNamespace;
use super::machine::MachineFacts;
use crate::refusal::install_command;

/// What to do so that sampling and reading are permitted.
pub fn to_get_rights(facts: &MachineFacts) -> Mend {
    let kernel = &facts.kernel;
    if kernel.user_namespace == UserNamespace::Another {
        return Mend::Advice(texts::TO_LEAVE_NAMESPACE.text());
    }
    // What a container was not given no program in it gets.
    if kernel.bounding_capabilities & (1 << PERFMON | 1 << SYS_ADMIN) == 0 {
        return Mend::Advice(texts::TO_ALLOW_CONTAINER.text());
    }
    if kernel.no_new_privileges {
        return Mend::Advice(texts::TO_LEAVE_SANDBOX.text());
    }
    if facts.asks_for_admin && !has(facts, SYS_ADMIN) {
        return Mend::command(COMMAND_TO_LOWER_PARANOID);
    }
    if facts.is_privileged_copy {
        return Mend::Advice(texts::TO_WRITE_POLICY.with(&[("path", &POLICY_PATH)]));
    }
    let copy = format!("{DEFAULT_FOLDER}/{PROGRAM_NAME}");
    match &facts.installed_copy {
        CopyStatus::NotForYou => {
            Mend::Command(format!("sudo usermod -aG {DEFAULT_GROUP} \"$USER\""))
        }
        CopyStatus::There(Likeness::Same) if !facts.is_installed_copy => {
            Mend::Advice(texts::TO_START_COPY.with(&[("path", &copy)]))
        }
        _ => Mend::command(install_command()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::rows::tests::all_there;

    fn advice(facts: &MachineFacts) -> String {
        match to_get_rights(facts) {
            Mend::Command(command) => command,
            Mend::Advice(text) => text.english,
        }
    }

    #[test]
    fn installing_is_the_first_remedy_and_only_where_it_is_one() {
        let mut facts = all_there();
        assert!(advice(&facts).starts_with("sudo "), "{}", advice(&facts));
        assert!(advice(&facts).ends_with(" install"), "{}", advice(&facts));
        facts.installed_copy = CopyStatus::NotForYou;
        assert!(advice(&facts).starts_with("sudo usermod -aG extrospect "));
        facts.installed_copy = CopyStatus::There(Likeness::Same);
        assert!(advice(&facts).contains("/usr/local/libexec/extrospect/extrospect"));
        let version = None;
        facts.installed_copy = CopyStatus::There(Likeness::Other { version });
        assert!(advice(&facts).ends_with(" install"), "it is upgraded");
        facts.kernel.no_new_privileges = true;
        assert!(advice(&facts).contains("no_new_privs"));
        facts.kernel.bounding_capabilities = 0xa804_25fb;
        assert!(advice(&facts).contains("--cap-add=PERFMON"));
        facts.kernel.user_namespace = UserNamespace::Another;
        assert!(advice(&facts).contains("user namespace"));
    }

    #[test]
    fn the_copy_itself_is_not_told_to_start_the_copy() {
        let mut facts = all_there();
        facts.installed_copy = CopyStatus::There(Likeness::Same);
        facts.is_installed_copy = true;
        assert!(advice(&facts).ends_with(" install"));
    }

    #[test]
    fn a_copy_with_rights_is_not_told_to_install_itself_wherever_it_is() {
        let mut facts = all_there();
        for status in [CopyStatus::Absent, CopyStatus::There(Likeness::Same)] {
            facts.is_privileged_copy = true;
            facts.installed_copy = status;
            let advice = advice(&facts);
            assert!(advice.contains(POLICY_PATH), "{advice}");
            assert!(!advice.contains("install"), "{advice}");
        }
    }
}
