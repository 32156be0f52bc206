//! Closures and comprehensions of two versions of a text, by the lines they are on.

use shared_map::HashMap;
use shared_sort::SharedSort;

use super::line_map::LineMap;
use crate::erlang_name::ErlangName;
use crate::identity::{Catalogue, FunctionId};
use crate::sources::SourceTexts;

/// A closure, where its text is known.
#[derive(Debug, Clone)]
struct Closure {
    id: FunctionId,
    file: String,
    family: String,
    arity: String,
    line: u32,
    number: u32,
}

/// The place of a closure, the same for those of one family that are one: file, enclosing function,
/// arity, line.
type Place = (String, String, String, u32);

/// Pairs of the closures whose line the newer text still has. Of several on one line the first is
/// the first.
pub fn by_line(
    base: &Catalogue,
    new: &Catalogue,
    texts: &SourceTexts,
) -> Vec<(FunctionId, FunctionId)> {
    let mut maps: HashMap<(String, String), LineMap> = HashMap::new();
    let mut places: HashMap<Place, Vec<Closure>> = HashMap::new();
    for closure in closures(new, |known| {
        texts.new_of(known).map(|file| file.path.clone())
    }) {
        let place = closure.place(closure.file.clone(), closure.line);
        places.entry(place).or_default().push(closure);
    }
    let mut wanted: HashMap<Place, Vec<Closure>> = HashMap::new();
    for closure in closures(base, |known| {
        texts.base_of(known).map(|file| file.path.clone())
    }) {
        let old = texts.base_of(base.get(closure.id));
        let later = old.and_then(|old| {
            let mut files = texts.new.values();
            files
                .find(|new| texts.is_same_file(old, new))
                .map(|new| (old, new))
        });
        let Some((old, later)) = later else { continue };
        let map = maps
            .entry((old.path.clone(), later.path.clone()))
            .or_insert_with(|| LineMap::between(&old.text, &later.text));
        if let Some(line) = map.get(closure.line) {
            let place = closure.place(later.path.clone(), line);
            wanted.entry(place).or_default().push(closure);
        }
    }
    let mut pairs = Vec::new();
    for (place, mut older) in wanted {
        let Some(newer) = places.get_mut(&place) else {
            continue;
        };
        // With one that was not sampled on either side, it is not known which is which.
        if older.len() != newer.len() {
            continue;
        }
        older.shared_sort_by_key(|closure| closure.number);
        newer.shared_sort_by_key(|closure| closure.number);
        let both = older.iter().zip(newer.iter());
        pairs.extend(both.map(|(older, newer)| (older.id, newer.id)));
    }
    pairs.shared_sort();
    pairs
}

impl Closure {
    fn place(&self, file: String, line: u32) -> Place {
        (file, self.family.clone(), self.arity.clone(), line)
    }
}

fn closures<'c>(
    catalogue: &'c Catalogue,
    path: impl Fn(&crate::identity::KnownFunction) -> Option<String> + 'c,
) -> impl Iterator<Item = Closure> + 'c {
    catalogue.iter().filter_map(move |(id, known)| {
        let name =
            ErlangName::parse(&known.identity.name).filter(|_| known.identity.is_erlang())?;
        let closure = name.closure()?;
        (known.head_line != 0).then_some(())?;
        Some(Closure {
            id,
            file: path(known)?,
            family: closure.family,
            arity: closure.arity.to_owned(),
            line: known.head_line,
            number: closure.number,
        })
    })
}
