use super::*;
use capture::sample::SchedulerId;
use protocol::node::Unknown;
use sampling_process::CountedPart;

/// One with so many collections and switches of threads.
fn reading(at_us: u64, count: u64) -> CounterReading {
    CounterReading {
        at_us,
        vm: NodeCounters {
            collections: Some(count),
            ..NodeCounters::default()
        },
        os: OsCounters {
            voluntary_switches: Some(count),
            ..OsCounters::default()
        },
        run_queue: Some(count),
        ..CounterReading::default()
    }
}

fn window(readings: &[CounterReading]) -> Window {
    let mut readings = readings.iter();
    let mut window = Window::of(readings.next().unwrap().clone());
    for reading in readings {
        window.add(reading);
    }
    window
}

const NONE: [Spread; COUNTERS.len()] = [Spread {
    known: 0.0,
    mean: 0.0,
    squares: 0.0,
}; COUNTERS.len()];

#[test]
fn a_counter_that_is_missing_or_goes_back_is_not_known_and_never_0() {
    assert_eq!(change(Some(3), Some(5)), Some(2));
    assert_eq!(change(Some(5), Some(5)), Some(0));
    assert_eq!(change(Some(5), Some(3)), None);
    assert_eq!(change(None, Some(3)), None);
    assert_eq!(change(Some(5), None), None);
    let mut last = reading(2_000_000, 3);
    last.unknown.push(Unknown {
        what: "reductions".to_owned(),
        why: "0 layouts fit".to_owned(),
    });
    let printed = window(&[reading(0, 5), last]).printed(&NONE);
    assert_eq!(printed.counters["collections"], None);
    assert_eq!(
        printed.unknown["collections"],
        "the counter was lower at the end than at the beginning"
    );
    assert_eq!(printed.unknown["reductions"], "0 layouts fit");
    let lines = lines(&printed);
    let row = lines.iter().find(|line| line.starts_with("collections "));
    assert!(row.unwrap().ends_with("  not known"), "{lines:?}");
    let why = "reductions: not known: 0 layouts fit".to_owned();
    assert!(lines.contains(&why), "{lines:?}");
}

#[test]
fn counts_are_from_the_first_reading_to_the_last_and_levels_of_all() {
    let readings = [reading(0, 10), reading(500_000, 40), reading(2_000_000, 20)];
    let printed = window(&readings).printed(&NONE);
    assert_eq!(
        printed.counters["collections"],
        Some(Counted {
            total: 10,
            per_second: 5.0,
            spread: None,
            at_least: false
        })
    );
    let level = printed.levels["run_queue"].unwrap();
    assert_eq!((level.most, level.last), (40, 20));
    assert!((level.mean - 70.0 / 3.0).abs() < 1e-9);
    assert_eq!(printed.levels["rss_bytes"], None);
    assert!(printed.unknown.contains_key("rss_bytes"));
    assert_eq!((printed.readings, printed.seconds), (3, 2.0));
}

#[test]
fn where_a_thread_ended_only_the_counters_of_threads_are_at_least() {
    let mut last = reading(1_000_000, 8);
    last.os.ended_threads = 1;
    let printed = window(&[reading(0, 5), last]).printed(&NONE);
    let at_least = |name: &str| printed.counters[name].unwrap().at_least;
    assert!(at_least("voluntary_switches") && !at_least("collections"));
    let text = lines(&printed).join("\n");
    assert!(text.contains("  at least 3  at least 3.0"), "{text}");
    assert!(text.contains("\n1 thread ended: "), "{text}");
}

fn part(of: PartOfVm, collections: Option<u64>, switches: Option<u64>) -> CountedPart {
    CountedPart {
        of,
        vm: NodeCounters {
            collections,
            ..NodeCounters::default()
        },
        os: OsCounters {
            voluntary_switches: switches,
            ..OsCounters::default()
        },
        run_queue: collections.map(|_| 3),
    }
}

#[test]
fn a_part_has_what_it_counts_and_dirty_schedulers_are_shown_where_they_counted() {
    let with = |at_us, count: u64| CounterReading {
        parts: vec![
            part(
                PartOfVm::Scheduler(SchedulerId::Normal(1)),
                Some(count),
                Some(count),
            ),
            part(PartOfVm::Scheduler(SchedulerId::DirtyCpu(1)), None, Some(7)),
            part(
                PartOfVm::Scheduler(SchedulerId::DirtyIo(2)),
                None,
                Some(count),
            ),
            part(PartOfVm::OtherThreads, None, Some(2 * count)),
        ],
        ..reading(at_us, count)
    };
    let mut last = with(1_000_000, 8);
    last.os.ended_threads = 1;
    let printed = window(&[with(0, 5), last]).printed(&NONE);
    let [normal, unused, used, others] = &printed.schedulers[..] else {
        panic!("{:?}", printed.schedulers);
    };
    assert_eq!((normal.kind, normal.number), ("normal", Some(1)));
    assert_eq!(normal.counters["collections"].total, 3);
    assert_eq!(normal.run_queue.map(|queue| queue.most), Some(3));
    assert!(!normal.counters["voluntary_switches"].at_least);
    assert_eq!((used.kind, used.number), ("dirty_io", Some(2)));
    assert!(!used.counters.contains_key("collections") && used.run_queue.is_none());
    assert_eq!(unused.counters["voluntary_switches"].total, 0);
    assert_eq!((others.kind, others.number), ("other_threads", None));
    assert!(others.counters["voluntary_switches"].at_least);
    let text = lines(&printed).join("\n");
    assert!(
        text.contains("\ndirty I/O 2  ") && !text.contains("dirty CPU"),
        "{text}"
    );
    assert!(
        text.contains("\nother threads  ") && text.contains("  at least 6"),
        "{text}"
    );
    let whole = window(&[reading(0, 5), reading(1, 8)]).printed(&NONE);
    assert!(!lines(&whole).join("\n").contains("scheduler"));
}

