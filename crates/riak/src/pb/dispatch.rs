//! Which message is answered by what.

use super::connection::Connection;
use super::frame::code;
use super::messages::{AuthReq, ClientId, ServerInfoResp};
use super::wire::Message;
use super::{buckets, index, mapred, objects, typed};
use crate::access::Access;
use crate::error::{Result, RiakError};
use crate::missing;
use crate::stats::{VERSION, node_name};
use bytes::Bytes;

/// Answers one message; all that is sent but errors is sent by the connection.
pub(crate) async fn run(connection: &mut Connection, which: u8, message: Bytes) -> Result<()> {
    match which {
        code::PING => connection.put_empty(code::PING_RESP),
        code::START_TLS => return Err(RiakError::bad("Security not enabled; STARTTLS not allowed.")),
        code::AUTH => return log_in(connection, &read(message)?).await,
        _ => {}
    }
    if connection.access.is_none() {
        match connection.server.engine.needs_login() {
            true if which == code::PING => return Ok(()),
            true => {
                return Err(RiakError::bad(
                    "Security is enabled, please log in with RpbAuthReq first",
                ));
            }
            // Whether users exist is asked with each message, since one may be made meanwhile.
            false => {
                connection.access = Some(Access::default());
                let answered = Box::pin(granted(connection, which, message)).await;
                connection.access = None;
                return answered;
            }
        }
    }
    Box::pin(granted(connection, which, message)).await
}

/// Answers a message of a client who may ask.
async fn granted(connection: &mut Connection, which: u8, message: Bytes) -> Result<()> {
    match which {
        code::PING => {}
        code::SERVER_INFO => {
            let info = ServerInfoResp {
                node: Some(node_name().into_bytes()),
                server_version: Some(VERSION.as_bytes().to_vec()),
            };
            connection.put(code::SERVER_INFO_RESP, &info);
        }
        code::GET_CLIENT_ID => {
            let client_id = connection.client_id.clone();
            connection.put(code::GET_CLIENT_ID_RESP, &ClientId { client_id });
        }
        code::SET_CLIENT_ID => {
            connection.client_id = read::<ClientId>(message)?.client_id;
            connection.put_empty(code::SET_CLIENT_ID_RESP);
        }
        code::GET => objects::get(connection, read(message)?).await?,
        code::PUT => objects::put(connection, read(message)?).await?,
        code::DEL => objects::delete(connection, read(message)?).await?,
        code::LIST_BUCKETS => buckets::list(connection, read(message)?).await?,
        code::LIST_KEYS => buckets::list_keys(connection, read(message)?).await?,
        code::GET_BUCKET => buckets::get(connection, read(message)?).await?,
        code::SET_BUCKET => buckets::set(connection, read(message)?).await?,
        code::MAP_RED => mapred::run(connection, read(message)?).await?,
        code::INDEX => index::query(connection, read(message)?).await?,
        code::COUNTER_GET => typed::counter(connection, read(message)?).await?,
        code::COUNTER_UPDATE => typed::update_counter(connection, read(message)?).await?,
        code::DT_FETCH => typed::fetch(connection, read(message)?).await?,
        code::DT_UPDATE => typed::update(connection, read(message)?).await?,
        code::RESET_BUCKET => buckets::reset(connection, read(message)?).await?,
        code::GET_TYPE => buckets::get_type(connection, read(message)?).await?,
        code::SET_TYPE => buckets::set_type(connection, read(message)?).await?,
        code::PREFLIST => buckets::preflist(connection, read(message)?).await?,
        other => {
            return Err(match missing::of_message(other) {
                Some(what) => RiakError::unsupported(what),
                None => RiakError::bad(format!("Unknown message code: {other}")),
            });
        }
    }
    Ok(())
}

async fn log_in(connection: &mut Connection, request: &AuthReq) -> Result<()> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap_or_default();
    let (name, password) = (text(&request.user), text(&request.password));
    let access = match Access::of_certificate(&connection.server, connection.certified(), Some(&name)) {
        Some(access) => Ok(access),
        None => Access::of_password(&connection.server, &name, &password, connection.peer).await,
    };
    connection.access = Some(access.map_err(|error| match error.status {
        http::StatusCode::UNAUTHORIZED => RiakError::bad("Authentication failed"),
        _ => error,
    })?);
    connection.put_empty(code::AUTH_RESP);
    Ok(())
}

/// Reads a message.
fn read<M: Message>(message: Bytes) -> Result<M> {
    M::decode(&message).map_err(|error| RiakError::bad(format!("the message cannot be read: {error}")))
}
