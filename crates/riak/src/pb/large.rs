//! Answers with values that are files: their bytes go to the client as they are read.

use super::connection::Connection;
use super::frame::LENGTH_BYTES;
use super::messages::Content;
use super::wire::Message;
use crate::error::{Result, RiakError};
use crate::object::large::{Piece, Reading};
use engine::Namespace;
use value::varint;

/// The tag of a field of number 1 with a length: the contents of an answer, and the value of a content.
const FIRST: u8 = 0x0A;

/// Sends a message whose first field are contents, some of whose values are files; `rest` are its other fields.
pub(super) async fn send(
    connection: &mut Connection,
    code: u8,
    namespace: &Namespace,
    contents: Vec<(Content, crate::content::Content)>,
    rest: &impl Message,
) -> Result<()> {
    let mut pieces = Vec::new();
    for (shown, content) in contents {
        let mut others = Vec::new();
        shown.encode(&mut others);
        // An empty value of its own: its tag and a length of 0.
        let others = others.split_off(2);
        let value = Piece::of(&connection.server, namespace, &content).await?;
        let mut value_head = vec![FIRST];
        varint::put(value.length(), &mut value_head);
        let mut head = vec![FIRST];
        let bytes = value_head.len() as u64 + value.length() + others.len() as u64;
        varint::put(bytes, &mut head);
        head.extend(value_head);
        pieces.extend([Piece::Bytes(head.into()), value, Piece::Bytes(others.into())]);
    }
    let mut last = Vec::new();
    rest.encode(&mut last);
    pieces.push(Piece::Bytes(last.into()));
    let length = 1 + pieces.iter().map(Piece::length).sum::<u64>();
    let too_large = |_| {
        RiakError::bad(format!(
            "too_large: a message of {length} bytes cannot be sent; HTTP can"
        ))
    };
    let length = u32::try_from(length).map_err(too_large)?;
    let mut head = [0; LENGTH_BYTES + 1];
    head[..LENGTH_BYTES].copy_from_slice(&length.to_be_bytes());
    head[LENGTH_BYTES] = code;
    connection.put_bytes(&head).await?;
    for piece in pieces {
        match piece {
            Piece::Bytes(bytes) => connection.put_bytes(&bytes).await?,
            Piece::Value(reading) => {
                if let Err(error) = send_value(connection, *reading).await {
                    // The client would take an error for bytes of the value.
                    connection.give_up();
                    return Err(error);
                }
            }
        }
    }
    Ok(())
}

async fn send_value(connection: &mut Connection, mut reading: Reading) -> Result<()> {
    while let Some(bytes) = reading.next().await? {
        connection.put_bytes(&bytes).await?;
    }
    Ok(())
}
