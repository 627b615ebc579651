//! What the hits of a text index are sorted by (`append_sort_type`).

use super::Service;
use super::ask::Path;
use crate::error::Error;
use crate::sort::Sort;
use crate::{Node, Selector, Test};
use value::path::FieldPath;
use value::{Value, doc};

/// A field of a text index that is sorted by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextSort {
    /// The field as the index names it.
    pub field: String,
    /// Whether its values are numbers; else they are texts.
    pub is_number: bool,
    /// Whether the greatest come first.
    pub descending: bool,
}

impl TextSort {
    /// The sort as a service is told it.
    fn shown(&self, service: Service) -> String {
        let minus = if self.descending { "-" } else { "" };
        let kind = match (service, self.is_number) {
            (Service::Nouveau, _) => "",
            (Service::Clouseau, true) => "<number>",
            (Service::Clouseau, false) => "<string>",
        };
        format!("{minus}{}{kind}", self.field)
    }
}

impl Selector {
    /// The fields of a sort. Where one is named without a type, what the selector compares it with says which.
    pub fn text_sort(&self, sort: &Sort) -> Result<Vec<TextSort>, Error> {
        let key = |name: &String| {
            let (field, is_number) = match (name.strip_suffix(":number"), name.strip_suffix(":string")) {
                (Some(field), _) => (field, true),
                (None, Some(field)) => (field, false),
                (None, None) => (name.as_str(), self.root.is_number(name)?),
            };
            let kind = if is_number { "number" } else { "string" };
            let parts = FieldPath::parse_escaped(field);
            let path = Path(parts.parts().iter().map(ToString::to_string).collect());
            Ok(TextSort {
                field: format!("{}_3a{kind}", path.escaped()),
                is_number,
                descending: sort.descending,
            })
        };
        sort.fields.iter().map(key).collect()
    }

    /// What a service would be told of a sort.
    fn text_sort_shown(&self, sort: &Sort, service: Service) -> Result<Value, Error> {
        let keys = self.text_sort(sort)?;
        Ok(match (keys.is_empty(), service) {
            (true, Service::Clouseau) => Value::from("relevance"),
            (true, Service::Nouveau) => Value::Null,
            (false, _) => keys.iter().map(|key| Value::from(key.shown(service))).collect(),
        })
    }
}

impl Node {
    /// Whether all that a field is compared with are numbers; fails where there is nothing, or numbers and texts.
    fn is_number(&self, name: &str) -> Result<bool, Error> {
        let (mut numbers, mut texts) = (false, false);
        self.note_types(name, &mut |is_number| match is_number {
            true => numbers = true,
            false => texts = true,
        });
        match numbers == texts {
            false => Ok(numbers),
            true => Err(Error::refused(
                "text_sort_error",
                format!(
                    "Unspecified or ambiguous sort type. Try appending :number or :string to the sort field. {name}"
                ),
            )),
        }
    }

    fn note_types(&self, name: &str, note: &mut impl FnMut(bool)) {
        match self {
            Node::All(parts) | Node::Any(parts) | Node::None(parts) => {
                parts.iter().for_each(|part| part.note_types(name, note));
            }
            Node::Field(field) if field.name == name && !field.negated => match &field.test {
                Test::Lt(value)
                | Test::Lte(value)
                | Test::Eq(value)
                | Test::Ne(value)
                | Test::Gte(value)
                | Test::Gt(value) => match value {
                    Value::String(_) => note(false),
                    Value::Int32(_) | Value::Int64(_) | Value::Double(_) => note(true),
                    _ => {}
                },
                Test::Regex(_) | Test::BeginsWith(_) => note(false),
                _ => {}
            },
            Node::Not(_) | Node::Text(_) | Node::Field(_) => {}
        }
    }
}

/// What `_explain` says besides of a query that a text index answers.
pub(crate) fn explained(
    selector: &Selector,
    sort: &Sort,
    (service, partition): (Service, Option<&str>),
) -> Result<value::Document, Error> {
    Ok(doc! {
        "query": selector.text_query()?,
        "partition": partition.map_or(Value::Null, Value::from),
        "sort": selector.text_sort_shown(sort, service)?,
    })
}
