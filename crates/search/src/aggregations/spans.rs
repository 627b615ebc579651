//! Histograms that choose how wide their buckets are.
//!
//! The width depends on the earliest and the latest date among the matches, or on all numbers. The caller asks for them in a search
//! of its own ([`Aggregations::spans`]) and passes the answer to [`Aggregations::choose`] before it collects.

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
            let asked = |name: &str, spec: Spec| Named {
                name: format!("{at}.{name}"),
                spec,
                inner: Aggregations::default(),
                meta: None,
            };
            match &one.spec {
                Spec::Auto(source, _) => {
                    named.extend(ENDS.map(|(end, kind)| asked(end, Spec::Metric(source.clone(), kind))));
                }
                Spec::Varied(..) => named.push(asked("values", one.spec.clone())),
                _ => {}
            }
        }
        (!named.is_empty()).then_some(Aggregations {
            named,
            ..Aggregations::default()
        })
    }

    /// Chooses how wide buckets are by the answer to [`Aggregations::spans`].
    pub fn choose(&mut self, spans: &Map<String, Value>) {
        for (at, one) in self.named.iter_mut().enumerate() {
            if let Spec::Varied(_, spec) = &mut one.spec {
                let found = spans.get(&format!("{at}.values"));
                spec.choose(found.and_then(|found| found.get("clusters")));
            }
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
