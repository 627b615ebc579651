//! What the server tells of itself: figures of the last minute and of all its time, under Riak's names.

use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// The version that is spoken.
pub(crate) const VERSION: &str = "2.2.3";

/// The seconds that figures are of, unless they are totals.
const WINDOW_S: usize = 60;
/// Values are counted by classes, four of which double: a percentile is at most a fifth too high.
const CLASSES: usize = 4 * 40;

/// The name of the one node.
pub(crate) fn node_name() -> String {
    "riak@127.0.0.1".to_owned()
}

/// What is counted, from the start of the server.
#[derive(Debug)]
pub(crate) struct Stats {
    started: Instant,
    get_times: Figures,
    put_times: Figures,
    siblings: Figures,
    sizes: Figures,
    connects: Figures,
    connected: AtomicU64,
}

/// A connection of protocol buffers; counted until it is dropped.
#[derive(Debug)]
pub(crate) struct Connected<'a>(&'a AtomicU64);

impl Drop for Connected<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Stats {
    pub(crate) fn new() -> Stats {
        Stats {
            started: Instant::now(),
            get_times: Figures::default(),
            put_times: Figures::default(),
            siblings: Figures::default(),
            sizes: Figures::default(),
            connects: Figures::default(),
            connected: AtomicU64::new(0),
        }
    }

    /// An object was read, with its number of siblings and the bytes of their values.
    pub(crate) fn got(&self, begun: Instant, siblings: usize, bytes: u64) {
        let second = self.second();
        self.get_times.add(second, begun.elapsed().as_micros() as u64);
        if siblings > 0 {
            self.siblings.add(second, siblings as u64);
            self.sizes.add(second, bytes);
        }
    }

    /// An object was written.
    pub(crate) fn put(&self, begun: Instant) {
        self.put_times
            .add(self.second(), begun.elapsed().as_micros() as u64);
    }

    /// A client of protocol buffers is there.
    pub(crate) fn connect(&self) -> Connected<'_> {
        self.connects.add(self.second(), 0);
        self.connected.fetch_add(1, Ordering::Relaxed);
        Connected(&self.connected)
    }

    fn second(&self) -> u64 {
        self.started.elapsed().as_secs()
    }

    /// `/stats`.
    pub(crate) fn to_json(&self) -> Value {
        let second = self.second();
        let mut all = Map::new();
        let mut tell = |name: String, value: Value| drop(all.insert(name, value));
        for (name, figures) in [("gets", &self.get_times), ("puts", &self.put_times)] {
            let (window, total) = figures.read(second);
            // One store has every copy, so what its node does, it does.
            for place in ["node", "vnode"] {
                tell(format!("{place}_{name}"), json!(window.count));
                tell(format!("{place}_{name}_total"), json!(total));
            }
        }
        let spread = [
            ("node_get_fsm_time", &self.get_times),
            ("node_put_fsm_time", &self.put_times),
            ("node_get_fsm_siblings", &self.siblings),
            ("node_get_fsm_objsize", &self.sizes),
        ];
        for (name, figures) in spread {
            let (window, _) = figures.read(second);
            tell(
                format!("{name}_mean"),
                json!(window.sum.checked_div(window.count).unwrap_or(0)),
            );
            for (share, shown) in [(0.5, "median"), (0.95, "95"), (0.99, "99")] {
                tell(format!("{name}_{shown}"), json!(window.percentile(share)));
            }
            tell(format!("{name}_100"), json!(window.most));
        }
        let (window, total) = self.connects.read(second);
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let others = [
            ("pbc_connects", json!(window.count)),
            ("pbc_connects_total", json!(total)),
            ("pbc_active", json!(self.connected.load(Ordering::Relaxed))),
            ("read_repairs", json!(0)),
            ("read_repairs_total", json!(0)),
            ("cpu_nprocs", json!(processors)),
            ("nodename", json!(node_name())),
            ("riak_kv_version", json!(VERSION)),
            ("riak_core_version", json!(VERSION)),
            ("riak_pb_version", json!(VERSION)),
            ("ring_members", json!([node_name()])),
            ("ring_num_partitions", json!(64)),
            ("connected_nodes", json!([])),
            ("storage_backend", json!("larder")),
        ];
        for (name, value) in others {
            tell(name.to_owned(), value);
        }
        Value::Object(all)
    }
}

