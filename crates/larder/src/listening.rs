//! Binding the protocols' addresses.

use crate::config::{Listen, Settings};
use anyhow::{Context, Result, bail};
use engine::Engine;
use net::{Listener, Tls};
use std::net::SocketAddr;
use tokio::net::TcpListener;

/// How addresses are bound.
#[derive(Debug)]
pub struct Listening<'a> {
    /// What was asked for.
    pub settings: &'a Settings,
    /// The engine, which knows whether there are users.
    pub engine: &'a Engine,
    /// What all connections go through, if anything.
    pub tls: Option<&'a Tls>,
}

impl Listening<'_> {
    /// Binds an address, which may be the default. If that is taken, perhaps by CouchDB itself or by another Larder, the other
    /// protocols are served all the same.
    pub async fn unless_taken(
        &self,
        protocol: &'static str,
        address: Listen,
        is_given: bool,
    ) -> Result<Option<Listener>> {
        match self.on(protocol, address).await {
            Err(error) if !is_given => {
                tracing::warn!(
                    protocol,
                    error = format!("{error:#}"),
                    "the protocol is not served"
                );
                Ok(None)
            }
            listening => listening,
        }
    }

    /// Binds a protocol's address, unless it is off or unsafe.
    pub async fn on(&self, protocol: &'static str, address: Listen) -> Result<Option<Listener>> {
        let Listen::On(address) = address else {
            return Ok(None);
        };
        self.refuse_exposure(protocol, address)?;
        let listener = TcpListener::bind(address)
            .await
            .with_context(|| format!("cannot listen on {address} for the {protocol} protocol"))?;
        let address = listener
            .local_addr()
            .context("cannot read the listening address")?;
        tracing::info!(protocol, %address, tls = self.tls.is_some(), "listening");
        Ok(Some(Listener::new(listener, self.tls.cloned())))
    }

    /// A port that others can reach without logging in would give everything to everybody.
    fn refuse_exposure(&self, protocol: &str, address: SocketAddr) -> Result<()> {
        if address.ip().is_loopback() || self.engine.needs_login() {
            return Ok(());
        }
        if self.settings.insecure {
            tracing::warn!(protocol, %address, "listening beyond loopback where nobody has to log in, as --insecure asks");
            return Ok(());
        }
        if self.engine.has_users() {
            bail!(
                "refusing to listen on {address}: it is not a loopback address and --no-login is set. Leave --no-login out, \
                 or say --insecure to let everybody in"
            );
        }
        bail!(
            "refusing to listen on {address}: it is not a loopback address and no user exists. Create a user first \
             (larder user add NAME --data DIR, or db.createUser(…) in the database admin of a server on 127.0.0.1), or say --insecure to let everybody in"
        );
    }
}
