//! The built-in roles, and what each allows.
//!
//! Source: MongoDB's manual, "Built-In Roles". Roles of the `…AnyDatabase` and cluster kinds exist in `admin` alone.

use crate::action::Action;
use crate::name::RoleName;
use crate::privilege::Privilege;
use crate::scope::{OF_COUCH, Scope};

macro_rules! roles {
    ($($kind:ident = $name:literal, $admin_only:literal;)*) => {
        /// The built-in roles.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the names are MongoDB's")]
        pub enum BuiltinRole { $($kind,)* }

        impl BuiltinRole {
            /// Every built-in role.
            pub const ALL: &'static [BuiltinRole] = &[$(BuiltinRole::$kind,)*];

            /// MongoDB's name.
            pub fn name(self) -> &'static str {
                match self { $(BuiltinRole::$kind => $name,)* }
            }

            /// Whether the role exists in database `admin` only.
            pub fn is_admin_only(self) -> bool {
                match self { $(BuiltinRole::$kind => $admin_only,)* }
            }
        }
    };
}

roles! {
    Read = "read", false;
    ReadWrite = "readWrite", false;
    DbAdmin = "dbAdmin", false;
    UserAdmin = "userAdmin", false;
    DbOwner = "dbOwner", false;
    ReadAnyDatabase = "readAnyDatabase", true;
    ReadWriteAnyDatabase = "readWriteAnyDatabase", true;
    DbAdminAnyDatabase = "dbAdminAnyDatabase", true;
    UserAdminAnyDatabase = "userAdminAnyDatabase", true;
    ClusterMonitor = "clusterMonitor", true;
    ClusterManager = "clusterManager", true;
    HostManager = "hostManager", true;
    ClusterAdmin = "clusterAdmin", true;
    Backup = "backup", true;
    Restore = "restore", true;
    Root = "root", true;
}

impl BuiltinRole {
    /// The built-in role that a name means, if it means one.
    pub fn named(name: &RoleName) -> Option<BuiltinRole> {
        let is_there = |role: &&BuiltinRole| !role.is_admin_only() || name.database == "admin";
        BuiltinRole::ALL
            .iter()
            .filter(is_there)
            .find(|role| role.name() == name.name)
            .copied()
    }

    /// What the role allows in its database.
    pub fn privileges(self, database: &str) -> Vec<Privilege> {
        let (here, cluster) = (Scope::database(database), Scope::Cluster);
        let profile = Scope::collection(database, "system.profile");
        let on = |scope: &Scope, lists: &[&[Action]]| Privilege::new(scope.clone(), lists.concat());
        match self {
            BuiltinRole::Read | BuiltinRole::ReadAnyDatabase => vec![on(&here, &[READ])],
            BuiltinRole::ReadWrite | BuiltinRole::ReadWriteAnyDatabase => vec![on(&here, &[READ, WRITE])],
            BuiltinRole::DbAdmin | BuiltinRole::DbAdminAnyDatabase => {
                vec![on(&here, &[DB_ADMIN]), on(&profile, &[PROFILE])]
            }
            BuiltinRole::UserAdmin | BuiltinRole::UserAdminAnyDatabase => vec![on(&here, &[USER_ADMIN])],
            BuiltinRole::DbOwner => vec![
                on(&here, &[READ, WRITE, DB_ADMIN, USER_ADMIN]),
                on(&profile, &[PROFILE]),
            ],
            BuiltinRole::ClusterMonitor => vec![
                on(&here, &[MONITOR_DB]),
                on(&profile, &[&[Action::Find]]),
                on(&cluster, &[MONITOR]),
            ],
            BuiltinRole::ClusterManager => vec![on(&here, &[MONITOR_DB])],
            BuiltinRole::HostManager => vec![on(&here, &[HOST_DB]), on(&cluster, &[HOST])],
            BuiltinRole::ClusterAdmin => vec![
                on(&here, &[MONITOR_DB, HOST_DB, &[Action::DropDatabase]]),
                on(&profile, &[&[Action::Find]]),
                on(&cluster, &[MONITOR, HOST]),
            ],
            BuiltinRole::Backup => [
                vec![
                    on(&here, &[READ]),
                    on(&profile, &[&[Action::Find]]),
                    on(&cluster, &[BACKUP]),
                ],
                system_collections(&[Action::Find]),
            ]
            .concat(),
            BuiltinRole::Restore => [
                vec![on(&here, &[WRITE, DB_ADMIN, USER_ADMIN])],
                system_collections(SYSTEM_WRITE),
            ]
            .concat(),
            BuiltinRole::Root => vec![on(&Scope::Everything, &[&[Action::AnyAction]])],
        }
        .into_iter()
        .chain((self.lists_databases()).then(|| on(&cluster, &[LIST])))
        .collect()
    }

