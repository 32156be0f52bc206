//! What the data says against what the running VM says.
//!
//! With a row of data, every field the VM speaks of has to agree, or the VM is refused. Without
//! one, every field has to follow from the VM alone, and all that speaks of a field has to agree.

use super::derive::Finding;
use super::fields::{FIELDS, Field, REGISTERS_DELTA, STOP};
use super::{AtomName, Flavor, VmLayout};
use crate::TableError;

/// Where the value of a field comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldOrigin {
    /// Only the data says so; nothing in the VM contradicts or confirms it.
    Data,
    /// The VM says so; there is no data.
    Derived,
    /// Both, and they agree.
    Both,
}

/// One field of the layout in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldReport {
    /// Its name.
    pub name: &'static str,
    /// Offset, or what else it is.
    pub value: usize,
    /// Where that comes from.
    pub origin: FieldOrigin,
    /// What in the VM speaks for it.
    pub sources: Vec<&'static str>,
}

/// What was confirmed by the VM itself, for `doctor`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LayoutCheck {
    /// Every field.
    pub fields: Vec<FieldReport>,
}

impl LayoutCheck {
    /// Names of the fields of that origin.
    pub fn of(&self, origin: FieldOrigin) -> Vec<&'static str> {
        self.fields
            .iter()
            .filter(|field| field.origin == origin)
            .map(|field| field.name)
            .collect()
    }
}

/// Compares `row` with what was found. A contradiction is an error; so is a VM from which
/// neither the stack pointer nor the register block can be confirmed.
pub fn check(row: &VmLayout, findings: &[Finding]) -> Result<LayoutCheck, TableError> {
    let mut result = LayoutCheck::default();
    let is_interpreter = row.flavor != Flavor::Jit;
    for field in FIELDS {
        // Only the JIT has a register for its register block.
        if is_interpreter && field.name == REGISTERS_DELTA {
            continue;
        }
        let expected = (field.get)(row);
        let mut sources = Vec::new();
        for finding in of_field(findings, field) {
            match *finding.candidates.as_slice() {
                [value] if value == expected => sources.push(finding.source),
                // One of several is no confirmation, and no contradiction either.
                _ if finding.candidates.contains(&expected) => {}
                _ => return Err(contradiction(field, expected, finding)),
            }
        }
        let required = [REGISTERS_DELTA, STOP].contains(&field.name);
        if required && sources.is_empty() {
            return Err(TableError::malformed(
                if is_interpreter {
                    "the interpreter's main function"
                } else {
                    "JIT shared fragments"
                },
                format!("nothing in it says where {} is", field.name),
            ));
        }
        result.fields.push(FieldReport {
            name: field.name,
            value: expected,
            origin: match sources.is_empty() {
                true => FieldOrigin::Data,
                false => FieldOrigin::Both,
            },
            sources,
        });
    }
    Ok(result)
}

/// The layout that follows from the findings alone. `otp_release` is what the VM says it is.
pub fn derived(
    findings: &[Finding],
    otp_release: u32,
    atom_name: AtomName,
) -> Result<(VmLayout, LayoutCheck), TableError> {
    let mut layout = VmLayout {
        otp_release,
        provenance: "derived from the running VM",
        atom_name,
        ..VmLayout::default()
    };
    let mut result = LayoutCheck::default();
    for field in FIELDS {
        let mut agreed: Option<Vec<usize>> = None;
        let mut sources = Vec::new();
        for finding in of_field(findings, field) {
            let common = match &agreed {
                None => finding.candidates.clone(),
                Some(before) => before
                    .iter()
                    .copied()
                    .filter(|value| finding.candidates.contains(value))
                    .collect(),
            };
            if common.is_empty() {
                let before = agreed.and_then(|before| before.first().copied());
                return Err(contradiction(field, before.unwrap_or(0), finding));
            }
            sources.push(finding.source);
            agreed = Some(common);
        }
        let value = match agreed.as_deref() {
            Some([value]) => *value,
            Some(several) => {
                return Err(TableError::FieldUnknown {
                    field: field.name,
                    reason: format!("{} offsets look like it", several.len()),
                });
            }
            None => {
                return Err(TableError::FieldUnknown {
                    field: field.name,
                    reason: "nothing in the VM tells".to_owned(),
                });
            }
        };
        (field.set)(&mut layout, value);
        result.fields.push(FieldReport {
            name: field.name,
            value,
            origin: FieldOrigin::Derived,
            sources,
        });
    }
    inside(&layout)?;
    Ok((layout, result))
}

/// A field that the struct's own length leaves no room for is no field.
fn inside(layout: &VmLayout) -> Result<(), TableError> {
    for field in FIELDS {
        let value = (field.get)(layout);
        let room = match field.name.starts_with("Process.") {
            true => layout.process.read_bytes,
            false => continue,
        };
        if value + 8 > room.max(8) && !field.name.ends_with("width") {
            return Err(TableError::FieldUnknown {
                field: field.name,
                reason: format!("{value} lies outside of {room} bytes"),
            });
        }
    }
    Ok(())
}

