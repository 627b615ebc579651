//! Logins that failed: the more of them, the longer the next one waits.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::net::IpAddr;
use std::time::{Duration, Instant};

/// The most users and addresses that are remembered; further ones replace those that failed longest ago.
const REMEMBERED_MAX: usize = 10_000;
/// How long they are remembered after the last failure.
const REMEMBERED_TIME: Duration = Duration::from_secs(15 * 60);
/// The first wait; each further failure doubles it.
const WAIT_FIRST: Duration = Duration::from_millis(100);
/// A login that would wait for longer is refused at once.
const WAIT_MAX: Duration = Duration::from_secs(10);

/// The rule for one user from one address: failures without a wait, and the longest wait between two attempts.
const OF_USER: Rule = Rule {
    free: 4,
    wait_max: Duration::from_secs(5),
};
/// The rule for all users from one address, behind which there may be many people.
const OF_ADDRESS: Rule = Rule {
    free: 100,
    wait_max: Duration::from_secs(1),
};

struct Rule {
    free: u32,
    wait_max: Duration,
}

/// Who failed: a user from an address, or anybody from there.
type Key = (Option<Box<str>>, IpAddr);

#[derive(Debug)]
struct Failed {
    times: u32,
    last: Instant,
    /// Nobody with this key is let in before then.
    next: Instant,
}

/// The failures of all who log in.
#[derive(Debug, Default)]
pub(crate) struct Attempts {
    failed: Mutex<HashMap<Key, Failed>>,
}

/// The error that so many logins failed that another attempt is refused at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyAttempts {
    /// After which another one may be made.
    pub wait: Duration,
}

impl Attempts {
    /// How long an attempt has to wait. It takes its place: one that comes at the same time waits for longer.
    pub(crate) fn begin(&self, user: &str, address: IpAddr) -> Result<Duration, TooManyAttempts> {
        let now = Instant::now();
        let mut failed = self.failed.lock();
        let keys = [(key(user, address), OF_USER), ((None, address), OF_ADDRESS)];
        let until = |key: &Key, rule: &Rule| {
            let known = failed.get(key)?;
            (known.times > rule.free).then_some(known.next)
        };
        let next = keys.iter().filter_map(|(key, rule)| until(key, rule)).max();
        let wait = next.map_or(Duration::ZERO, |next| next.saturating_duration_since(now));
        if wait > WAIT_MAX {
            return Err(TooManyAttempts { wait });
        }
        for (key, rule) in &keys {
            if let Some(known) = failed.get_mut(key)
                && known.times > rule.free
            {
                known.next = known.next.max(now) + rule.wait(known.times);
            }
        }
        Ok(wait)
    }

    /// Notes that an attempt failed.
    pub(crate) fn failed(&self, user: &str, address: IpAddr) {
        let now = Instant::now();
        let mut failed = self.failed.lock();
        if failed.len() >= REMEMBERED_MAX {
            forget(&mut failed, now);
        }
        for (key, rule) in [(key(user, address), OF_USER), ((None, address), OF_ADDRESS)] {
            let known = failed.entry(key).or_insert(Failed {
                times: 0,
                last: now,
                next: now,
            });
            if now - known.last > REMEMBERED_TIME {
                known.times = 0;
            }
            known.times = known.times.saturating_add(1);
            known.last = now;
            if known.times > rule.free {
                known.next = known.next.max(now + rule.wait(known.times));
            }
        }
    }

    /// How often a user failed from an address; `None` if the last time was before this time.
    pub(crate) fn failures(&self, user: &str, address: IpAddr, within: Duration) -> u32 {
        let failed = self.failed.lock();
        let known = failed.get(&key(user, address));
        let known = known.filter(|known| known.last.elapsed() <= within);
        known.map_or(0, |known| known.times)
    }

    /// Notes that an attempt succeeded.
    pub(crate) fn succeeded(&self, user: &str, address: IpAddr) {
        self.failed.lock().remove(&key(user, address));
    }
}

