//! The whole way from captures to an answer.

use std::collections::{BTreeMap, HashMap};

use capture::sample::SampleClass;
use shared_sort::SharedSort;

use crate::answer::{
    BlameChange, Change, ClassChange, Comparison, FunctionChange, Method, SideSummary,
};
use crate::block_length::block_length_ms;
use crate::comparability::{check_before, check_counted, normalisation};
use crate::counts::{Column, SideCounts, Tally, blocks_in};
use crate::estimate::SideEstimate;
use crate::identity::FunctionId;
use crate::kernel_time::{check_kernel_time, kernel_time_notes};
use crate::matching::{Match, match_functions};
use crate::matching_notes::{tool_notes, unmatched_notes};
use crate::measure::Measure;
use crate::notes::{disagreement, notes};
use crate::refusal::Refusal;
use crate::side::{CaptureToCompare, Side, common_work};
use crate::side_by_side::side_by_side;
use crate::sources::SourceTexts;
use crate::spread::Spread;
use crate::tracks::track_changes;
use crate::verdicts::{FALSE_DISCOVERIES, Tested, Verdict, verdicts};
use crate::work_notes::work_notes;

/// How to compare.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// What to compare; work where both sides counted it, else shares.
    pub measure: Option<Measure>,
    /// The sources of both sides, as far as somebody has them.
    pub texts: SourceTexts,
    /// Captures with time in the kernel are compared with captures without it, too.
    pub anyway: bool,
}

/// Compares two sides.
///
/// # Errors
/// See [`Refusal`].
pub fn compare(base: &Side<'_>, new: &Side<'_>, options: &Options) -> Result<Comparison, Refusal> {
    let work = common_work(base, new);
    let measure = options.measure.unwrap_or(match work {
        Some(_) => Measure::Work,
        None => Measure::Share,
    });
    check_before(base, new, measure)?;
    if !options.anyway {
        check_kernel_time(base, new)?;
    }
    let counting = normalisation(base, new);
    let block_ms = block_length_ms(base, new);
    let (of_base, of_new) = side_by_side(
        || SideCounts::of(base, block_ms, counting),
        || SideCounts::of(new, block_ms, counting),
    );
    check_counted((base, &of_base), (new, &of_new))?;
    let matches = match_functions(&of_base.catalogue, &of_new.catalogue, &options.texts);
    let comparing = Comparing {
        base: &of_base,
        new: &of_new,
        matches: &matches,
        has_own: base
            .captures
            .iter()
            .chain(&new.captures)
            .any(|given| given.own.is_some()),
    };
    let results = comparing.functions(measure);
    let mut notes = notes(base, new, counting);
    notes.extend(tool_notes(base, new, counting));
    notes.extend(unmatched_notes(&results.functions));
    notes.extend(kernel_time_notes(base, new));
    notes.extend(work_notes(base, new, measure));
    if let Some(absolute) = absolute(base, new, measure, work.is_some()) {
        let changed = comparing.changed_by_one_alone(&results, absolute);
        notes.extend(disagreement(measure, absolute, &changed));
    }
    let all = || base.captures.iter().chain(&new.captures);
    let in_one_block = |given: &CaptureToCompare<'_>| blocks_in(given.seconds(), block_ms) < 2;
    Ok(Comparison {
        measure,
        unit: measure.unit(work.as_deref()),
        base: summary(base, &of_base, work.is_some()),
        new: summary(new, &of_new, work.is_some()),
        work,
        method: Method {
            block_ms: if all().any(in_one_block) { 0 } else { block_ms },
            resampled_captures: base.captures.len() > 1 && new.captures.len() > 1,
            spread_pct: results.spread.pct(),
            spread_measured: results.spread.is_measured,
            false_discoveries_pct: FALSE_DISCOVERIES * 100.0,
        },
        notes,
        classes: comparing.classes(measure, &results.spread),
        blame: comparing.blame(measure, &results.spread),
        functions: results.functions,
        tracks: track_changes(base, new),
    })
}

/// The measure that a measure is held against, which what others do does not move.
fn absolute(base: &Side<'_>, new: &Side<'_>, measure: Measure, has_work: bool) -> Option<Measure> {
    let mut all = base.captures.iter().chain(&new.captures);
    match measure {
        Measure::Share | Measure::Cpu if has_work => Some(Measure::Work),
        Measure::Share => all
            .all(|given| given.seconds() > 0.0)
            .then_some(Measure::Cpu),
        Measure::Cpu | Measure::Work => None,
    }
}