/// Values of one kind: how many there ever were, and those of each second of the last minute.
#[derive(Debug, Default)]
struct Figures(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    total: u64,
    seconds: Vec<(u64, Window)>,
}

/// The values of some seconds.
#[derive(Clone, Debug)]
struct Window {
    count: u64,
    sum: u64,
    most: u64,
    classes: Box<[u32; CLASSES]>,
}

impl Default for Window {
    fn default() -> Window {
        Window {
            count: 0,
            sum: 0,
            most: 0,
            classes: Box::new([0; CLASSES]),
        }
    }
}

impl Figures {
    fn add(&self, second: u64, value: u64) {
        let mut kept = self.0.lock();
        kept.total += 1;
        let place = second as usize % WINDOW_S;
        while kept.seconds.len() <= place {
            kept.seconds.push((0, Window::default()));
        }
        let (of, window) = &mut kept.seconds[place];
        if *of != second {
            (*of, *window) = (second, Window::default());
        }
        window.count += 1;
        window.sum += value;
        window.most = window.most.max(value);
        window.classes[class(value)] += 1;
    }

    /// Those of the last minute, and how many there ever were.
    fn read(&self, second: u64) -> (Window, u64) {
        let kept = self.0.lock();
        let mut all = Window::default();
        let recent = kept
            .seconds
            .iter()
            .filter(|(of, _)| of + WINDOW_S as u64 > second);
        for (_, window) in recent {
            all.count += window.count;
            all.sum += window.sum;
            all.most = all.most.max(window.most);
            all.classes
                .iter_mut()
                .zip(window.classes.iter())
                .for_each(|(all, one)| *all += one);
        }
        (all, kept.total)
    }
}

impl Window {
    /// What a share of the values does not exceed.
    fn percentile(&self, share: f64) -> u64 {
        let wanted = (self.count as f64 * share).ceil() as u64;
        let mut seen = 0;
        for (class, count) in self.classes.iter().enumerate() {
            seen += u64::from(*count);
            if seen >= wanted && seen > 0 {
                return most_of(class).min(self.most);
            }
        }
        self.most
    }
}

/// The class of a value: its power of two, and which fourth of the way to the next.
fn class(value: u64) -> usize {
    match value.checked_ilog2() {
        // Small values are classes of their own.
        None | Some(0 | 1) => value as usize,
        Some(power) => {
            let fourth = (value >> (power - 2)) & 3;
            (power as usize * 4 + fourth as usize - 4).min(CLASSES - 1)
        }
    }
}

/// The largest value of a class.
fn most_of(class: usize) -> u64 {
    match class {
        0..4 => class as u64,
        class => {
            let (power, fourth) = ((class + 4) / 4, (class + 4) % 4);
            ((4 + fourth as u64 + 1) << (power - 2)) - 1
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_in_the_class_whose_largest_value_is_next() {
        for value in (0..5_000).chain([1 << 20, 123_456_789]) {
            let class = class(value);
            assert!(value <= most_of(class), "{value}");
            assert!(class == 0 || value > most_of(class - 1), "{value}");
            assert!(most_of(class) as f64 <= value as f64 * 1.25, "{value}");
        }
    }

    #[test]
    fn figures_are_of_the_last_minute_and_totals_of_all_time() {
        let figures = Figures::default();
        (1..=100).for_each(|value| figures.add(1, value));
        let (window, total) = figures.read(30);
        assert_eq!(
            (window.count, window.sum, window.most, total),
            (100, 5_050, 100, 100)
        );
        assert!((50..=60).contains(&window.percentile(0.5)));
        assert_eq!(window.percentile(1.0), 100);
        figures.add(61, 7);
        let (window, total) = figures.read(61);
        assert_eq!((window.count, window.most, total), (1, 7, 101));
    }
}
