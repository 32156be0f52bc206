//! The guard against a target whose cost is known: no clock, no kernel.

use super::*;

/// The costs of sampling, shares of a core.
#[derive(Clone, Copy)]
struct World {
    /// Whatever the rate is.
    fixed: f64,
    /// Of looking at loaded code as often as usual.
    looking: f64,
    /// Of the helper at the requested rate.
    own: f64,
    /// Samples a second at that rate.
    samples: f64,
    /// Blocks a second, and switches of others.
    blocks: f64,
    switches: f64,
    /// Page faults a second.
    faults: f64,
}

struct Run {
    guard: OverheadGuard,
    spent: Spent,
}

impl Run {
    fn new(most: f64) -> Self {
        Self {
            guard: OverheadGuard::new(MaxOverhead(most), Engine::Bpf, 99),
            spent: Spent::default(),
        }
    }

    /// The weight after so many looks.
    fn looks(&mut self, world: World, looks: u32) -> u32 {
        for _ in 0..looks {
            let weight = f64::from(self.guard.weight);
            let seconds = LOOK_NS as f64 / 1e9;
            let looking = if self.guard.seldom_looks {
                0.0
            } else {
                world.looking
            };
            let own = world.fixed + looking + world.own / weight;
            self.spent.elapsed_ns += LOOK_NS;
            self.spent.own_cpu_ns += (own * seconds * 1e9) as u64;
            self.spent.samples += (world.samples * seconds / weight) as u64;
            let blocks = world.blocks / f64::from(self.guard.blocks_weight);
            self.spent.blocks += (blocks * seconds) as u64;
            self.spent.switches += (world.switches * seconds) as u64;
            let faults = world.faults / f64::from(self.guard.faults_weight);
            self.spent.faults += (faults * seconds) as u64;
            self.guard.look(self.spent);
        }
        self.guard.weight
    }
}

const QUIET: World = World {
    fixed: 0.002,
    looking: 0.001,
    own: 0.004,
    samples: 200.0,
    blocks: 0.0,
    switches: 0.0,
    faults: 0.0,
};

#[test]
fn what_costs_little_is_left_alone() {
    assert_eq!(Run::new(0.01).looks(QUIET, 100), 1);
}

#[test]
fn a_busy_helper_is_slowed_down_until_it_is_kept_and_not_further() {
    let busy = World { own: 0.06, ..QUIET };
    let mut run = Run::new(0.01);
    let weight = run.looks(busy, 20);
    assert_eq!(weight, 8);
    assert!(run.guard.cost.worst() <= 0.01 && !run.guard.is_not_kept());
    assert_eq!(run.looks(busy, 100), 8, "it stays there");
}

#[test]
fn one_expensive_moment_changes_nothing() {
    let mut run = Run::new(0.01);
    let expensive = World { own: 0.02, ..QUIET };
    assert_eq!(run.looks(expensive, 1), 1);
    assert_eq!(run.looks(QUIET, 10), 1);
}

#[test]
fn looks_become_rarer_before_samples_do() {
    let watched = World {
        looking: 0.01,
        ..QUIET
    };
    let mut run = Run::new(0.01);
    assert_eq!(run.looks(watched, 50), 1);
    assert!(run.guard.seldom_looks && !run.guard.is_not_kept());
    let mut run = Run::new(0.01);
    assert!(run.looks(QUIET, 50) == 1 && !run.guard.seldom_looks);
}

#[test]
fn the_target_s_cost_counts_too() {
    let many = World {
        samples: 6_000.0,
        own: 0.0,
        ..QUIET
    };
    // 6,000 samples of 8 us are 4.8 % of a core.
    assert_eq!(Run::new(0.01).looks(many, 30), 8);
}

#[test]
fn the_rate_comes_back_when_there_is_room_again() {
    let mut run = Run::new(0.01);
    let busy = World { own: 0.1, ..QUIET };
    assert!(run.looks(busy, 20) >= 16);
    assert_eq!(run.looks(QUIET, 200), 1);
}