fn summary(side: &Side<'_>, counts: &SideCounts, has_work: bool) -> SideSummary {
    let samples = side
        .captures
        .iter()
        .map(|given| given.capture.total_samples());
    SideSummary {
        name: side.name.clone(),
        captures: side.captures.len(),
        samples: samples.fold(0, u64::saturating_add),
        busy: counts
            .captures
            .iter()
            .map(|capture| capture.busy)
            .sum::<f64>() as u64,
        seconds: side.captures.iter().map(CaptureToCompare::seconds).sum(),
        work: has_work.then(|| work_of(side)).flatten(),
    }
}

/// The units of all captures; `None` where one has not counted.
fn work_of(side: &Side<'_>) -> Option<f64> {
    let units = side.captures.iter();
    units.map(|given| Some(given.known_work()?.units)).sum()
}

struct Comparing<'a> {
    base: &'a SideCounts,
    new: &'a SideCounts,
    matches: &'a [Match],
    has_own: bool,
}

struct Functions {
    functions: Vec<FunctionChange>,
    spread: Spread,
}

/// A class, and who it was for on each side.
type BlameRow = (SampleClass, Option<Tally>, Option<Tally>);

/// A tally on both sides, while nothing is decided.
struct Pair {
    base: SideEstimate,
    new: SideEstimate,
    /// It is not known which tally of the other side it is.
    is_unmatched: bool,
}

