// Generated from native-helper/crates/service/editor-module. Do not edit. To write it again, in native-helper/:
// cargo run -p editor-module --example generate-types > ../contract/editor-module.generated.ts

/** Time on both sides, in the unit of the normalisation. */
export type Amount = {
  /** On the older side. */
  base: number,
  /** On the newer side. */
  new: number, };

/** A comparison, or why there is none. */
export type Answer = { "type": "compared", "value": Compared } | { "type": "written", "value": string } | { "type": "refused", "value": Refused } | { "type": "unread", "value": UnreadCapture } | { "type": "failed", "value": string };

/** Native work of one class, for one Erlang function. */
export type BlameChange = {
  /** The class. */
  class: SampleClass,
  /** The nearest Erlang function. */
  function: string,
  /** Value on the older side, in the unit of the normalisation. */
  base: number,
  /** Value on the newer side. */
  new: number,
  /** Samples on the older side; where samples have weights, how many of one weight would be as informative. */
  base_samples: number,
  /** The same on the newer side. */
  new_samples: number,
  /** `new` against `base`, percent; null where a side has nothing. */
  change_pct: number | null,
  /** 95 % of such intervals hold the true change, of the whole 99 %. */
  low_pct: number | null,
  /** Upper end. */
  high_pct: number | null,
  /** The verdict. */
  verdict: Verdict,
  /** The value in each capture, if requested. */
  captures?: EachCapture, };

/** Sums over the blocks of one capture, for one tally. */
export type BlockSums = {
  /** Samples, each by its weight: the mean sample of the capture is one. */
  count: number,
  /** Sum of the squares of the blocks' counts. */
  squares: number,
  /** Sum of the blocks' counts times their busy samples. */
  products: number,
  /** Sum of the squares of the weights of the samples, in weights of the mean sample: `count` where all have one weight. */
  weight_squares: number, };

/**
 * The build that the VM runs, as the VM itself reports it: to find the sources of a capture that was
 * taken elsewhere. Texts are empty when the fact is not known.
 */
export type BuildFacts = {
  /** Name of the release: `shop`. */
  release: string,
  /** Its version: `1.2.3`. */
  version: string,
  /** Versions of libraries, by name, from the folders that the capture names: `lib/shop-1.2.3`. */
  libraries: { [key in string]: string },
  /**
   * From a module that the capture names a function of (without quotes) to the MD5 that the VM has of
   * it, 32 hexadecimal digits in lower case; of the last one that was loaded.
   */
  modules: { [key in string]: string },
  /** Modules that were replaced by another build during the capture. */
  replaced: Array<string>,
  /** There are more modules than the list has. */
  cut: boolean, };

/** One build. */
export type BuildMatch = {
  /** Its folder below the workspace; empty for the workspace itself. */
  build: string,
  /** The VM runs the code that this workspace built. */
  is_whole: boolean,
  /** Modules with the checksum that the VM has. */
  matching: number,
  /** Those of them that are made of sources of the workspace. */
  own_matching: number,
  /** Modules with another checksum. */
  differing: Array<string>,
  /** The workspace's modules that this build lacks. */
  missing: Array<string>,
  /** Modules that were replaced during the capture, so that it is of more than one build. */
  replaced: Array<string>,
  /** Sources that were changed after they were built, the first ones: the build is not of them. */
  newer_sources: Array<string>,
  /** Name of the release in it whose version the capture names; empty when there is none. */
  release: string,
  /** Its version. */
  version: string, };

/** The builds, or the reason why there are none. */
export type BuildsAnswer = { "type": "found", "value": FoundBuilds } | { "type": "failed", "value": string };

/** Files of a workspace, to compare with the facts of a capture about its build. */
export type BuildsRequest = {
  /** The facts of the capture. */
  facts: BuildFacts,
  /** Modules, sources and descriptions of projects. */
  files: Array<FileRequest>, };

/** One capture, counted. */
export type CaptureCounts = {
  /** By tally, as far as the capture has any. */
  sums: Array<BlockSums>,
  /** Blocks; 1 when the samples have no times. */
  blocks: number,
  /** Samples that are not idle. */
  busy: number,
  /** Sum of the squares of the blocks' busy samples. */
  busy_squares: number,
  /** Seconds. */
  seconds: number,
  /** Processor time that a sample stands for, seconds. */
  sample_seconds: number,
  /** Units of work; 0 when not counted. */
  work: number, };

/** A capture; what `read_capture` made of its file follows the request, those of the base first. */
export type CaptureRequest = {
  /** Name of the capture. */
  name: string,
  /**
   * Functions of the user's own, each by name and file as the capture has them; null when that is
   * not known.
   */
  own: Array<[string, string]> | null,
  /**
   * The type of its samples to compare: `off-cpu`. The first one that it has where this is absent, and where it
   * has none of this type.
   */
  sample_type?: string, };

