//! Which schedulers of a VM may run, as lines for people.

use capture::schedulers::SchedulersOnline;

/// Its lines, or that it is not known.
pub fn schedulers_lines_if_known(schedulers: Option<&SchedulersOnline>, pid: u32) -> Vec<String> {
    schedulers.map_or_else(
        || {
            vec![format!(
                "which schedulers are online is not known: `extrospect node {pid}` has the reason"
            )]
        },
        SchedulersOnline::lines,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_has_a_line_and_what_is_usual_has_none() {
        let usual = SchedulersOnline::default();
        assert!(schedulers_lines_if_known(Some(&usual), 7).is_empty());
        assert_eq!(
            schedulers_lines_if_known(None, 7),
            ["which schedulers are online is not known: `extrospect node 7` has the reason"]
        );
    }
}
