//! Functions of captures compared with folders of sources.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use capture::facts::{CaptureSettings, TargetFacts};
use capture::hot_lines::hot_lines;
use capture::percent_of::PercentOf;
use capture::reader::Capture;
use capture::sample::{FrameKind, FunctionFacts, SampleClass, SampleLabels, Trust};
use capture::top::{TopOptions, top};
use capture::writer::CaptureWriter;
use own_code::{Bounds, FolderError, NothingFound, SourceFolder, Unseen, find};

/// A folder of sources that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let root = std::env::temp_dir().join(format!("own-code-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        fs::create_dir(&root).unwrap();
        for (path, text) in files {
            let file = root.join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        Self(root)
    }

    fn path(&self, below: &str) -> String {
        self.0.join(below).to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// One sample for each function, in line 7 of the file that the VM reports.
fn capture(functions: &[(&str, &str)]) -> Capture {
    capture_of(FrameKind::Erlang, functions)
}

fn capture_of(kind: FrameKind, functions: &[(&str, &str)]) -> Capture {
    capture_of_vm("", kind, functions)
}

/// Of a VM with this command line.
fn capture_of_vm(command: &str, kind: FrameKind, functions: &[(&str, &str)]) -> Capture {
    let frame = |(raw_name, file): &(&str, &str)| {
        let facts = FunctionFacts {
            name: (*raw_name).into(),
            raw_name: (*raw_name).into(),
            kind,
            file: (*file).into(),
            head_line: 5,
            object: "[erlang]".into(),
        };
        (facts, 7)
    };
    let frames: Vec<_> = functions.iter().map(frame).collect();
    capture_of_vm_and_frames(command, &frames)
}

/// One sample for each function, in this line.
fn capture_of_frames(frames: &[(FunctionFacts, u32)]) -> Capture {
    capture_of_vm_and_frames("", frames)
}

fn capture_of_vm_and_frames(command: &str, frames: &[(FunctionFacts, u32)]) -> Capture {
    let target = TargetFacts {
        pid: 1,
        otp_release: "25".into(),
        erts_version: "13.1.5".into(),
        flavor: "jit".into(),
        node: "n".into(),
        build_id: String::new(),
        host: "h".into(),
        command: command.into(),
        other_files: false,
    };
    let settings = CaptureSettings {
        frequency_hz: 99,
        event: "cpu-clock".into(),
        engine: "bpf".into(),
        include_kernel: false,
        helper_version: "0.1.0".into(),
        started_unix_ns: 0,
    };
    let mut writer = CaptureWriter::new(target, settings);
    for (facts, line) in frames {
        let function = writer.intern_function(facts);
        let location = writer.intern_location(function, *line);
        let labels = SampleLabels {
            thread_id: 1,
            thread_name: String::new(),
            scheduler: None,
            erlang_pid: None,
            process_name: None,
            class: SampleClass::Erlang,
            trust: Trust::Captured,
            off_cpu: None,
        };
        writer.add_sample(0, &labels, &[location], 1);
    }
    Capture::from_bytes(&writer.take_increment(1, &Default::default())).unwrap()
}

/// Own functions by name, with file and line as they are shown.
fn own_lines(folder: &Folder, functions: &[(&str, &str)]) -> BTreeMap<String, String> {
    let capture = capture(functions);
    let mut sources = SourceFolder::open(&folder.0, Bounds::default()).unwrap();
    let own = find(&capture, &mut sources).unwrap();
    assert_eq!(sources.unseen(), []);
    let lines = hot_lines(&capture, Some(&own), PercentOf::All);
    let own_lines = lines
        .iter()
        .filter(|line| line.own_samples.unwrap() > 0 && !line.function.starts_with('['));
    own_lines
        .map(|line| {
            let place = format!("{}:{}", line.file, line.line);
            (line.function.clone(), place)
        })
        .collect()
}

fn expected(rows: &[(&str, &str)]) -> BTreeMap<String, String> {
    let rows = rows.iter();
    rows.map(|(function, place)| ((*function).to_owned(), (*place).to_owned()))
        .collect()
}

#[test]
fn an_erlang_function_is_own_when_its_module_is_defined_below_the_folder() {
    let folder = Folder::new(
        "erlang",
        &[
            ("apps/shop/src/shop.erl", "%% a shop\n-module(shop).\n"),
            ("src/odd.erl", "-module( 'odd name' ).\n"),
            ("src/lines.erl", "- module\n(\n  'in lines'\n).\n"),
            ("src/by_macro.erl", "-module(?NAME).\n"),
            ("src/other.erl", "-module(quite_another).\n"),
            ("src/parser.yrl", "Nonterminals a.\n"),
            ("src/lisp.lfe", "(defmodule lisp)\n"),
            ("src/shop/cart.gleam", "pub fn main() {}\n"),
            ("_build/default/lib/dep/src/dep.erl", "-module(dep).\n"),
            ("deps/dep/src/dep.erl", "-module(dep).\n"),
            (".git/dep.erl", "-module(dep).\n"),
            ("node_modules/dep.erl", "-module(dep).\n"),
            ("_checkouts/dep.erl", "-module(dep).\n"),
        ],
    );
    let own = own_lines(
        &folder,
        &[
            ("shop:f/1", "/build/apps/shop/src/shop.erl"),
            ("shop:'-f/1-fun-0-'/1", "src/shop.erl"),
            ("'odd name':f/0", "odd.erl"),
            ("'in lines':f/0", "lines.erl"),
            ("by_macro:f/0", "src/by_macro.erl"),
            ("other:f/0", "src/other.erl"),
            ("parser:yeccpars2/7", "src/parser.yrl"),
            ("lisp:f/0", "src/lisp.lfe"),
            ("shop@cart:main/0", "src/shop/cart.gleam"),
            ("other@cart:main/0", "src/other/cart.gleam"),
            ("cart:main/0", "src/cart.gleam"),
            ("dep:f/0", "src/dep.erl"),
            ("lists:map/2", "lists.erl"),
            ("shop:in_c/0", ""),
        ],
    );
    assert_eq!(
        own,
        expected(&[
            ("shop:f/1", "apps/shop/src/shop.erl:7"),
            ("shop:'-f/1-fun-0-'/1", "apps/shop/src/shop.erl:7"),
            ("'odd name':f/0", "src/odd.erl:7"),
            ("'in lines':f/0", "src/lines.erl:7"),
            ("by_macro:f/0", "src/by_macro.erl:7"),
            ("parser:yeccpars2/7", "src/parser.yrl:7"),
            ("lisp:f/0", "src/lisp.lfe:7"),
            ("shop@cart:main/0", "src/shop/cart.gleam:7"),
            // The module is own; for this function the VM reports no file.
            ("shop:in_c/0", "apps/shop/src/shop.erl:0"),
        ])
    );
}

/// Generators name their own files in the lines of their output, wherever that lies.
#[test]
fn lines_may_be_in_files_that_do_not_define_the_module() {
    let folder = Folder::new(
        "lines-elsewhere",
        &[
            (
                "gen/made.erl",
                "-module(made).\n-file(\"src/lines.erl\", 1).\n",
            ),
            ("src/lines.erl", "f() -> ok.\n"),
            (
                "gen/grammar.erl",
                "-module(grammar).\n-file(\"spec/grammar.peg\", 1).\n",
            ),
            ("src/lexer.xrl", "Definitions.\n"),
            ("gen/not_it.erl", "-module(quite_another).\n"),
            ("src/pages.gleam", "pub fn main() {}\n"),
            ("src/macros.lfe", "(defmodule macros)\n"),
        ],
    );
    let own = own_lines(
        &folder,
        &[
            ("made:f/0", "src/lines.erl"),
            (
                "made:in_header/0",
                "/usr/lib/erlang/lib/parsetools/include/made.hrl",
            ),
            ("grammar:f/0", "spec/grammar.peg"),
            ("grammar:g/0", "src/pages.gleam"),
            ("grammar:h/0", "src/macros.lfe"),
            ("lexer:string/1", "elsewhere/lexer.xrl"),
            ("not_it:f/0", "src/lines.erl"),
            ("others:f/0", "src/lines.erl"),
        ],
    );
    assert_eq!(
        own,
        expected(&[
            ("made:f/0", "src/lines.erl:7"),
            ("made:in_header/0", "gen/made.erl:0"),
            ("grammar:f/0", "gen/grammar.erl:0"),
            ("grammar:g/0", "gen/grammar.erl:0"),
            ("grammar:h/0", "gen/grammar.erl:0"),
            ("lexer:string/1", "src/lexer.xrl:7"),
        ])
    );
}

/// The editor's tests read the table, too.
#[test]
fn functions_are_own_as_in_the_table() {
    let table = "../../../../test/unit/sources/fixtures/own-functions.txt";
    let table = fs::read_to_string(table).unwrap();
    let (mut files, mut functions, mut wanted) = (Vec::new(), Vec::new(), BTreeMap::new());
    for row in table.lines() {
        let (kind, rest) = row.split_once(' ').unwrap_or_default();
        let columns: Vec<&str> = rest.split(' ').collect();
        match (kind, columns.as_slice()) {
            ("file", [path, ..]) => files.push((*path, rest[path.len()..].trim_start())),
            ("own" | "other", [function, reported, shown]) => {
                functions.push((*function, *reported));
                if kind == "own" {
                    wanted.insert((*function).to_owned(), *shown);
                }
            }
            _ => assert!(row.is_empty() || row.starts_with('#'), "{row}"),
        }
    }
    let folder = Folder::new("table", &files);
    let mut own = own_lines(&folder, &functions);
    for (function, place) in &mut own {
        let (file, line) = place.rsplit_once(':').unwrap();
        assert!(["0", "7"].contains(&line), "{function} {place}");
        let shown = if line == "7" { file } else { "-" };
        *place = shown.to_owned();
    }
    let wanted = wanted.into_iter();
    let wanted: BTreeMap<String, String> = wanted
        .map(|(function, shown)| (function, shown.to_owned()))
        .collect();
    assert_eq!(own, wanted);
}

/// Lines of one function in several files, as generators and templates make them, by `FILE:LINE`; the head is in the
/// first file.
fn parts_of(name: &str, places: &[&str]) -> Vec<(FunctionFacts, u32)> {
    let place = |place: &&str| {
        let (file, line) = place.rsplit_once(':').unwrap();
        (file.to_owned(), line.parse().unwrap())
    };
    let places: Vec<(String, u32)> = places.iter().map(place).collect();
    let head = places[0].clone();
    let facts = |file: String| FunctionFacts {
        name: name.into(),
        raw_name: name.into(),
        kind: FrameKind::Erlang,
        head_line: if file == head.0 { head.1 } else { 0 },
        file,
        object: "[erlang]".into(),
    };
    let parts = places.into_iter();
    parts.map(|(file, line)| (facts(file), line)).collect()
}

/// The places that `top --own` shows for functions, and those that `--by line` shows.
fn own_places(folder: &Folder, frames: &[(FunctionFacts, u32)]) -> [Vec<String>; 2] {
    let capture = capture_of_frames(frames);
    let mut sources = SourceFolder::open(&folder.0, Bounds::default()).unwrap();
    let own = find(&capture, &mut sources).unwrap();
    let options = TopOptions {
        own: Some(&own),
        ..TopOptions::default()
    };
    let rows = top(&capture, &options).functions.into_iter();
    let rows = rows.filter(|row| row.own_samples > Some(0));
    let lines = hot_lines(&capture, Some(&own), PercentOf::All).into_iter();
    let lines = lines.filter(|line| line.own_samples > Some(0));
    let shown = |function, file, line| format!("{function} {file}:{line}");
    let mut functions: Vec<String> = rows
        .map(|row| shown(row.function, row.file, row.line))
        .collect();
    let mut lines: Vec<String> = lines
        .map(|line| shown(line.function, line.file, line.line))
        .collect();
    functions.sort();
    lines.sort();
    [functions, lines]
}

/// Yecc and leex: lines of the grammar, of generated code, and of a header of OTP.
#[test]
fn a_line_is_shown_with_its_own_file_alone() {
    const HEADER: &str = "/usr/lib/erlang/lib/parsetools/include/yeccpre.hrl";
    let folder = Folder::new(
        "own-file",
        &[
            ("src/pp.yrl", "Nonterminals a.\n"),
            ("src/pp.erl", "-module(pp).\n"),
            ("src/made.erl", "-module(made).\n"),
        ],
    );
    let header = |line: u32| format!("{HEADER}:{line}");
    let frames = [
        parts_of("pp:yeccpars1/7", &[&header(107), &header(109)]),
        parts_of("pp:yeccpars2_5/7", &["src/pp.erl:246", "src/pp.yrl:7"]),
        // The head was never sampled: only the part in the grammar is known.
        parts_of("pp:yeccpars2_6/7", &["src/pp.erl:250", "src/pp.yrl:6"])[1..].to_vec(),
        parts_of("made:f/0", &["src/gone.gleam:22", "src/gone.gleam:23"]),
    ]
    .concat();
    assert_eq!(
        own_places(&folder, &frames),
        [
            vec![
                "made:f/0 src/made.erl:0",
                "pp:yeccpars1/7 src/pp.erl:0",
                "pp:yeccpars2_5/7 src/pp.erl:246",
                "pp:yeccpars2_6/7 src/pp.yrl:0",
            ],
            vec![
                "made:f/0 src/made.erl:0",
                "pp:yeccpars1/7 src/pp.erl:0",
                "pp:yeccpars2_5/7 src/pp.erl:246",
                "pp:yeccpars2_5/7 src/pp.yrl:7",
                "pp:yeccpars2_6/7 src/pp.yrl:6",
            ],
        ]
    );
}

/// Each application has an `include`, and what a header has in it is code of the module that includes it.
#[test]
fn a_header_of_a_dependency_is_not_the_users_of_the_same_path() {
    let folder = Folder::new(
        "headers",
        &[
            ("src/shop.erl", "-module(shop).\n"),
            ("include/common.hrl", "f() -> ok.\n"),
        ],
    );
    let own_place = |header: &str| {
        let frames = parts_of("shop:f/0", &[header]);
        let [functions, _] = own_places(&folder, &frames);
        functions
    };
    let dependency = own_place("/ci/_build/default/lib/dep/include/common.hrl:40");
    assert_eq!(dependency, ["shop:f/0 src/shop.erl:0"]);
    let kernel = own_place("/usr/lib/erlang/lib/kernel-8.5/include/common.hrl:40");
    assert_eq!(kernel, ["shop:f/0 src/shop.erl:0"]);
    let own = own_place("/ci/project/include/common.hrl:1");
    assert_eq!(own, ["shop:f/0 include/common.hrl:1"]);
}

/// EEx: the function is in the module, its lines and closures in the template.
#[test]
fn lines_and_closures_of_a_template_are_own() {
    let folder = Folder::new(
        "template",
        &[
            ("apps/shop/lib/page.ex", "defmodule Shop.Page do\n"),
            ("apps/shop/lib/page.html.eex", "<h1>Items</h1>\n"),
            (
                "apps/shop/lib/agent.ex",
                "defmodule Shop.Agent do\n  # No defmacro.\n",
            ),
            (
                "apps/shop/lib/tags.ex",
                "defmodule Shop.Tags do\n  defmacro b(x)\n",
            ),
            ("apps/shop/include/codec.hrl", "f() -> ok.\n"),
            ("apps/shop/src/codec.erl", "-module(codec).\n"),
        ],
    );
    let inner = "'Elixir.Shop.Page':'-render/1-fun-0-'/2";
    let frames = [
        parts_of(
            "'Elixir.Shop.Page':render/1",
            &["lib/page.ex:3", "lib/page.html.eex:3", "lib/tags.ex:2"],
        ),
        parts_of(inner, &["lib/page.html.eex:4"]),
        // Of Elixir's own `use Agent`.
        parts_of("'Elixir.Shop.Page':child_spec/1", &["lib/agent.ex:210"]),
        parts_of("codec:f/0", &["../include/codec.hrl:4"]),
    ]
    .concat();
    let [functions, lines] = own_places(&folder, &frames);
    let (page, lib) = ("'Elixir.Shop.Page':render/1", "apps/shop/lib");
    let own_spec = format!("'Elixir.Shop.Page':child_spec/1 {lib}/page.ex:0");
    let own_inner = format!("{inner} {lib}/page.html.eex:4");
    let header = "codec:f/0 apps/shop/include/codec.hrl:4".to_owned();
    assert_eq!(
        functions,
        [
            own_inner.clone(),
            own_spec.clone(),
            format!("{page} {lib}/page.ex:3"),
            header.clone(),
        ]
    );
    assert_eq!(
        lines,
        [
            own_inner,
            own_spec,
            format!("{page} {lib}/page.ex:3"),
            format!("{page} {lib}/page.html.eex:3"),
            format!("{page} {lib}/tags.ex:2"),
            header,
        ]
    );
}

#[test]
fn scripts_need_no_ending() {
    const SCRIPT: &str = "#!/usr/bin/env escript\nmain(_) -> ok.\n";
    let folder = Folder::new(
        "scripts",
        &[
            ("hash", SCRIPT),
            ("bin/run.escript", SCRIPT),
            (
                "bin/named",
                "#!/usr/bin/escript\n%%! -smp\n-module(tool).\n",
            ),
            ("LICENSE", "nobody\n"),
            ("shell", "#!/bin/sh\n"),
        ],
    );
    let own = own_lines(
        &folder,
        &[
            ("hash__escript__1766__123__4__5:main/1", "./hash"),
            (
                "run_escript__escript__1766__123__4__5:main/1",
                "bin/run.escript",
            ),
            ("tool:main/1", "bin/named"),
            ("shell__escript__1__2__3__4:main/1", "./shell"),
            ("other__escript__1__2__3__4:main/1", "./hash"),
        ],
    );
    assert_eq!(
        own,
        expected(&[
            ("hash__escript__1766__123__4__5:main/1", "hash:7"),
            (
                "run_escript__escript__1766__123__4__5:main/1",
                "bin/run.escript:7"
            ),
            ("tool:main/1", "bin/named:7"),
        ])
    );
}

const SHOP: &str = r#"
defmodule Shop do
  @moduledoc """
  As in

      defmodule Enum do
  """
  defmodule Cart do
    defmodule __MODULE__.Item do
    end
  end

  # defmodule Commented do
  defprotocol Price do
  end

  defimpl Price, for: [Integer, Shop.Cart] do
  end
end

defimpl Price,
  for: Float do
end

defmodule Shop.Basket do
  defimpl Enumerable do
  end

  defimpl Price, for: __MODULE__ do
  end
end

defmodule :shop_nif do
  @text "
  defmodule Quoted do
  "
end

defmodule :"Elixir.Plain" do
end
"#;

#[test]
fn an_elixir_function_is_own_when_the_text_names_its_module() {
    let folder = Folder::new("elixir", &[("lib/shop.ex", SHOP)]);
    let file = "lib/shop.ex";
    let own_modules = [
        "'Elixir.Shop'",
        "'Elixir.Shop.Cart'",
        "'Elixir.Shop.Cart.Item'",
        "'Elixir.Shop.Basket'",
        "'Elixir.Shop.Price.Integer'",
        "'Elixir.Shop.Price.Shop.Cart'",
        "'Elixir.Shop.Price.Float'",
        "'Elixir.Shop.Price.Shop.Basket'",
        "'Elixir.Enumerable.Shop.Basket'",
        "shop_nif",
        "'Elixir.Plain'",
        // Made by a macro of the same file: it belongs to the names there.
        "'Elixir.Shop.Codec'",
        "'Elixir.Jason.Encoder.Shop.Cart'",
    ];
    let others = [
        // Only picks an implementation.
        "'Elixir.Shop.Price'",
        // In a text and in a comment.
        "'Elixir.Enum'",
        "'Elixir.Commented'",
        "'Elixir.Quoted'",
        "'Elixir.Float'",
        "shop",
    ];
    let names: Vec<String> = own_modules
        .iter()
        .chain(&others)
        .map(|module| format!("{module}:f/1"))
        .collect();
    let functions: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), file)).collect();
    let own = own_lines(&folder, &functions);
    let wanted: BTreeMap<String, String> = names[..own_modules.len()]
        .iter()
        .map(|name| (name.clone(), format!("{file}:7")))
        .collect();
    assert_eq!(own, wanted);
}

