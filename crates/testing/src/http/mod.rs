//! Requests and what they are to be answered, as data: [`case`] makes one, [`faults`] runs a table of them.

mod blanks;
mod exchange;
mod expect;

pub use exchange::{Answer, exchange};

use blanks::Blanks;
use std::net::SocketAddr;

/// One request and its answer.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// `METHOD path`, then headers, each on a line of its own.
    pub request: &'static str,
    /// The body, sent as JSON where no header says what it is.
    pub body: &'static str,
    /// The status of the answer.
    pub status: u16,
    /// What the answer has: JSON, of which all members must be there at any depth (`"*"` stands for any value but null), or else words
    /// of its body. Headers, and in each words of its value, may stand before that and an empty line.
    pub answer: &'static str,
}

/// A request with its answer. Where it says `<name>`, the value is meant that a member or header of this name had in the
/// last answer with one; `<host>` is the server's address.
pub const fn case(request: &'static str, body: &'static str, status: u16, answer: &'static str) -> Case {
    Case {
        request,
        body,
        status,
        answer,
    }
}

impl Case {
    /// GET, PUT, or any other word.
    pub fn method(&self) -> &'static str {
        self.request.split_whitespace().next().unwrap_or_default()
    }

    /// The path, without the query.
    pub fn path(&self) -> &'static str {
        let target = self.request.split_whitespace().nth(1).unwrap_or_default();
        target.split('?').next().unwrap_or_default()
    }

    /// The parts of the path that are not empty.
    pub fn parts(&self) -> Vec<&'static str> {
        self.path().split('/').filter(|part| !part.is_empty()).collect()
    }

    /// Whether what is asked for is done.
    pub fn is_good(&self) -> bool {
        self.status < 400
    }
}

/// Asks for one case after another; says what was not answered as it should be.
///
/// # Panics
/// If the server gives no answer.
pub fn faults(address: SocketAddr, cases: &[Case]) -> Vec<String> {
    let mut blanks = Blanks::new(address);
    let mut faults = Vec::new();
    for case in cases {
        let (request, body) = (blanks.fill(case.request), blanks.fill(case.body));
        let answer = exchange(address, &request, &body);
        if let Some(fault) = expect::fault(case, &blanks.fill(case.answer), &answer) {
            faults.push(format!("{request} {body}\n  {fault}:\n  {answer}"));
        }
        blanks.learn(&answer);
    }
    faults
}
