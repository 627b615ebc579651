//! Searches by PCRE2 that end in time.
//!
//! PCRE2 limits the steps of a match, and counts them anew for each place of the text where a match may begin (pcre2api, "The match
//! context"): a pattern that takes many from each place could hold its thread for hours over a text of a megabyte. So the limit of a
//! first attempt falls with the length of the text, and together they are a bounded number of steps. A search that needs more goes
//! on in slices: `\G(?s:.{0,255}?)\K(?:pattern)` begins at one place alone, where PCRE2 is told to begin, and looks for a match at
//! the 256 places from there within one limit. Between slices the operation looks whether it must end.
//!
//! A step may run over the whole text (`a*`). So a slice begins with a low limit, which is raised while attempts take little time. Then
//! the slice is cut into shorter ones, down to a single place; only a match that needs more by itself fails.

use super::encoding::Encoding;
use crate::interruption::{long_step, steps};
use crate::{Code, Error, Result};
use pcre2::bytes::{Regex, RegexBuilder};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Limits of the first attempt: the longest text in bytes, and the steps from each place of it. Some 200,000,000 short steps take a
/// second.
const FIRST_ATTEMPTS: [(usize, u32); 5] = [
    (100, 100_000),
    (1_000, 10_000),
    (40_000, 1_000),
    (400_000, 100),
    (4_000_000, 10),
];

/// In how many places a match may begin in a slice. PCRE2 repeats nothing more often than the first says.
const SLICES: [usize; 4] = [65_536, 4_096, 256, 1];

/// The steps that a slice may take, the last what keeps a hostile pattern from running for hours.
const LIMITS: [u32; 6] = [16_000, 64_000, 256_000, 1_000_000, 4_000_000, 16_000_000];

/// After an attempt that took longer than this, and than to look at the text, the limit is not raised: four times as many steps, each
/// of which runs over four times as much, take sixteen times as long.
const ATTEMPT_MAX: Duration = Duration::from_millis(20);

/// How often an attempt at a single place is made with one limit before it is taken for a long one: a thread that has to wait for a
/// processor takes long too.
const LONG_ATTEMPTS: usize = 3;

/// How long it takes at most to look at a byte of the text, whose encoding PCRE2 checks in each attempt.
const BYTE_CHECKED: Duration = Duration::from_nanos(4);

/// The steps, some seconds of them, from all places of a text together if its pattern cannot be searched for in slices.
const UNSLICED_STEPS_MAX: usize = 4_000_000_000;

/// The number of slices of one length after which a longer one is tried again.
const SLICES_UNTIL_LONGER: usize = 16;

/// What PCRE2 returns when a match needs more steps than its limits (pcre2api, "ERROR RETURN VALUES FROM pcre2_match()"):
/// `PCRE2_ERROR_MATCHLIMIT`, and `PCRE2_ERROR_DEPTHLIMIT` where it is not compiled to machine code.
const LIMIT_ERRORS: [i32; 2] = [-47, -53];

/// The stack of compiled patterns; PCRE2's default of 32 KiB is too small for alternatives over long texts.
const JIT_STACK_BYTES_MAX: usize = 512 * 1024;

/// Steps of an operation that a search counts for, beside those for its length.
const STEPS_PER_SEARCH: usize = 2;

/// Bytes of a text that are searched in the time of one step of an operation.
const BYTES_PER_STEP: usize = 100;

/// What means something else within a slice, or cannot be there: verbs, the place to begin at, and the whole pattern within itself.
const UNSLICED: [&str; 7] = ["(*", "\\G", "\\K", "(?R", "(?0", "\\g<0", "\\g'0"];

/// MongoDB's code for a search that fails.
pub(super) const FAILED: Code = Code::location(5_429_102);

/// A pattern for searches in slices, once it is compiled; `None` where it cannot be searched for so.
type Sliced = OnceLock<Option<Regex>>;

/// A pattern with its options, compiled for as many kinds of searches as were needed.
#[derive(Clone)]
pub(super) struct Searcher {
    pattern: String,
    options: String,
    encoding: Encoding,
    /// With the limits of [`FIRST_ATTEMPTS`].
    first: [OnceLock<Regex>; FIRST_ATTEMPTS.len()],
    /// For [`SLICES`], with each of the [`LIMITS`]. Few need these.
    sliced: OnceLock<Box<[[Sliced; LIMITS.len()]; SLICES.len()]>>,
    /// With each of the [`LIMITS`], where it cannot.
    unsliced: OnceLock<Box<[OnceLock<Regex>; LIMITS.len()]>>,
    /// In the encodings that need no check of the text, as far as the pattern can be compiled so.
    ascii: OnceLock<Option<Box<Searcher>>>,
    unchecked: OnceLock<Option<Box<Searcher>>>,
}

