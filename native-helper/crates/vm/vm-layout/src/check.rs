//! The data compared with the evidence of the running VM.
//!
//! With a row of data, every field for which the VM has evidence has to agree, or the VM is
//! refused. Without one, every field has to follow from the VM alone, and all evidence for a field
//! has to agree.

use super::derive::Finding;
use super::fields::Field;
use super::{AtomName, Flavor, JitLayout, ProcessLayout, SchedulerLayout, VmLayout};
use crate::TableError;

/// Where the value of a field comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldOrigin {
    /// Only the data has it; nothing in the VM contradicts or confirms it.
    Data,
    /// The VM's evidence gives it; there is no data.
    Derived,
    /// Both, and they agree.
    Both,
}

/// One field of the layout in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldReport {
    /// Which one.
    pub field: Field,
    /// Offset, or the field's other value.
    pub value: usize,
    /// Where that comes from.
    pub origin: FieldOrigin,
    /// The evidence for it in the VM.
    pub sources: Vec<&'static str>,
}

/// The fields confirmed by the VM itself, for `doctor`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LayoutCheck {
    /// Every field.
    pub fields: Vec<FieldReport>,
}

impl LayoutCheck {
    /// The fields of that origin.
    pub fn of(&self, origin: FieldOrigin) -> Vec<Field> {
        self.fields
            .iter()
            .filter(|report| report.origin == origin)
            .map(|report| report.field)
            .collect()
    }
}

