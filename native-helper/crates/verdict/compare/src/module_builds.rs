//! Which build of each module the captures of a side ran.

use std::collections::BTreeSet;

use capture::reader::Capture;
use shared_map::HashMap;

/// By module, without quotes: its MD5, where all captures have the same one.
#[derive(Debug, Default)]
pub struct ModuleBuilds {
    md5s: HashMap<String, Option<String>>,
    captures: usize,
    /// How many captures know a module.
    known: HashMap<String, usize>,
}

impl ModuleBuilds {
    pub fn add(&mut self, capture: &Capture) {
        self.captures += 1;
        let build = capture.build().unwrap_or_default();
        let replaced: BTreeSet<String> = build.replaced;
        for (module, md5) in build.modules {
            let md5 = Some(md5).filter(|_| !replaced.contains(&module));
            *self.known.entry(module.clone()).or_default() += 1;
            let known = self.md5s.entry(module).or_insert_with(|| md5.clone());
            if *known != md5 {
                *known = None;
            }
        }
    }

    /// `None` when not all captures have it, or not the same.
    fn of(&self, module: &str) -> Option<&str> {
        let is_whole = self.known.get(module) == Some(&self.captures);
        let md5 = self.md5s.get(module).filter(|_| is_whole)?;
        md5.as_deref()
    }

    /// Whether both sides ran the same code of a module.
    pub fn is_same(&self, other: &Self, module: &str) -> bool {
        self.of(module)
            .is_some_and(|md5| other.of(module) == Some(md5))
    }
}
