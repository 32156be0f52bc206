//! Holds the functions of a capture against the files of a folder.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use capture::own::{OwnCode, OwnFunction, OwnSource};
use capture::reader::{Capture, FunctionIndex};
use capture::sample::FrameKind;
use erlang_names::{is_inner, module_of};
use shared_map::{HashMap, HashSet};
use shared_sort::SharedSort;
use source_texts::{
    CALLED_LIKE_MODULES, ElixirModules, MOST_NAMES, erlang_module, gleam_module, is_escript,
};

use crate::declarations::{
    Defines, elixir_defines, elixir_may_define, erlang_defines, escript_defines,
};
use crate::folder::{SourceFolder, Unseen};
use crate::kinds::{can_be_source, defines_modules, extension, has_modules_in_text};
use crate::likeness::{
    base_name, can_be_same, common_parts, ends_with_path, is_of_its_application, most_alike,
};
use crate::native::native_functions;

/// Files named to a user who gave the wrong folder.
const FILES_NAMED: usize = 3;

/// No module of the capture has its source below the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NothingFound {
    /// Modules of the capture.
    pub modules: usize,
    /// Files that its samples are in, as the VM reports them, those with most samples first.
    pub files: Vec<String>,
}

/// Which functions of the capture are the user's own.
///
/// # Errors
/// [`NothingFound`] when none is.
pub fn find(capture: &Capture, folder: &mut SourceFolder) -> Result<OwnCode, NothingFound> {
    let modules = modules(capture);
    let command = capture.target().map(|target| target.command);
    if let Some(root) = command.as_deref().and_then(installation) {
        folder.leave_out(root);
    }
    folder.insert_named(&other_files(capture, &modules));
    let mut files = Files {
        folder,
        elixir: HashMap::new(),
    };
    let mut functions: Vec<Option<OwnFunction>> = vec![None; capture.function_count()];
    for (module, of_module) in &modules {
        for (index, own) in own_functions(capture, &mut files, module, of_module) {
            functions[index.as_usize()] = Some(own);
        }
    }
    for (index, own) in native_functions(capture, files.folder) {
        functions[index.as_usize()] = Some(own);
    }
    let own = OwnCode::new(functions);
    if own.is_empty() {
        return Err(NothingFound {
            modules: modules.len(),
            files: files_with_most_samples(capture),
        });
    }
    Ok(own)
}

/// Files of the folder that [`find`] would read, and whose texts are not there.
pub fn texts_wanted(capture: &Capture, folder: &SourceFolder) -> BTreeSet<String> {
    let mut wanted = BTreeSet::new();
    for (module, functions) in modules(capture) {
        let reported = functions.iter().map(|index| capture.function(*index).file);
        let mut names: HashSet<&str> = reported.map(base_name).collect();
        let own_names = source_names(&module);
        names.extend(own_names.iter().map(String::as_str));
        let files = names.into_iter().flat_map(|name| folder.named(name));
        let unread = files.filter(|path| has_modules_in_text(path) && !folder.has_text(path));
        wanted.extend(unread.cloned());
    }
    wanted
}

/// The names of files that are called like the module.
fn source_names(module: &str) -> [String; 4] {
    CALLED_LIKE_MODULES.map(|ending| format!("{module}.{ending}"))
}

/// Base names of files that no compiler is known to read, which functions have lines in: templates, input of generators.
fn other_files<'c>(
    capture: &'c Capture,
    modules: &BTreeMap<String, Vec<FunctionIndex>>,
) -> HashSet<&'c str> {
    let functions = modules.values().flatten();
    let names = functions.map(|index| base_name(capture.function(*index).file));
    names.filter(|name| !can_be_source(name)).collect()
}

/// The installation that a VM was started from, by its command line.
fn installation(command: &str) -> Option<&str> {
    let mut words = command.split_whitespace();
    words.find(|word| *word == "-root")?;
    words.next().filter(|root| root.starts_with('/'))
}

/// Functions of Erlang code by their module, in an order that is always the same.
fn modules(capture: &Capture) -> BTreeMap<String, Vec<FunctionIndex>> {
    let mut modules: BTreeMap<String, Vec<FunctionIndex>> = BTreeMap::new();
    for index in capture.function_indices() {
        let view = capture.function(index);
        if view.kind != FrameKind::Erlang {
            continue;
        }
        if let Some(module) = module_of(view.raw_name) {
            modules.entry(module.into_owned()).or_default().push(index);
        }
    }
    modules
}

