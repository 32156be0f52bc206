//! The whole way from captures to an answer.

use std::collections::BTreeMap;

use capture::sample::{FrameKind, SampleClass};
use capture::sample_types::CPU;
use shared_map::HashMap;
use shared_sort::SharedSort;

use crate::answer::{
    BlameChange, Change, ClassChange, Comparison, FunctionChange, Method, SideSummary, Whole,
};
use crate::block_length::{MOST_SECONDS, block_length_ms, seconds_left_out};
use crate::call_graph::CallGraph;
use crate::code::Code;
use crate::collections::Collections;
use crate::comparability::{check_before, check_counted, normalisation};
use crate::composition::{Composition, uncommitted_note};
use crate::counts::{Column, Counting, SideCounts, Tally, blocks_in};
use crate::cuts::Cuts;
use crate::disagreement::Disagreement;
use crate::estimate::{CaptureEstimate, SideEstimate};
use crate::explaining::Explaining;
use crate::given_time::{GivenTimes, given_time_notes};
use crate::identity::FunctionId;
use crate::kernel_time::{check_kernel_time, kernel_time_notes, kernel_time_of};
use crate::machine::Machine;
use crate::matching::{Match, match_functions};
use crate::matching_notes::{tool_notes, unmatched_notes};
use crate::measure::Measure;
use crate::moved::Moved;
use crate::moved_work::MOST as MOST_FINDINGS;
use crate::notes::{Note, NoteKind, notes};
use crate::pair::{Pair, change_alone, changes};
use crate::pairs::{check_numbers, check_pairs, pair_notes};
use crate::refusal::Refusal;
use crate::remark::Remark;
use crate::row::Row;
use crate::row_group::RowGroup;
use crate::shown_rows::in_order;
use crate::side::{CaptureToCompare, Side, common_work};
use crate::side_by_side::side_by_side;
use crate::sources::SourceTexts;
use crate::spread::{Factor, Spread};
use crate::tracing::tracing_notes;
use crate::tracks::track_changes;
use crate::unchanged_code::UnchangedCode;
use crate::verdicts::FALSE_DISCOVERIES;
use crate::version::{SourcePaths, version};
use crate::whole::{measure_of_whole, smallest_visible_pct};
use crate::work_notes::work_notes;

/// How to compare.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The normalisation; work where both sides counted it, else shares.
    pub measure: Option<Measure>,
    /// The sources of both sides, as far as they are available.
    pub texts: SourceTexts,
    /// Sides that cannot be compared fairly are compared, too: captures with time in the kernel and
    /// without it, sides of several commits, captures of different projects, sides without a function in
    /// common, pairs of captures that do not follow each other or are of several machines.
    pub anyway: bool,
    /// The first captures of both sides, by time, were taken one after the other, and the second, and so on.
    pub paired: bool,
    /// Each figure comes with that of each capture.
    pub each_capture: bool,
}

/// Compares two sides.
///
/// # Errors
/// See [`Refusal`].
pub fn compare(base: &Side<'_>, new: &Side<'_>, options: &Options) -> Result<Comparison, Refusal> {
    let composition = Composition::of(base, new);
    let (base, new) = &composition.in_order(options.paired);
    let work = common_work(base, new);
    let measure = options.measure.unwrap_or(match work {
        Some(_) => Measure::Work,
        None => Measure::Share,
    });
    check(&composition, (base, new), measure, options)?;
    let counting = normalisation(base, new);
    let block_ms = block_length_ms(base, new);
    let (of_base, of_new) = side_by_side(
        || SideCounts::of(base, block_ms, counting),
        || SideCounts::of(new, block_ms, counting),
    );
    let apart = check_counted((base, &of_base), (new, &of_new), options.anyway)?;
    let code = Code::of(
        (base, &of_base.catalogue),
        (new, &of_new.catalogue),
        &options.texts,
    );
    let matched = match_functions(&of_base.catalogue, &of_new.catalogue, &options.texts, &code);
    let comparing = Comparing {
        base: &of_base,
        new: &of_new,
        matches: &matched.functions,
        options,
        paths: [SourcePaths::of(base), SourcePaths::of(new)],
        has_own: has_own(base) || has_own(new),
    };
    let answered = comparing.answered(measure, work.as_deref(), &code);
    let spread = &answered.spread;
    let (base_times, new_times) = (GivenTimes::of(base, &of_base), GivenTimes::of(new, &of_new));
    let mut notes: Vec<Note> = answered.of_machine.into_iter().collect();
    notes.extend(given_time_notes(&base_times, &new_times));
    notes.extend(composition.notes());
    notes.extend(notes_on_sides((base, new), counting, options));
    notes.extend(unmatched_notes(&answered.functions));
    let mut cuts = matched.cuts;
    cuts.extend(code.cuts());
    cuts.extend(answered.cuts);
    cuts.extend(cuts_of_sides((base, new), &options.texts));
    notes.extend(cuts.notes());
    notes.extend(work_notes(base, new, measure));
    notes.extend(answered.disagreement.into_iter().chain(apart));
    Ok(Comparison {
        measure,
        unit: unit_of(base, measure, work.as_deref()),
        base: summary(base, &of_base, &base_times, work.is_some()),
        new: summary(new, &of_new, &new_times, work.is_some()),
        work,
        method: method(base, new, block_ms, spread, options),
        notes,
        whole: answered.whole,
        classes: comparing.classes(measure, spread),
        blame: comparing.blame(measure, spread),
        functions: answered.functions,
        moved: answered.moved,
        tracks: track_changes(base, new),
    })
}

