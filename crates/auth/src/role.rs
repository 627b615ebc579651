//! The built-in roles, and what each allows.
//!
//! Source: MongoDB's manual, "Built-In Roles". Roles of the `…AnyDatabase` and cluster kinds exist in `admin` alone.

use crate::AuthError;
use crate::action::Action;
use value::{Document, doc};

/// A built-in role of one database.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Role {
    /// Which role.
    pub kind: RoleKind,
    /// The database in which it holds; `admin` where it holds in all.
    pub database: String,
}

macro_rules! roles {
    ($($kind:ident = $name:literal, $admin_only:literal;)*) => {
        /// The built-in roles.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the names are MongoDB's")]
        pub enum RoleKind { $($kind,)* }

        impl RoleKind {
            /// Every built-in role.
            pub const ALL: &'static [RoleKind] = &[$(RoleKind::$kind,)*];

            /// MongoDB's name.
            pub fn name(self) -> &'static str {
                match self { $(RoleKind::$kind => $name,)* }
            }

            /// Whether the role exists in database `admin` only.
            pub fn is_admin_only(self) -> bool {
                match self { $(RoleKind::$kind => $admin_only,)* }
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

impl Role {
    /// The role of this name in this database.
    pub fn parse(name: &str, database: &str) -> Result<Role, AuthError> {
        RoleKind::ALL
            .iter()
            .find(|kind| kind.name() == name && (!kind.is_admin_only() || database == "admin"))
            .map(|kind| Role {
                kind: *kind,
                database: database.to_owned(),
            })
            .ok_or_else(|| AuthError::UnknownRole {
                role: name.to_owned(),
                database: database.to_owned(),
            })
    }

    /// `{role, db}`.
    pub fn to_document(&self) -> Document {
        doc! {"role": self.kind.name(), "db": &self.database}
    }

    /// What the role allows.
    pub(crate) fn grants(&self) -> Vec<Grant> {
        let here = || Scope::Database(self.database.clone());
        match self.kind {
            RoleKind::Read => vec![Grant::new(here(), READ)],
            RoleKind::ReadWrite => vec![Grant::new(here(), READ), Grant::new(here(), WRITE)],
            RoleKind::DbAdmin => vec![Grant::new(here(), DB_ADMIN)],
            RoleKind::UserAdmin => vec![Grant::new(here(), USER_ADMIN)],
            RoleKind::DbOwner => vec![
                Grant::new(here(), READ),
                Grant::new(here(), WRITE),
                Grant::new(here(), DB_ADMIN),
                Grant::new(here(), USER_ADMIN),
            ],
            RoleKind::ReadAnyDatabase => any(&[READ], LIST),
            RoleKind::ReadWriteAnyDatabase => any(&[READ, WRITE], LIST),
            RoleKind::DbAdminAnyDatabase => any(&[DB_ADMIN], LIST),
            RoleKind::UserAdminAnyDatabase => any(&[USER_ADMIN], LIST),
            RoleKind::ClusterMonitor => any(&[MONITOR_DB], MONITOR),
            RoleKind::ClusterManager => any(&[MONITOR_DB], LIST),
            RoleKind::HostManager => any(&[HOST_DB], HOST),
            RoleKind::ClusterAdmin => [
                any(&[MONITOR_DB, HOST_DB, &[Action::DropDatabase]], MONITOR),
                any(&[], HOST),
            ]
            .concat(),
            RoleKind::Backup => [any(&[READ], BACKUP), vec![Grant::system(&[Action::Find])]].concat(),
            RoleKind::Restore => [
                any(&[WRITE, DB_ADMIN, USER_ADMIN], LIST),
                vec![Grant::system(SYSTEM_WRITE)],
            ]
            .concat(),
            RoleKind::Root => vec![Grant {
                scope: Scope::Everything,
                actions: &[],
            }],
        }
    }
}

/// Actions on a scope.
#[derive(Clone, Debug)]
pub(crate) struct Grant {
    pub(crate) scope: Scope,
    pub(crate) actions: &'static [Action],
}

/// Where a grant holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// One database and its collections, `system.` collections aside.
    Database(String),
    /// All databases and their collections, `system.` collections aside.
    AnyDatabase,
    /// `system.` collections of all databases.
    SystemCollections,
    /// The server as a whole.
    Cluster,
    /// Every action on everything.
    Everything,
}

impl Grant {
    fn new(scope: Scope, actions: &'static [Action]) -> Grant {
        Grant { scope, actions }
    }

    fn system(actions: &'static [Action]) -> Grant {
        Grant::new(Scope::SystemCollections, actions)
    }
}

fn any(databases: &[&'static [Action]], cluster: &'static [Action]) -> Vec<Grant> {
    let mut grants: Vec<Grant> = databases
        .iter()
        .map(|actions| Grant::new(Scope::AnyDatabase, actions))
        .collect();
    grants.push(Grant::new(Scope::Cluster, cluster));
    grants
}

const READ: &[Action] = &[
    Action::CollStats,
    Action::DbHash,
    Action::DbStats,
    Action::Find,
    Action::IndexStats,
    Action::ListCollections,
    Action::ListIndexes,
    Action::PlanCacheRead,
];

const WRITE: &[Action] = &[
    Action::ConvertToCapped,
    Action::CreateCollection,
    Action::CreateIndex,
    Action::DropCollection,
    Action::DropIndex,
    Action::Insert,
    Action::Remove,
    Action::RenameCollectionSameDb,
    Action::Update,
];

const DB_ADMIN: &[Action] = &[
    Action::BypassDocumentValidation,
    Action::CollMod,
    Action::CollStats,
    Action::Compact,
    Action::ConvertToCapped,
    Action::CreateCollection,
    Action::CreateIndex,
    Action::DbStats,
    Action::DropCollection,
    Action::DropDatabase,
    Action::DropIndex,
    Action::EnableProfiler,
    Action::IndexStats,
    Action::ListCollections,
    Action::ListIndexes,
    Action::PlanCacheRead,
    Action::PlanCacheWrite,
    Action::ReIndex,
    Action::RenameCollectionSameDb,
    Action::Validate,
];

const USER_ADMIN: &[Action] = &[
    Action::ChangeCustomData,
    Action::ChangePassword,
    Action::CreateUser,
    Action::DropUser,
    Action::GrantRole,
    Action::RevokeRole,
    Action::ViewRole,
    Action::ViewUser,
];

const LIST: &[Action] = &[Action::ListDatabases];

const MONITOR: &[Action] = &[
    Action::GetCmdLineOpts,
    Action::GetLog,
    Action::GetParameter,
    Action::HostInfo,
    Action::Inprog,
    Action::ListDatabases,
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