/** A capture. */
export type CaptureToCount = {
  /** Name of the capture. */
  name: string,
  /** How many of the bytes are its file. */
  bytes: number, };

/** A reason why an answer is worth less. */
export type Caution = "no_work" | "one_capture";

/** The result of the intervals of all figures that a condition names. */
export type Certainty = "beyond" | "within" | "unknown";

/** How much something changed. */
export type Change = {
  /** Value on the older side, in the unit of the normalisation. */
  base: number,
  /** Value on the newer side. */
  new: number,
  /** Samples on the older side; where samples have weights, how many of one weight would be as informative. */
  base_samples: number,
  /** The same on the newer side. */
  new_samples: number,
  /** `new` against `base`, percent; null where a side has nothing. */
  change_pct: number | null,
  /** 95 % of such intervals hold the true change, of the whole 99 %. */
  low_pct: number | null,
  /** Upper end. */
  high_pct: number | null,
  /** The verdict. */
  verdict: Verdict,
  /** The value in each capture, if requested. */
  captures?: EachCapture, };

/** One class of samples. */
export type ClassChange = {
  /** The class; null for samples of profiles without classes. */
  class: SampleClass | null,
  /** Value on the older side, in the unit of the normalisation. */
  base: number,
  /** Value on the newer side. */
  new: number,
  /** Samples on the older side; where samples have weights, how many of one weight would be as informative. */
  base_samples: number,
  /** The same on the newer side. */
  new_samples: number,
  /** `new` against `base`, percent; null where a side has nothing. */
  change_pct: number | null,
  /** 95 % of such intervals hold the true change, of the whole 99 %. */
  low_pct: number | null,
  /** Upper end. */
  high_pct: number | null,
  /** The verdict. */
  verdict: Verdict,
  /** The value in each capture, if requested. */
  captures?: EachCapture, };

/** The sides to compare, and how. */
export type CompareRequest = {
  /** The older side. */
  base: SideRequest,
  /** The newer side. */
  new: SideRequest,
  /** The normalisation; per unit of work where every capture has counted work, else shares. */
  measure: Measure | null,
  /** Captures with time in the kernel are compared with captures without it, too. */
  anyway: boolean,
  /** Sources of the older side, by the path that captures name. */
  base_texts: { [key in string]: TextRequest },
  /** The same of the newer side. */
  new_texts: { [key in string]: TextRequest },
  /**
   * Files that git reports as renamed, or that one commit lacks: the path in the repository on the older side and the
   * path on the newer side, empty where that has none.
   */
  renamed: Array<[string, string]>,
  /** Headers of Erlang that differ between both commits: paths in the repository. */
  changed_headers?: Array<string>,
  /** The other headers of the newer commit, where any differ. */
  headers?: Array<TextRequest>,
  /** Files of Erlang modules that differ between both commits: paths in the repository. */
  changed_modules?: Array<string>,
  /** The settings of rebar3 (`rebar.config`) of the newer commit, where a module differs. */
  settings?: Array<TextRequest>,
  /**
   * Files with settings of the build or versions of dependencies that differ between both commits: paths in the
   * repository.
   */
  changed_build?: Array<string>,
  /** Files of Elixir that differ between both commits, as each of them has it. */
  changed_elixir?: Array<TextRequest>,
  /** The other files of Elixir of the newer commit, where one with macros differs. */
  other_elixir?: Array<TextRequest>,
  /**
   * Files that captures of both sides name and the commits have, whose texts were not read; the most that are read
   * of a side.
   */
  unread_texts?: [number, number],
  /** Conditions to judge, as `extrospect diff --fail-if` takes them. */
  fail_if?: Array<string>,
  /** The comparison as a text to share, as `extrospect diff` writes it. */
  written?: WrittenRequest, };

/** A comparison, and the answers to the conditions of the request. */
export type Compared = {
  /** The comparison. */
  comparison: Comparison,
  /** In the order of the request. */
  conditions: Array<JudgedCondition>, };

/** Two sides, compared. */
export type Comparison = {
  /** The normalisation of the figures. */
  measure: Measure,
  /** Their unit, for people. */
  unit: string,
  /**
   * Name of the unit of work, where all captures counted the same: then the normalisation `work` is
   * to be had.
   */
  work?: string,
  /** The older side. */
  base: SideSummary,
  /** The newer side. */
  new: SideSummary,
  /** How the intervals came about. */
  method: Method,
  /** The remarks that a reader needs before believing it. */
  notes: Array<Note>,
  /** The whole program; absent where the captures have no processor time. */
  whole?: Whole,
  /** Functions with the largest difference first. */
  functions: Array<FunctionChange>,
  /** Classes of samples (GC, copying, ...), the largest difference first. */
  classes: Array<ClassChange>,
  /** The functions that classes of native work are done for, the largest difference first. */
  blame: Array<BlameChange>,
  /** Work that is done in another function than before. */
  moved?: Array<Moved>,
  /** The VMs' figures about themselves during the captures; absent where a side has none. */
  tracks?: Array<TrackChange>, };

