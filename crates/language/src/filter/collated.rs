//! Predicates and the collations of indexes.

use super::Predicate;
use value::collation::{Collation, has_text};

impl Predicate {
    /// Whether the index keys that satisfy it depend on the index's order of strings.
    pub fn depends_on_collation(&self) -> bool {
        match self {
            Predicate::Compare { value, .. } => has_text(value.as_ref()),
            Predicate::In { values, regexes } => {
                !regexes.is_empty() || values.iter().any(|value| has_text(value.as_ref()))
            }
            Predicate::Regex(_) => true,
            Predicate::ElemMatchValue(inner) | Predicate::Not(inner) => {
                inner.iter().any(Predicate::depends_on_collation)
            }
            Predicate::Exists
            | Predicate::Type(_)
            | Predicate::Mod { .. }
            | Predicate::Size(_)
            | Predicate::ElemMatchObject(_)
            | Predicate::Bits(_)
            | Predicate::Geo(_)
            | Predicate::Near(_) => false,
        }
    }

    /// The predicate as it applies to the keys of an index with this collation; `None` if the keys cannot answer it, as with
    /// patterns.
    pub fn on_keys_of(&self, collation: &Collation) -> Option<Predicate> {
        let all = |inner: &[Predicate]| -> Option<Vec<Predicate>> {
            inner
                .iter()
                .map(|predicate| predicate.on_keys_of(collation))
                .collect()
        };
        match self {
            Predicate::Compare { op, value } => Some(Predicate::Compare {
                op: *op,
                value: collation.key_value(value.as_ref()),
            }),
            Predicate::In { values, regexes } if regexes.is_empty() => Some(Predicate::In {
                values: values
                    .iter()
                    .map(|value| collation.key_value(value.as_ref()))
                    .collect(),
                regexes: Vec::new(),
            }),
            Predicate::In { .. } | Predicate::Regex(_) => None,
            Predicate::ElemMatchValue(inner) => all(inner).map(Predicate::ElemMatchValue),
            Predicate::Not(inner) => all(inner).map(Predicate::Not),
            other => Some(other.clone()),
        }
    }
}
