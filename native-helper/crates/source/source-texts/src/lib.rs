//! Erlang and Elixir source texts: their tokens, the modules that they name, and the functions that they define; and
//! their files by name.
//!
//! A text is scanned, not compiled: the result of a macro is not known. Nothing here reads a file.

mod definitions;
mod elixir_modules;
mod elixir_tokens;
mod erlang_module;
mod erlang_tokens;
mod files;
mod mix_project;
mod quoted_text;
mod token;

pub use self::definitions::{Definition, Definitions, MOST_MODULES, MOST_WORDS, Unread};
pub use self::elixir_modules::{ElixirModule, ElixirModules, MOST_NAMES};
pub use self::erlang_module::{erlang_module, is_escript, parse_transforms};
pub use self::files::{CALLED_LIKE_MODULES, gleam_module, is_ignored};
pub use self::mix_project::mix_application;
pub use self::token::{Kind, Token};