    /// Whether the role shows the names of all databases.
    fn lists_databases(self) -> bool {
        matches!(
            self,
            BuiltinRole::ReadAnyDatabase
                | BuiltinRole::ReadWriteAnyDatabase
                | BuiltinRole::DbAdminAnyDatabase
                | BuiltinRole::UserAdminAnyDatabase
                | BuiltinRole::ClusterManager
                | BuiltinRole::Restore
        )
    }
}

/// The collections of the server's own that a copy of everything holds.
fn system_collections(actions: &[Action]) -> Vec<Privilege> {
    let own = ["system.users", "system.roles", "system.couch"].map(|name| Scope::collection("admin", name));
    let buckets = Scope::Buckets {
        database: String::new(),
        collection: String::new(),
    };
    let of_couch = OF_COUCH.map(|name| Scope::collection("", name));
    own.into_iter()
        .chain(of_couch)
        .chain([buckets])
        .map(|scope| Privilege::new(scope, actions.to_vec()))
        .collect()
}

const READ: &[Action] = &[
    Action::CollStats,
    Action::DbHash,
    Action::DbStats,
    Action::Find,
    Action::IndexStats,
    Action::ListCollections,
    Action::ListIndexes,
    Action::ListSearchIndexes,
    Action::PlanCacheRead,
];

const WRITE: &[Action] = &[
    Action::ConvertToCapped,
    Action::CreateCollection,
    Action::CreateIndex,
    Action::CreateSearchIndexes,
    Action::DropCollection,
    Action::DropIndex,
    Action::DropSearchIndex,
    Action::Insert,
    Action::Remove,
    Action::RenameCollectionSameDb,
    Action::Update,
    Action::UpdateSearchIndex,
];

const DB_ADMIN: &[Action] = &[
    Action::BypassDocumentValidation,
    Action::CollMod,
    Action::CollStats,
    Action::Compact,
    Action::ConvertToCapped,
    Action::CreateCollection,
    Action::CreateIndex,
    Action::CreateSearchIndexes,
    Action::DbStats,
    Action::DropCollection,
    Action::DropDatabase,
    Action::DropIndex,
    Action::DropSearchIndex,
    Action::EnableProfiler,
    Action::IndexStats,
    Action::ListCollections,
    Action::ListIndexes,
    Action::ListSearchIndexes,
    Action::PlanCacheIndexFilter,
    Action::PlanCacheRead,
    Action::PlanCacheWrite,
    Action::ReIndex,
    Action::RenameCollectionSameDb,
    Action::UpdateSearchIndex,
    Action::Validate,
];

const USER_ADMIN: &[Action] = &[
    Action::ChangeCustomData,
    Action::ChangePassword,
    Action::CreateRole,
    Action::CreateUser,
    Action::DropRole,
    Action::DropUser,
    Action::GrantRole,
    Action::RevokeRole,
    Action::SetAuthenticationRestriction,
    Action::ViewRole,
    Action::ViewUser,
];

/// What administrators of a database may do with the profiler's entries: read and drop them, not write any.
const PROFILE: &[Action] = &[
    Action::CollStats,
    Action::ConvertToCapped,
    Action::CreateCollection,
    Action::DbHash,
    Action::DbStats,
    Action::DropCollection,
    Action::Find,
    Action::ListCollections,
    Action::ListIndexes,
    Action::PlanCacheRead,
];

const LIST: &[Action] = &[Action::ListDatabases];

const MONITOR: &[Action] = &[
    Action::GetCmdLineOpts,
    Action::GetLog,
    Action::GetParameter,
    Action::HostInfo,
    Action::Inprog,
    Action::ListClusterCatalog,
    Action::ListDatabases,
    Action::ListSessions,
    Action::QueryStatsRead,
    Action::QueryStatsReadTransformed,
    Action::ServerStatus,
    Action::Top,
];

const MONITOR_DB: &[Action] = &[
    Action::CollStats,
    Action::DbStats,
    Action::IndexStats,
    Action::ListCollections,
    Action::ListIndexes,
];

const HOST: &[Action] = &[
    Action::Fsync,
    Action::Inprog,
    Action::KillAnyCursor,
    Action::KillAnySession,
    Action::Killop,
    Action::LogRotate,
    Action::SetParameter,
    Action::Unlock,
];

const HOST_DB: &[Action] = &[Action::KillAnyCursor];

const BACKUP: &[Action] = &[Action::GetParameter, Action::ListDatabases, Action::ServerStatus];

const SYSTEM_WRITE: &[Action] = &[Action::Find, Action::Insert, Action::Remove, Action::Update];
