//! Values against schemas.

use super::{
    Additional, ArrayRules, Dependency, Encrypted, Items, NumberRules, ObjectRules, Property, Schema,
    StringRules, encryption, unordered,
};
use crate::Result;
use crate::filter::number::is_multiple;
use crate::filter::{Comparison, matches};
use crate::interruption::{COMPARISONS_PER_STEP, steps};
use value::{ArrayRef, DocumentRef, Type, Value, ValueRef};

impl Schema {
    pub(super) fn matches(&self, value: ValueRef<'_>) -> Result<bool> {
        if self.types.is_some_and(|types| !types.contains(value.type_of())) {
            return Ok(false);
        }
        if let Some(Encrypted { types }) = self.encrypted
            && !encryption::matches(
                value,
                types.map(|types| move |original: Type| types.contains(original)),
            )
        {
            return Ok(false);
        }
        if let Some(allowed) = &self.allowed
            && !allowed.iter().any(|one| unordered::equal(one.as_ref(), value))
        {
            return Ok(false);
        }
        let holds = match value {
            ValueRef::Document(document) => self.object.match_document(document)?,
            ValueRef::Array(array) => self.array.match_array(array)?,
            ValueRef::String(text) => self.string.match_text(text)?,
            number if number.is_number() => self.number.match_number(number),
            _ => true,
        };
        Ok(holds && self.match_combinations(value)?)
    }

    fn match_combinations(&self, value: ValueRef<'_>) -> Result<bool> {
        for schema in &self.all_of {
            if !schema.matches(value)? {
                return Ok(false);
            }
        }
        if !self.any_of.is_empty() && count_matching(&self.any_of, value, 1)? == 0 {
            return Ok(false);
        }
        if !self.one_of.is_empty() && count_matching(&self.one_of, value, 2)? != 1 {
            return Ok(false);
        }
        match &self.not {
            Some(schema) => Ok(!schema.matches(value)?),
            None => Ok(true),
        }
    }
}

/// How many of the schemas the value satisfies, not looking further than `enough`.
fn count_matching(schemas: &[Schema], value: ValueRef<'_>, enough: usize) -> Result<usize> {
    let mut count = 0;
    for schema in schemas {
        count += usize::from(schema.matches(value)?);
        if count == enough {
            break;
        }
    }
    Ok(count)
}

fn within(count: u64, min: Option<u64>, max: Option<u64>) -> bool {
    min.is_none_or(|min| count >= min) && max.is_none_or(|max| count <= max)
}

impl NumberRules {
    fn match_number(&self, value: ValueRef<'_>) -> bool {
        let satisfies = |op: Comparison, limit: &Option<Value>| {
            limit
                .as_ref()
                .is_none_or(|limit| matches::compare(op, value, limit.as_ref()))
        };
        let lowest = if self.is_minimum_exclusive {
            Comparison::Gt
        } else {
            Comparison::Gte
        };
        let highest = if self.is_maximum_exclusive {
            Comparison::Lt
        } else {
            Comparison::Lte
        };
        satisfies(lowest, &self.minimum)
            && satisfies(highest, &self.maximum)
            && self
                .multiple_of
                .as_ref()
                .is_none_or(|divisor| is_multiple(value, divisor.as_ref()))
    }
}

impl StringRules {
    fn match_text(&self, text: &str) -> Result<bool> {
        if self.length_min.is_some() || self.length_max.is_some() {
            let length = text.chars().count() as u64;
            if !within(length, self.length_min, self.length_max) {
                return Ok(false);
            }
        }
        self.pattern
            .as_ref()
            .map_or(Ok(true), |pattern| pattern.is_match(text))
    }
}

impl ArrayRules {
    fn match_array(&self, array: ArrayRef<'_>) -> Result<bool> {
        if (self.items_min.is_some() || self.items_max.is_some())
            && !within(array.len() as u64, self.items_min, self.items_max)
        {
            return Ok(false);
        }
        if self.are_items_unique && !are_unique(array)? {
            return Ok(false);
        }
        for (position, element) in array.iter().enumerate() {
            let holds = match &self.items {
                Items::Free => return Ok(true),
                Items::Each(schema) => schema.matches(element)?,
                Items::InOrder(schemas) => match schemas.get(position) {
                    Some(schema) => schema.matches(element)?,
                    None => self.additional.matches(element)?,
                },
            };
            if !holds {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn are_unique(array: ArrayRef<'_>) -> Result<bool> {
    for (position, element) in array.iter().enumerate() {
        steps(1 + position / COMPARISONS_PER_STEP)?;
        let mut earlier = array.iter().take(position);
        if earlier.any(|earlier| unordered::equal(earlier, element)) {
            return Ok(false);
        }
    }
    Ok(true)
}

impl Additional {
    fn matches(&self, value: ValueRef<'_>) -> Result<bool> {
        match self {
            Additional::Free => Ok(true),
            Additional::Refused => Ok(false),
            Additional::Schema(schema) => schema.matches(value),
        }
    }
}

impl ObjectRules {
    fn match_document(&self, document: DocumentRef<'_>) -> Result<bool> {
        let has_all = |fields: &[Property]| fields.iter().all(|field| field.exists(document));
        if !has_all(&self.required) {
            return Ok(false);
        }
        if (self.properties_min.is_some() || self.properties_max.is_some())
            && !within(
                document.iter().count() as u64,
                self.properties_min,
                self.properties_max,
            )
        {
            return Ok(false);
        }
        for (property, dependency) in &self.dependencies {
            if !property.exists(document) {
                continue;
            }
            let holds = match dependency {
                Dependency::Fields(fields) => has_all(fields),
                Dependency::Schema(schema) => schema.matches(ValueRef::Document(document))?,
            };
            if !holds {
                return Ok(false);
            }
        }
        self.match_fields(document)
    }

    fn match_fields(&self, document: DocumentRef<'_>) -> Result<bool> {
        for (property, schema) in &self.properties {
            if !property.passes(document, |value| schema.matches(value))? {
                return Ok(false);
            }
        }
        if self.patterns.is_empty() && matches!(self.additional, Additional::Free) {
            return Ok(true);
        }
        for (name, value) in document.iter() {
            let mut is_named = self.properties.iter().any(|(known, _)| known.name() == name);
            for (pattern, schema) in &self.patterns {
                if pattern.is_match(name)? {
                    is_named = true;
                    if !schema.matches(value)? {
                        return Ok(false);
                    }
                }
            }
            if !is_named && !self.additional.matches(value)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