#[test]
fn what_a_macro_defines_needs_more_than_a_base_name() {
    let folder = Folder::new(
        "macros",
        &[
            ("apps/shop/lib/shop/codec.ex", "defmodule Shop.Codec do\n"),
            ("lib/registry.ex", "defmodule Shop.Registry do\n"),
            ("test/made.exs", "for name <- [A, B], do: defmodule name\n"),
        ],
    );
    let own = own_lines(
        &folder,
        &[
            ("'Elixir.Shop.Codec.Json':f/1", "lib/shop/codec.ex"),
            ("'Elixir.Shop.Codec.Xml':f/1", "lib/other/codec.ex"),
            // Elixir's own, whose file is called alike.
            ("'Elixir.Registry':f/1", "lib/registry.ex"),
            ("'Elixir.A':f/1", "test/made.exs"),
            ("'Elixir.B':f/1", "made.exs"),
        ],
    );
    assert_eq!(
        own,
        expected(&[
            (
                "'Elixir.Shop.Codec.Json':f/1",
                "apps/shop/lib/shop/codec.ex:7"
            ),
            ("'Elixir.A':f/1", "test/made.exs:7"),
        ])
    );
}

#[test]
fn an_absolute_path_below_the_folder_is_that_file() {
    let folder = Folder::new(
        "absolute",
        &[
            ("src/shop.erl", "-module(shop).\n-include(\"shop.hrl\").\n"),
            ("include/shop.hrl", "f() -> ok.\n"),
            ("lib/made.ex", "use Maker, :Any\n"),
            ("deps/dep/src/shop.erl", "-module(shop).\n"),
        ],
    );
    let (header, made) = (folder.path("include/shop.hrl"), folder.path("lib/made.ex"));
    let source = folder.path("src/shop.erl");
    let own = own_lines(
        &folder,
        &[
            ("shop:f/0", &header),
            ("shop:g/0", &source),
            ("'Elixir.Wholly.Other':f/1", &made),
        ],
    );
    assert_eq!(
        own,
        expected(&[
            ("shop:f/0", "include/shop.hrl:7"),
            ("shop:g/0", "src/shop.erl:7"),
            ("'Elixir.Wholly.Other':f/1", "lib/made.ex:7"),
        ])
    );
}

