//! The remedy of a row: the way to the rights that it needs.

use permitted_target::POLICY_PATH;
use protocol::message::texts;

use super::capabilities::has;
use super::checked_row::Mend;
use super::machine::MachineFacts;
use crate::rights::capability_numbers::SYS_ADMIN;
use crate::rights::{Remedy, Standing, install_command};

/// The remedy that permits sampling and reading.
pub fn to_get_rights(facts: &MachineFacts) -> Mend {
    let standing = Standing {
        kernel: &facts.kernel,
        is_sandboxed: facts.kernel.no_new_privileges,
        lacks_admin: facts.asks_for_admin && !has(facts, SYS_ADMIN),
        is_privileged_copy: facts.is_privileged_copy,
        is_installed_copy: facts.is_installed_copy,
        installed_copy: &facts.installed_copy,
    };
    match standing.remedy() {
        Remedy::Install => Mend::command(install_command()),
        Remedy::JoinGroup(command) => Mend::Command(command),
        Remedy::LowerParanoid(command) => Mend::command(command),
        Remedy::Policy => Mend::Advice(texts::TO_WRITE_POLICY.with(&[("path", &POLICY_PATH)])),
        Remedy::Advice(text) => Mend::Advice(text),
    }
}

#[cfg(test)]
mod tests {
    use privileged_copy::{CopyStatus, Likeness};

    use super::*;
    use crate::doctor::rows::tests::all_there;
    use crate::rights::capability_numbers::SYS_PTRACE;
    use crate::rights::kernel::UserNamespace;

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
        facts.kernel.bounding_capabilities = !(1 << SYS_PTRACE);
        assert!(advice(&facts).contains("--cap-add=SYS_PTRACE"));
        facts.kernel.user_namespace = UserNamespace::Another;
        assert!(advice(&facts).contains("user namespace"));
    }

    #[test]
    fn the_copy_itself_gets_no_advice_to_start_the_copy() {
        let mut facts = all_there();
        facts.installed_copy = CopyStatus::There(Likeness::Same);
        facts.is_installed_copy = true;
        assert!(advice(&facts).ends_with(" install"));
    }

    #[test]
    fn a_copy_with_rights_gets_no_advice_to_install_itself_wherever_it_is() {
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
