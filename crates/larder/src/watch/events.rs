//! Events of the log as documents, to be kept.

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tokio::sync::mpsc;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use value::{Document, DocumentBuf, Value};

/// The most events that wait to be written; further ones are counted, not kept.
const WAITING_MAX: usize = 1_000;

/// The part of the log that gives events away.
#[derive(Debug)]
pub struct EventLayer {
    shared: Arc<Shared>,
    sender: mpsc::Sender<DocumentBuf>,
}

/// Where events come out.
#[derive(Debug)]
pub struct Events {
    shared: Arc<Shared>,
    receiver: mpsc::Receiver<DocumentBuf>,
}

#[derive(Debug, Default)]
struct Shared {
    is_kept: AtomicBool,
    dropped: AtomicU64,
}

/// Both ends.
pub fn events() -> (EventLayer, Events) {
    let (sender, receiver) = mpsc::channel(WAITING_MAX);
    let shared = Arc::new(Shared::default());
    let layer = EventLayer {
        shared: shared.clone(),
        sender,
    };
    (layer, Events { shared, receiver })
}

impl Events {
    /// From now on events are kept. At first they are not.
    pub fn begin(&mut self) {
        self.shared.is_kept.store(true, Ordering::Relaxed);
    }

    /// From now on no events are kept, and those that wait are dropped.
    pub fn end(&mut self) {
        self.shared.is_kept.store(false, Ordering::Relaxed);
        self.take();
    }

    /// All that came since the last time.
    pub fn take(&mut self) -> Vec<DocumentBuf> {
        let mut taken: Vec<DocumentBuf> = std::iter::from_fn(|| self.receiver.try_recv().ok()).collect();
        let dropped = self.shared.dropped.swap(0, Ordering::Relaxed);
        if dropped > 0 {
            let document = line("warn", "larder::watch")
                .with("message", "lines of the log came too quickly to be kept")
                .with("lines", dropped as i64);
            taken.push(DocumentBuf::from(&document));
        }
        taken
    }
}

impl<S: Subscriber> Layer<S> for EventLayer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if !self.shared.is_kept.load(Ordering::Relaxed) {
            return;
        }
        let metadata = event.metadata();
        let level = metadata.level().as_str().to_ascii_lowercase();
        let mut fields = Fields(line(&level, metadata.target()));
        event.record(&mut fields);
        if self.sender.try_send(DocumentBuf::from(&fields.0)).is_err() {
            self.shared.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn line(level: &str, target: &str) -> Document {
    Document::new()
        .with("time", Value::DateTime(value::date::now_ms()))
        .with("level", level)
        .with("target", target)
}

/// The fields of an event, in their types.
struct Fields(Document);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.set(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.set(field.name(), value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.0.set(field.name(), value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.set(field.name(), i64::try_from(value).unwrap_or(i64::MAX));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.0.set(field.name(), value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.0.set(field.name(), value);
    }
}