/// The unit of the figures, which names the type of samples where that is not processor time.
fn unit_of(side: &Side<'_>, measure: Measure, work: Option<&str>) -> String {
    let shown = side.captures.first().map(|given| given.capture.shown());
    match shown {
        Some(shown) if shown != CPU => format!("% of the busy {}", shown.label),
        _ => measure.unit(work),
    }
}

fn has_own(side: &Side<'_>) -> bool {
    side.captures.iter().any(|given| given.own.is_some())
}

/// The parts of captures and sources that were not read.
fn cuts_of_sides((base, new): (&Side<'_>, &Side<'_>), texts: &SourceTexts) -> Cuts {
    let all = base.captures.iter().chain(&new.captures);
    let seconds = all.map(|given| seconds_left_out(given.seconds())).sum();
    let mut cuts = Cuts::default();
    cuts.add(NoteKind::TimesCut, seconds, MOST_SECONDS);
    cuts.add(NoteKind::SourcesCut, texts.unread, texts.most_files);
    cuts
}

/// The remarks on the captures themselves.
fn notes_on_sides(
    (base, new): (&Side<'_>, &Side<'_>),
    counting: Counting,
    options: &Options,
) -> Vec<Note> {
    let mut notes = notes(base, new, counting);
    notes.extend(tool_notes(base, new, counting));
    notes.extend(kernel_time_notes(base, new));
    notes.extend(tracing_notes(base, new));
    if options.texts.are_of_both() {
        notes.extend(uncommitted_note(base, new));
        notes.extend(options.texts.build_note());
    }
    if options.paired {
        notes.extend(pair_notes(base, new));
    }
    notes
}

/// Refuses sides that cannot be compared.
fn check(
    composition: &Composition<'_>,
    (base, new): (&Side<'_>, &Side<'_>),
    measure: Measure,
    options: &Options,
) -> Result<(), Refusal> {
    check_before(base, new, measure)?;
    if options.paired {
        check_numbers(base, new)?;
    }
    if !options.anyway {
        check_kernel_time(base, new)?;
        composition.check(options.paired)?;
        if options.paired {
            check_pairs(base, new)?;
        }
    }
    Ok(())
}

fn method(
    base: &Side<'_>,
    new: &Side<'_>,
    block_ms: u64,
    spread: &Spread,
    options: &Options,
) -> Method {
    let mut all = base.captures.iter().chain(&new.captures);
    let has_one_block = all.any(|given| blocks_in(given.seconds(), block_ms) < 2);
    Method {
        block_ms: if has_one_block { 0 } else { block_ms },
        resampled_captures: base.captures.len() > 1 && new.captures.len() > 1,
        spread_pct: spread.pct(),
        spread_measured: spread.is_measured,
        false_discoveries_pct: FALSE_DISCOVERIES * 100.0,
        paired: options.paired,
    }
}

/// The normalisation that checks another one: activity elsewhere does not affect it.
fn absolute(
    base: &SideCounts,
    new: &SideCounts,
    measure: Measure,
    has_work: bool,
) -> Option<Measure> {
    match measure {
        Measure::Share => measure_of_whole(base, new, has_work),
        Measure::Cpu if has_work => Some(Measure::Work),
        Measure::Cpu | Measure::Work => None,
    }
}

fn summary(
    side: &Side<'_>,
    counts: &SideCounts,
    times: &GivenTimes<'_>,
    has_work: bool,
) -> SideSummary {
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
        lost_pct: times.lost_pct(),
        mhz: times.mhz(),
        kernel_time: kernel_time_of(side),
        version: version(side),
    }
}

/// The units of all captures; `None` where one did not count any.
fn work_of(side: &Side<'_>) -> Option<f64> {
    let units = side.captures.iter();
    units.map(|given| Some(given.known_work()?.units)).sum()
}

struct Comparing<'a> {
    base: &'a SideCounts,
    new: &'a SideCounts,
    matches: &'a [Match],
    options: &'a Options,
    paths: [SourcePaths; 2],
    has_own: bool,
}

