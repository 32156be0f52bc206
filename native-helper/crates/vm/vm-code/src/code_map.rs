//! One sorted index over the code of all modules.

use std::collections::BTreeMap;
use std::sync::Arc;

use erlang_stack::TraceReturns;
use shared_map::HashMap;

use super::blob::{CodeRange, LineEntry, ModuleCode};
use super::range_names::{PROLOGUE, RangeName, parse_range_name};
use vm_layout::trace_returns::{JIT_MODULE, TRACE_INSTRUCTIONS};
use vm_tables::names::split_mfa;

/// Name the VM gives the pseudo-module of shared fragments; the real module `global` has it too.
const FRAGMENTS: &str = "global";

/// The module that the emulator itself makes of its own instructions: to the VM it is none.
pub const EMULATORS_OWN: &str = JIT_MODULE;

/// Generations of one module that a VM has at a time.
const MAX_GENERATIONS: usize = 2;

/// Addresses `[start, end)` of one module. Segments never overlap.
#[derive(Debug, Clone)]
struct Segment {
    start: u64,
    end: u64,
    module: Arc<ModuleCode>,
}

/// Segments are grouped by their start: one group for each range of this many bytes.
const GROUP_SHIFT: u32 = 20;

/// Program counter to code, over every module at one moment.
#[derive(Debug, Clone, Default)]
pub struct CodeMap {
    /// None of them empty, ascending. Maps of a VM at several moments share those that are equal:
    /// a load changes one or two, and a moment is kept for each load of the last seconds.
    groups: Vec<Arc<[Segment]>>,
}

/// The code at a program counter.
#[derive(Debug, Clone)]
pub struct CodeLocation {
    /// The module.
    pub module: Arc<ModuleCode>,
    /// The range.
    pub range: CodeRange,
    /// The meaning of the range.
    pub name: RangeName,
    /// Source file of both lines; empty when the module has no line information.
    pub file: Box<str>,
    /// Line at or before the program counter; 0 when unknown.
    pub line: u32,
    /// Line of the function head; 0 when unknown, or in another file: code that a macro, a header, a generator or a
    /// template brought.
    pub head_line: u32,
}

impl CodeLocation {
    /// It is before the first instruction of a function: in its description, or where a call of it begins.
    pub(crate) fn is_before_function(&self) -> bool {
        self.module.range_name(&self.range).ends_with(PROLOGUE)
    }
}

impl CodeMap {
    /// Joins modules given newest first: where two claim the same addresses, the newer one is right.
    /// OTP 25 never forgets code it has purged; but a VM has no more than two generations of a
    /// module, the current one and the old one, so older generations no longer exist, and other code
    /// is at their addresses.
    pub fn new(newest_first: &[Arc<ModuleCode>]) -> Self {
        let mut generations: HashMap<&str, usize> = HashMap::new();
        let alive = newest_first.iter().filter(|&module| {
            // The fragments share their name with a module and are loaded once.
            if is_fragments(module) {
                return true;
            }
            let generation = generations.entry(&module.name).or_default();
            *generation += 1;
            *generation <= MAX_GENERATIONS
        });
        let alive: Vec<Segment> = alive.filter_map(Segment::of).collect();
        let segments = apart(&alive).unwrap_or_else(|| {
            let mut painted: BTreeMap<u64, Segment> = BTreeMap::new();
            for segment in alive.into_iter().rev() {
                paint(&mut painted, segment);
            }
            painted.into_values().collect()
        });
        let groups = segments.chunk_by(|a, b| a.group() == b.group());
        Self {
            groups: groups.map(Arc::from).collect(),
        }
    }

    /// The same map, sharing the equal parts of `other`.
    pub(crate) fn sharing_with(mut self, other: &Self) -> Self {
        let mut others = other.groups.iter().peekable();
        for group in &mut self.groups {
            let number = group_of(group);
            while others.next_if(|other| group_of(other) < number).is_some() {}
            let equal = others.peek().filter(|other| {
                let pairs = || group.iter().zip(other.iter());
                group.len() == other.len() && pairs().all(|(a, b)| a.is_same(b))
            });
            if let Some(equal) = equal {
                *group = Arc::clone(equal);
            }
        }
        self
    }

