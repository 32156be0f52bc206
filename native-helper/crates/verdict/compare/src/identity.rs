//! The identity of functions across captures.

use std::collections::HashMap;

use capture::reader::{Capture, FunctionView};
use capture::sample::FrameKind;

use crate::module_builds::ModuleBuilds;

/// Position of a function in a [`Catalogue`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

impl FunctionId {
    pub fn as_usize(self) -> usize {
        self.0 as usize
    }
}

/// The identity of a function, whatever the capture. Kinds that a name does not distinguish are
/// one: a function written in C may be Erlang in the next release.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity {
    realm: Realm,
    /// Module, name and arity as the VM spells them, or the name of a C function.
    pub name: String,
}

/// Where a name means something.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Realm {
    /// Modules of Erlang, BIFs and fragments of the JIT.
    Erlang,
    /// An object with C code, without its version: `libc.so`.
    Object(String),
    /// C code without a name, by who calls it.
    Unnamed,
    Kernel,
    Marker,
}

/// A function as the captures of one side know it.
#[derive(Debug, Clone)]
pub struct KnownFunction {
    pub identity: Identity,
    /// As shown.
    pub shown: String,
    pub kind: FrameKind,
    /// As the VM reports it; empty when not known.
    pub file: String,
    /// In that file; 0 when not known.
    pub head_line: u32,
    /// Of C code without a name: the function with a name that it is inside of.
    pub inside: Option<FunctionId>,
}

/// All functions of one side.
#[derive(Debug, Default)]
pub struct Catalogue {
    functions: Vec<KnownFunction>,
    ids: HashMap<Identity, FunctionId>,
    /// Of the modules that the functions are in.
    pub builds: ModuleBuilds,
}

impl Catalogue {
    pub fn len(&self) -> usize {
        self.functions.len()
    }

    pub fn get(&self, id: FunctionId) -> &KnownFunction {
        &self.functions[id.as_usize()]
    }

    pub fn find(&self, identity: &Identity) -> Option<FunctionId> {
        self.ids.get(identity).copied()
    }

    pub fn iter(&self) -> impl Iterator<Item = (FunctionId, &KnownFunction)> {
        let numbered = self.functions.iter().enumerate();
        numbered.map(|(position, function)| (FunctionId(position as u32), function))
    }

    /// The function of a capture. Of code that a macro wrote there may be several with one name,
    /// each with lines of another file: they are one, in the file of the first that has the head in it, else of the
    /// first.
    pub fn add(&mut self, view: &FunctionView<'_>) -> FunctionId {
        self.add_known(Identity::of(view), view.name, view, None)
    }

    /// C code without a name, by its surroundings: `(inside erts_garbage_collect_nobump)`.
    pub fn add_unnamed(
        &mut self,
        surroundings: &str,
        inside: Option<FunctionId>,
        view: &FunctionView<'_>,
    ) -> FunctionId {
        let identity = Identity {
            realm: Realm::Unnamed,
            name: surroundings.to_owned(),
        };
        let placeless = FunctionView {
            file: "",
            head_line: 0,
            ..*view
        };
        self.add_known(identity, surroundings, &placeless, inside)
    }

    /// A marker in place of a function: `[no stack]`.
    pub fn add_marker(&mut self, marker: &str) -> FunctionId {
        let view = FunctionView {
            name: marker,
            raw_name: marker,
            kind: FrameKind::Marker,
            file: "",
            head_line: 0,
            object: "",
        };
        self.add(&view)
    }

    fn add_known(
        &mut self,
        identity: Identity,
        shown: &str,
        view: &FunctionView<'_>,
        inside: Option<FunctionId>,
    ) -> FunctionId {
        if let Some(id) = self.ids.get(&identity).copied() {
            let known = &mut self.functions[id.as_usize()];
            if known.head_line == 0 && view.head_line != 0 {
                known.file = view.file.to_owned();
                known.head_line = view.head_line;
            }
            return id;
        }
        let id = FunctionId(self.functions.len() as u32);
        self.ids.insert(identity.clone(), id);
        self.functions.push(KnownFunction {
            identity,
            shown: shown.to_owned(),
            kind: view.kind,
            file: view.file.to_owned(),
            head_line: view.head_line,
            inside,
        });
        id
    }
}

impl KnownFunction {
    /// Whether only the shown part of its name is known, as where another tool names no objects and
    /// no closures as the VM does.
    pub fn is_known_as_shown(&self) -> bool {
        match &self.identity.realm {
            Realm::Object(object) => object.is_empty(),
            Realm::Erlang => self.identity.name == self.shown,
            Realm::Unnamed | Realm::Kernel | Realm::Marker => false,
        }
    }
}

impl Identity {
    /// A function of Erlang, as the VM spells it.
    pub fn of_erlang(name: String) -> Self {
        Self {
            realm: Realm::Erlang,
            name,
        }
    }

    fn of(view: &FunctionView<'_>) -> Self {
        let (realm, name) = match view.kind {
            FrameKind::Erlang | FrameKind::Bif | FrameKind::Fragment => {
                let name = match view.raw_name {
                    "" => view.name,
                    raw => raw,
                };
                (Realm::Erlang, name)
            }
            // The linker's name of Rust code has a hash of the compilation in it.
            FrameKind::Native | FrameKind::Nif => {
                (Realm::Object(without_version(view.object)), view.name)
            }
            FrameKind::Kernel => (Realm::Kernel, view.name),
            FrameKind::Marker => (Realm::Marker, view.name),
        };
        Self {
            realm,
            name: name.to_owned(),
        }
    }

    pub fn is_erlang(&self) -> bool {
        self.realm == Realm::Erlang
    }

    pub fn is_unnamed(&self) -> bool {
        self.realm == Realm::Unnamed
    }
}

/// The base name of an object up to `.so`: `libc.so.6` and `/lib/libc-2.36.so` differ, but
/// `libcrypto.so.3` and `libcrypto.so.1.1` do not.
fn without_version(object: &str) -> String {
    let base = object.rsplit('/').next().unwrap_or(object);
    match base.find(".so") {
        Some(end) => base[..end + 3].to_owned(),
        None => base.to_owned(),
    }
}

/// The functions of `capture` in `catalogue`, by their index; those without a name are `None`.
pub fn named_functions(
    capture: &Capture,
    catalogue: &mut Catalogue,
    is_unnamed: impl Fn(capture::reader::FunctionIndex) -> bool,
) -> Vec<Option<FunctionId>> {
    let indices = capture.function_indices();
    indices
        .map(|index| (!is_unnamed(index)).then(|| catalogue.add(&capture.function(index))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_an_object_are_one_object() {
        assert_eq!(without_version("/usr/lib/libcrypto.so.1.1"), "libcrypto.so");
        assert_eq!(without_version("libcrypto.so.3"), "libcrypto.so");
        assert_eq!(without_version("beam.smp"), "beam.smp");
        assert_eq!(without_version(""), "");
    }
}