#[test]
fn code_of_a_macro_counts_for_the_own_function_it_is_in() {
    let folder = Folder::new("keep", &[("lib/shop.ex", "defmodule Shop do\n")]);
    let functions = [
        ("'Elixir.Shop':run/1", "lib/shop.ex"),
        ("'Elixir.Shop':run/1", "lib/dep/macros.ex"),
        ("'Elixir.Shop':child_spec/1", "lib/gen_server.ex"),
        ("'Elixir.Shop':'-run/1-fun-0-'/1", "lib/dep/macros.ex"),
        ("'Elixir.Dep':run/1", "lib/dep/macros.ex"),
    ];
    let capture = capture(&functions);
    let mut sources = SourceFolder::open(&folder.0, Bounds::default()).unwrap();
    let own = find(&capture, &mut sources).unwrap();
    let options = TopOptions {
        own: Some(&own),
        ..TopOptions::default()
    };
    let rows = top(&capture, &options).functions;
    let shown: BTreeMap<&str, u64> = rows
        .iter()
        .map(|row| (row.function.as_str(), row.own_samples.unwrap()))
        .collect();
    assert_eq!(
        shown,
        BTreeMap::from([
            ("'Elixir.Shop':run/1", 2),
            ("'Elixir.Shop':child_spec/1", 1),
            ("'Elixir.Dep':run/1", 0),
            // A fun of the macro's, here without the function it is in.
            ("'Elixir.Shop':'-run/1-fun-0-'/1", 0),
            ("[no own code]", 2),
        ])
    );
    let lines = hot_lines(&capture, Some(&own), PercentOf::All);
    let places: Vec<_> = lines
        .iter()
        .filter(|line| line.file == "lib/shop.ex")
        .map(|line| (line.file.as_str(), line.line, line.own_samples.unwrap()))
        .collect();
    assert_eq!(
        places,
        [
            ("lib/shop.ex", 0, 1),
            ("lib/shop.ex", 0, 1),
            ("lib/shop.ex", 7, 1)
        ]
    );
}

