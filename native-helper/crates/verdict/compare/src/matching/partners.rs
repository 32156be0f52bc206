//! Which functions of one name in a module are which, where their arities shifted: a parameter came
//! or went, and each has the arity that another had.

use shared_sort::SharedSort;
use source_texts::Definition;

use super::line_map::likeness;

/// Families with more members are matched by name.
pub const MOST_MEMBERS: usize = 12;
/// Below, words are alike by chance, although the name is one.
const ALIKE: f64 = 0.5;
/// The next best has to be worse by this much.
const MARGIN: f64 = 0.1;
/// From here on a body is the same one.
const SAME: f64 = 0.8;
/// A member that is the same as one of another arity is no longer its namesake where that is worse by
/// this much.
const MUCH: f64 = 0.2;

/// The evidence that two are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// Their words.
    Body,
    /// Their places among those of their name.
    Position,
    /// Each is the only one of its name.
    Only,
    /// Their arity, and no other is more alike.
    Arity,
}

/// Partners of a family, by positions in its definitions on both sides.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Partners {
    pub pairs: Vec<(usize, usize, Evidence)>,
    /// Those of the older side, and of the newer, of which it is not known which is which.
    pub unclear: (Vec<usize>, Vec<usize>),
}

/// Whether any of these can be another on the other side. None can where one is all there is and is on both, or where a
/// side has none.
pub fn may_have_shifted(base: &[&Definition<'_>], new: &[&Definition<'_>]) -> bool {
    let is_one = base.len() < 2 && has_same_arities(base, new);
    !base.is_empty() && !new.is_empty() && !is_one
}

fn has_same_arities(base: &[&Definition<'_>], new: &[&Definition<'_>]) -> bool {
    let arities = |family: &[&Definition<'_>]| {
        let mut arities: Vec<u8> = family.iter().map(|it| it.arity).collect();
        arities.shared_sort();
        arities
    };
    arities(base) == arities(new)
}

/// The partners of a family that may have shifted, of at most [`MOST_MEMBERS`] on each side; `None` where names and
/// arities identify them.
pub fn partners(base: &[&Definition<'_>], new: &[&Definition<'_>]) -> Option<Partners> {
    let mut family = Family::new(base, new);
    if has_same_arities(base, new) && !family.has_swapped() {
        return None;
    }
    family.by_body();
    family.by_position();
    family.by_arity();
    let unclear = match family.left() {
        (base, new) if base.is_empty() || new.is_empty() => (Vec::new(), Vec::new()),
        both => both,
    };
    Some(Partners {
        pairs: family.pairs,
        unclear,
    })
}

struct Family<'d, 't> {
    base: &'d [&'d Definition<'t>],
    new: &'d [&'d Definition<'t>],
    /// By older and newer member, from 0 to 1.
    alike: Vec<Vec<f64>>,
    pairs: Vec<(usize, usize, Evidence)>,
}

impl<'d, 't> Family<'d, 't> {
    fn new(base: &'d [&'d Definition<'t>], new: &'d [&'d Definition<'t>]) -> Self {
        let of_pair = |older: &Definition<'_>, newer: &Definition<'_>| {
            let is_empty = older.words.is_empty() || newer.words.is_empty();
            match is_empty {
                true => 0.0,
                false => likeness(&older.words, &newer.words),
            }
        };
        let row = |older: &&Definition<'_>| new.iter().map(|newer| of_pair(older, newer)).collect();
        Self {
            base,
            new,
            alike: base.iter().map(row).collect(),
            pairs: Vec::new(),
        }
    }

    /// Whether a member is what one of another arity was, and far more so than its namesake.
    fn has_swapped(&self) -> bool {
        self.base.iter().zip(&self.alike).any(|(older, alike)| {
            let of_namesake = self.new.iter().zip(alike);
            let of_namesake = of_namesake
                .filter(|(newer, _)| newer.arity == older.arity)
                .map(|(_, alike)| *alike);
            let namesake = of_namesake.fold(0.0, f64::max);
            let best = alike.iter().copied().fold(0.0, f64::max);
            best >= SAME && best - namesake >= MUCH
        })
    }

    /// Those without a partner.
    fn left(&self) -> (Vec<usize>, Vec<usize>) {
        let base = (0..self.base.len()).filter(|at| self.pairs.iter().all(|it| it.0 != *at));
        let new = (0..self.new.len()).filter(|at| self.pairs.iter().all(|it| it.1 != *at));
        (base.collect(), new.collect())
    }

    /// Each that is alike to one and to no other, the clearest first: with it out of the way others are.
    fn by_body(&mut self) {
        while let Some((base, new)) = self.clearest() {
            self.pairs.push((base, new, Evidence::Body));
        }
    }

    fn clearest(&self) -> Option<(usize, usize)> {
        let (base, new) = self.left();
        let mut clearest: Option<(f64, usize, usize)> = None;
        for &older in &base {
            for &newer in &new {
                let alike = self.alike[older][newer];
                let beside = new.iter().filter(|it| **it != newer);
                let others = beside.map(|it| self.alike[older][*it]);
                let above = base.iter().filter(|it| **it != older);
                let others = others.chain(above.map(|it| self.alike[*it][newer]));
                let margin = alike - others.fold(0.0, f64::max);
                let is_clearer = clearest.is_none_or(|(most, ..)| margin > most);
                if alike >= ALIKE && margin >= MARGIN && is_clearer {
                    clearest = Some((margin, older, newer));
                }
            }
        }
        clearest.map(|(_, base, new)| (base, new))
    }