/** A file to convert; its bytes follow. */
export type ConvertRequest = {
  /** The event of a recording that has several; null where none is chosen. */
  event: string | null, };

/** The result of converting a file. */
export type Converted = { "type": "profile",
  /** Format of the file, in English. */
  format: string,
  /** The omissions and assumptions of the conversion, one sentence each, in English. */
  notes: Array<string>, } | { "type": "as_it_is" } | { "type": "several_events",
  /** All of them. */
  events: Array<EventOfFile>, } | { "type": "unread",
  /** Why, for callers that have words of their own for it. */
  reason: UnreadReason,
  /** Why, in English. */
  text: string, } | { "type": "failed",
  /** Why, in English. */
  why: string, };

/** The result of counting captures. */
export type CountAnswer = { "type": "counted", "value": CountedCaptures } | { "type": "failed", "value": string };

/** Captures to be counted; their bytes follow the request. */
export type CountRequest = {
  /** The question that the history answers. */
  question: HistoryQuestion,
  /** In the order of their bytes. */
  captures: Array<CaptureToCount>, };

/** A capture, counted. Receivers hand it on as it is. */
export type CountedCapture = {
  /** Its name in messages. */
  name: string,
  /** When it was started, milliseconds since 1970; 0 when not known. */
  started_unix_ms: number,
  /** The commit's whole name; empty when not known. */
  commit: string,
  /** Git's description of the commit; empty when not known. */
  describe: string,
  /** The sources differed from it. */
  dirty: boolean,
  /** Its file ends in the middle, or was not closed or written to its end. */
  cut: boolean,
  /** The known facts about the project. */
  project: Project,
  /** Name of the host and model of its processor; empty where not known. */
  machine: [string, string],
  /**
   * The other tool that it is from, empty where that is not known; `None` for a capture of
   * Extrospect.
   */
  other_tool: string | null,
  /** It has memory, not time. */
  is_of_memory: boolean,
  /** It has how long processes waited. */
  is_of_waiting: boolean,
  /** Name of the unit of work, where that can be used. */
  work: string | null,
  /** Whether time in the kernel is in it, where it records that. */
  kernel_time: boolean | null,
  /** Whether calls were traced, where that is known. */
  traced: boolean | null,
  /** Whether messages or events of processes were traced, where that is known. */
  traced_processes: boolean | null,
  /** The processor time that its VM was given. */
  given_time: GivenTime,
  /** Why its VM was halted, where it was. */
  halted: StandstillReason | null,
  /** The facts that should be the same for all captures. */
  facts: Array<[NoteKind, string]>,
  /** Functions that it has most of. */
  frequent: Array<string>,
  /** The samples of functions of Erlang, and the builds of their modules. */
  erlang: ErlangTimes,
  /** The whole, and of each function the time in itself and in all that it calls. */
  counts: CaptureCounts, };

/** Captures, counted. */
export type CountedCaptures = {
  /** In the order of the request. */
  captures: Array<CountedCapture>,
  /** Those that could not be read. */
  unread: Array<UnreadCapture>, };

/**
 * The kind of defect of a profile of a known format, for callers that have words of their own for it. Kinds that a user
 * treats alike are one.
 */
export type Defect = { "kind": "cut" } | { "kind": "json",
  /** The line where reading stopped, from 1. */
  line: number,
  /** The column in the line. */
  column: number, } | { "kind": "lines",
  /** How many. */
  count: number,
  /** The first of them, from 1; null where that is not known. */
  first: number | null, } | { "kind": "unknown_word",
  /** As the file has it. */
  word: string, } | { "kind": "inconsistent",
  /** The part, as the format names it: `nodes[3]`. */
  part: string, } | { "kind": "no_samples" } | { "kind": "below_zero" } | { "kind": "unprocessed" } | { "kind": "other_revision" };

/** Why a gate cannot tell, and what would decide it. */
export type Doubt = {
  /** The kind of reason, for callers that have words of their own for it. */
  reason: Reason,
  /** Its arguments, in the order that the words need. */
  values: Array<string>,
  /** In English. */
  text: string,
  /** What would decide, in English. */
  fix: string,
  /** How many captures of this length on each side would decide, where so many would. */
  captures?: number,
  /** How many seconds each capture would have to take, where that would decide. */
  seconds?: number, };

/** The value of something in each capture of both sides, in the order of the captures. */
export type EachCapture = {
  /** Of the older side. */
  base: Array<number>,
  /** Of the newer side. */
  new: Array<number>, };

/** The functions of Erlang that a capture has most of, with the builds of their modules. */
export type ErlangTimes = {
  /** Samples in functions of Erlang themselves, each by its weight. */
  samples: number,
  /** Modules of the functions and of their callers, with the MD5 of each; empty where that is not known. */
  modules: Array<[string, string]>,
  /** The functions. */
  functions: Array<FunctionTime>, };