    fn all_segments(&self) -> impl Iterator<Item = &Segment> {
        self.groups.iter().flat_map(|group| group.iter())
    }

    /// Modules known, fragments included.
    pub fn modules(&self) -> impl Iterator<Item = &Arc<ModuleCode>> {
        self.all_segments().map(|segment| &segment.module)
    }

    /// Addresses and the module that claims them, ascending; a module that newer code overlays in
    /// part has more than one entry.
    pub fn segments(&self) -> impl Iterator<Item = (std::ops::Range<u64>, &Arc<ModuleCode>)> {
        self.all_segments()
            .map(|segment| (segment.start..segment.end, &segment.module))
    }

    /// Where code is: start and end of each stretch of one module.
    pub fn bounds(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let of = |segment: &Segment| (segment.start, segment.end);
        self.all_segments().map(of)
    }

    /// The newest generation of each of the modules that this is a map of, without the emulator's own, and whether
    /// there is an older one. A generation whose place other code has taken is gone, and is left out; so is one of
    /// which no function is known. Where modules come in no order of age, it is not known which is the newest.
    pub fn newest<'m>(
        &self,
        newest_first: &'m [Arc<ModuleCode>],
    ) -> Vec<(&'m Arc<ModuleCode>, bool)> {
        let mut claimed: HashMap<*const ModuleCode, u64> = HashMap::new();
        for Segment { start, end, module } in self.all_segments() {
            *claimed.entry(Arc::as_ptr(module)).or_default() += end - start;
        }
        let known = newest_first.iter().filter(|module| {
            let is_whole = claimed.get(&Arc::as_ptr(module)) == Some(&u64::from(module.code_bytes));
            let is_of_emulator = &*module.name == EMULATORS_OWN || is_fragments(module);
            is_whole && !module.ranges.is_empty() && !is_of_emulator
        });
        let mut newest: Vec<(&'m Arc<ModuleCode>, bool)> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for module in known {
            if let Some(place) = places.get(&*module.name) {
                newest[*place].1 = true;
            } else {
                places.insert(&module.name, newest.len());
                newest.push((module, false));
            }
        }
        newest
    }

    /// Where the descriptions of functions (`ErtsCodeInfo`) are. `is_compiled`: by a JIT.
    pub fn function_descriptions(&self, is_compiled: bool) -> impl Iterator<Item = u64> + '_ {
        let segments = self.all_segments();
        let modules = segments.filter(|segment| segment.start == segment.module.base);
        modules.flat_map(move |Segment { module, .. }| {
            let described = module.ranges.iter().filter(move |range| {
                let name = module.range_name(range);
                match is_compiled {
                    true => name.ends_with(PROLOGUE),
                    false => split_mfa(name).is_some(),
                }
            });
            described.filter_map(|range| module.base.checked_add(u64::from(range.start)))
        })
    }

    /// The return addresses of traced calls: in the emulator's own module, in which all stacks end.
    pub(crate) fn trace_returns(&self, normal_exit: u64) -> TraceReturns {
        let own = self.module_at(normal_exit);
        let own = own.filter(|module| &*module.name == EMULATORS_OWN);
        let found = own.into_iter().flat_map(|module| {
            TRACE_INSTRUCTIONS.iter().filter_map(|instruction| {
                let mut ranges = module.ranges.iter();
                let range =
                    ranges.find(|range| module.range_name(range) == instruction.function)?;
                let address = module.base.checked_add(u64::from(range.start))?;
                Some((address, instruction.pointer_follows))
            })
        });
        TraceReturns::new(found)
    }

    /// The shared fragments.
    pub fn fragments(&self) -> Option<&Arc<ModuleCode>> {
        self.modules().find(|module| is_fragments(module))
    }

    /// Identity of the code at `address`: equal identities mean the same generation of code.
    pub fn identity_at(&self, address: u64) -> Option<usize> {
        self.segment_at(address)
            .map(|segment| Arc::as_ptr(&segment.module) as usize)
    }

    /// True for code of a module of which no function is known.
    pub fn is_unknown_code(&self, address: u64) -> bool {
        self.segment_at(address)
            .is_some_and(|segment| segment.module.ranges.is_empty())
    }

    /// The module that claims all of these addresses.
    pub(crate) fn module_of(&self, addresses: &std::ops::Range<u64>) -> Option<&Arc<ModuleCode>> {
        let segment = self.segment_at(addresses.start)?;
        (addresses.end <= segment.end).then_some(&segment.module)
    }

    /// The module at an address.
    pub(crate) fn module_at(&self, address: u64) -> Option<&Arc<ModuleCode>> {
        self.segment_at(address).map(|segment| &segment.module)
    }

    /// The code at `pc`. For a return address pass the address of its call, `return_address - 1`.
    pub fn locate(&self, pc: u64) -> Option<CodeLocation> {
        let module = &self.segment_at(pc)?.module;
        let offset = u32::try_from(pc - module.base).ok()?;
        let range = *module.range_at(offset)?;
        let lines = function_lines(module, &range);
        let head = lines.first();
        // A prologue comes before the first line: it is the head's.
        let at = lines.iter().rev().find(|entry| entry.offset <= offset);
        // Without its file, a line is none.
        let at = at.or(head).and_then(|entry| {
            let file = module.files.get(usize::from(entry.file))?;
            Some((entry, file))
        });
        let head = head.filter(|head| at.is_some_and(|(entry, _)| entry.file == head.file));
        let not_its_own = head.filter(|_| {
            at.is_some_and(|(_, file)| is_of_template(module, module.range_name(&range), file))
        });
        let line_of = |entry: &LineEntry| match not_its_own {
            Some(macro_call) if macro_call.line == entry.line => 0,
            _ => entry.line,
        };
        Some(CodeLocation {
            name: parse_range_name(module.range_name(&range), is_fragments(module)),
            file: at.map(|(_, file)| file.clone()).unwrap_or_default(),
            line: at.map_or(0, |(entry, _)| line_of(entry)),
            head_line: head.map_or(0, line_of),
            range,
            module: Arc::clone(module),
        })
    }

    fn segment_at(&self, address: u64) -> Option<&Segment> {
        let starts_before = |group: &Arc<[Segment]>| {
            group
                .first()
                .is_some_and(|segment| segment.start <= address)
        };
        let group = self.groups.partition_point(starts_before);
        let group = self.groups.get(group.checked_sub(1)?)?;
        let index = group.partition_point(|segment| segment.start <= address);
        group
            .get(index.checked_sub(1)?)
            .filter(|segment| address < segment.end)
    }
}