impl Searcher {
    pub(super) fn new(pattern: &str, options: &str) -> Result<Searcher> {
        Searcher::with_encoding(pattern, options, Encoding::Checked)
    }

    fn with_encoding(pattern: &str, options: &str, encoding: Encoding) -> Result<Searcher> {
        let searcher = Searcher {
            pattern: pattern.to_owned(),
            options: options.to_owned(),
            encoding,
            first: Default::default(),
            sliced: OnceLock::new(),
            unsliced: OnceLock::new(),
            ascii: OnceLock::new(),
            unchecked: OnceLock::new(),
        };
        // Whether the pattern is valid is known once it is compiled.
        searcher.with_limit(&searcher.first[0], FIRST_ATTEMPTS[0].1)?;
        Ok(searcher)
    }

    /// A searcher for the same matches in this text that does not check all of the text in each search, if there is one.
    pub(super) fn for_many(&self, text: &str) -> &Searcher {
        let encoding = Encoding::without_checks(&self.pattern, text);
        let kept = match encoding {
            Encoding::Checked => return self,
            Encoding::Ascii => &self.ascii,
            Encoding::Unchecked => &self.unchecked,
        };
        let compiled = kept.get_or_init(|| {
            let written = encoding.written(&self.pattern, &self.options)?;
            let searcher = Searcher::with_encoding(&written, &self.options, encoding);
            searcher.ok().map(Box::new)
        });
        compiled.as_deref().unwrap_or(self)
    }

    pub(super) fn pattern(&self) -> &str {
        &self.pattern
    }

    pub(super) fn options(&self) -> &str {
        &self.options
    }

    /// Searches by `attempt`, which is given a pattern and the byte of the text to begin at, and returns `None` if there is no match.
    /// Fails where a match takes too many steps, and once the operation must end.
    pub(super) fn search<T>(
        &self,
        text: &str,
        start: usize,
        attempt: impl Fn(&Regex, usize) -> Result<Option<T>, pcre2::Error>,
    ) -> Result<Option<T>> {
        let length = text.len().saturating_sub(start);
        steps(STEPS_PER_SEARCH + length / BYTES_PER_STEP)?;
        if let Some(at) = FIRST_ATTEMPTS.iter().position(|(bytes, _)| length <= *bytes) {
            match attempt(self.with_limit(&self.first[at], FIRST_ATTEMPTS[at].1)?, start) {
                Err(error) if is_limit(&error) => {}
                found => return found.map_err(|error| failed(&error)),
            }
        }
        self.search_slices(text, start, attempt)
    }

    fn search_slices<T>(
        &self,
        text: &str,
        mut start: usize,
        attempt: impl Fn(&Regex, usize) -> Result<Option<T>, pcre2::Error>,
    ) -> Result<Option<T>> {
        let (mut slice, mut limit, mut slices, mut long_attempts) = (0, 0, 0, 0);
        loop {
            long_step()?;
            let rest = text.get(start..).unwrap_or_default();
            let Some(pattern) = self.sliced(slice, limit) else {
                let found = attempt(self.unsliced(rest.len())?, start);
                return found.map_err(|error| failed(&error));
            };
            let begun = Instant::now();
            match attempt(pattern, start) {
                Ok(None) => {}
                Err(error) if is_limit(&error) => {
                    let is_long = begun.elapsed() > ATTEMPT_MAX + BYTE_CHECKED * rest.len() as u32;
                    long_attempts += usize::from(is_long);
                    if limit + 1 < LIMITS.len() && !is_long {
                        (limit, long_attempts) = (limit + 1, 0);
                    } else if slice + 1 < SLICES.len() {
                        (slice, limit, slices, long_attempts) = (slice + 1, 0, 0, 0);
                    } else if limit + 1 == LIMITS.len() || long_attempts == LONG_ATTEMPTS {
                        return Err(failed(&error));
                    }
                    continue;
                }
                found => return found.map_err(|error| failed(&error)),
            }
            // There is a place behind the last character too.
            let mut begins = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
            match begins.nth(SLICES[slice]) {
                Some(next) => start += next,
                None => return Ok(None),
            }
            slices += 1;
            (limit, long_attempts) = (limit.saturating_sub(1), 0);
            if slices == SLICES_UNTIL_LONGER {
                (slice, slices) = (slice.saturating_sub(1), 0);
            }
        }
    }