/** An event of a recording. */
export type EventOfFile = {
  /** As the recording has it: `cpu-clock:ppp`. */
  name: string,
  /** Samples. */
  samples: number, };

/** A file. */
export type FileRequest = {
  /** Path below the workspace, with slashes. */
  path: string,
  /** When it was changed, milliseconds since 1970. */
  modified_ms: number,
  /** How many of the bytes after the request are its content; null when that is not there. */
  bytes: number | null, };

/** One figure compared with a limit. */
export type Finding = {
  /** Its subject: `the whole`, `gc`, `shop:total/1`. */
  name: string,
  /** Which column, of a function. */
  column?: string,
  /** The measured value, in `unit`; null where a side has nothing to compare with. */
  value: number | null,
  /** 95 % of such intervals hold the true value, of the whole 99 %. */
  low: number | null,
  /** Upper end. */
  high: number | null,
  /** They are decreases, as the condition is about functions that became faster or are gone. */
  less?: boolean,
  /** The largest value that is permitted. */
  limit: number,
  /** The unit of all four. */
  unit: string,
  /** How many captures a side would decide, where so many would. */
  captures_to_decide?: number, };

/** The builds that match a capture, with facts about its modules. */
export type FoundBuilds = {
  /**
   * Builds with a module that the capture names: those that match wholly first, then by how many of
   * the workspace's own modules match.
   */
  builds: Array<BuildMatch>,
  /** Modules of which the capture knows the checksum. */
  modules: number,
  /** Those of them that the workspace has sources of. */
  own_modules: number,
  /** What a tag of the release's version may be called, the likeliest first. */
  tags: Array<string>,
  /** Files that are no modules though they are called so, and why; the first ones. */
  unreadable: Array<[string, string]>, };

/** The kind of code that a frame is in. */
export type FrameKind = "erlang" | "bif" | "fragment" | "native" | "nif" | "kernel" | "marker";

/** One function. */
export type FunctionChange = {
  /** As shown on the newer side, else on the older one. */
  function: string,
  /** Its name on the older side, when that differs. */
  base_function?: string,
  /** How the two were matched; null for a function of one side. */
  matched_by: MatchedBy | null,
  /**
   * Why it is not known which function of the other side it is, if any; then its verdict is
   * `not_matched`.
   */
  unmatched?: Unmatched,
  /** Kind of code. */
  kind: FrameKind,
  /** Source file as the VM reports it; empty when not known. */
  file: string,
  /** Line of its head; 0 when not known. */
  line: number,
  /**
   * Its file below the top of the repository, where the captures record it; on the side that `file`
   * is of.
   */
  path?: string,
  /** The same on the older side, when it has it. */
  base_file?: string,
  /** Line of its head there. */
  base_line?: number,
  /** Time in the function itself. */
  self: Change,
  /** Time in the function and its callees. */
  total: Change,
  /** Time that counts for the function as the user's own code. Absent unless requested. */
  own?: Change,
  /** The same without collections. */
  own_without_gc?: Change,
  /** A remark beside the figures. */
  remark?: Remark,
  /**
   * Its code differs between the commits of both sides; absent where that is not known, as of code that neither
   * commit has.
   */
  touched?: boolean,
  /** Whose code it is: the user's own comes first, and the inside of the runtime last. */
  group: RowGroup,
  /** The function that it calls all the time, and whose total is its own. */
  wrapper_of?: string, };

/** The samples of a function. */
export type FunctionTime = {
  /** As the VM spells it. */
  name: string,
  /** Samples in itself. */
  samples: number,
  /** Its module, by its position. */
  module: number,
  /** The modules of all that it was called by. */
  callers: Array<number>, };

/** A condition, judged. */
export type Gate = {
  /** As it was given. */
  condition: string,
  /** The normalisation of its figures. */
  measure: Measure,
  /** Whether something is proven to have changed so, by more than the limit. */
  answer: GateAnswer,
  /** Why it cannot tell, and what would decide. */
  doubts?: Array<Doubt>,
  /** How many more such doubts there are: those of the first figures are kept. */
  more_doubts?: number,
  /** The result by the intervals alone, as a bisection needs it. */
  certainty: Certainty,
  /** The figures that meet it, the largest first. */
  met_by: Array<Finding>,
  /** The figures that it cannot decide: their intervals contain the limit. Those that seem to meet it come first. */
  undecided: Array<Finding>,
  /** How many findings of both kinds there are. */
  counts: [number, number],
  /** The one figure that a condition on the whole or on one function is about. */
  measured?: Finding,
  /** Of a condition on many functions: percent of their time in functions whose interval ends below the limit. */
  known_pct?: number,
  /** Of a condition on functions that the commit touched: how many of them have samples. */
  touched?: number,
  /** Percent of the program's time in them, each with all that it calls, on the side where that is more. */
  touched_pct?: number,
  /**
   * Percent of the time in question, of both sides together, in functions without a known counterpart
   * on the other side: the condition cannot decide whether those became slower.
   */
  unmatched_pct?: number,
  /** Why it may be green, or red, for another reason than the program. */
  cautions?: Array<Caution>, };