#[test]
fn files_that_are_equally_alike_leave_the_path_as_reported() {
    let shop = "defmodule Shop do\n";
    let folder = Folder::new("twice", &[("a/lib/shop.ex", shop), ("b/lib/shop.ex", shop)]);
    let own = own_lines(&folder, &[("'Elixir.Shop':f/1", "lib/shop.ex")]);
    assert_eq!(own, expected(&[("'Elixir.Shop':f/1", "lib/shop.ex:7")]));
    let own = own_lines(&folder, &[("'Elixir.Shop':f/1", "/ci/b/lib/shop.ex")]);
    assert_eq!(own, expected(&[("'Elixir.Shop':f/1", "b/lib/shop.ex:7")]));
}

#[test]
fn an_impossible_folder_is_refused_with_the_reason() {
    let open = |path: &Path| SourceFolder::open(path, Bounds::default()).unwrap_err();
    let folder = Folder::new("refused", &[("README.md", ""), ("deps/a/src/a.erl", "")]);
    assert!(matches!(open(&folder.0.join("gone")), FolderError::Io(_)));
    assert!(matches!(
        open(&folder.0.join("README.md")),
        FolderError::NotAFolder
    ));
    assert!(matches!(open(&folder.0), FolderError::NoSources));
}

#[test]
fn the_wrong_folder_is_reported_with_the_files_of_the_samples() {
    let folder = Folder::new("wrong", &[("src/a.erl", "-module(a).\n")]);
    let capture = capture(&[
        ("shop:f/1", "src/shop.erl"),
        ("shop:g/1", "src/shop.erl"),
        ("lists:map/2", "lists.erl"),
    ]);
    let mut sources = SourceFolder::open(&folder.0, Bounds::default()).unwrap();
    assert_eq!(
        find(&capture, &mut sources),
        Err(NothingFound {
            modules: 2,
            files: vec!["src/shop.erl".into(), "lists.erl".into()]
        })
    );
}