impl Rule {
    /// The time between two attempts after this many failures.
    fn wait(&self, times: u32) -> Duration {
        let doublings = times.saturating_sub(self.free + 1).min(16);
        WAIT_FIRST.saturating_mul(1 << doublings).min(self.wait_max)
    }
}

fn key(user: &str, address: IpAddr) -> Key {
    // A name may be as long as a request; only names of users are worth remembering whole.
    let end = user.char_indices().nth(128).map_or(user.len(), |(at, _)| at);
    (Some(user[..end].into()), address)
}

/// Makes room: forgets those who failed long ago, or else the half that failed longest ago.
fn forget(failed: &mut HashMap<Key, Failed>, now: Instant) {
    failed.retain(|_, known| now - known.last <= REMEMBERED_TIME);
    if failed.len() < REMEMBERED_MAX {
        return;
    }
    let mut times: Vec<Instant> = failed.values().map(|known| known.last).collect();
    let middle = times.len() / 2;
    let (_, oldest, _) = times.select_nth_unstable(middle);
    let oldest = *oldest;
    failed.retain(|_, known| known.last > oldest);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    fn address(number: u32) -> IpAddr {
        Ipv4Addr::from(number).into()
    }

    fn fail(attempts: &Attempts, user: &str, from: IpAddr, times: u32) {
        (0..times).for_each(|_| attempts.failed(user, from));
    }

    #[test]
    fn some_mistakes_cost_nothing_and_more_cost_time() {
        let attempts = Attempts::default();
        fail(&attempts, "ann", address(1), OF_USER.free);
        assert_eq!(attempts.begin("ann", address(1)), Ok(Duration::ZERO));
        fail(&attempts, "ann", address(1), 3);
        let wait = attempts.begin("ann", address(1)).expect("not for long");
        assert!(wait > WAIT_FIRST && wait <= WAIT_MAX, "{wait:?}");
        assert_eq!(attempts.begin("ben", address(1)), Ok(Duration::ZERO));
        assert_eq!(attempts.begin("ann", address(2)), Ok(Duration::ZERO));
    }

    #[test]
    fn failures_are_counted_for_a_while() {
        let attempts = Attempts::default();
        fail(&attempts, "ann", address(1), 3);
        assert_eq!(attempts.failures("ann", address(1), Duration::from_secs(60)), 3);
        assert_eq!(attempts.failures("ann", address(2), Duration::from_secs(60)), 0);
        assert_eq!(attempts.failures("ann", address(1), Duration::ZERO), 0);
    }

    #[test]
    fn attempts_at_once_wait_one_after_the_other_and_many_are_refused() {
        let attempts = Attempts::default();
        fail(&attempts, "ann", address(1), 20);
        let first = attempts.begin("ann", address(1)).expect("not for long");
        let second = attempts.begin("ann", address(1)).expect("not for long");
        assert!(second > first);
        assert!((0..10).any(|_| attempts.begin("ann", address(1)).is_err()));
    }

    #[test]
    fn one_address_that_tries_many_users_waits_too() {
        let attempts = Attempts::default();
        for user in 0..=OF_ADDRESS.free + 2 {
            attempts.failed(&user.to_string(), address(1));
        }
        assert!(attempts.begin("somebody", address(1)).expect("not for long") > Duration::ZERO);
    }

    #[test]
    fn a_right_password_resets_the_count_of_failures() {
        let attempts = Attempts::default();
        fail(&attempts, "ann", address(1), 10);
        attempts.succeeded("ann", address(1));
        assert_eq!(attempts.begin("ann", address(1)), Ok(Duration::ZERO));
    }

    #[test]
    fn the_table_is_bounded() {
        let attempts = Attempts::default();
        for number in 0..REMEMBERED_MAX as u32 {
            attempts.failed("ann", address(number));
        }
        assert!(attempts.failed.lock().len() <= REMEMBERED_MAX + 1);
    }
}