/// The functions of a module, when it is the user's.
fn own_functions(
    capture: &Capture,
    files: &mut Files<'_>,
    module: &str,
    functions: &[FunctionIndex],
) -> Vec<(FunctionIndex, OwnFunction)> {
    let mut sources: BTreeMap<&str, Option<OwnSource>> = BTreeMap::new();
    for index in functions {
        let reported = capture.function(*index).file;
        if !sources.contains_key(reported) {
            let source = match reported {
                "" => Some(None),
                reported => files.source(module, reported),
            };
            let Some(source) = source else {
                return Vec::new();
            };
            sources.insert(reported, source);
        }
    }
    // Where the module was written; nothing when no file of the user's defines it.
    let mut written = sources.values().flatten().next().cloned();
    if written.is_none() {
        // A macro may make the module in a file that does not name it.
        for (reported, source) in &mut sources {
            *source = files.maker(module, reported);
        }
        written = sources.values().flatten().next().cloned();
    }
    let written = written.or_else(|| files.source_of_module(module).map(OwnSource::File));
    let written = written.or_else(|| files.templates_of(module, sources.keys().copied()));
    let Some(written) = written else {
        return Vec::new();
    };
    // Its lines may be in other files than its source, which define nothing: templates, headers, the input of a
    // generator.
    for (reported, source) in &mut sources {
        if source.is_none() {
            *source = files.lines_in(reported);
        }
    }
    let elsewhere = match &written {
        OwnSource::File(file) => OwnSource::LinesElsewhere(Arc::clone(file)),
        other => other.clone(),
    };
    let view = |index: FunctionIndex| capture.function(index);
    let source_of = |index: FunctionIndex| sources.get(view(index).file)?.clone();
    // Of a function with code in several files it is the part with the head, where that was sampled.
    let mut in_own_file: HashMap<&str, FunctionIndex> = HashMap::new();
    let (with_head, others): (Vec<_>, Vec<_>) = functions
        .iter()
        .copied()
        .partition(|index| view(*index).head_line != 0);
    for index in with_head.into_iter().chain(others) {
        if source_of(index).is_some() {
            in_own_file.entry(view(index).raw_name).or_insert(index);
        }
    }
    let own_function = |index: FunctionIndex| {
        let raw_name = view(index).raw_name;
        let source = source_of(index);
        // A fun that a macro brought: it counts for the function that the user called the macro in.
        if source.is_none() && is_inner(raw_name) {
            return None;
        }
        let own = OwnFunction {
            counts_for: *in_own_file.get(raw_name).unwrap_or(&index),
            source: source.unwrap_or_else(|| elsewhere.clone()),
        };
        Some((index, own))
    };
    functions.iter().copied().filter_map(own_function).collect()
}

/// The folder's files with the facts known of them.
struct Files<'f> {
    folder: &'f mut SourceFolder,
    elixir: HashMap<String, ElixirModules>,
}