fn of_field<'f>(findings: &'f [Finding], field: &Field) -> impl Iterator<Item = &'f Finding> {
    let name = field.name;
    findings.iter().filter(move |finding| finding.field == name)
}

fn contradiction(field: &Field, expected: usize, finding: &Finding) -> TableError {
    let signed = |value: usize| i64::try_from(value).unwrap_or(i64::MAX);
    TableError::LayoutContradicted {
        field: field.name,
        said_by: finding.source,
        expected: signed(expected),
        derived: finding
            .candidates
            .first()
            .map_or(-1, |value| signed(*value)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fields;
    use super::super::rows::ROWS;
    use super::*;

    fn finding(field: &'static str, candidates: &[usize]) -> Finding {
        Finding {
            field,
            candidates: candidates.to_vec(),
            source: "test",
        }
    }

    fn all_of(row: &VmLayout) -> Vec<Finding> {
        FIELDS
            .iter()
            .map(|field| finding(field.name, &[(field.get)(row)]))
            .collect()
    }

    fn required(row: &VmLayout) -> Vec<Finding> {
        [REGISTERS_DELTA, STOP]
            .iter()
            .filter_map(|name| {
                let field = FIELDS.iter().find(|field| field.name == *name)?;
                Some(finding(field.name, &[(field.get)(row)]))
            })
            .collect()
    }

    #[test]
    fn agreement_is_reported_field_by_field() {
        for row in ROWS.iter().filter(|row| row.flavor == Flavor::Jit) {
            let result = check(row, &required(row)).unwrap();
            assert_eq!(result.of(FieldOrigin::Both), [REGISTERS_DELTA, STOP]);
            assert!(result.of(FieldOrigin::Data).contains(&fields::HEAP));
        }
    }

    #[test]
    fn a_vm_that_says_otherwise_is_refused_whichever_field_it_is() {
        for field in FIELDS {
            for row in ROWS {
                if row.flavor != Flavor::Jit && field.name == REGISTERS_DELTA {
                    continue;
                }
                let mut findings = all_of(row);
                for finding in &mut findings {
                    if finding.field == field.name {
                        finding.candidates = vec![(field.get)(row) + 8];
                    }
                }
                let error = check(row, &findings).unwrap_err();
                assert!(
                    matches!(error, TableError::LayoutContradicted { field: said, .. } if said == field.name),
                    "{error}"
                );
            }
        }
    }

    #[test]
    fn an_interpreter_has_no_register_block() {
        for row in ROWS.iter().filter(|row| row.flavor != Flavor::Jit) {
            let stop = finding(STOP, &[row.process.stop]);
            let result = check(row, &[stop]).unwrap();
            assert_eq!(result.of(FieldOrigin::Both), [STOP]);
            assert!(check(row, &[]).is_err());
        }
    }

    #[test]
    fn a_vm_that_says_nothing_is_refused() {
        assert!(check(&ROWS[0], &[]).is_err());
        assert!(derived(&[], 28, AtomName::Pointer).is_err());
    }

    #[test]
    fn one_of_several_neither_confirms_nor_contradicts() {
        let row = &ROWS[0];
        let mut findings = required(row);
        findings.push(finding(fields::HEAP, &[8, row.process.heap]));
        let result = check(row, &findings).unwrap();
        assert!(result.of(FieldOrigin::Data).contains(&fields::HEAP));
    }

    #[test]
    fn a_layout_follows_when_every_field_does() {
        for row in ROWS {
            let (layout, check) = derived(&all_of(row), row.otp_release, row.atom_name).unwrap();
            assert_eq!(
                (layout.process, layout.scheduler),
                (row.process, row.scheduler)
            );
            assert_eq!(check.of(FieldOrigin::Derived).len(), FIELDS.len());
        }
    }

    #[test]
    fn a_missing_ambiguous_or_disputed_field_is_never_guessed() {
        let row = &ROWS[1];
        for field in FIELDS {
            let without: Vec<Finding> = all_of(row)
                .into_iter()
                .filter(|finding| finding.field != field.name)
                .collect();
            let value = (field.get)(row);
            let with = |extra: &[&[usize]]| {
                let mut findings = without.clone();
                findings.extend(extra.iter().map(|values| finding(field.name, values)));
                derived(&findings, 28, AtomName::Pointer)
            };
            assert!(matches!(with(&[]), Err(TableError::FieldUnknown { .. })));
            assert!(matches!(
                with(&[&[value, value + 8]]),
                Err(TableError::FieldUnknown { .. })
            ));
            assert!(matches!(
                with(&[&[value], &[value + 8]]),
                Err(TableError::LayoutContradicted { .. })
            ));
            // Two sources that are each unsure can be sure together.
            assert!(with(&[&[value, value + 8], &[value, value + 16]]).is_ok());
        }
    }

    #[test]
    fn a_field_beyond_the_end_of_its_struct_is_refused() {
        let row = &ROWS[1];
        let mut findings = all_of(row);
        for finding in &mut findings {
            if finding.field == fields::STATE {
                finding.candidates = vec![row.process.read_bytes];
            }
        }
        assert!(derived(&findings, 28, AtomName::Pointer).is_err());
    }
}
