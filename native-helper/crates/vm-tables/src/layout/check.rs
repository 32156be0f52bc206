//! The self-check: what the data says against what the running VM says.

use super::VmLayout;
use super::derive::{FragmentFacts, HeapFields};
use crate::TableError;

/// What was confirmed by the VM itself, for `doctor` and for the capture's target facts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LayoutCheck {
    /// Fields the VM's own code confirms.
    pub confirmed: Vec<&'static str>,
    /// Fields only the data vouches for, because nothing in the VM contradicts or confirms them.
    pub unconfirmed: Vec<&'static str>,
}

/// Compares `layout` with what was derived. A contradiction is an error; so is a VM from which
/// neither the stack pointer nor the register block can be confirmed.
pub fn check(
    layout: &VmLayout,
    fragments: &FragmentFacts,
    heap: &[HeapFields],
) -> Result<LayoutCheck, TableError> {
    let mut result = LayoutCheck::default();
    let process = &layout.process;
    for (field, expected, derived, required) in [
        (
            "registers",
            i64::from(layout.registers_delta),
            fragments.registers_delta,
            true,
        ),
        ("Process.htop", signed(process.htop), fragments.htop, false),
        ("Process.stop", signed(process.stop), fragments.stop, true),
        (
            "Process.fcalls",
            signed(process.fcalls),
            fragments.fcalls,
            false,
        ),
        (
            "Process.fcalls width",
            signed(process.fcalls_bytes),
            fragments.fcalls_bytes,
            false,
        ),
    ] {
        match derived {
            Some(derived) if derived == expected => result.confirmed.push(field),
            Some(derived) => {
                return Err(TableError::LayoutContradicted {
                    field,
                    expected,
                    derived,
                });
            }
            None if required => {
                return Err(TableError::malformed(
                    "JIT shared fragments",
                    format!("they do not say where {field} is"),
                ));
            }
            None => result.unconfirmed.push(field),
        }
    }
    let expected = HeapFields {
        heap: process.heap,
        hend: process.hend,
        heap_size_words: process.heap_size_words,
    };
    match heap {
        [] => result.unconfirmed.push("Process heap bounds"),
        candidates if candidates.contains(&expected) => {
            result.confirmed.push("Process heap bounds");
        }
        [other, ..] => {
            return Err(TableError::LayoutContradicted {
                field: "Process.heap",
                expected: signed(expected.heap),
                derived: signed(other.heap),
            });
        }
    }
    Ok(result)
}

fn signed(offset: usize) -> i64 {
    i64::try_from(offset).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::rows::ROWS;

    fn agreeing(layout: &VmLayout) -> FragmentFacts {
        FragmentFacts {
            registers_delta: Some(i64::from(layout.registers_delta)),
            htop: Some(signed(layout.process.htop)),
            stop: Some(signed(layout.process.stop)),
            fcalls: None,
            fcalls_bytes: None,
        }
    }

    #[test]
    fn agreement_is_reported_field_by_field() {
        for row in ROWS {
            let result = check(row, &agreeing(row), &[]).unwrap();
            assert!(result.confirmed.contains(&"Process.stop"));
            assert!(result.unconfirmed.contains(&"Process heap bounds"));
        }
    }

    #[test]
    fn a_vm_that_says_otherwise_is_refused() {
        let row = &ROWS[0];
        let mut facts = agreeing(row);
        facts.stop = Some(96);
        let error = check(row, &facts, &[]).unwrap_err();
        assert!(matches!(
            error,
            TableError::LayoutContradicted {
                field: "Process.stop",
                ..
            }
        ));

        let other = HeapFields {
            heap: 8,
            hend: 16,
            heap_size_words: 24,
        };
        assert!(check(row, &agreeing(row), &[other]).is_err());
    }

    #[test]
    fn a_vm_that_says_nothing_is_refused() {
        assert!(check(&ROWS[0], &FragmentFacts::default(), &[]).is_err());
    }
}