/// Compares `row` with the findings. A contradiction is an error; so is a VM from which neither the
/// stack pointer nor the register block can be confirmed.
pub fn check(row: &VmLayout, findings: &[Finding]) -> Result<LayoutCheck, TableError> {
    let mut result = LayoutCheck::default();
    for field in Field::ALL {
        let Some(expected) = field.value_in(row) else {
            continue;
        };
        let mut sources = Vec::new();
        for finding in of_field(findings, field) {
            match *finding.candidates.as_slice() {
                [value] if value == expected => sources.push(finding.source),
                // One of several is no confirmation, and no contradiction either.
                _ if finding.candidates.contains(&expected) => {}
                _ => return Err(contradiction(field, expected, finding)),
            }
        }
        let required = [Field::RegistersDelta, Field::Stop].contains(&field);
        if required && sources.is_empty() {
            return Err(TableError::malformed(
                match row.flavor {
                    Flavor::Jit(_) => "JIT shared fragments",
                    Flavor::Interpreter(_) => "the interpreter's main function",
                },
                format!("nothing in it shows where {field} is"),
            ));
        }
        result.fields.push(FieldReport {
            field,
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

/// The layout that follows from the findings alone. `otp_release` is the VM's own statement.
pub fn derived(
    findings: &[Finding],
    otp_release: u32,
    atom_name: AtomName,
) -> Result<(VmLayout, LayoutCheck), TableError> {
    let mut layout = VmLayout {
        otp_release,
        provenance: "derived from the running VM",
        atom_name,
        module_md5: None,
        // A layout that follows from the VM alone is a JIT's: its shared fragments give it.
        flavor: Flavor::Jit(JitLayout::default()),
        process: ProcessLayout::default(),
        scheduler: SchedulerLayout::default(),
    };
    let mut result = LayoutCheck::default();
    for field in Field::ALL {
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
                    field,
                    reason: format!("{} offsets look like it", several.len()),
                });
            }
            None => {
                return Err(TableError::FieldUnknown {
                    field,
                    reason: "nothing in the VM shows it".to_owned(),
                });
            }
        };
        field.set(&mut layout, value);
        result.fields.push(FieldReport {
            field,
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
    let process_bytes = layout.process.read_bytes;
    for field in Field::ALL.into_iter().filter(|field| field.is_in_process()) {
        let value = field.value_in(layout).unwrap_or(usize::MAX);
        if value.saturating_add(8) > process_bytes.max(8) {
            return Err(TableError::FieldUnknown {
                field,
                reason: format!("{value} lies outside of {process_bytes} bytes"),
            });
        }
    }
    Ok(())
}

fn of_field(findings: &[Finding], field: Field) -> impl Iterator<Item = &Finding> {
    findings
        .iter()
        .filter(move |finding| finding.field == field)
}

fn contradiction(field: Field, expected: usize, finding: &Finding) -> TableError {
    let signed = |value: usize| i64::try_from(value).unwrap_or(i64::MAX);
    TableError::LayoutContradicted {
        field,
        evidence: finding.source,
        expected: signed(expected),
        derived: finding
            .candidates
            .first()
            .map_or(-1, |value| signed(*value)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::ROWS;
    use super::*;
    use crate::{INTERPRETER, JIT};

    fn finding(field: Field, candidates: &[usize]) -> Finding {
        Finding {
            field,
            candidates: candidates.to_vec(),
            source: "test",
        }
    }

    fn all_of(row: &VmLayout) -> Vec<Finding> {
        Field::ALL
            .into_iter()
            .filter_map(|field| Some(finding(field, &[field.value_in(row)?])))
            .collect()
    }

    fn required(row: &VmLayout) -> Vec<Finding> {
        [Field::RegistersDelta, Field::Stop]
            .into_iter()
            .filter_map(|field| Some(finding(field, &[field.value_in(row)?])))
            .collect()
    }

    fn rows_of(flavor: Flavor) -> impl Iterator<Item = &'static VmLayout> {
        ROWS.iter().filter(move |row| row.flavor.kind() == flavor)
    }

    #[test]
    fn agreement_is_reported_field_by_field() {
        for row in rows_of(JIT) {
            let result = check(row, &required(row)).unwrap();
            assert_eq!(
                result.of(FieldOrigin::Both),
                [Field::RegistersDelta, Field::Stop]
            );
            assert!(result.of(FieldOrigin::Data).contains(&Field::Heap));
        }
    }

    #[test]
    fn a_vm_with_another_value_is_refused_whichever_field_it_is() {
        for field in Field::ALL {
            for row in ROWS {
                let Some(value) = field.value_in(row) else {
                    continue;
                };
                let mut findings = all_of(row);
                for finding in &mut findings {
                    if finding.field == field {
                        finding.candidates = vec![value + 8];
                    }
                }
                let error = check(row, &findings).unwrap_err();
                assert!(
                    matches!(error, TableError::LayoutContradicted { field: contradicted, .. } if contradicted == field),
                    "{error}"
                );
            }
        }
    }

    #[test]
    fn an_interpreter_has_no_register_block() {
        for row in rows_of(INTERPRETER) {
            let stop = finding(Field::Stop, &[row.process.stop]);
            let result = check(row, &[stop]).unwrap();
            assert_eq!(result.of(FieldOrigin::Both), [Field::Stop]);
            assert!(check(row, &[]).is_err());
        }
    }

    #[test]
    fn a_vm_without_a_value_is_refused() {
        assert!(check(&ROWS[0], &[]).is_err());
        assert!(derived(&[], 28, AtomName::Pointer).is_err());
    }

    #[test]
    fn one_of_several_neither_confirms_nor_contradicts() {
        let row = &ROWS[0];
        let mut findings = required(row);
        findings.push(finding(Field::Heap, &[8, row.process.heap]));
        let result = check(row, &findings).unwrap();
        assert!(result.of(FieldOrigin::Data).contains(&Field::Heap));
    }

    #[test]
    fn a_layout_follows_when_every_field_does() {
        for row in rows_of(JIT) {
            let (layout, check) = derived(&all_of(row), row.otp_release, row.atom_name).unwrap();
            assert_eq!(
                (layout.process, layout.scheduler, layout.flavor),
                (row.process, row.scheduler, row.flavor)
            );
            assert_eq!(check.of(FieldOrigin::Derived), Field::ALL);
        }
    }

    #[test]
    fn a_missing_ambiguous_or_disputed_field_is_never_guessed() {
        let row = &ROWS[1];
        for field in Field::ALL {
            let without: Vec<Finding> = all_of(row)
                .into_iter()
                .filter(|finding| finding.field != field)
                .collect();
            let value = field.value_in(row).unwrap();
            let with = |extra: &[&[usize]]| {
                let mut findings = without.clone();
                findings.extend(extra.iter().map(|values| finding(field, values)));
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
            if finding.field == Field::State {
                finding.candidates = vec![row.process.read_bytes];
            }
        }
        assert!(derived(&findings, 28, AtomName::Pointer).is_err());
    }
}