#[test]
fn bounds_are_kept_and_reported() {
    let long = format!("{}-module(late).\n", "%\n".repeat(100));
    let folder = Folder::new(
        "bounds",
        &[
            ("a/b/c/deep.erl", ""),
            ("near.erl", ""),
            ("late.erl", &long),
        ],
    );
    std::os::unix::fs::symlink(&folder.0, folder.0.join("loop")).unwrap();
    let unseen = |bounds: Bounds, functions: &[(&str, &str)]| {
        let mut sources = SourceFolder::open(&folder.0, bounds).unwrap();
        let found = find(&capture(functions), &mut sources).is_ok();
        (found, sources.unseen())
    };
    let all = Bounds::default();
    let deep = [("deep:f/0", "deep.erl")];
    assert_eq!(unseen(all, &deep), (true, vec![]));
    let shallow = Bounds { depth: 2, ..all };
    assert_eq!(unseen(shallow, &deep), (false, vec![Unseen::Depth(2)]));
    let few = Bounds { entries: 3, ..all };
    let (_, unseen_facts) = unseen(few, &[("near:f/0", "near.erl")]);
    assert_eq!(unseen_facts, [Unseen::Entries(3)]);
    let short = Bounds {
        file_bytes: 100,
        ..all
    };
    let late = [("late:f/0", "late.erl")];
    assert_eq!(unseen(short, &late), (true, vec![Unseen::FileBytes(100)]));
    let little = Bounds {
        all_bytes: 100,
        ..all
    };
    assert_eq!(unseen(little, &late), (true, vec![Unseen::AllBytes(100)]));
}