/** The answer of a gate. Nothing that was not measured is ever [`Answer::DoesNotHold`]. */
export type GateAnswer = "holds" | "does_not_hold" | "cannot_tell";

/** The processor time that the VM of a capture was given, as far as the capture contains that. */
export type GivenTime = {
  /** Processor time that a quota or a hypervisor kept it from, milliseconds. */
  lost_ms: number | null,
  /** Time in which threads of its control group waited for a processor, milliseconds. */
  group_waited_ms: number | null,
  /** The same of the machine. */
  waited_ms: number | null,
  /** Time in which the VM was halted, milliseconds. */
  halted_ms: number | null,
  /**
   * Busy time that no sample may stand for, milliseconds; of a capture that shows blocked time, such time, and of one
   * that shows page faults, these.
   */
  missing_ms: number | null,
  /** Of a capture that shows blocked time or page faults: how much its samples have by themselves, milliseconds or faults. */
  sampled: number | null,
  /** Frequency of the processors, MHz: mean, lowest, highest. */
  mhz: [number, number, number] | null, };

/** The figures of a program over its history. */
export type History = {
  /** Name of the unit of work, where all captures counted the same. */
  work?: string,
  /** The oldest first. */
  commits: Array<HistoryCommit>,
  /** The whole program first, then each function: the time in itself, and in all that it calls. */
  series: Array<Series>,
  /** Functions that newer captures have most of, to choose from. */
  frequent: Array<string>,
  /** Captures that were left out. */
  skipped: Array<Skipped>,
  /** The remarks that a reader needs before believing it. */
  notes?: Array<Note>,
  /**
   * Why the last commit may not be the newest one of the captures that were given, or not all of it: a gate then
   * cannot tell.
   */
  doubts?: Array<Doubt>, };

/** A history, or why there is none. */
export type HistoryAnswer = { "type": "made", "value": History } | { "type": "refused", "value": Refused } | { "type": "failed", "value": string };

/** Captures that are repetitions of each other. */
export type HistoryCommit = {
  /** Its name: `v1.2-3-gab12cd3`, `ab12cd3 with changes`, the name of a file. */
  name: string,
  /** Its whole name; empty when the captures do not record it. */
  commit: string,
  /** The sources differed from the commit. */
  dirty: boolean,
  /** When the first of its captures was started, milliseconds since 1970; 0 when not known. */
  started_unix_ms: number,
  /** When the commit was made, milliseconds since 1970; absent when not known. */
  made_unix_ms?: number,
  /** Names of its captures. */
  captures: Array<string>, };

/** How far values lie apart where nothing changed. */
export type HistoryNoise = {
  /** Standard deviation from run to run of one commit, percent. */
  of_runs_pct: number,
  /** From commit to commit, beyond that. */
  of_commits_pct: number,
  /** It was measured in these captures; otherwise it is assumed. */
  is_measured: boolean, };

/** The value of a commit. */
export type HistoryPoint = {
  /** Of all its captures together. */
  value: number,
  /** 95 % of such intervals hold the true value. */
  low: number,
  /** Upper end. */
  high: number,
  /** Samples. */
  samples: number,
  /** Of each capture. */
  captures: Array<number>, };

/** The question that a history answers. */
export type HistoryQuestion = {
  /** Names of functions as they are shown, or as the VM spells them. */
  functions: Array<string>,
  /**
   * The normalisation of the figures of functions; work where every capture has counted it, else
   * shares.
   */
  measure: Measure | null, };

/** The data for a history. */
export type HistoryRequest = {
  /** The question that the captures were counted for. */
  question: HistoryQuestion,
  /** All of them. */
  captures: Array<CountedCapture>,
  /** Whole names of commits, the oldest first, as far as they are known. */
  order: Array<string>,
  /** When these commits were made, milliseconds since 1970, as far as that is known. */
  made_unix_ms?: { [key in string]: number },
  /** Names of captures that could not be read. */
  unreadable?: Array<string>, };

/** A change that the captures show. */
export type HistoryStep = {
  /** Position of the commit that most likely has it first. */
  at: number,
  /** Position of the last commit before it: one of `from` to `to` has it first, without `from`, in 95 of 100 cases. */
  from: number,
  /** Position of the first commit behind it. */
  to: number,
  /** The function whose step has this place: it shows the place more surely than the whole program does. */
  placed_by?: string,
  /** Mean of the commits since the last step. */
  before: number,
  /** Mean of those up to the next. */
  after: number,
  /** `after` against `before`, percent. */
  change_pct: number,
  /** 95 % of such intervals hold the true change. */
  low_pct: number,
  /** Upper end. */
  high_pct: number,
  /** Other differences there: another machine, another release. */
  notes: Array<Note>, };