impl Segment {
    /// All addresses of a module; `None` when it has none.
    fn of(module: &Arc<ModuleCode>) -> Option<Self> {
        let (start, end) = (module.base, module.base + u64::from(module.code_bytes));
        (start < end).then(|| Self {
            start,
            end,
            module: Arc::clone(module),
        })
    }

    fn group(&self) -> u64 {
        self.start >> GROUP_SHIFT
    }

    fn is_same(&self, other: &Self) -> bool {
        (self.start, self.end) == (other.start, other.end)
            && Arc::ptr_eq(&self.module, &other.module)
    }
}

fn group_of(group: &[Segment]) -> u64 {
    group.first().map_or(0, Segment::group)
}

/// The segments by address, if none overlaps another.
fn apart(segments: &[Segment]) -> Option<Vec<Segment>> {
    let mut sorted = segments.to_vec();
    sorted.sort_unstable_by_key(|segment| segment.start);
    let are_apart = sorted.is_sorted_by(|before, after| before.end <= after.start);
    are_apart.then_some(sorted)
}

/// Line entries of the function a range belongs to: a prologue is a range of its own and has none.
fn function_lines<'m>(module: &'m ModuleCode, range: &CodeRange) -> &'m [LineEntry] {
    let own = module.range_lines(range);
    let name = module.range_name(range);
    if let (true, Some(function)) = (own.is_empty(), name.strip_suffix(PROLOGUE)) {
        let next = module.range_at(range.end);
        if let Some(next) = next.filter(|next| module.range_name(next) == function) {
            return module.range_lines(next);
        }
    }
    own
}