impl Files<'_> {
    /// Where code of the module was written that the VM reports to be in this file: `Some(None)` when that is no file
    /// of the user's, `None` when the module is a protocol, which is not the code of any user.
    fn source(&mut self, module: &str, reported: &str) -> Option<Option<OwnSource>> {
        let below = self.folder.below(reported).map(str::to_owned);
        if let Some(path) = below.filter(|path| self.folder.contains(path)) {
            let is_protocol = self.defines(&path, module) == Defines::Protocol;
            return (!is_protocol).then(|| Some(OwnSource::File(path.into())));
        }
        let candidates = self.folder.named(base_name(reported)).to_vec();
        let mut defining = Vec::new();
        for path in &candidates {
            match self.defines(path, module) {
                Defines::Protocol => return None,
                Defines::Module => defining.push(path.as_str()),
                Defines::Nothing => {}
            }
        }
        Some(one_of(reported, &defining))
    }

    /// The file of the user's that may make the module, though its text does not name it.
    fn maker(&mut self, module: &str, reported: &str) -> Option<OwnSource> {
        let candidates = self.folder.named(base_name(reported)).to_vec();
        let mut makers: Vec<&str> = candidates.iter().map(String::as_str).collect();
        makers.retain(|path| self.may_define(path, module, reported));
        one_of(reported, &makers)
    }

    /// The file of the user's that is called like the module and defines it.
    fn source_of_module(&mut self, module: &str) -> Option<Arc<str>> {
        let names = source_names(module);
        let candidates: Vec<String> = names
            .iter()
            .flat_map(|name| self.folder.named(name).to_vec())
            .collect();
        let mut defining = candidates
            .into_iter()
            .filter(|path| self.defines(path, module) == Defines::Module);
        defining.next().map(Into::into)
    }

    /// Where a module of Elixir was written of which only lines in templates of the user's are known. The VM names them
    /// by their paths below the project; that of another project is not alike.
    fn templates_of<'r>(
        &mut self,
        module: &str,
        reported: impl Iterator<Item = &'r str>,
    ) -> Option<OwnSource> {
        let is_elixir = module.starts_with("Elixir.");
        reported
            .filter(|file| is_elixir && !defines_modules(file) && !file.starts_with('/'))
            .any(|file| {
                let templates = self.lenders(file);
                templates.iter().any(|path| ends_with_path(path, file))
            })
            .then_some(OwnSource::AsReported)
    }

    /// The file of the user's that a line table of their module means; no other one that is called alike.
    fn lines_in(&mut self, reported: &str) -> Option<OwnSource> {
        let may_be_it = self.lenders(reported);
        let may_be_it: Vec<&str> = may_be_it.iter().map(String::as_str).collect();
        one_of(reported, &may_be_it)
    }

    /// Files of the user's that can have these lines of a module that another file defines. Not `nofile` and `iex`, which
    /// Elixir reports for code of no file.
    fn lenders(&mut self, reported: &str) -> Vec<String> {
        if !reported.contains(['.', '/']) {
            return Vec::new();
        }
        let mut lenders = self.folder.named(base_name(reported)).to_vec();
        lenders.retain(|path| {
            can_be_same(reported, path, &self.folder.whole_paths(path)) && self.may_lend_lines(path)
        });
        lenders
    }

    /// Whether code of this file can be in modules that other files define: of Elixir, that of macros, and not what
    /// defines a module of its own. OTP, Elixir and libraries have files called `lib/agent.ex` and `src/helper.erl`, too.
    fn may_lend_lines(&mut self, path: &str) -> bool {
        match extension(path) {
            "ex" | "exs" => self.elixir_modules(path).has_macros,
            "erl" => erlang_module(&self.folder.text(path)).is_none(),
            "" => !is_escript(&self.folder.text(path)),
            "lfe" | "gleam" | "escript" => false,
            _ => true,
        }
    }

    fn defines(&mut self, path: &str, module: &str) -> Defines {
        let stem = base_name(path)
            .rsplit_once('.')
            .map_or("", |(stem, _)| stem);
        let is_defined = match extension(path) {
            "ex" | "exs" => {
                return elixir_defines(self.elixir_modules(path), &elixir_module(module));
            }
            "erl" | "yrl" | "xrl" => erlang_defines(&self.folder.text(path), stem, module),
            "lfe" => stem == module,
            "gleam" => gleam_module(path).as_deref() == Some(module),
            "" | "escript" => escript_defines(&self.folder.text(path), base_name(path), module),
            _ => false,
        };
        match is_defined {
            true => Defines::Module,
            false => Defines::Nothing,
        }
    }

    /// Whether a macro in the file may define a module that its text does not name. A base name is not enough then:
    /// OTP, Elixir and libraries have files called alike.
    fn may_define(&mut self, path: &str, module: &str, reported: &str) -> bool {
        let is_elixir = matches!(extension(path), "ex" | "exs") && module.starts_with("Elixir.");
        is_elixir
            && common_parts(reported, path) > 1
            && is_of_its_application(reported, &self.folder.whole_paths(path))
            && elixir_may_define(self.elixir_modules(path), &elixir_module(module))
    }

    fn elixir_modules(&mut self, path: &str) -> &ElixirModules {
        let folder = &mut self.folder;
        self.elixir.entry(path.to_owned()).or_insert_with(|| {
            let modules = ElixirModules::of(&folder.text(path));
            if modules.is_cut {
                folder.leave_unseen(Unseen::Names(MOST_NAMES));
            }
            modules
        })
    }
}

/// The file that is most like the one that the VM reports, if there is any.
fn one_of(reported: &str, paths: &[&str]) -> Option<OwnSource> {
    (!paths.is_empty()).then_some(())?;
    let file = most_alike(reported, paths.iter().copied());
    Some(file.map_or(OwnSource::AsReported, |file| OwnSource::File(file.into())))
}

/// `Elixir.Shop.Cart` as the source has it, `Shop.Cart`; `shop`, as `:shop`.
fn elixir_module(module: &str) -> String {
    match module.strip_prefix("Elixir.") {
        Some(module) => module.to_owned(),
        None => format!(":{module}"),
    }
}

fn files_with_most_samples(capture: &Capture) -> Vec<String> {
    let mut counts: HashMap<&str, u64> = HashMap::new();
    for sample in capture.samples() {
        let frames = capture.frames(sample.stack);
        let mut files = frames.map(|frame| capture.function(frame.function).file);
        if let Some(file) = files.find(|file| !file.is_empty()) {
            let count = counts.entry(file).or_default();
            *count = count.saturating_add(capture.amount(sample));
        }
    }
    let mut files: Vec<_> = counts.into_iter().collect();
    files.shared_sort_by(|(a, of_a), (b, of_b)| of_b.cmp(of_a).then_with(|| a.cmp(b)));
    let most = files.into_iter().take(FILES_NAMED);
    most.map(|(file, _)| file.to_owned()).collect()
}
