//! A tree of stages, shown as a plan or with the counts of each.

use value::{Document, Value};

/// One stage of a plan, with its input stages.
#[derive(Clone, Debug)]
pub struct Stage {
    name: &'static str,
    /// Its description, in MongoDB's fields.
    fields: Document,
    /// Its counts, besides those of every stage.
    examined: Document,
    returned: u64,
    works: u64,
    inputs: Vec<Stage>,
}

impl Stage {
    /// A stage with the number of results that it returned, and of steps that it took.
    pub fn new(name: &'static str, returned: u64, works: u64) -> Stage {
        Stage {
            name,
            fields: Document::new(),
            examined: Document::new(),
            returned,
            works: works.max(returned),
            inputs: Vec::new(),
        }
    }

    /// With one more field of its description.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Stage {
        self.fields.push(name, value);
        self
    }

    /// With one more count.
    #[must_use]
    pub fn counting(self, name: &str, count: u64) -> Stage {
        self.noting(name, Value::count(count))
    }

    /// With something else that only running it tells.
    #[must_use]
    pub fn noting(mut self, name: &str, value: impl Into<Value>) -> Stage {
        self.examined.push(name, value);
        self
    }

    /// With this input stage.
    #[must_use]
    pub fn over(mut self, input: Stage) -> Stage {
        self.inputs.push(input);
        self
    }

    /// With these input stages.
    #[must_use]
    pub fn over_all(mut self, inputs: Vec<Stage>) -> Stage {
        self.inputs = inputs;
        self
    }

    /// The number of results that it returned.
    pub fn returned(&self) -> u64 {
        self.returned
    }

    /// The stage as `winningPlan` shows it.
    pub fn plan(&self) -> Document {
        let mut shown = Document::new().with("stage", self.name);
        for (name, value) in self.fields.iter() {
            shown.push(name, value.clone());
        }
        self.put_inputs(&mut shown, Stage::plan);
        shown
    }

    /// The stage as `executionStages` shows it.
    pub fn execution(&self, time_ms: u64, finished: bool) -> Document {
        let mut shown = Document::new().with("stage", self.name);
        // The filter comes before the counts, as in MongoDB.
        if let Some(filter) = self.fields.get("filter") {
            shown.push("filter", filter.clone());
        }
        shown.push("nReturned", Value::count(self.returned));
        shown.push("executionTimeMillisEstimate", Value::count(time_ms));
        shown.push("works", Value::count(self.works + u64::from(finished)));
        shown.push("advanced", Value::count(self.returned));
        shown.push("needTime", Value::count(self.works - self.returned));
        for name in ["needYield", "saveState", "restoreState"] {
            shown.push(name, 0);
        }
        shown.push("isEOF", i32::from(finished));
        for (name, value) in self.fields.iter().filter(|(name, _)| *name != "filter") {
            shown.push(name, value.clone());
        }
        for (name, value) in self.examined.iter() {
            shown.push(name, value.clone());
        }
        self.put_inputs(&mut shown, |stage| stage.execution(time_ms, finished));
        shown
    }

    fn put_inputs(&self, shown: &mut Document, show: impl Fn(&Stage) -> Document) {
        match self.inputs.as_slice() {
            [] => {}
            [one] => shown.push("inputStage", show(one)),
            several => {
                let shown_inputs: Value = several.iter().map(|stage| Value::from(show(stage))).collect();
                shown.push("inputStages", shown_inputs);
            }
        }
    }
}
