//! Histograms of dates that choose how wide their buckets are.
//!
//! The width depends on the earliest and the latest date among the matches. The caller asks for both in a search of its own
//! ([`Aggregations::spans`]) and passes the answer to [`Aggregations::choose`] before it collects.

use super::auto::AutoSpec;
use super::histogram::{Interval, Width};
use super::metric_kind::MetricKind;
use super::values::Source;
use super::{Aggregations, Named, Spec};
use serde_json::{Map, Value};

const ENDS: [(&str, MetricKind); 2] = [("low", MetricKind::Min), ("high", MetricKind::Max)];

impl Aggregations {
    /// What is to be asked of all that is found before these can be collected; `None` where that is nothing.
    pub fn spans(&self) -> Option<Aggregations> {
        let mut named = Vec::new();
        for (at, one) in self.named.iter().enumerate() {
            let Spec::Auto(source, _) = &one.spec else {
                continue;
            };
            named.extend(ENDS.map(|(end, kind)| Named {
                name: format!("{at}.{end}"),
                spec: Spec::Metric(source.clone(), kind),
                inner: Aggregations::default(),
                meta: None,
            }));
        }
        (!named.is_empty()).then_some(Aggregations {
            named,
            ..Aggregations::default()
        })
    }

    /// Chooses how wide buckets are by the answer to [`Aggregations::spans`].
    pub fn choose(&mut self, spans: &Map<String, Value>) {
        for (at, one) in self.named.iter_mut().enumerate() {
            let Spec::Auto(source, spec) = &one.spec else {
                continue;
            };
            let end = |end: &str| Some(spans.get(&format!("{at}.{end}"))?.get("value")?.as_f64()? as i64);
            let interval = interval(spec, source, end("low").zip(end("high")));
            one.spec = Spec::Histogram(source.clone(), Box::new(interval));
        }
    }
}

/// The histogram for values between these.
fn interval(spec: &AutoSpec, source: &Source, span: Option<(i64, i64)>) -> Interval {
    let chosen = span.and_then(|span| spec.chosen(source, span));
    let (starts, text) = chosen.unwrap_or_else(|| (Vec::new(), "1s".to_owned()));
    Interval::of_width(Width::Listed {
        starts: starts.into(),
        text,
    })
}
