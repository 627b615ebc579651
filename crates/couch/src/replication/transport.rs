//! The ways from this server to the two sides of a replication.

use crate::server::Server;
use access::user::User;
use futures::future::BoxFuture;
use http::{Reach, Request, Response, percent_encode};
use peer::request::Endpoint;
use peer::{Address, Local, Route, Transport};
use std::sync::Arc;
use std::time::Duration;

/// This server, asked as a user.
#[derive(Debug)]
struct Within {
    server: Arc<Server>,
    user: User,
}

impl Local for Within {
    fn answer(&self, request: Request) -> BoxFuture<'_, Response> {
        let server = self.server.clone();
        let user = self.user.renewed(&server.engine);
        (self.server.answer)(server, user, request)
    }
}

/// A way to this endpoint; a local one is reached as this user.
pub(super) fn to(
    server: &Arc<Server>,
    endpoint: &Endpoint,
    user: &User,
    request_time_max: Duration,
    retries: u32,
) -> Transport {
    let route = match endpoint {
        Endpoint::Local(name) => Route::Local {
            server: Arc::new(Within {
                server: server.clone(),
                user: user.clone(),
            }),
            path: format!("/{}", percent_encode(name)),
        },
        Endpoint::Remote { url, headers, .. } => Route::Remote(Box::new(Address {
            client: server.jobs.client(reach(server, user)).clone(),
            url: url.clone(),
            headers: headers.clone(),
            memory: server.engine.memory().clone(),
        })),
    };
    Transport::new(route, endpoint.name(), request_time_max, retries)
}

/// Which servers a replication of this user may ask: what answers at a private address would tell whoever starts replications
/// about networks that are closed to them.
fn reach(server: &Server, user: &User) -> Reach {
    match user.asks_anywhere
        || user.is_admin()
        || server.config.is_on("replicator", "allow_private_addresses")
    {
        true => Reach::Anywhere,
        false => Reach::Public,
    }
}
