//! The protocol as one TypeScript file.

use std::collections::BTreeMap;
use std::fmt::Write;

use ts_rs::{Config, TS, TypeVisitor};

use crate::error::ERROR_CODES;
use crate::lifecycle::MAX_FREQUENCY_HZ;
use crate::lifecycle::WorkDoneProgressParams;
use crate::message::TEXTS;
use crate::method::{MethodVisitor, Notification, Request, visit_methods};
use crate::{MAX_MESSAGE_BYTES, PROTOCOL_VERSION};

/// The command that rewrites the generated file, run in `native-helper/`.
pub const GENERATE_COMMAND: &str =
    "cargo run -p protocol --example generate-types > ../contract/protocol.generated.ts";

/// The whole file. The same types always give the same text.
pub fn generate() -> String {
    let mut methods = MethodTables::new();
    visit_methods(&mut methods);
    methods.types.visit::<WorkDoneProgressParams>();
    methods.types.visit::<crate::error::ErrorData>();

    let mut codes = String::new();
    for (name, code, meaning) in ERROR_CODES {
        push(
            &mut codes,
            format_args!("  /** {} */\n  {name}: {code},\n", meaning.trim()),
        );
    }
    let mut texts = String::new();
    for text in TEXTS {
        push(
            &mut texts,
            format_args!("  {}: {:?},\n", text.code, text.in_editor),
        );
    }
    let declarations: Vec<String> = methods.types.declarations.into_values().collect();
    format!(
        "// Generated from native-helper/crates/service/protocol. Do not edit. To write it again, in native-helper/:\n\
         // {GENERATE_COMMAND}\n\n\
         /** Grows with every change that a peer of the version before cannot ignore. */\n\
         export const PROTOCOL_VERSION = {PROTOCOL_VERSION};\n\n\
         /** Longest message body either side may send, bytes. */\n\
         export const MAX_MESSAGE_BYTES = {MAX_MESSAGE_BYTES};\n\n\
         /** Most samples per second and thread. */\n\
         export const MAX_FREQUENCY_HZ = {MAX_FREQUENCY_HZ};\n\n\
         export const ErrorCodes = {{\n{codes}}} as const;\n\n\
         /** Messages of the helper, by code: English for users of an editor, with arguments by name in braces. */\n\
         export const HelperMessages = {{\n{texts}}} as const;\n\n\
         /** Requests, client to helper. */\n\
         export interface Requests {{\n{requests}}}\n\n\
         /** Notifications, client to helper: their parameters. */\n\
         export interface ClientNotifications {{\n{client}}}\n\n\
         /** Notifications, helper to client: their parameters. */\n\
         export interface HelperNotifications {{\n{helper}}}\n\n\
         {declarations}",
        requests = methods.requests,
        client = methods.client,
        helper = methods.helper,
        declarations = declarations.join("\n"),
    )
}

/// A type and all that it is made of, as TypeScript, by name: for what two sides say to each other by
/// other means than the protocol.
pub fn declarations_of<T: TS + 'static>() -> BTreeMap<String, String> {
    let mut types = Declarations {
        config: Config::new().with_large_int("number"),
        declarations: BTreeMap::new(),
    };
    types.visit::<T>();
    types.declarations
}

/// A hash (FNV-1a, 64 bits) that stays the same over compilers and machines: `docs/protocol.md`
/// carries the one of the generated file it was last read against.
pub fn stable_hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Writing to a string cannot fail.
fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    let _ = text.write_fmt(arguments);
}

struct MethodTables {
    types: Declarations,
    requests: String,
    client: String,
    helper: String,
}

impl MethodTables {
    fn new() -> Self {
        Self {
            // Every count of the protocol stays below 2^53, so a plain number holds it.
            types: Declarations {
                config: Config::new().with_large_int("number"),
                declarations: BTreeMap::new(),
            },
            requests: String::new(),
            client: String::new(),
            helper: String::new(),
        }
    }

    fn notification<N: Notification>(&mut self) -> String {
        self.types.visit::<N::Params>();
        format!(
            "  {:?}: {};\n",
            N::METHOD,
            N::Params::name(&self.types.config)
        )
    }
}

impl MethodVisitor for MethodTables {
    fn request<R: Request>(&mut self) {
        self.types.visit::<R::Params>();
        self.types.visit::<R::Result>();
        let params = R::Params::name(&self.types.config);
        let result = R::Result::name(&self.types.config);
        push(
            &mut self.requests,
            format_args!(
                "  {:?}: {{ params: {params} & WorkDoneProgressParams; result: {result} }};\n",
                R::METHOD
            ),
        );
    }

    fn client_notification<N: Notification>(&mut self) {
        let line = self.notification::<N>();
        self.client.push_str(&line);
    }

    fn helper_notification<N: Notification>(&mut self) {
        let line = self.notification::<N>();
        self.helper.push_str(&line);
    }
}

/// Types that were met, by name, so that the order does not depend on the way there.
struct Declarations {
    config: Config,
    declarations: BTreeMap<String, String>,
}

impl TypeVisitor for Declarations {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        // Only types made by the derive have a path; numbers, strings and lists have none.
        if T::output_path().is_none() {
            T::visit_generics(self);
            return;
        }
        let name = T::ident(&self.config);
        if self.declarations.contains_key(&name) {
            return;
        }
        let docs = T::docs().unwrap_or_default();
        let declaration = format!("{docs}export {}", T::decl(&self.config));
        let declaration = lay_out(&declaration);
        self.declarations.insert(name, declaration);
        T::visit_dependencies(self);
    }
}

/// Members indented, one-line comments on one line, nothing at line ends.
fn lay_out(declaration: &str) -> String {
    let mut text = String::new();
    let mut comment: Vec<&str> = Vec::new();
    let mut indent = "";
    for line in declaration.lines().map(str::trim) {
        if line.starts_with("/**") {
            comment.clear();
        }
        if line.starts_with("/**") || line.starts_with('*') {
            comment.push(line);
            if line == "*/" {
                match comment.as_slice() {
                    [_, only, _] => {
                        push(
                            &mut text,
                            format_args!("{indent}/** {} */\n", &only[1..].trim()),
                        );
                    }
                    [first, rest @ ..] => {
                        push(&mut text, format_args!("{indent}{first}\n"));
                        for line in rest {
                            push(&mut text, format_args!("{indent} {line}\n"));
                        }
                    }
                    [] => {}
                }
            }
            continue;
        }
        push(&mut text, format_args!("{indent}{line}\n"));
        indent = "  ";
    }
    text
}