struct Functions {
    rows: Vec<Row>,
    spread: Spread,
}

/// The functions of both sides, decided and explained, and the whole.
struct Answered {
    functions: Vec<FunctionChange>,
    moved: Vec<Moved>,
    whole: Option<Whole>,
    /// Between runs, with nothing taken out.
    spread: Spread,
    of_machine: Option<Note>,
    disagreement: Option<Note>,
    cuts: Cuts,
}

/// A class, and who it was for on each side.
type BlameRow = (SampleClass, Option<Tally>, Option<Tally>);

impl Comparing<'_> {
    fn pair(&self, base: Option<Tally>, new: Option<Tally>, measure: Measure) -> Pair {
        Pair::of((self.base, base), (self.new, new), measure)
    }

    fn pair_of(&self, each: &Match, column: Column, measure: Measure) -> Pair {
        let tally = |id| Tally::Function(id, column);
        Pair {
            is_unmatched: each.unmatched.is_some(),
            is_defined_there: each.is_defined_there || each.base.and(each.new).is_some(),
            ..self.pair(each.base.map(tally), each.new.map(tally), measure)
        }
    }

    fn answered(&self, measure: Measure, work: Option<&str>, code: &Code<'_>) -> Answered {
        let mut results = self.functions(measure, Factor::default());
        let calls = &CallGraph::of(self.base, self.new, &results.rows);
        let mut unchanged = UnchangedCode::new(self.base, self.new, code);
        let (mut whole, disagreement, absolutely) =
            self.whole_and_disagreement(&results, measure, work);
        let spread = results.spread;
        let mut of_machine = None;
        if let Some(whole) = &mut whole {
            let rows = absolutely.as_ref().unwrap_or(&results.rows);
            let found = Machine { rows, calls }.factor(&mut unchanged);
            if let Some((factor, alike)) = found {
                of_machine = Some(alike.note(whole.measure, measure));
                whole.alike = Some(alike);
                if alike.taken_out && whole.measure == measure {
                    results = self.functions(measure, factor);
                }
            }
        }
        self.add_own_without_gc(&mut results, measure);
        let (moved, left_out) =
            self.decided_and_explained(&mut results, measure, (code, calls, &mut unchanged));
        let mut cuts = Cuts::default();
        cuts.add(NoteKind::FindingsCut, left_out, MOST_FINDINGS);
        let functions = results.rows.into_iter().map(|row| row.change);
        Answered {
            functions: in_order(functions.collect(), &moved),
            moved,
            whole,
            spread,
            of_machine,
            disagreement,
            cuts,
        }
    }

    /// Their changes, without the factor of the machine.
    fn functions(&self, measure: Measure, machine: Factor) -> Functions {
        let mut columns = vec![Column::Itself, Column::Total];
        columns.extend(self.has_own.then_some(Column::Own));
        let pairs: Vec<Vec<Pair>> = self
            .matches
            .iter()
            .map(|each| {
                let of = |column: &Column| self.pair_of(each, *column, measure);
                columns.iter().map(of).collect()
            })
            .collect();
        let all: Vec<&Pair> = pairs.iter().flatten().collect();
        let mut spread = Spread::learn(
            all.iter().map(|pair| (&pair.base, &pair.new)),
            self.options.paired,
            measure,
        );
        spread.machine = machine;
        let mut changes = changes(&all, &spread, self.options.each_capture).into_iter();
        let mut rows = Vec::new();
        for each in self.matches {
            let (itself, total) = (changes.next(), changes.next());
            let own = self.has_own.then(|| changes.next()).flatten();
            if let (Some(itself), Some(total)) = (itself, total)
                && (total.is_sampled() || itself.is_sampled())
            {
                rows.push(Row {
                    functions: *each,
                    change: self.function_change(*each, (itself, total, own)),
                    is_uncharged: false,
                });
            }
        }
        Functions { rows, spread }
    }

    /// Decides on the rows of which collections make the change, then explains all, and returns the work that moved,
    /// and how many such findings more there are.
    fn decided_and_explained(
        &self,
        functions: &mut Functions,
        measure: Measure,
        (code, calls, unchanged): (&Code<'_>, &CallGraph, &mut UnchangedCode<'_, '_>),
    ) -> (Vec<Moved>, usize) {
        let Functions { rows, spread } = functions;
        let spread = &*spread;
        let (base, new) = (self.base, self.new);
        let collections = Collections {
            base,
            new,
            measure,
            calls,
            spread,
        };
        collections.decide(rows, unchanged);
        let explaining = Explaining {
            base,
            new,
            measure,
            calls,
            code,
            spread,
        };
        explaining.explain(rows, unchanged)
    }

    /// Own time without collections: questions of their own, which take nothing from the claims about
    /// other figures.
    fn add_own_without_gc(&self, functions: &mut Functions, measure: Measure) {
        if !self.has_own {
            return;
        }
        let pairs: Vec<Pair> = functions
            .rows
            .iter()
            .map(|row| self.pair_of(&row.functions, Column::OwnWithoutGc, measure))
            .collect();
        let changes = self.changes_of(&pairs, &functions.spread);
        for (row, change) in functions.rows.iter_mut().zip(changes) {
            row.change.own_without_gc = Some(change);
        }
    }

    fn function_change(
        &self,
        each: Match,
        (itself, total, own): (Change, Change, Option<Change>),
    ) -> FunctionChange {
        let base = each.base.map(|id| self.base.catalogue.get(id));
        let new = each.new.map(|id| self.new.catalogue.get(id));
        let shown = new.or(base);
        let text = |of: fn(&crate::identity::KnownFunction) -> &str| {
            shown.map_or_else(String::new, |known| of(known).to_owned())
        };
        let function = text(|known| &known.shown);
        let base_function = base.map(|known| known.shown.clone());
        let kind = shown.map_or(FrameKind::Marker, |known| known.kind);
        let is_own = own.as_ref().is_some_and(Change::is_sampled);
        FunctionChange {
            group: RowGroup::of(&function, kind, is_own),
            base_function: base_function.filter(|name| *name != function),
            function,
            matched_by: each.by,
            unmatched: each.unmatched,
            path: self.path(each),
            kind,
            file: text(|known| &known.file),
            line: shown.map_or(0, |known| known.head_line),
            base_file: new.and(base).map(|known| known.file.clone()),
            base_line: new.and(base).map(|known| known.head_line),
            itself,
            total,
            own,
            own_without_gc: None,
            remark: each.is_defined_there.then_some(Remark::NotSampledThere),
            touched: None,
            wrapper_of: None,
        }
    }

    /// The name of a function, on the newer side where it has it.
    fn shown(&self, each: &Match) -> &str {
        let new = each.new.map(|id| self.new.catalogue.get(id));
        let base = || each.base.map(|id| self.base.catalogue.get(id));
        new.or_else(base).map_or("", |known| &known.shown)
    }

    /// The whole program, the changes that the functions' normalisation claims and the whole's
    /// does not, and the rows by the latter where it is another one.
    fn whole_and_disagreement(
        &self,
        shown: &Functions,
        measure: Measure,
        work: Option<&str>,
    ) -> (Option<Whole>, Option<Note>, Option<Vec<Row>>) {
        match absolute(self.base, self.new, measure, work.is_some()) {
            Some(absolute) => {
                let absolutely = self.functions(absolute, Factor::default());
                let found = Disagreement::between(&shown.rows, &absolutely.rows);
                let whole = self.whole(absolute, work);
                (
                    Some(whole),
                    found.note(measure, absolute),
                    Some(absolutely.rows),
                )
            }
            None => {
                let of_whole = measure_of_whole(self.base, self.new, work.is_some());
                let is_shown = of_whole == Some(measure);
                let whole = is_shown.then(|| self.whole(measure, work));
                (whole, None, None)
            }
        }
    }

    fn whole(&self, measure: Measure, work: Option<&str>) -> Whole {
        let pair = self.pair(Some(Tally::Whole), Some(Tally::Whole), measure);
        let spread = Spread::of_whole(&pair.base, &pair.new, self.options.paired);
        let visible = smallest_visible_pct(&pair.base, &pair.new, &spread);
        let values =
            |side: &SideEstimate| side.captures.iter().map(CaptureEstimate::value).collect();
        Whole {
            measure,
            unit: measure.unit(work),
            base_captures: values(&pair.base),
            new_captures: values(&pair.new),
            smallest_visible_pct: visible,
            alike: None,
            change: change_alone(&pair, &spread, self.options.each_capture),
        }
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
        let changes = self.changes_of(&pairs, spread);
        let rows = classes.into_iter().zip(changes);
        let mut rows: Vec<_> = rows
            .map(|(class, change)| ClassChange { class, change })
            .collect();
        rows.shared_sort_by(|a, b| a.change.larger_first(&b.change));
        rows
    }

    fn changes_of(&self, pairs: &[Pair], spread: &Spread) -> Vec<Change> {
        let pairs: Vec<&Pair> = pairs.iter().collect();
        changes(&pairs, spread, self.options.each_capture)
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
        let changes = self.changes_of(&pairs, spread);
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

    /// The file of a function in the repository of the side that it is shown as on.
    fn path(&self, each: Match) -> Option<String> {
        let [of_base, of_new] = &self.paths;
        let (paths, known) = match (each.new, each.base) {
            (Some(id), _) => (of_new, self.new.catalogue.get(id)),
            (None, Some(id)) => (of_base, self.base.catalogue.get(id)),
            (None, None) => return None,
        };
        paths.find(&known.file).map(str::to_owned)
    }
}