/// Whether a function was made of a template. Elixir gives it the template's file and, as its head, the line of the macro
/// that reads the template, which is a line of another file. Its closures have lines of the template.
fn is_of_template(module: &ModuleCode, function: &str, file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    // Erlang modules may have such a name as well. The cells of a notebook have no files of their own:
    // `shop.livemd#cell:1`.
    let is_source = matches!(ending, "" | "ex" | "exs" | "erl" | "hrl" | "yrl" | "xrl");
    let has_heads = is_source || ending.contains('#');
    let is_closure = || split_mfa(function).is_some_and(|(_, name, _)| name.starts_with("'-"));
    module.name.starts_with("Elixir.") && !has_heads && !is_closure()
}

/// The fragments are the module `global` without a code header of its own, and without functions: the
/// image of a module that an interpreter runs has no range for its header.
pub(crate) fn is_fragments(module: &ModuleCode) -> bool {
    let is_of_a_module = |name: &str| name.ends_with("::codeHeader") || split_mfa(name).is_some();
    let mut names = module.ranges.iter().map(|range| module.range_name(range));
    &*module.name == FRAGMENTS && !names.any(is_of_a_module)
}

/// Lays `new` over the existing segments, cutting or removing those it covers.
fn paint(painted: &mut BTreeMap<u64, Segment>, new: Segment) {
    let covered: Vec<u64> = painted
        .range(..new.end)
        .rev()
        .take_while(|(_, segment)| segment.end > new.start)
        .map(|(start, _)| *start)
        .collect();
    for start in covered {
        let Some(old) = painted.remove(&start) else {
            continue;
        };
        if old.start < new.start {
            painted.insert(
                old.start,
                Segment {
                    end: new.start,
                    ..old.clone()
                },
            );
        }
        if new.end < old.end {
            painted.insert(
                new.end,
                Segment {
                    start: new.end,
                    ..old
                },
            );
        }
    }
    painted.insert(new.start, new);
}

#[cfg(test)]
mod tests {
    use super::super::blob::tests::{TestRange, module_blob};
    use super::super::blob::{Blob, NewRange, parse_blob};
    use super::*;