#[test]
fn hardware_counters_state_how_they_counted_and_are_null_where_none_is_known() {
    let with = |at_us, (cycles, instructions), hardware_ns| {
        let mut reading = reading(at_us, 5);
        (reading.os.cycles, reading.os.instructions) = (cycles, instructions);
        (reading.os.hardware_ns, reading.os.is_user_only) = (hardware_ns, true);
        reading
    };
    let first = with(0, (Some(1000), Some(100)), [50, 50]);
    let last = with(1_000_000, (Some(3000), Some(1600)), [150, 100]);
    let printed = window(&[first.clone(), last]).printed(&NONE);
    let expected = Hardware {
        instructions_per_cycle: Some(0.75),
        counted_pct: 50.0,
        user_only: true,
    };
    assert_eq!(printed.hardware, Some(expected));
    assert!(printed.unknown.contains_key("cache_misses"));
    let text = lines(&printed).join("\n");
    assert!(text.contains("\n0.75 instructions per cycle\n"), "{text}");
    assert!(text.contains(" for 50.0 % of the time, "), "{text}");
    let no_cycles = with(1, (None, Some(200)), [60, 60]);
    let printed = window(&[first.clone(), no_cycles]).printed(&NONE);
    let hardware = printed.hardware.map(|it| it.instructions_per_cycle);
    assert_eq!(hardware, Some(None));
    let mut none = window(&[first, with(1, (None, None), [60, 60])]).printed(&NONE);
    assert_eq!(none.hardware, None);
    let why = || "no such counter".to_owned();
    none.unknown = [
        ("cycles", why()),
        ("instructions", why()),
        ("migrations", why()),
    ]
    .into();
    let shown: Vec<String> = unknown_lines(&none.unknown).collect();
    let one = "cycles, instructions: not known: no such counter";
    assert_eq!(shown, [one, "migrations: not known: no such counter"]);
}

#[test]
fn where_a_thread_began_only_the_counters_of_events_are_at_least() {
    let mut last = reading(1_000_000, 8);
    (last.os.began_threads, last.os.migrations) = (2, Some(4));
    let mut first = reading(0, 5);
    first.os.migrations = Some(1);
    let printed = window(&[first, last]).printed(&NONE);
    let at_least = |name: &str| printed.counters[name].unwrap().at_least;
    assert!(at_least("migrations") && !at_least("voluntary_switches"));
    assert!(lines(&printed).join("\n").contains("\n2 threads began: "));
}

#[test]
fn runs_have_a_spread_and_an_unfinished_one_is_not_in_it() {
    let second = Duration::from_secs(1);
    let now = Instant::now();
    let plan = Plan {
        step: Some(second),
        runs: None,
        all: None,
    };
    let mut counting = Counting::begin(reading(0, 0), plan, now);
    let mut at = |tenths: u64, count, is_end| {
        let reading = reading(tenths * 100_000, count);
        let now = now + Duration::from_millis(tenths * 100);
        let printed = counting.add(reading, now, is_end)?;
        Some((printed.interval, printed.counters["collections"]?.total))
    };
    assert_eq!(at(5, 2, false), None);
    assert_eq!(at(10, 4, false), Some((Some(1), 4)));
    assert_eq!(at(20, 10, false), Some((Some(2), 6)));
    assert_eq!(at(21, 90, true), Some((Some(3), 80)));
    let all = counting.all.printed(&counting.spreads);
    let collections = all.counters["collections"].unwrap();
    assert_eq!(collections.total, 90);
    // Of 4 and 6 a second.
    assert!((collections.spread.unwrap() - 2.0_f64.sqrt()).abs() < 1e-9);
}

#[test]
fn a_run_that_took_longer_takes_no_time_from_the_others() {
    let now = Instant::now();
    let plan = Plan {
        step: Some(Duration::from_secs(1)),
        runs: Some(2),
        all: None,
    };
    let mut counting = Counting::begin(reading(0, 0), plan, now);
    let mut at = |tenths: u64| {
        let now = now + Duration::from_millis(tenths * 100);
        let is_end = counting.is_over(now);
        counting.add(reading(tenths * 100_000, tenths), now, is_end);
        is_end
    };
    // The first run ends three seconds late.
    assert!(!at(40) && !at(49) && at(50));
    let all = counting.all.printed(&counting.spreads);
    let collections = all.counters["collections"].unwrap();
    assert_eq!((collections.total, collections.spread), (50, Some(0.0)));
}

#[test]
fn counters_and_levels_each_have_their_own_name() {
    let names = COUNTERS.iter().chain(&LEVELS).map(|(name, _)| *name);
    let mut names: Vec<&str> = names.collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
    let of_threads = [
        "voluntary_switches",
        "involuntary_switches",
        "processor_wait_ms",
        "migrations",
        "cycles",
        "instructions",
        "cache_misses",
        "branch_misses",
    ];
    assert_eq!(COUNTERS[FIRST_OF_EVENTS].0, "migrations");
    assert_eq!(COUNTERS[FIRST_OF_HARDWARE].0, "cycles");
    let mut of_schedulers = OF_SCHEDULERS.iter().map(|(name, _)| *name);
    let all_names: Vec<&str> = COUNTERS.iter().map(|(name, _)| *name).collect();
    assert!(of_schedulers.all(|name| all_names.contains(&name)));
    let last = COUNTERS[FIRST_OF_THREADS..].iter().map(|(name, _)| *name);
    assert!(last.eq(of_threads));
}
