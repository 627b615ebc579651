//! What a check has found, in the form of Nagios' plugins.

use std::fmt;

/// How a server is; the worse the greater.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckState {
    /// All is well.
    #[default]
    Ok,
    /// It could not be found out.
    Unknown,
    /// Something wants to be looked at.
    Warning,
    /// Something is broken, or will be soon.
    Critical,
}

impl CheckState {
    /// The code by which Nagios knows it.
    pub fn exit_code(self) -> u8 {
        match self {
            CheckState::Ok => 0,
            CheckState::Warning => 1,
            CheckState::Critical => 2,
            CheckState::Unknown => 3,
        }
    }

    /// The state of a figure, by its two limits and whether it is beyond a limit.
    fn by_limits(is_beyond: impl Fn(f64) -> bool, warning: f64, critical: f64) -> CheckState {
        if is_beyond(critical) {
            CheckState::Critical
        } else if is_beyond(warning) {
            CheckState::Warning
        } else {
            CheckState::Ok
        }
    }
}

/// Beyond which limits a figure is bad: the first is for a warning, the second for worse.
#[derive(Clone, Copy, Debug)]
pub enum Bound {
    /// It may be anything.
    None,
    /// It may be this much. If the second is infinite, it is never worse than a warning.
    AtMost(f64, f64),
    /// It must be this much.
    AtLeast(f64, f64),
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    state: CheckState,
    said: Vec<String>,
    measured: Vec<String>,
}

impl Report {
    /// The worst of all that was found.
    pub fn state(&self) -> CheckState {
        self.state
    }

    /// Adds what is not as it should be.
    pub fn say(&mut self, state: CheckState, what: String) {
        self.state = self.state.max(state);
        // The line's end is the report's, and what comes after a bar are figures.
        self.said.push(what.replace(['\n', '|'], " "));
    }

    /// Adds a figure, which is bad beyond its limits.
    pub fn measure(&mut self, name: &str, unit: &str, value: f64, bound: Bound) {
        let (state, limits) = match bound {
            Bound::None => (CheckState::Ok, String::new()),
            Bound::AtMost(warning, critical) => {
                let state = CheckState::by_limits(|limit| value > limit, warning, critical);
                let critical = match critical.is_finite() {
                    true => critical.to_string(),
                    false => String::new(),
                };
                (state, format!(";{warning};{critical}"))
            }
            Bound::AtLeast(warning, critical) => {
                let state = CheckState::by_limits(|limit| value < limit, warning, critical);
                (state, format!(";{warning}:;{critical}:"))
            }
        };
        if state != CheckState::Ok {
            self.say(state, format!("{name} is {}{unit}", shown(value)));
        }
        self.measured
            .push(format!("{name}={}{unit}{limits}", shown(value)));
    }
}

/// With at most three decimals, and without zeros at the end.
fn shown(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match self.state {
            CheckState::Ok => "OK",
            CheckState::Unknown => "UNKNOWN",
            CheckState::Warning => "WARNING",
            CheckState::Critical => "CRITICAL",
        };
        let said = match self.said.is_empty() {
            true => "the server answers and writes".to_owned(),
            false => self.said.join("; "),
        };
        write!(f, "LARDER {state} - {said}")?;
        match self.measured.is_empty() {
            true => Ok(()),
            false => write!(f, " | {}", self.measured.join(" ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_good_state_is_one_line_with_figures() {
        let mut report = Report::default();
        report.measure("flush", "s", 0.0123, Bound::AtMost(1.0, 5.0));
        report.measure("disk_free", "%", 60.0, Bound::AtLeast(20.0, 10.0));
        report.measure("documents", "", 1_000_000.0, Bound::None);
        let line = "LARDER OK - the server answers and writes | flush=0.012s;1;5 disk_free=60%;20:;10: documents=1000000";
        assert_eq!(report.to_string(), line);
        assert_eq!(report.state().exit_code(), 0);
    }

    #[test]
    fn the_worst_decides_and_all_that_is_bad_is_said() {
        let mut report = Report::default();
        report.measure("disk_free", "%", 15.0, Bound::AtLeast(20.0, 10.0));
        assert_eq!(report.state().exit_code(), 1);
        report.measure("flush", "s", 6.0, Bound::AtMost(1.0, 5.0));
        report.say(CheckState::Unknown, "two\nlines | and a bar".into());
        assert_eq!(report.state().exit_code(), 2);
        let line = report.to_string();
        assert!(
            line.starts_with("LARDER CRITICAL - disk_free is 15%; flush is 6s; two lines   and a bar | "),
            "{line}"
        );
    }
}