#[test]
fn a_file_with_more_modules_than_are_taken_is_reported() {
    let unseen = |modules: usize| {
        let modules = 0..modules;
        let text: String = modules
            .map(|number| format!("defmodule M{number} do\nend\n"))
            .collect();
        let folder = Folder::new(&format!("names-{}", text.len()), &[("lib/many.ex", &text)]);
        let mut sources = SourceFolder::open(&folder.0, Bounds::default()).unwrap();
        let found = find(
            &capture(&[("'Elixir.M1':f/0", "lib/many.ex")]),
            &mut sources,
        );
        assert!(found.is_ok());
        sources.unseen()
    };
    assert_eq!(unseen(2_000), []);
    assert_eq!(unseen(2_001), [Unseen::Names(2_000)]);
}

#[test]
fn c_and_rust_are_recognised_by_their_paths() {
    let folder = Folder::new(
        "native",
        &[
            ("c_src/shop_nif.c", ""),
            ("deps/jiffy/c_src/decoder.c", ""),
            ("native/shop/src/lib.rs", ""),
            ("native/shop/Cargo.toml", ""),
            ("native/shop/target/out/made.rs", ""),
        ],
    );
    let here = |path: &str| folder.path(path);
    let (c, dep) = (here("c_src/shop_nif.c"), here("deps/jiffy/c_src/decoder.c"));
    let (rust, made) = (
        here("native/shop/src/lib.rs"),
        here("native/shop/target/out/made.rs"),
    );
    let functions = [
        ("here", c.as_str()),
        ("elsewhere", "/build/shop/c_src/shop_nif.c"),
        ("other_folder", "/build/shop/src/shop_nif.c"),
        ("of_dependency", dep.as_str()),
        (
            "built_dependency",
            "/ci/_build/default/lib/jiffy/c_src/shop_nif.c",
        ),
        ("rust", rust.as_str()),
        ("rust_elsewhere", "/build/native/shop/src/lib.rs"),
        ("other_crate", "/build/regex/src/lib.rs"),
        (
            "registry",
            "/root/.cargo/registry/src/native/shop/src/lib.rs",
        ),
        ("core", "/rustc/4a/native/shop/src/lib.rs"),
        ("made", made.as_str()),
        ("unknown", ""),
    ];
    let capture = capture_of(FrameKind::Nif, &functions);
    let mut sources = SourceFolder::open(&folder.0, Bounds::default()).unwrap();
    let own = find(&capture, &mut sources).unwrap();
    let options = TopOptions {
        own: Some(&own),
        ..TopOptions::default()
    };
    let mut names: Vec<String> = top(&capture, &options)
        .functions
        .into_iter()
        .filter(|row| row.own_samples.unwrap_or(0) > 0 && !row.function.starts_with('['))
        .map(|row| row.function)
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["elsewhere", "here", "rust", "rust_elsewhere"]);
}