impl Comparing<'_> {
    fn pair(&self, base: Option<Tally>, new: Option<Tally>, measure: Measure) -> Pair {
        // A tally that nothing counts for: the side has no such function.
        let nothing = Tally::Function(FunctionId(u32::MAX), Column::Itself);
        Pair {
            base: SideEstimate::of(self.base, base.unwrap_or(nothing), measure),
            new: SideEstimate::of(self.new, new.unwrap_or(nothing), measure),
            is_unmatched: false,
        }
    }

    fn functions(&self, measure: Measure) -> Functions {
        let mut columns = vec![Column::Itself, Column::Total];
        columns.extend(self.has_own.then_some(Column::Own));
        let pairs: Vec<Vec<Pair>> = self
            .matches
            .iter()
            .map(|each| {
                let of = |column| {
                    let tally = |id| Tally::Function(id, column);
                    Pair {
                        is_unmatched: each.unmatched.is_some(),
                        ..self.pair(each.base.map(tally), each.new.map(tally), measure)
                    }
                };
                columns.iter().map(|column| of(*column)).collect()
            })
            .collect();
        let all: Vec<&Pair> = pairs.iter().flatten().collect();
        let spread = Spread::learn(all.iter().map(|pair| (&pair.base, &pair.new)));
        let mut changes = changes(&all, &spread).into_iter();
        let mut functions = Vec::new();
        for each in self.matches {
            let (itself, total) = (changes.next(), changes.next());
            let own = self.has_own.then(|| changes.next()).flatten();
            if let (Some(itself), Some(total)) = (itself, total)
                && (total.base_samples > 0
                    || total.new_samples > 0
                    || itself.base_samples > 0
                    || itself.new_samples > 0)
            {
                functions.push(self.function_change(*each, itself, total, own));
            }
        }
        functions.shared_sort_by(|a, b| {
            let size = |change: &FunctionChange| change.headline().difference().abs();
            let is_change = |change: &FunctionChange| change.headline().verdict.is_change();
            let order = is_change(b).cmp(&is_change(a));
            order
                .then_with(|| size(b).total_cmp(&size(a)))
                .then_with(|| a.function.cmp(&b.function))
        });
        Functions { functions, spread }
    }

    fn function_change(
        &self,
        each: Match,
        itself: Change,
        total: Change,
        own: Option<Change>,
    ) -> FunctionChange {
        let base = each.base.map(|id| self.base.catalogue.get(id));
        let new = each.new.map(|id| self.new.catalogue.get(id));
        let shown = new.or(base);
        let text = |of: fn(&crate::identity::KnownFunction) -> &str| {
            shown.map_or_else(String::new, |known| of(known).to_owned())
        };
        let function = text(|known| &known.shown);
        let base_function = base.map(|known| known.shown.clone());
        FunctionChange {
            base_function: base_function.filter(|name| *name != function),
            function,
            matched_by: each.by,
            unmatched: each.unmatched,
            kind: shown.map_or(capture::sample::FrameKind::Marker, |known| known.kind),
            file: text(|known| &known.file),
            line: shown.map_or(0, |known| known.head_line),
            base_file: new.and(base).map(|known| known.file.clone()),
            base_line: new.and(base).map(|known| known.head_line),
            itself,
            total,
            own,
        }
    }

    /// What a function is called, on the newer side where it has it.
    fn shown(&self, each: &Match) -> &str {
        let new = each.new.map(|id| self.new.catalogue.get(id));
        let base = || each.base.map(|id| self.base.catalogue.get(id));
        new.or_else(base).map_or("", |known| &known.shown)
    }

    /// Functions that changed by the measure shown and not, or not so, by an absolute one.
    fn changed_by_one_alone(&self, shown: &Functions, absolute: Measure) -> Vec<String> {
        let absolute = self.functions(absolute);
        // Of two called the same each was called something else, or is of one side.
        let called = |each: &FunctionChange| (each.function.clone(), each.base_function.clone());
        let verdicts: HashMap<_, Verdict> = absolute
            .functions
            .iter()
            .map(|each| (called(each), each.itself.verdict))
            .collect();
        let differing = shown.functions.iter().filter(|each| {
            let is_change = matches!(each.itself.verdict, Verdict::Slower | Verdict::Faster);
            is_change && verdicts.get(&called(each)) != Some(&each.itself.verdict)
        });
        differing.map(|each| each.function.clone()).collect()
    }

    fn classes(&self, measure: Measure, spread: &Spread) -> Vec<ClassChange> {
        let both = self.base.tallies().chain(self.new.tallies());
        let mut classes: Vec<_> = both
            .filter_map(|tally| match tally {
                Tally::Class(class) => Some(class),
                _ => None,
            })
            .filter(|class| class.is_none_or(SampleClass::is_work))
            .collect();
        classes.shared_sort_by_key(|class| class.map(SampleClass::as_str));
        classes.dedup();
        let pairs: Vec<Pair> = classes
            .iter()
            .map(|class| {
                self.pair(
                    Some(Tally::Class(*class)),
                    Some(Tally::Class(*class)),
                    measure,
                )
            })
            .collect();
        let changes = changes(&pairs.iter().collect::<Vec<_>>(), spread);
        let rows = classes.into_iter().zip(changes);
        let mut rows: Vec<_> = rows
            .map(|(class, change)| ClassChange { class, change })
            .collect();
        rows.shared_sort_by(|a, b| a.change.larger_first(&b.change));
        rows
    }

    fn blame(&self, measure: Measure, spread: &Spread) -> Vec<BlameChange> {
        let matches = || self.matches.iter().enumerate();
        let of_base: HashMap<FunctionId, usize> = matches()
            .filter_map(|(at, each)| Some((each.base?, at)))
            .collect();
        let of_new: HashMap<FunctionId, usize> = matches()
            .filter_map(|(at, each)| Some((each.new?, at)))
            .collect();
        // By class and name, so that the rows come in one order; functions called the same are rows of
        // their own.
        let mut rows: BTreeMap<(&str, String, usize), BlameRow> = BTreeMap::new();
        for (is_base, tally) in self
            .base
            .tallies()
            .map(|tally| (true, tally))
            .chain(self.new.tallies().map(|tally| (false, tally)))
        {
            let Tally::Blame(class, id) = tally else {
                continue;
            };
            let Some(at) = (if is_base { &of_base } else { &of_new }).get(&id) else {
                continue;
            };
            let name = self.shown(&self.matches[*at]).to_owned();
            let row = rows
                .entry((class.as_str(), name, *at))
                .or_insert((class, None, None));
            match is_base {
                true => row.1 = Some(tally),
                false => row.2 = Some(tally),
            }
        }
        let pairs: Vec<Pair> = rows
            .iter()
            .map(|((_, _, at), (_, base, new))| Pair {
                is_unmatched: self.matches[*at].unmatched.is_some(),
                ..self.pair(*base, *new, measure)
            })
            .collect();
        let changes = changes(&pairs.iter().collect::<Vec<_>>(), spread);
        let both = rows.into_iter().zip(changes);
        let mut rows: Vec<_> = both
            .map(|(((_, function, _), (class, ..)), change)| BlameChange {
                class,
                function,
                change,
            })
            .collect();
        rows.shared_sort_by(|a, b| a.change.larger_first(&b.change));
        rows
    }
}

/// Decides on a family of questions.
fn changes(pairs: &[&Pair], spread: &Spread) -> Vec<Change> {
    let tested: Vec<Tested> = pairs
        .iter()
        .map(|pair| match pair.is_unmatched {
            true => Tested::not_matched(),
            false => Tested::of(&pair.base, &pair.new, spread),
        })
        .collect();
    let verdicts = verdicts(&tested);
    let all = pairs.iter().zip(&tested).zip(verdicts);
    all.map(|((pair, tested), verdict)| Change {
        base: pair.base.value,
        new: pair.new.value,
        base_samples: pair.base.samples as u64,
        new_samples: pair.new.samples as u64,
        change_pct: tested.change.map(|change| change * 100.0),
        low_pct: tested.low.map(|low| low * 100.0),
        high_pct: tested.high.map(|high| high * 100.0),
        verdict,
    })
    .collect()
}
