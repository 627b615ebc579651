//! Sorting by how far places are.

use super::{Mode, NestedSort, Order};
use mapping::error::{ErrorKind, Result, SearchError};
use mapping::fields::{Term, View};
use mapping::geo::{self, Point};
use mapping::json::scalar;
use mapping::{FieldKind, Mapping};
use serde_json::{Map, Value};

/// The points that distances are from at most.
const POINTS_MAX: usize = 1_000;

/// A sort by the distance from points.
#[derive(Clone, Debug)]
pub struct DistanceSort {
    pub(crate) field: String,
    points: Vec<Point>,
    pub(crate) order: Order,
    mode: Mode,
    /// Metres that count as one.
    unit: f64,
    ignore_unmapped: bool,
    pub(crate) nested: Option<NestedSort>,
}

impl DistanceSort {
    pub(super) fn parse(order: Order, options: &Map<String, Value>) -> Result<DistanceSort> {
        let mut sort = DistanceSort {
            field: String::new(),
            points: Vec::new(),
            order,
            mode: match order {
                Order::Ascending => Mode::Min,
                Order::Descending => Mode::Max,
            },
            unit: 1.0,
            ignore_unmapped: false,
            nested: None,
        };
        for (name, value) in options {
            let text = || scalar(value).unwrap_or_default();
            match name.as_str() {
                "order" => {}
                "unit" => {
                    let unknown = || SearchError::illegal(format!("No distance unit match [{}]", text()));
                    sort.unit = geo::metres(&format!("1{}", text())).ok_or_else(unknown)?;
                }
                // On a sphere, whichever way is asked for.
                "distance_type" if ["arc", "plane"].contains(&text().to_ascii_lowercase().as_str()) => {}
                "distance_type" => {
                    return Err(SearchError::illegal(format!("No geo distance for [{}]", text())));
                }
                "validation_method" => check_validation(&text())?,
                "mode" | "sort_mode" => sort.mode = mode(&text())?,
                "ignore_unmapped" => sort.ignore_unmapped = value.as_bool().unwrap_or(false),
                "nested" => sort.nested = Some(NestedSort::parse(value, 0)?),
                field => sort.take(field, value)?,
            }
        }
        match sort.points.is_empty() {
            false => Ok(sort),
            true => Err(SearchError::illegal(
                "Geo distance sorting needs at least one point.",
            )),
        }
    }

    /// Takes the points that distances of a field are from.
    fn take(&mut self, field: &str, value: &Value) -> Result<()> {
        let is_place = matches!(value, Value::Object(_) | Value::Array(_) | Value::String(_));
        if !self.field.is_empty() && value.is_string() {
            return Err(SearchError::parsing(format!(
                "Trying to reset fieldName to [{field}], already set to [{}].",
                self.field
            )));
        }
        if !is_place || !self.field.is_empty() {
            return Err(SearchError::parsing(format!(
                "[_geo_distance] does not support [{field}]"
            )));
        }
        field.clone_into(&mut self.field);
        let point = |value: &Value| {
            let wrong = || {
                let reason = format!("illegal point [{value}] for [GeoDistanceSort] for field [{field}].");
                SearchError::new(ErrorKind::Date, reason)
            };
            Point::of_json(value).ok_or_else(wrong)
        };
        self.points = match value {
            // Two numbers are one point.
            Value::Array(list) if !list.first().is_some_and(Value::is_number) => list
                .iter()
                .take(POINTS_MAX + 1)
                .map(point)
                .collect::<Result<_>>()?,
            one => vec![point(one)?],
        };
        match self.points.len() > POINTS_MAX {
            false => Ok(()),
            true => Err(SearchError::illegal(format!(
                "a sort by distances has more than {POINTS_MAX} points"
            ))),
        }
    }

    pub(crate) fn check(&self, mapping: &Mapping) -> Result<()> {
        let name = &self.field;
        match mapping.field(name) {
            None if self.ignore_unmapped => Ok(()),
            None => Err(SearchError::illegal(format!(
                "failed to find mapper for [{name}] for geo distance based sort"
            ))),
            Some(field) if field.kind == FieldKind::Point => self
                .nested
                .as_ref()
                .map_or(Ok(()), |nested| nested.check(mapping)),
            Some(field) => Err(SearchError::illegal(format!(
                "a sort by distances takes a field of type [geo_point], but [{name}] is of type [{}]",
                field.type_name
            ))),
        }
    }

    /// The distance of a document; what has no place is beyond all others.
    pub(crate) fn value(&self, view: &View<'_>) -> f64 {
        let Some(field) = view.mapping.field(&self.field) else {
            return f64::INFINITY;
        };
        let terms = match &self.nested {
            None => view.terms(&field),
            Some(nested) => {
                let views = nested.views(view);
                views.iter().flat_map(|view| view.terms(&field)).collect()
            }
        };
        let points = terms.iter().filter_map(|term| match term {
            Term::Point(point) => Some(point.in_column()),
            _ => None,
        });
        let from_all = |point: Point| {
            self.points
                .iter()
                .map(move |origin| point.distance(*origin) / self.unit)
        };
        let mut distances: Vec<f64> = points.flat_map(from_all).collect();
        distances.sort_by(f64::total_cmp);
        let middle = distances.len() / 2;
        match (self.mode, distances.len()) {
            (_, 0) => f64::INFINITY,
            (Mode::Max, count) => distances[count - 1],
            (Mode::Avg, count) => distances.iter().sum::<f64>() / count as f64,
            (Mode::Median, count) if count % 2 == 0 => {
                f64::midpoint(distances[middle - 1], distances[middle])
            }
            (Mode::Median, _) => distances[middle],
            _ => distances[0],
        }
    }
}

fn check_validation(text: &str) -> Result<()> {
    match text.to_ascii_uppercase().as_str() {
        "STRICT" | "COERCE" | "IGNORE_MALFORMED" => Ok(()),
        _ => Err(SearchError::illegal(format!(
            "operator needs to be either [COERCE, IGNORE_MALFORMED, STRICT], but not [{text}]"
        ))),
    }
}

fn mode(text: &str) -> Result<Mode> {
    match Mode::parse(text)? {
        Mode::Sum => Err(SearchError::illegal(
            "sort_mode [sum] isn't supported for sorting by geo distance",
        )),
        mode => Ok(mode),
    }
}
