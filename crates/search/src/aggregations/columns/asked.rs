//! Which columns say all that aggregations ask, and what of them.

use super::Grouping;
use super::buckets::Buckets;
use crate::aggregations::composite::PartKind;
use crate::aggregations::histogram::Interval;
use crate::aggregations::metric_kind::MetricKind;
use crate::aggregations::values::Source;
use crate::aggregations::{Aggregations, Spec};
use crate::indexed::Layout;
use fulltext::Key;
use mapping::{Field, FieldKind, Mapping};
use querying::Node;
use std::sync::Arc;

/// A column and what is asked of it.
#[derive(Debug)]
pub(super) struct OneField {
    pub(super) field: Arc<Field>,
    pub(super) key: Key,
    pub(super) form: Form,
}

/// What of a field's values tells entries apart.
#[derive(Debug)]
pub(super) enum Form {
    /// Each value.
    Values,
    /// The bucket of a histogram that each is in.
    Buckets(Box<Buckets>),
    /// Nothing: what they add up to is all that is asked.
    Summary,
}

/// What an aggregation asks of a field.
#[derive(Clone, Copy)]
enum Asked<'a> {
    Values,
    Buckets(&'a Interval),
    Summary,
}

impl Aggregations {
    /// The columns that say all that these ask; `None` where documents must be asked.
    pub(crate) fn grouping(&self, mapping: &Mapping, layout: &Layout, filters: &[Node]) -> Option<Grouping> {
        let mut sources = Vec::new();
        self.sources(mapping, &mut sources)?;
        let mut fields: Vec<OneField> = Vec::new();
        for (source, asked) in sources {
            // A field that is not mapped has no values.
            let Some(field) = mapping.field(&source.field) else {
                continue;
            };
            let key = layout.key(&field.name)?;
            match fields.iter_mut().find(|known| known.key == key) {
                Some(known) => known.also(asked),
                None => fields.push(OneField {
                    field: field.into_owned(),
                    key,
                    form: Form::of(source, asked),
                }),
            }
        }
        let mut asked = Vec::new();
        filters.iter().try_for_each(|filter| filter.columns(&mut asked))?;
        for field in asked {
            if !has_column(&field, true) {
                return None;
            }
            let key = layout.key(&field.name)?;
            match fields.iter_mut().find(|known| known.key == key) {
                Some(known) => known.form = Form::Values,
                None => fields.push(OneField {
                    field,
                    key,
                    form: Form::Values,
                }),
            }
        }
        Some(Grouping::new(fields))
    }

    /// Adds what is asked of columns; `None` where something else is asked.
    fn sources<'a>(&'a self, mapping: &Mapping, out: &mut Vec<(&'a Source, Asked<'a>)>) -> Option<()> {
        for named in &self.named {
            match &named.spec {
                Spec::Pipeline(_) => continue,
                // A document counts a value once that it has twice, and a column has it once.
                Spec::Terms(source, _) | Spec::Missing(source) => {
                    add(source, Asked::Values, true, mapping, out)?;
                }
                Spec::Metric(source, MetricKind::Cardinality) => {
                    add(source, Asked::Values, true, mapping, out)?;
                }
                Spec::Metric(_, MetricKind::WeightedAvg(_)) => return None,
                // What stands for no value is asked of each entry.
                Spec::Metric(source, kind) if kind.is_of_summary() && source.missing.is_none() => {
                    add(source, Asked::Summary, false, mapping, out)?;
                }
                Spec::Metric(source, _) | Spec::Range(source, _) => {
                    add(source, Asked::Values, false, mapping, out)?;
                }
                Spec::Histogram(source, interval) => {
                    add(source, Asked::Buckets(interval), false, mapping, out)?;
                }
                Spec::Composite(composite) => {
                    for part in &composite.parts {
                        match &part.kind {
                            PartKind::Terms => add(&part.source, Asked::Values, true, mapping, out)?,
                            PartKind::Histogram(interval) => {
                                add(&part.source, Asked::Buckets(interval), false, mapping, out)?;
                            }
                            PartKind::Tile(..) => return None,
                        }
                    }
                }
                // What they ask is asked of columns, too.
                Spec::Filter(_) | Spec::Filters { .. } | Spec::Adjacency { .. } => {}
                _ => return None,
            }
            named.inner.sources(mapping, out)?;
        }
        Some(())
    }
}

/// Adds what is asked of a column; `None` where the field has none that says it.
fn add<'a>(
    source: &'a Source,
    asked: Asked<'a>,
    may_be_text: bool,
    mapping: &Mapping,
    out: &mut Vec<(&'a Source, Asked<'a>)>,
) -> Option<()> {
    let field = mapping.field(&source.field);
    if source.script.is_some() || field.is_some_and(|field| !has_column(&field, may_be_text)) {
        return None;
    }
    out.push((source, asked));
    Some(())
}

/// Whether a field's values are in a column; of a text each value once.
fn has_column(field: &Field, may_be_text: bool) -> bool {
    let is_column = match field.kind {
        FieldKind::Keyword => may_be_text && field.doc_values,
        FieldKind::Integer(..)
        | FieldKind::Unsigned
        | FieldKind::Float(_)
        | FieldKind::Boolean
        | FieldKind::Date => true,
        _ => false,
    };
    is_column && field.nested.is_none() && field.meta.is_none() && !field.is_keyed()
}

impl Form {
    fn of(source: &Source, asked: Asked<'_>) -> Form {
        match asked {
            Asked::Values => Form::Values,
            Asked::Buckets(interval) => {
                let buckets = Buckets::new(source, interval);
                buckets.map_or(Form::Values, |buckets| Form::Buckets(Box::new(buckets)))
            }
            Asked::Summary => Form::Summary,
        }
    }
}

impl OneField {
    /// What is asked in two ways is kept as it is.
    fn also(&mut self, asked: Asked<'_>) {
        if !matches!((&self.form, asked), (Form::Summary, Asked::Summary)) {
            self.form = Form::Values;
        }
    }
}
