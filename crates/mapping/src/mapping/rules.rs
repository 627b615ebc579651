//! What the settings of an index say of its fields: `index.mapping.*` and `index.query.default_field`.

use super::field::{Field, FieldKind};
use crate::error::{Result, SearchError};
use serde_json::Value;

/// What a mapping may have, and what its fields take where they do not say it themselves.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The fields at most: `total_fields.limit`.
    pub fields_max: usize,
    /// The fields of nested objects at most: `nested_fields.limit`.
    pub nested_max: usize,
    /// Whether values that a field cannot have are left out: `ignore_malformed`.
    pub ignores_malformed: bool,
    /// Whether texts are taken as numbers: `coerce`.
    pub coerces: bool,
    /// The fields that texts are looked for in where a query names none, by patterns of their names, with their factors.
    pub default_fields: Vec<(String, f32)>,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            fields_max: 1000,
            nested_max: 50,
            ignores_malformed: false,
            coerces: true,
            default_fields: vec![("*".to_owned(), 1.0)],
        }
    }
}

impl Rules {
    /// The same for what was there before the limits were.
    #[must_use]
    pub fn without_limits(self) -> Rules {
        Rules {
            fields_max: usize::MAX,
            nested_max: usize::MAX,
            ..self
        }
    }

    /// Refuses more fields than there may be.
    pub(super) fn check_count(&self, fields: usize) -> Result<()> {
        match fields > self.fields_max {
            true => Err(SearchError::illegal(format!(
                "Limit of total fields [{}] has been exceeded",
                self.fields_max
            ))),
            false => Ok(()),
        }
    }

    /// Refuses more fields, or more of nested objects, than there may be.
    pub(super) fn check<'f>(&self, fields: impl ExactSizeIterator<Item = &'f Field>) -> Result<()> {
        self.check_count(fields.len())?;
        let nested = fields.filter(|field| matches!(field.kind, FieldKind::Nested));
        match nested.count() > self.nested_max {
            true => Err(SearchError::illegal(format!(
                "Limit of nested fields [{}] has been exceeded",
                self.nested_max
            ))),
            false => Ok(()),
        }
    }

    /// Gives a field what its definition does not say. Types that do not have it stay as they are.
    pub(super) fn complete(&self, field: &mut Field, definition: &Value) {
        let is_open = |name: &str| definition.get(name).is_none();
        let is_number = matches!(
            field.kind,
            FieldKind::Integer(..) | FieldKind::Unsigned | FieldKind::Float(_)
        ) && field.counts_words.is_none();
        let may_be_wrong =
            is_number || matches!(field.kind, FieldKind::Date | FieldKind::Ip | FieldKind::Point);
        if may_be_wrong && is_open("ignore_malformed") {
            field.ignore_malformed = self.ignores_malformed;
        }
        if is_number && is_open("coerce") {
            field.coerce = self.coerces;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analysis;
    use crate::mapping::Mapping;
    use serde_json::json;
    use value::doc;

    #[test]
    fn fields_take_what_their_index_says_where_they_say_nothing() {
        let rules = Rules {
            ignores_malformed: true,
            coerces: false,
            ..Rules::default()
        };
        let source = json!({"properties": {
            "a": {"type": "long"}, "b": {"type": "long", "ignore_malformed": false, "coerce": true},
            "at": {"type": "date"}, "ok": {"type": "boolean"},
        }});
        let mut mapping = Mapping::of(&source, Analysis::default(), rules).expect("a mapping");
        let is_taken =
            |mapping: &mut Mapping, document: value::Document| mapping.learn((&document).into()).is_ok();
        assert!(is_taken(&mut mapping, doc! {"a": "x"}));
        assert!(is_taken(&mut mapping, doc! {"at": "x"}));
        assert!(is_taken(&mut mapping, doc! {"b": "5"}));
        assert!(!is_taken(&mut mapping, doc! {"b": "x"}));
        assert!(!is_taken(&mut mapping, doc! {"ok": "x"}));
        assert!(!mapping.field("a").expect("a field").coerce);
    }

    #[test]
    fn a_mapping_has_no_more_fields_than_its_index_says() {
        let of = |source: &Value, rules| Mapping::of(source, Analysis::default(), rules);
        let fields: serde_json::Map<String, Value> = (0..1500)
            .map(|at| (format!("f{at}"), json!({"type": "long"})))
            .collect();
        let many = json!({"properties": fields});
        let reason = of(&many, Rules::default()).expect_err("too many").reason;
        assert_eq!(reason, "Limit of total fields [1000] has been exceeded");
        let more = Rules {
            fields_max: 2000,
            ..Rules::default()
        };
        assert!(of(&many, more).is_ok());
        assert!(of(&many, Rules::default().without_limits()).is_ok());
        let two = json!({"properties": {"a": {"type": "nested"}, "b": {"type": "nested"}}});
        let one = Rules {
            nested_max: 1,
            ..Rules::default()
        };
        let reason = of(&two, one).expect_err("too many").reason;
        assert_eq!(reason, "Limit of nested fields [1] has been exceeded");
    }
}