    /// The pattern as it is, with a limit of the steps from each place.
    fn with_limit<'s>(&'s self, kept: &'s OnceLock<Regex>, limit: u32) -> Result<&'s Regex> {
        if let Some(compiled) = kept.get() {
            return Ok(compiled);
        }
        let compiled = self.compile(&self.pattern, limit);
        let compiled = compiled.map_err(|error| invalid(&error.to_string()))?;
        Ok(kept.get_or_init(|| compiled))
    }

    /// The pattern as a whole, with the limit for a text of this length in bytes.
    fn unsliced(&self, bytes: usize) -> Result<&Regex> {
        let is_affordable = |limit: &u32| (*limit as usize).saturating_mul(bytes) <= UNSLICED_STEPS_MAX;
        let at = LIMITS.iter().rposition(is_affordable).unwrap_or(0);
        let unsliced = self.unsliced.get_or_init(Box::default);
        self.with_limit(&unsliced[at], LIMITS[at])
    }

    /// The pattern for slices of a length, with a limit.
    fn sliced(&self, slice: usize, limit: usize) -> Option<&Regex> {
        let sliced = self.sliced.get_or_init(Box::default);
        let compiled = sliced[slice][limit].get_or_init(|| {
            let is_sliced = !UNSLICED.iter().any(|part| self.pattern.contains(part));
            let skipped = SLICES[slice] - 1;
            // `\E` ends what `\Q` may have begun, a line what is a comment.
            let end = if self.options.contains('x') {
                "\\E\n"
            } else {
                "\\E"
            };
            let sliced = format!("\\G(?s:.{{0,{skipped}}}?)\\K(?:{}{end})", self.pattern);
            is_sliced.then(|| self.compile(&sliced, LIMITS[limit]).ok())?
        });
        compiled.as_ref()
    }

    /// Compiles a pattern with the options. A match fails after this many steps.
    fn compile(&self, pattern: &str, steps_max: u32) -> Result<Regex, pcre2::Error> {
        let has = |flag: char| self.options.contains(flag);
        RegexBuilder::new()
            .utf(self.encoding != Encoding::Ascii)
            .ucp(self.encoding == Encoding::Unchecked)
            .jit_if_available(true)
            .max_jit_stack_size(Some(JIT_STACK_BYTES_MAX))
            .caseless(has('i'))
            .multi_line(has('m'))
            .dotall(has('s'))
            .extended(has('x'))
            .build(&format!(
                "(*LIMIT_MATCH={steps_max})(*LIMIT_DEPTH={steps_max}){pattern}"
            ))
    }
}

fn is_limit(error: &pcre2::Error) -> bool {
    LIMIT_ERRORS.contains(&error.code())
}

pub(super) fn invalid(reason: &str) -> Error {
    Error::new(
        Code::location(51_091),
        format!("Regular expression is invalid: {reason}"),
    )
}

fn failed(error: &pcre2::Error) -> Error {
    let reason = format!("Error occurred while executing the regular expression. Result code: {error}");
    Error::new(FAILED, reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Searches for what is not there, by a pattern that takes many steps from each place. So many of the first attempts wait for a
    /// processor.
    fn is_searched(waiting: usize) -> bool {
        let text = "a".repeat(23);
        let searcher = Searcher::new("(?:a|aa)+[bc]", "").expect("a pattern");
        let attempts = Cell::new(0);
        let found = searcher.search_slices(&text, 0, |pattern, start| {
            attempts.set(attempts.get() + 1);
            if attempts.get() <= waiting {
                std::thread::sleep(2 * ATTEMPT_MAX);
            }
            let found = pattern.is_match_at(text.as_bytes(), start)?;
            Ok(found.then_some(()))
        });
        assert!(attempts.get() > SLICES.len(), "there is a limit that is raised");
        matches!(found, Ok(None))
    }

    #[test]
    fn an_attempt_that_waited_for_a_processor_is_made_again() {
        assert!(is_searched(SLICES.len()));
        assert!(!is_searched(SLICES.len() + LONG_ATTEMPTS));
    }
}
