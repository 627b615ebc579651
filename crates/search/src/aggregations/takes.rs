//! Which fields an aggregation takes.

use mapping::columns::{check_column, check_name, type_name};
use mapping::error::{Result, SearchError};
use mapping::value_format::ValueType;
use mapping::{Field, FieldKind};

/// The values that an aggregation can take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Takes {
    All,
    /// What can be a key: no places and no ranges.
    Terms,
    /// The same, but for fractions.
    WholeTerms,
    /// Numbers, dates, what is true or false.
    Numbers,
    PlainNumbers,
    /// Numbers, or ranges of them.
    Ranges,
    /// The same as dates.
    Dates,
    /// Dates, or ranges of them.
    DateRanges,
    /// What documents can be told apart by: keys, but for addresses.
    Sampled,
    Addresses,
    Points,
    /// Texts of one term, or whose terms are kept by document.
    Bytes,
    /// Texts that are analyzed.
    Texts,
}

impl Takes {
    fn takes(self, kind: &FieldKind) -> bool {
        let is_number = matches!(
            kind,
            FieldKind::Integer(..) | FieldKind::Unsigned | FieldKind::Float(_)
        );
        let is_like_number = is_number || matches!(kind, FieldKind::Date | FieldKind::Boolean);
        let is_text = matches!(kind, FieldKind::Text | FieldKind::Keyword | FieldKind::Binary);
        match self {
            Takes::All => true,
            Takes::Terms | Takes::WholeTerms => is_like_number || is_text || *kind == FieldKind::Ip,
            Takes::Sampled => is_like_number || is_text,
            Takes::Numbers | Takes::Dates => is_like_number,
            Takes::PlainNumbers => is_number,
            Takes::Ranges | Takes::DateRanges => is_like_number || matches!(kind, FieldKind::Range(_)),
            Takes::Bytes => is_text,
            Takes::Addresses => *kind == FieldKind::Ip,
            Takes::Points => *kind == FieldKind::Point,
            Takes::Texts => !matches!(
                kind,
                FieldKind::Boolean | FieldKind::Date | FieldKind::Ip | FieldKind::Point | FieldKind::Binary
            ),
        }
    }

    /// What the values of a field are that no index has.
    pub(super) fn unmapped(self) -> ValueType {
        match self {
            Takes::Numbers | Takes::PlainNumbers | Takes::Ranges => ValueType::Number,
            Takes::Dates | Takes::DateRanges => ValueType::Date,
            Takes::Addresses => ValueType::Ip,
            _ => ValueType::Text,
        }
    }

    /// Refuses a field whose values an aggregation of this type cannot take.
    pub(super) fn check(self, name: &str, field: Option<&Field>, aggregation: &str) -> Result<()> {
        if self == Takes::Texts {
            return self.check_text(name, field);
        }
        check_name(name)?;
        let Some(field) = field.filter(|field| !field.is_object()) else {
            return Ok(());
        };
        check_column(name, field)?;
        let type_name = type_name(field);
        let refused = match (self, &field.kind) {
            (Takes::WholeTerms, FieldKind::Float(_)) if aggregation == "rare_terms" => {
                "RareTerms aggregation does not support floating point fields.".to_owned()
            }
            (Takes::WholeTerms, FieldKind::Float(_)) => {
                "No support for examining floating point numerics".to_owned()
            }
            (Takes::Ranges, FieldKind::Range(inner)) if **inner == FieldKind::Ip => {
                format!("Expected numeric range type but found non-numeric range [{type_name}]")
            }
            (Takes::DateRanges, FieldKind::Range(inner)) if **inner != FieldKind::Date => {
                format!("Expected date range type but found range type [{type_name}]")
            }
            (takes, kind) if takes.takes(kind) && !field.is_vector() => return Ok(()),
            _ => format!(
                "Field [{name}] of type [{type_name}] is not supported for aggregation [{aggregation}]"
            ),
        };
        Err(SearchError::illegal(refused))
    }

    fn check_text(self, name: &str, field: Option<&Field>) -> Result<()> {
        match field.is_none_or(|field| field.is_object() || self.takes(&field.kind)) {
            true => Ok(()),
            false => Err(SearchError::illegal(format!(
                "Field [{name}] has no analyzer, but SignificantText requires an analyzed field"
            ))),
        }
    }
}