/** A condition, judged. */
export type JudgedCondition = {
  /** As it was given. */
  condition: string,
  /** Its answer; absent where it cannot be read, or where no such captures have a figure for it. */
  gate?: Gate,
  /** The answer as `extrospect diff` prints it, or why there is none; in English. */
  text: string, };

/** The newest commit against what the commits since the last step before it let expect. */
export type Latest = {
  /** Its value. */
  value: number,
  /** The mean of those before. */
  expected: number,
  /** 95 of 100 commits that change nothing lie above. */
  low: number,
  /** And below. */
  high: number,
  /** How many commits are before. */
  commits: number,
  /** Where it lies. */
  place: LatestPlace, };

/** Where the newest commit lies. */
export type LatestPlace = "below" | "within" | "above";

/** How a function was found on the other side. */
export type MatchedBy = "name" | "caller" | "closure" | "renamed_file" | "body" | "position" | "arity";

/** The normalisation: it gives the figures of a comparison their unit. */
export type Measure = "share" | "cpu" | "work";

/** How intervals and verdicts came about. */
export type Method = {
  /**
   * Length of the blocks of time that were resampled, milliseconds; 0 when the samples of some
   * capture have no times.
   */
  block_ms: number,
  /** Captures were resampled, too: both sides have several. Otherwise only time within a run was. */
  resampled_captures: boolean,
  /** Standard deviation of a typical function from run to run, percent. */
  spread_pct: number,
  /** It was measured in these captures; otherwise it is assumed. */
  spread_measured: boolean,
  /** Of the changes that are claimed, the percentage that may be none. */
  false_discoveries_pct: number,
  /** Captures were taken in pairs, one of each side, and the spread is that between pairs. */
  paired?: boolean, };

/** One finding. */
export type Moved = {
  /** How it moved. */
  kind: MovedKind,
  /**
   * The subject of the move: the function that is called from elsewhere, or that is part of
   * another now.
   */
  function: string,
  /** Below which, or in which, it was: the largest first. */
  from: Array<string>,
  /** Below which, or in which, it is. */
  to: string,
  /** Time that went from there, all of `from` together. */
  went: Amount,
  /** Time that came here. */
  came: Amount,
  /** In English. */
  text: string, };

/** One factor by which functions of the same code changed. */
export type MovedAlike = {
  /** Percent. */
  change_pct: number,
  /** 95 % of such intervals hold the true factor. */
  low_pct: number,
  /** Upper end. */
  high_pct: number,
  /** How many functions it comes from. */
  functions: number,
  /** It is taken out of the changes of functions, whose intervals are wider by its own. */
  taken_out: boolean, };

/** Kinds of findings. */
export type MovedKind = "called_from_elsewhere" | "no_longer_a_tail_call" | "now_a_tail_call" | "merged_into" | "inlined";

/** Something that a reader has to know. */
export type Note = {
  /** The kind of note, for callers that have words of their own for it. */
  kind: NoteKind,
  /** Its arguments, in the order that the words need. */
  values: Array<string>,
  /** In English. */
  text: string, };

/** Kinds of notes. */
export type NoteKind = "one_capture" | "frequency" | "event" | "engine" | "kernel" | "kernel_time_on_one_side" | "kernel_time_unknown" | "kernel_time_not_recorded" | "no_kernel_time" | "duration" | "release" | "flavor" | "host" | "order" | "truncated" | "not_closed" | "not_written" | "no_times" | "disagreement" | "share_against_work" | "load_against_work" | "work_cut" | "work_not_read" | "work_backwards" | "work_stood_still" | "work_partly" | "work_differs" | "load" | "other_tool" | "waiting_counts" | "arity_changed" | "not_told_apart" | "matching_cut" | "families_cut" | "lines_cut" | "words_cut" | "modules_cut" | "texts_cut" | "macro_names_cut" | "macros_unread" | "includes_unread" | "headers_unknown" | "macros_unknown" | "transforms_unknown" | "renames_unknown" | "build_differs" | "findings_cut" | "times_cut" | "sources_cut" | "own_cut" | "same_capture" | "on_both_sides" | "several_commits" | "same_commit" | "dirty" | "uncommitted_headers" | "other_project" | "nothing_in_common" | "beside" | "name_alone" | "own_of_today" | "own_by_paths" | "pairs_as_given" | "wrong_pairs" | "other_machine" | "machine_taken_out" | "machine_not_taken_out" | "machine_of_whole" | "processor_frequency" | "processor_time_lost" | "waited_for_processors" | "halted_on_one_side" | "samples_missing" | "tracing_on_one_side" | "tracing_unknown" | "process_tracing_on_one_side" | "process_tracing_unknown" | "schedulers_online";

/** The result. */
export type PageAnswer = { "type": "page" } | { "type": "unread",
  /** Why. */
  unread: UnreadCapture, } | { "type": "failed",
  /** Why, in English. */
  why: string, };