#[test]
fn a_rate_that_is_just_right_does_not_swing() {
    for own in 1..400 {
        let mut run = Run::new(0.01);
        let world = World {
            own: f64::from(own) / 1000.0,
            ..QUIET
        };
        let settled = run.looks(world, 60);
        for _ in 0..60 {
            assert_eq!(run.looks(world, 1), settled, "own cost {own} per mille");
        }
    }
}

#[test]
fn cost_that_no_rate_changes_does_not_cost_the_samples_as_well() {
    let mut run = Run::new(0.01);
    let fixed = World {
        fixed: 0.03,
        looking: 0.0,
        own: 0.002,
        samples: 100.0,
        ..QUIET
    };
    assert_eq!(run.looks(fixed, 100), 1);
    assert!(run.guard.is_not_kept());
    // Until samples do cost something.
    let busy = World { own: 0.2, ..fixed };
    assert!(run.looks(busy, 20) > 1);
}

#[test]
fn a_kernel_that_pauses_events_is_believed() {
    let mut run = Run::new(0.01);
    run.spent.throttled += 1;
    assert_eq!(run.looks(QUIET, 1), 2);
}

#[test]
fn it_never_goes_below_one_sample_a_second() {
    let mut run = Run::new(0.0001);
    run.guard.most_weight = 3;
    let world = World { own: 0.5, ..QUIET };
    assert_eq!(run.looks(world, 50), 3);
    assert!(run.guard.is_not_kept());
}

#[test]
fn blocks_have_a_price_and_are_left_out_before_samples_are() {
    let mut run = Run::new(0.01);
    run.guard.most_blocks_weight = MOST_WEIGHT;
    // 2 us each: 4 % of a core, beside 0.16 % for the samples.
    let many = World {
        blocks: 20_000.0,
        ..QUIET
    };
    assert_eq!(run.looks(many, 30), 1);
    assert_eq!(run.guard.blocks_weight, 8);
    assert!(run.guard.cost.worst() <= 0.01 && !run.guard.is_not_kept());
    let calm = World {
        own: 0.002,
        ..QUIET
    };
    run.looks(calm, 200);
    assert_eq!((run.guard.weight, run.guard.blocks_weight), (1, 1));
}

#[test]
fn of_two_sources_the_dearer_is_lowered() {
    let mut run = Run::new(0.01);
    run.guard.most_blocks_weight = MOST_WEIGHT;
    let busy = World {
        samples: 6_000.0,
        own: 0.0,
        blocks: 100.0,
        ..QUIET
    };
    assert_eq!(run.looks(busy, 30), 8);
    assert_eq!(run.guard.blocks_weight, 1);
}

#[test]
fn what_switches_cost_without_samples_lowers_nothing_and_is_not_kept() {
    let mut run = Run::new(0.01);
    run.guard.most_blocks_weight = MOST_WEIGHT;
    // 0.5 us each: 3.5 % of a core.
    let idle = World {
        switches: 70_000.0,
        ..QUIET
    };
    assert_eq!(run.looks(idle, 100), 1);
    assert_eq!(run.guard.blocks_weight, 1);
    assert!(run.guard.is_not_kept());
}

#[test]
fn page_faults_have_a_price_and_come_back_when_they_are_few_again() {
    let mut run = Run::new(0.01);
    (run.guard.most_blocks_weight, run.guard.most_faults_weight) = (MOST_WEIGHT, MOST_WEIGHT);
    // 8 us each: 4 % of a core, beside 0.16 % for the samples.
    let many = World {
        faults: 5_000.0,
        blocks: 100.0,
        ..QUIET
    };
    assert_eq!(run.looks(many, 30), 1);
    assert_eq!((run.guard.blocks_weight, run.guard.faults_weight), (1, 8));
    assert!(run.guard.cost.worst() <= 0.01 && !run.guard.is_not_kept());
    let calm = World {
        own: 0.002,
        ..QUIET
    };
    run.looks(calm, 200);
    assert_eq!((run.guard.weight, run.guard.faults_weight), (1, 1));
}
