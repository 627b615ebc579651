//! A decoded document: fields in order, names possibly repeated as BSON allows.

use crate::Value;

/// A decoded document. Look-up by name is a walk: documents are small and order matters.
#[derive(Clone, Debug, Default)]
pub struct Document {
    fields: Vec<(String, Value)>,
}

impl Document {
    /// A document without fields.
    pub fn new() -> Document {
        Document::default()
    }

    /// A document without fields, with room for this many.
    pub fn with_capacity(fields: usize) -> Document {
        Document {
            fields: Vec::with_capacity(fields),
        }
    }

    /// The number of fields.
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// Whether there is no field.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// The value of the first field of this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.fields
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, value)| value)
    }

    /// The value of the first field of this name, to change it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.fields
            .iter_mut()
            .find(|(n, _)| n == name)
            .map(|(_, value)| value)
    }

    /// Where the first field of this name stands.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|(n, _)| n == name)
    }

    /// Whether there is a field of this name.
    pub fn contains(&self, name: &str) -> bool {
        self.position(name).is_some()
    }

    /// Sets the field: in its place where it exists, else at the end.
    pub fn set(&mut self, name: impl Into<String> + AsRef<str>, value: impl Into<Value>) {
        match self.get_mut(name.as_ref()) {
            Some(present) => *present = value.into(),
            None => self.push(name, value),
        }
    }

    /// Adds a field at the end without looking whether one of that name exists.
    pub fn push(&mut self, name: impl Into<String>, value: impl Into<Value>) {
        self.fields.push((name.into(), value.into()));
    }

    /// The same document with one more field at its end.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Value>) -> Document {
        self.push(name, value);
        self
    }

    /// Puts a field at a position, moving those after it.
    pub fn insert_at(&mut self, position: usize, name: impl Into<String>, value: impl Into<Value>) {
        self.fields.insert(position, (name.into(), value.into()));
    }

    /// Takes the first field of this name out.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        self.position(name).map(|at| self.fields.remove(at).1)
    }

    /// The fields in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &Value)> + ExactSizeIterator {
        self.fields.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The fields in order, their values to change.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&str, &mut Value)> {
        self.fields.iter_mut().map(|(name, value)| (name.as_str(), value))
    }

    pub(crate) fn fields(&self) -> &[(String, Value)] {
        &self.fields
    }

    /// Keeps the fields for which `keep` is true.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &Value) -> bool) {
        self.fields.retain(|(name, value)| keep(name, value));
    }
}

impl IntoIterator for Document {
    type Item = (String, Value);
    type IntoIter = std::vec::IntoIter<(String, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.fields.into_iter()
    }
}

impl FromIterator<(String, Value)> for Document {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(fields: I) -> Document {
        Document {
            fields: fields.into_iter().collect(),
        }
    }
}

impl<const N: usize> From<[(&str, Value); N]> for Document {
    fn from(fields: [(&str, Value); N]) -> Document {
        fields
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    }
}