/** A capture to make a page of; its bytes follow. */
export type PageRequest = {
  /** Title of the page. */
  title: string,
  /** Whether percentages are of the busy samples, and idle ones are left out. */
  busy: boolean,
  /** The type of its samples to show: `off-cpu`. The first one that it has where this is absent. */
  sample_type?: string, };

/** The known facts about the project of some captures. */
export type Project = {
  /** Address of its repository; empty when not known. */
  repository: string,
  /**
   * The smallest hashes of the paths of its sources, ascending, each with a hash of the content, 0 where that is not
   * known: two lists of nearly the same paths have most of them in common, those of two projects none or few.
   */
  sources: Array<[number, number]>, };

/** Kinds of reasons, as the editor's own reader of captures has them. Kinds that a user treats alike are one. */
export type ReadProblem = "empty" | "notAProfile" | "damaged" | "difference" | "tooMany";

/** All reasons for which a gate cannot tell. */
export type Reason = "interval" | "too_few_samples" | "mostly_unknown" | "one_side" | "not_matched" | "code_unknown" | "no_samples" | "not_compared" | "work_lost" | "collections" | "slow_machine" | "processor_time_lost" | "unlike_sides" | "on_both_sides" | "too_few_commits" | "newest_left_out" | "newest_cut" | "unreadable" | "order_unknown";

/** Kinds of refusals. */
export type RefusalKind = "no_capture" | "no_samples" | "no_samples_stopped" | "no_samples_traced" | "no_samples_frozen" | "no_work" | "work_cut" | "work_not_read" | "work_backwards" | "work_stood_still" | "other_work" | "no_length" | "memory" | "waiting" | "other_type" | "shares_alone" | "kernel_time" | "several_commits" | "other_project" | "no_pairs" | "wrong_pairs" | "other_machine" | "nothing_in_common";

/** The same for callers that have words of their own for it. */
export type Refused = {
  /** The kind of refusal. */
  kind: RefusalKind,
  /** Its arguments, in the order that the words need. */
  values: Array<string>,
  /** In English. */
  text: string, };

/** A remark on a function. */
export type Remark = "collections_moved" | "collections_alone" | "not_sampled_there";

/** Groups of rows, in the order that readers want them. */
export type RowGroup = "own" | "other" | "runtime";

/** The activity at a sample, one class per sample; see `classify` for the order of precedence. */
export type SampleClass = "erlang" | "gc" | "copy" | "compare" | "ets" | "binary" | "lock" | "alloc" | "nif" | "bif" | "runtime" | "port" | "scheduler" | "idle" | "busy_wait" | "kernel" | "other_thread";

/** One thing over all commits. */
export type Series = {
  /** The figure of the function, or the whole. */
  of: SeriesOf,
  /** The function; absent for the whole. */
  function?: string,
  /** The normalisation of the figures. */
  measure: Measure,
  /** Their unit, for people. */
  unit: string,
  /** One for each commit. */
  points: Array<HistoryPoint>,
  /** Where the values change, the oldest first. */
  steps: Array<HistoryStep>,
  /** The newest commit, compared with those before it; null where there are too few. */
  latest: Latest | null,
  /**
   * How the captures of the newest commit were taken in another way than those that it is compared with, which alone
   * may move its figure.
   */
  unlike?: Array<Note>,
  /** How far values lie apart where nothing changed. */
  noise: HistoryNoise, };

/** The subject of a series. */
export type SeriesOf = "whole" | "self" | "total";

/** One side. */
export type SideRequest = {
  /** Name of the side. */
  name: string,
  /** At least one. */
  captures: Array<CaptureRequest>, };

/** One side. */
export type SideSummary = {
  /** Its name. */
  name: string,
  /** Captures that were pooled. */
  captures: number,
  /** Samples of all, idle ones too. */
  samples: number,
  /** Samples that are not idle. */
  busy: number,
  /** Length of all. */
  seconds: number,
  /**
   * Units of work done in all; absent where a capture counted none, or counted something that
   * the other side did not.
   */
  work?: number,
  /**
   * Time for which a quota or a hypervisor kept it from processors, percent of the processor time that it used;
   * absent where a capture does not contain it.
   */
  lost_pct?: number,
  /**
   * Frequency of the fastest processor in all captures, MHz: the mean, the lowest, the highest; absent where a capture
   * does not contain it.
   */
  mhz?: [number, number, number],
  /**
   * Whether time in the kernel is in all captures, or in none; absent where a capture does not contain that, and where
   * they differ.
   */
  kernel_time?: boolean,
  /** The commit that all captures are of, with the tag nearest to it. */
  version?: Version, };

