//! What scripts write into the server's log, within limits: a document's author must not fill the disk by it.

use std::borrow::Cow;
use std::time::{Duration, Instant};

/// The lines of one sandbox in a minute.
const LINES_MAX: usize = 100;
/// What is written of a line.
const LINE_BYTES_MAX: usize = 4096;
const MINUTE: Duration = Duration::from_secs(60);

/// What stands for the lines that are left out.
const LEFT_OUT: &str = "(lines of this script are left out for the rest of the minute: it wrote 100)";

/// What the scripts of a sandbox may still write.
#[derive(Debug)]
pub struct LogAllowance {
    minute_began: Instant,
    lines: usize,
}

impl Default for LogAllowance {
    /// The allowance of a sandbox that has written nothing.
    fn default() -> LogAllowance {
        LogAllowance {
            minute_began: Instant::now(),
            lines: 0,
        }
    }
}

impl LogAllowance {
    /// What is written of a line: its first 4 KiB, a word about those that are left out, or nothing.
    pub fn take<'a>(&mut self, line: &'a str) -> Option<Cow<'a, str>> {
        self.take_at(line, Instant::now())
    }

    fn take_at<'a>(&mut self, line: &'a str, now: Instant) -> Option<Cow<'a, str>> {
        if now.duration_since(self.minute_began) >= MINUTE {
            self.minute_began = now;
            self.lines = 0;
        }
        if self.lines > LINES_MAX {
            return None;
        }
        self.lines += 1;
        if self.lines > LINES_MAX {
            return Some(LEFT_OUT.into());
        }
        if line.len() <= LINE_BYTES_MAX {
            return Some(line.into());
        }
        let head = &line[..line.floor_char_boundary(LINE_BYTES_MAX)];
        Some(format!("{head}… ({} bytes)", line.len()).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_has_a_hundred_lines_and_a_word_about_the_others() {
        let mut allowance = LogAllowance::default();
        let now = Instant::now();
        for _ in 0..LINES_MAX {
            assert_eq!(allowance.take_at("a line", now).as_deref(), Some("a line"));
        }
        assert_eq!(allowance.take_at("a line", now).as_deref(), Some(LEFT_OUT));
        assert_eq!(allowance.take_at("a line", now), None);
        assert_eq!(allowance.take_at("later", now + MINUTE).as_deref(), Some("later"));
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        let line = format!("x{}", "é".repeat(LINE_BYTES_MAX));
        let shown = LogAllowance::default()
            .take_at(&line, Instant::now())
            .map(Cow::into_owned);
        let expected = format!("x{}… (8193 bytes)", "é".repeat(LINE_BYTES_MAX / 2 - 1));
        assert_eq!(shown, Some(expected));
    }
}
