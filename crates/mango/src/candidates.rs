//! The indexes that a query did not use, and why (`src/mango/src/mango_cursor.erl`, `extract_candidate_indexes`).

use crate::choice::{Choice, Considered};
use crate::options::FindOptions;
use value::{Value, doc};

/// What the answer says of one index.
struct Verdict {
    usable: bool,
    reason: &'static str,
    ranking: usize,
}

/// The ranks of the groups of indexes, one after the other; an empty group has no rank of its own.
struct Ranks {
    unfavored: usize,
    excluded: usize,
    unusable: usize,
    out_of_scope: usize,
    partial: usize,
}

impl Ranks {
    fn of(choice: &Choice) -> Ranks {
        let any = |is_in: &dyn Fn(&Considered) -> bool| usize::from(choice.indexes.iter().any(is_in));
        let unfavored = choice.ranked.len().max(1);
        let excluded = unfavored + any(&|known| known.filtered && !choice.is_ranked(known));
        let unusable = excluded + any(&|known| known.usable && !known.filtered);
        let out_of_scope = unusable + any(&|known| known.in_scope && !known.usable);
        let partial = out_of_scope + any(&|known| !known.index.is_partial() && !known.in_scope);
        Ranks {
            unfavored,
            excluded,
            unusable,
            out_of_scope,
            partial,
        }
    }
}

/// All indexes but the one that answers, the last first.
pub fn candidates(choice: &Choice, options: &FindOptions) -> Value {
    let ranks = Ranks::of(choice);
    let shown = |(place, known): (usize, &Considered)| {
        let verdict = verdict(choice, &ranks, place, known);
        let covering = match (known.index.kind(), options.needed()) {
            ("special" | "text" | "nouveau", _) => Value::Null,
            (_, needed) => Value::Bool(needed.is_some_and(|fields| known.index.covers(fields))),
        };
        Value::from(doc! {
            "index": known.index.to_document(),
            "analysis": {
                "usable": verdict.usable,
                "reasons": [{"name": verdict.reason}],
                "ranking": crate::options::number(verdict.ranking as u64),
                "covering": covering,
            },
        })
    };
    let others = choice.indexes.iter().enumerate().rev();
    others
        .filter(|(place, _)| Some(*place) != choice.winner)
        .map(shown)
        .collect()
}

fn verdict(choice: &Choice, ranks: &Ranks, place: usize, known: &Considered) -> Verdict {
    let no = |reason, ranking| Verdict {
        usable: false,
        reason,
        ranking,
    };
    let yes = |reason, ranking| Verdict {
        usable: true,
        reason,
        ranking,
    };
    if known.index.is_partial() {
        return no("is_partial", ranks.partial);
    }
    if !known.in_scope {
        return no("scope_mismatch", ranks.out_of_scope);
    }
    if let Some(reason) = known.reason {
        return no(reason, ranks.unusable);
    }
    if !known.filtered {
        return yes("excluded_by_user", ranks.excluded);
    }
    match choice.ranked.iter().position(|ranked| ranked.place == place) {
        None => yes("unfavored_type", ranks.unfavored),
        Some(rank) => {
            let width = |place: usize| choice.indexes[place].index.columns().len();
            let reason = if choice.ranked[rank].distance > 0 {
                "less_overlap"
            } else if choice.winner.is_some_and(|winner| width(place) > width(winner)) {
                "too_many_fields"
            } else {
                "alphabetically_comes_after"
            };
            yes(reason, rank)
        }
    }
}

impl Choice {
    /// Whether the index is of the kind that is preferred.
    fn is_ranked(&self, known: &Considered) -> bool {
        let mut ranked = self.ranked.iter();
        ranked.any(|ranked| self.indexes[ranked.place].index.key() == known.index.key())
    }
}