/** Why a capture was left out. */
export type SkipReason = { "kind": "unreadable", "value": string } | { "kind": "copy", "value": string } | { "kind": "no_samples" } | { "kind": "no_samples_halted", "value": StandstillReason } | { "kind": "no_length" } | { "kind": "memory" } | { "kind": "waiting" } | { "kind": "other_project", "value": string } | { "kind": "other_changes" } | { "kind": "other_tool", "value": string } | { "kind": "no_kernel_time" } | { "kind": "kernel_time" } | { "kind": "no_kernel_time_as_others" } | { "kind": "kernel_time_unlike_others" } | { "kind": "kernel_time_not_recorded" } | { "kind": "no_work", "value": string };

/** A capture that was left out. */
export type Skipped = {
  /** Its name. */
  capture: string,
  /** Why. */
  reason: SkipReason,
  /** In English. */
  text: string, };

/** Why nothing of the target ran. */
export type StandstillReason = "stopped" | "traced" | "frozen";

/** A source file. */
export type TextRequest = {
  /** Path in the repository. */
  path: string,
  /** Content. */
  text: string, };

/** How something of the VM differs between the sides. */
export type TrackChange = {
  /** The compared quantity. */
  track: TrackKind,
  /** On the older side. */
  base: TrackMean,
  /** On the newer side. */
  new: TrackMean,
  /** The verdict; null where there are too few captures for any. */
  verdict: TrackVerdict | null, };

/** The compared quantity; of counters, the increase each second. */
export type TrackKind = "runQueue" | "memory" | "rss" | "largestMailbox" | "processes" | "collectionRate" | "reductionRate" | "ioRate";

/** The mean of a side's captures, each of which counts as much, and how far these lie apart. */
export type TrackMean = {
  /** Captures that have a value. */
  captures: number,
  /** Mean of their means. */
  mean: number,
  /** The least of their means. */
  least: number,
  /** The most. */
  most: number, };

/** The verdict on two means. */
export type TrackVerdict = "more" | "less" | "noise";

/** Why it is not known whether a function has a counterpart on the other side, and which. */
export type Unmatched = "arity_changed" | "not_told_apart";

/** A capture that cannot be read. */
export type UnreadCapture = {
  /** Its name in the request; empty where that has none. */
  capture: string,
  /** The kind of reason. */
  problem: ReadProblem,
  /** One clause in English, which leads to the place in the bytes or names the limit. */
  why: string, };

/** Why a profile of another tool is not read. Kinds that a user treats alike are one. */
export type UnreadReason = { "kind": "empty" } | { "kind": "unknown_format" } | { "kind": "control_characters" } | { "kind": "perf_data" } | { "kind": "gzip" } | { "kind": "no_such_event",
  /** The chosen event. */
  event: string, } | { "kind": "too_large",
  /** The largest file, decompressed, bytes. */
  limit: number, } | { "kind": "too_many",
  /** The largest part. */
  limit: number, } | { "kind": "damaged",
  /** Name of the format; null for JSON that is damaged before its format is known. */
  format: string | null,
  /** The defect. */
  defect: Defect, };

/** The verdict on a function. */
export type Verdict = "slower" | "faster" | "new" | "gone" | "noise" | "too_few" | "not_matched";

/** A commit as people name it. */
export type Version = {
  /** Its full name. */
  commit: string,
  /** Its name by `git describe`: `v2.14.0`; empty when not known. */
  describe: string,
  /** Address of the repository, without secrets; empty when not known. */
  repository: string,
  /** The sources differed from it. */
  dirty: boolean, };

/** The figures of the whole program on both sides. */
export type Whole = {
  /**
   * The normalisation of its figures: never a share, since the whole of a program is always all
   * of it.
   */
  measure: Measure,
  /** Their unit, for people. */
  unit: string,
  /** The value of each capture of the older side. */
  base_captures: Array<number>,
  /** The value of each capture of the newer side. */
  new_captures: Array<number>,
  /** The smallest change that such captures show 9 times of 10, percent. */
  smallest_visible_pct: number,
  /** The factor by which functions of the same code changed, in the normalisation of the whole. It is in its figures. */
  alike?: MovedAlike,
  /** Value on the older side, in the unit of the normalisation. */
  base: number,
  /** Value on the newer side. */
  new: number,
  /** Samples on the older side; where samples have weights, how many of one weight would be as informative. */
  base_samples: number,
  /** The same on the newer side. */
  new_samples: number,
  /** `new` against `base`, percent; null where a side has nothing. */
  change_pct: number | null,
  /** 95 % of such intervals hold the true change, of the whole 99 %. */
  low_pct: number | null,
  /** Upper end. */
  high_pct: number | null,
  /** The verdict. */
  verdict: Verdict,
  /** The value in each capture, if requested. */
  captures?: EachCapture, };

/** A format of `extrospect diff --format`. */
export type WrittenFormat = "html" | "markdown";

/** A comparison as a text to share. */
export type WrittenRequest = {
  /** The kind of text. */
  format: WrittenFormat,
  /** Remarks on the sources of both sides, one sentence each, in English. */
  remarks: Array<string>, };
