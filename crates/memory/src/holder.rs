//! Who holds memory.

/// Requests up to this size have memory of their own, so that they need not wait behind large ones.
pub const SMALL_REQUEST_BYTES: usize = 256 * 1024;

/// A kind of holder of memory, and how much of the budget all of the kind may hold together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// Messages of clients who have not logged in.
    Strangers,
    /// Messages and bodies of requests up to [`SMALL_REQUEST_BYTES`], from their first byte until they are answered.
    Requests,
    /// Larger ones: the small ones do not wait behind them.
    LargeRequests,
    /// Long documents that operations have read and work on.
    Documents,
    /// Answers, until they are sent.
    Answers,
    /// Stages of pipelines, and sorts.
    Stages,
    /// Values that expressions build.
    Values,
    /// Cursors between two batches.
    Cursors,
    /// Functions in JavaScript.
    Scripts,
    /// Rows of views that are on their way into them.
    Views,
    /// Functions of design documents: one share a thread.
    DesignFunctions,
    /// Writers of full-text indexes.
    Indexing,
    /// Changes that full-text indexes have not taken in yet, kept for the next search.
    Tails,
    /// Hits, candidates, buckets and suggestions of searches, and the answers that are made of them.
    Searches,
    /// Searches that go on: scrolls and points in time.
    Scrolls,
    /// Pieces of uploads, until the store has them.
    Uploads,
    /// Documents of bulk requests, as they are read, changed by pipelines and written.
    Ingest,
    /// Messages of syslog, from their first byte until they are written.
    Syslog,
    /// What long commands are decoded into.
    Commands,
    /// Filters of feeds that go on.
    Feeds,
}

impl Holder {
    /// All of them.
    pub const ALL: [Holder; 20] = [
        Holder::Strangers,
        Holder::Requests,
        Holder::LargeRequests,
        Holder::Documents,
        Holder::Answers,
        Holder::Stages,
        Holder::Values,
        Holder::Cursors,
        Holder::Scripts,
        Holder::Views,
        Holder::DesignFunctions,
        Holder::Indexing,
        Holder::Tails,
        Holder::Searches,
        Holder::Scrolls,
        Holder::Uploads,
        Holder::Ingest,
        Holder::Syslog,
        Holder::Commands,
        Holder::Feeds,
    ];

    /// Its name, as reports show it.
    pub fn name(self) -> &'static str {
        match self {
            Holder::Strangers => "strangers",
            Holder::Requests => "requests",
            Holder::LargeRequests => "large_requests",
            Holder::Documents => "documents",
            Holder::Answers => "answers",
            Holder::Stages => "stages",
            Holder::Values => "values",
            Holder::Cursors => "cursors",
            Holder::Scripts => "scripts",
            Holder::Views => "views",
            Holder::DesignFunctions => "design_functions",
            Holder::Indexing => "indexing",
            Holder::Tails => "tails",
            Holder::Searches => "searches",
            Holder::Scrolls => "scrolls",
            Holder::Uploads => "uploads",
            Holder::Ingest => "ingest",
            Holder::Syslog => "syslog",
            Holder::Commands => "commands",
            Holder::Feeds => "feeds",
        }
    }

    /// What it is, within a sentence.
    pub(crate) fn described(self) -> &'static str {
        match self {
            Holder::Strangers => "messages before a login",
            Holder::Requests => "small requests",
            Holder::LargeRequests => "large requests",
            Holder::Documents => "long documents",
            Holder::Answers => "answers",
            Holder::Stages => "stages and sorts",
            Holder::Values => "values of expressions",
            Holder::Cursors => "idle cursors",
            Holder::Scripts => "functions in JavaScript",
            Holder::Views => "rows of views",
            Holder::DesignFunctions => "functions of design documents",
            Holder::Indexing => "writers of full-text indexes",
            Holder::Tails => "changes that full-text indexes have not taken in",
            Holder::Searches => "hits, buckets and suggestions of searches",
            Holder::Scrolls => "scrolls and points in time",
            Holder::Uploads => "pieces of uploads",
            Holder::Ingest => "documents of bulk requests",
            Holder::Syslog => "messages of syslog",
            Holder::Commands => "long commands",
            Holder::Feeds => "filters of feeds",
        }
    }

    /// Its part of the budget in sixteenths. Together they are more than all: they are never all full at once.
    pub(crate) fn sixteenths(self) -> usize {
        match self {
            Holder::Strangers | Holder::Scrolls | Holder::Syslog | Holder::Feeds => 1,
            Holder::Requests | Holder::Answers | Holder::Values | Holder::Cursors | Holder::Tails => 2,
            Holder::LargeRequests | Holder::Scripts | Holder::DesignFunctions | Holder::Searches => 4,
            Holder::Documents
            | Holder::Views
            | Holder::Indexing
            | Holder::Uploads
            | Holder::Ingest
            | Holder::Commands => 3,
            Holder::Stages => 6,
        }
    }

    /// The holder of requests of this size.
    pub fn of_request(bytes: usize) -> Holder {
        match bytes <= SMALL_REQUEST_BYTES {
            true => Holder::Requests,
            false => Holder::LargeRequests,
        }
    }
}
