use super::*;

mod looks;

const REFERENCE: u64 = 0x1002;
const FIRST: u64 = 8 << 4 | 3;
const SECOND: u64 = 9 << 4 | 3;

fn relation(other: u64, key: u64) -> Relation {
    Relation {
        other,
        key,
        name: 0,
    }
}

fn found(variables: &[u64], monitors: &[Relation], links: &[Relation]) -> Option<u64> {
    one(variables, monitors, links, Some).map(|relation| relation.other)
}

#[test]
fn a_port_counts_when_it_is_busy_and_the_only_one() {
    let port = |number: u64| number << 4 | 7;
    let busy = |word| word == port(3) || word == port(4);
    assert_eq!(
        one_port(&[0x3b, port(3), port(9), port(3)], busy),
        Some(port(3))
    );
    assert_eq!(one_port(&[port(3), port(4)], busy), None, "two");
    assert_eq!(one_port(&[port(9), REFERENCE], busy), None, "none is busy");
    assert_eq!(one_port(&[3 << 4 | 3], |_| true), None, "a pid");
}

#[test]
fn a_reference_of_a_monitor_names_the_process_and_a_pid_when_there_is_a_link_or_monitor() {
    let monitors = [relation(FIRST, REFERENCE), relation(SECOND, 0x2002)];
    assert_eq!(found(&[0x3b, REFERENCE], &monitors, &[]), Some(FIRST));
    assert_eq!(found(&[REFERENCE, FIRST], &monitors, &[]), Some(FIRST));
    assert_eq!(
        found(&[SECOND], &[], &[relation(SECOND, SECOND)]),
        Some(SECOND)
    );
    assert_eq!(found(&[SECOND], &[], &[]), None, "no more than a pid");
    assert_eq!(found(&[REFERENCE, SECOND], &monitors, &[]), None, "two");
    assert_eq!(
        found(&[0x9002], &monitors, &[]),
        None,
        "a reference of no monitor"
    );
}