    fn module(name: &str, base: u64, ranges: &[TestRange<'_>]) -> Arc<ModuleCode> {
        let end = ranges.iter().map(|range| range.1).max().unwrap_or(0);
        let Blob::Module(module) = parse_blob(&module_blob(name, base, end, ranges)).unwrap()
        else {
            panic!("not a module")
        };
        Arc::new(module)
    }

    #[test]
    fn return_addresses_of_traced_calls_are_in_the_module_in_which_stacks_end() {
        let ranges: [TestRange<'_>; 5] = [
            (0, 40, "erts_beamasm:normal_exit/0", &[]),
            (40, 80, "erts_beamasm:return_trace/0-CodeInfoPrologue", &[]),
            (80, 100, "erts_beamasm:return_trace/0", &[]),
            (100, 140, "erts_beamasm:return_to_trace/0", &[]),
            (140, 180, "erts_beamasm::codeFooter", &[]),
        ];
        let own = module(JIT_MODULE, 0x1000, &ranges);
        // A module of that name that a user made.
        let other = module(JIT_MODULE, 0x5000, &ranges);
        let map = CodeMap::new(&[other, own]);
        let known = map.trace_returns(0x1000);
        let follows = [0x1000, 0x1028, 0x1050, 0x1064, 0x5050, 0]
            .map(|address| known.pointer_follows(address));
        assert_eq!(follows, [None, None, Some(true), Some(false), None, None]);
        assert_eq!(map.trace_returns(0x9000), TraceReturns::default());
        let is_before = |pc| map.locate(pc).unwrap().is_before_function();
        assert_eq!(
            [0x1028, 0x104f, 0x1050, 0x1000].map(is_before),
            [true, true, false, false]
        );
    }

    #[test]
    fn finds_function_line_and_head_line() {
        let map = CodeMap::new(&[module(
            "m",
            0x1000,
            &[
                (0, 64, "m:f/1", &[(0, 10), (30, 12), (50, 15)]),
                (64, 96, "m:g/0", &[(60, 20)]),
            ],
        )]);
        let at = |pc| map.locate(pc).map(|found| (found.line, found.head_line));
        assert_eq!(at(0x1000), Some((10, 10)));
        assert_eq!(at(0x1000 + 49), Some((12, 10)));
        assert_eq!(at(0x1000 + 63), Some((15, 10)));
        // The head entry of OTP 25 lies a few bytes before its function.
        assert_eq!(at(0x1000 + 64), Some((20, 20)));
        assert_eq!(at(0xfff), None);
        assert_eq!(at(0x1000 + 96), None);
    }

    #[test]
    fn a_head_in_another_file_is_none_of_the_file_of_a_line() {
        let entry = |offset, line, file| LineEntry { offset, line, file };
        let function = NewRange {
            start: 0,
            end: 64,
            name: "pp:yeccpars2_5/7".into(),
            // The third entry names a file that is not there.
            lines: vec![
                entry(0, 246, 0),
                entry(16, 7, 1),
                entry(32, 9, 2),
                entry(48, 247, 0),
            ],
        };
        let files = vec!["pp.erl".into(), "pp.yrl".into()];
        let module = ModuleCode::assemble("pp", 0x1000, 64, vec![function], files).unwrap();
        let map = CodeMap::new(&[Arc::new(module)]);
        let at = |pc| {
            let found = map.locate(pc).unwrap();
            (found.file.to_string(), found.line, found.head_line)
        };
        assert_eq!(at(0x1000), ("pp.erl".into(), 246, 246));
        assert_eq!(at(0x1010), ("pp.yrl".into(), 7, 0));
        assert_eq!(at(0x1020), (String::new(), 0, 0));
        assert_eq!(at(0x1030), ("pp.erl".into(), 247, 246));
    }

    #[test]
    fn the_macro_that_reads_a_template_is_no_line_of_it() {
        let entry = |offset, line| LineEntry {
            offset,
            line,
            file: 0,
        };
        let lines = |function: &str, file: &str| {
            let function = NewRange {
                start: 0,
                end: 64,
                name: function.into(),
                lines: vec![entry(0, 14), entry(16, 2), entry(32, 14)],
            };
            let files = vec![file.into()];
            let module = ModuleCode::assemble("Elixir.Page", 0x1000, 64, vec![function], files);
            let map = CodeMap::new(&[Arc::new(module.unwrap())]);
            [0x1000, 0x1010, 0x1020].map(|pc| {
                let found = map.locate(pc).unwrap();
                (found.line, found.head_line)
            })
        };
        let page = "'Elixir.Page':page/1";
        for template in ["lib/page.html.heex", "lib/page.html-eex", "priv/mail.txt"] {
            assert_eq!(lines(page, template), [(0, 0), (2, 0), (0, 0)]);
        }
        let as_reported = [(14, 14), (2, 14), (14, 14)];
        for file in [
            "lib/page.ex",
            "page.exs",
            "nofile",
            "shop.livemd#cell:1",
            "src/Elixir.Page.erl",
            "src/page.yrl",
        ] {
            assert_eq!(lines(page, file), as_reported, "{file}");
        }
        let closure = "'Elixir.Page':'-page/1-fun-0-'/2";
        assert_eq!(lines(closure, "lib/page.html.heex"), as_reported);
    }

    #[test]
    fn a_prologue_is_at_the_head_of_its_function() {
        let ranges: [TestRange<'_>; 3] = [
            (0, 8, "m:f/1-CodeInfoPrologue", &[]),
            (8, 64, "m:f/1", &[(6, 10), (30, 12)]),
            (64, 72, "m:g/0-CodeInfoPrologue", &[]),
        ];
        let map = CodeMap::new(&[module("m", 0x1000, &ranges)]);
        let at = |pc| map.locate(pc).map(|found| (found.line, found.head_line));
        assert_eq!(at(0x1002), Some((10, 10)));
        assert_eq!(at(0x1000 + 40), Some((12, 10)));
        assert_eq!(at(0x1000 + 64), Some((0, 0)), "whose function is not there");
    }

    #[test]
    fn newer_code_wins_and_the_rest_of_older_code_stays() {
        let old = module("old", 0x1000, &[(0, 0x100, "old:f/0", &[])]);
        let new = module("new", 0x1040, &[(0, 0x40, "new:f/0", &[])]);
        let map = CodeMap::new(&[new, old]);
        let name = |pc| map.locate(pc).map(|found| found.module.name.to_string());
        assert_eq!(name(0x1000).as_deref(), Some("old"));
        assert_eq!(name(0x1040).as_deref(), Some("new"));
        assert_eq!(name(0x107f).as_deref(), Some("new"));
        assert_eq!(name(0x1080).as_deref(), Some("old"));
    }

    #[test]
    fn of_a_module_there_are_two_generations_at_most() {
        let generation = |index: u64| module("m", 0x1000 * index, &[(0, 0x40, "m:f/0", &[])]);
        let map = CodeMap::new(&[generation(3), generation(2), generation(1)]);
        assert!(map.locate(0x3000).is_some() && map.locate(0x2000).is_some());
        assert!(
            map.locate(0x1000).is_none(),
            "it was purged, whatever the list says"
        );
    }

    #[test]
    fn of_each_module_the_newest_generation_is_counted_and_what_is_gone_is_not() {
        let sized = |name: &str, base: u64, bytes: u32| {
            let function = format!("{name}:f/0");
            module(name, base, &[(0, bytes, &function, &[])])
        };
        let modules = [
            sized("m", 0x1000, 0x40),
            sized("taker", 0x3020, 0x10),
            sized("m", 0x2000, 0x60),
            sized("gone", 0x3000, 0x40),
        ];
        let map = CodeMap::new(&modules);
        let newest = map.newest(&modules);
        let newest = newest
            .iter()
            .map(|(module, has_older)| (&*module.name, module.base, *has_older));
        assert_eq!(
            newest.collect::<Vec<_>>(),
            [("m", 0x1000, true), ("taker", 0x3020, false)]
        );
    }

    #[test]
    fn maps_of_two_moments_share_what_did_not_change() {
        let at = |base: u64| module(&format!("m{base:x}"), base, &[(0, 64, "m:f/0", &[])]);
        let stays: Vec<_> = (0..200u64).map(|index| at(index << 16)).collect();
        let before = CodeMap::new(&stays);
        let now: Vec<_> = [at(0x31_8000)].iter().chain(&stays).cloned().collect();
        let after = CodeMap::new(&now).sharing_with(&before);
        let pairs = before.groups.iter().zip(&after.groups);
        let shared = pairs.filter(|(a, b)| Arc::ptr_eq(a, b)).count();
        assert_eq!((before.groups.len(), shared), (13, 12));
        assert!(before.module_at(0x31_8000).is_none());
        assert_eq!(after.module_at(0x31_8010).unwrap().base, 0x31_8000);
        for module in &stays {
            assert_eq!(
                after.identity_at(module.base + 63),
                before.identity_at(module.base)
            );
            assert!(after.module_at(module.base + 64).is_none());
        }
        // Different modules at the same places are not shared.
        let others: Vec<_> = (0..200u64).map(|index| at(index << 16)).collect();
        let other = CodeMap::new(&others).sharing_with(&before);
        assert_ne!(other.identity_at(0), before.identity_at(0));
    }

    #[test]
    fn a_module_that_begins_in_one_group_is_found_in_the_next() {
        let long = module("long", 0xf_ff00, &[(0, 0x20_0000, "long:f/0", &[])]);
        let next = module("next", 0x30_0000, &[(0, 64, "next:f/0", &[])]);
        let map = CodeMap::new(&[long, next]);
        let name = |pc| map.locate(pc).map(|found| found.module.name.to_string());
        assert_eq!(name(0x1f_0000).as_deref(), Some("long"));
        assert_eq!(name(0x2f_ff00), None);
        assert_eq!(name(0x30_0000).as_deref(), Some("next"));
    }

    #[test]
    fn the_module_global_is_not_the_fragments() {
        let fragments = module("global", 0x1000, &[(0, 8, "global::garbage_collect", &[])]);
        let real = module(
            "global",
            0x2000,
            &[
                (0, 8, "global::codeHeader", &[]),
                (8, 16, "global:start/0", &[]),
            ],
        );
        let interpreted = module("global", 0x3000, &[(0, 8, "global:stop/0", &[])]);
        let map = CodeMap::new(&[interpreted]);
        assert!(map.fragments().is_none());
        let map = CodeMap::new(&[real, fragments]);
        assert_eq!(map.fragments().unwrap().base, 0x1000);
        assert!(matches!(
            map.locate(0x1000).unwrap().name,
            RangeName::Fragment(_)
        ));
        assert!(matches!(
            map.locate(0x2008).unwrap().name,
            RangeName::Function { .. }
        ));
    }
}