    /// As many on both sides: the first is the first.
    fn by_position(&mut self) {
        let (base, new) = self.left();
        if base.len() != new.len() {
            return;
        }
        let evidence = match (self.base.len(), self.new.len()) {
            (1, 1) => Evidence::Only,
            _ => Evidence::Position,
        };
        let pairs = base.into_iter().zip(new);
        self.pairs
            .extend(pairs.map(|(base, new)| (base, new, evidence)));
    }

    /// Namesakes, where nothing else that is left is more alike to either.
    fn by_arity(&mut self) {
        let (base, new) = self.left();
        for &older in &base {
            let arity = self.base[older].arity;
            let Some(&newer) = new.iter().find(|it| self.new[**it].arity == arity) else {
                continue;
            };
            let alike = self.alike[older][newer];
            let is_best = new.iter().all(|it| self.alike[older][*it] <= alike)
                && base.iter().all(|it| self.alike[*it][newer] <= alike);
            if is_best {
                self.pairs.push((older, newer, Evidence::Arity));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(arity: u8, words: &'static str) -> Definition<'static> {
        Definition {
            name: "string".into(),
            arity,
            line: u32::from(arity),
            module: 0..9,
            words: words.split_whitespace().collect(),
            words_left_out: 0,
            tokens: Vec::new(),
        }
    }

    /// Arities of partners, and of those that are unclear.
    type PartnerArities = (Vec<(u8, u8, Evidence)>, Vec<u8>, Vec<u8>);

    fn partner_arities(
        base: &[(u8, &'static str)],
        new: &[(u8, &'static str)],
    ) -> Option<PartnerArities> {
        let members = |of: &[(u8, &'static str)]| {
            let members = of.iter().map(|(arity, words)| member(*arity, words));
            members.collect::<Vec<_>>()
        };
        let (base, new) = (members(base), members(new));
        let both: (Vec<_>, Vec<_>) = (base.iter().collect(), new.iter().collect());
        let may = may_have_shifted(&both.0, &both.1);
        let found = may.then(|| partners(&both.0, &both.1))??;
        let pairs = found.pairs.into_iter();
        let mut pairs: Vec<_> = pairs
            .map(|(older, newer, evidence)| (base[older].arity, new[newer].arity, evidence))
            .collect();
        pairs.shared_sort_by_key(|it| it.0);
        let arities = |of: Vec<usize>, members: &[Definition<'_>]| {
            of.into_iter().map(|at| members[at].arity).collect()
        };
        let (of_base, of_new) = found.unclear;
        Some((pairs, arities(of_base, &base), arities(of_new, &new)))
    }

    const A: &str = "data rest skip stack decode string rest original skip stack len error";
    const B: &str = "data acc len case part original escape throw token value acc done";

    #[test]
    fn bodies_identify_functions_wherever_they_went() {
        let found = partner_arities(&[(7, A), (8, B)], &[(6, B), (7, A)]);
        let pairs = vec![(7, 7, Evidence::Body), (8, 6, Evidence::Body)];
        assert_eq!(found, Some((pairs, vec![], vec![])));
        // The same arities, the other way round.
        let found = partner_arities(&[(7, A), (8, B)], &[(7, B), (8, A)]);
        let pairs = vec![(7, 8, Evidence::Body), (8, 7, Evidence::Body)];
        assert_eq!(found, Some((pairs, vec![], vec![])));
    }

    #[test]
    fn bodies_that_are_all_alike_are_told_apart_by_their_places() {
        let found = partner_arities(&[(7, A), (8, A)], &[(6, A), (7, A)]);
        let pairs = vec![(7, 6, Evidence::Position), (8, 7, Evidence::Position)];
        assert_eq!(found, Some((pairs, vec![], vec![])));
        let found = partner_arities(&[(1, A)], &[(2, B)]);
        assert_eq!(found, Some((vec![(1, 2, Evidence::Only)], vec![], vec![])));
    }

    #[test]
    fn names_hold_where_nothing_shifted() {
        assert_eq!(partner_arities(&[(1, A), (2, B)], &[(1, A), (2, B)]), None);
        assert_eq!(partner_arities(&[(1, A)], &[(1, B)]), None);
        let found = partner_arities(&[(1, A), (2, B)], &[(1, A), (2, B), (3, "else")]);
        let pairs = vec![(1, 1, Evidence::Body), (2, 2, Evidence::Body)];
        assert_eq!(found, Some((pairs, vec![], vec![])));
    }

    #[test]
    fn functions_that_nothing_tells_apart_are_unclear() {
        let found = partner_arities(&[(7, A), (8, A)], &[(5, A), (6, A), (9, A)]);
        assert_eq!(found, Some((vec![], vec![7, 8], vec![5, 6, 9])));
    }
}
