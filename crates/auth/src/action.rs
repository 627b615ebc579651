//! What can be allowed, and on what.

macro_rules! actions {
    ($($name:ident = $text:literal,)*) => {
        /// Something that a role can allow; the names are MongoDB's privilege actions.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the names are MongoDB's")]
        pub enum Action { $($name,)* }

        impl Action {
            /// MongoDB's name.
            pub fn name(self) -> &'static str {
                match self { $(Action::$name => $text,)* }
            }
        }
    };
}

actions! {
    BypassDocumentValidation = "bypassDocumentValidation",
    ChangeCustomData = "changeCustomData",
    ChangeOwnCustomData = "changeOwnCustomData",
    ChangeOwnPassword = "changeOwnPassword",
    ChangePassword = "changePassword",
    CollMod = "collMod",
    CollStats = "collStats",
    Compact = "compact",
    ConvertToCapped = "convertToCapped",
    CreateCollection = "createCollection",
    CreateIndex = "createIndex",
    CreateUser = "createUser",
    DbHash = "dbHash",
    DbStats = "dbStats",
    DropCollection = "dropCollection",
    DropDatabase = "dropDatabase",
    DropIndex = "dropIndex",
    DropUser = "dropUser",
    EnableProfiler = "enableProfiler",
    Find = "find",
    Fsync = "fsync",
    GetCmdLineOpts = "getCmdLineOpts",
    GetLog = "getLog",
    GetParameter = "getParameter",
    GrantRole = "grantRole",
    HostInfo = "hostInfo",
    IndexStats = "indexStats",
    Inprog = "inprog",
    Insert = "insert",
    KillAnyCursor = "killAnyCursor",
    KillAnySession = "killAnySession",
    Killop = "killop",
    ListCollections = "listCollections",
    ListDatabases = "listDatabases",
    ListIndexes = "listIndexes",
    LogRotate = "logRotate",
    PlanCacheRead = "planCacheRead",
    PlanCacheWrite = "planCacheWrite",
    ReIndex = "reIndex",
    Remove = "remove",
    RenameCollectionSameDb = "renameCollectionSameDB",
    RevokeRole = "revokeRole",
    ServerStatus = "serverStatus",
    SetParameter = "setParameter",
    Top = "top",
    Unlock = "unlock",
    Update = "update",
    Validate = "validate",
    ViewRole = "viewRole",
    ViewUser = "viewUser",
}

/// What an action is done to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource<'a> {
    /// The server as a whole.
    Cluster,
    /// A database as a whole.
    Database(&'a str),
    /// A collection of a database.
    Collection(&'a str, &'a str),
}