#[test]
fn the_vms_own_installation_below_the_folder_is_not_the_users() {
    let shop = "-module(shop).\n";
    let folder = Folder::new(
        "installation",
        &[
            ("src/shop.erl", shop),
            ("rel/lib/stdlib/src/lists.erl", "-module(lists).\n"),
        ],
    );
    let lists = folder.path("rel/lib/stdlib/src/lists.erl");
    let functions = [("shop:f/1", "shop.erl"), ("lists:f/1", lists.as_str())];
    let own_of = |root: &Path| {
        let command = format!("beam.smp -- -root {} -progname erl", root.display());
        let capture = capture_of_vm(&command, FrameKind::Erlang, &functions);
        let mut sources = SourceFolder::open(&folder.0, Bounds::default()).unwrap();
        let own = find(&capture, &mut sources).unwrap();
        let options = TopOptions {
            own: Some(&own),
            ..TopOptions::default()
        };
        let rows = top(&capture, &options).functions;
        let rows = rows.into_iter();
        let own = rows.filter(|row| row.own_samples > Some(0) && !row.function.starts_with('['));
        let mut names: Vec<String> = own.map(|row| row.function).collect();
        names.sort_unstable();
        names
    };
    assert_eq!(own_of(&folder.0.join("rel")), ["shop:f/1"]);
    assert_eq!(own_of(&folder.0), ["lists:f/1", "shop:f/1"]);
    assert_eq!(own_of(Path::new("/usr/lib/erlang")).len(), 2);
}
