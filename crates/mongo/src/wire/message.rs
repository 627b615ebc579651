//! A request, whatever message it came in.

use super::header::{HEADER_BYTES, Header, OpCode};
use super::op_msg::{self, DocumentSequence, RepliesWanted};
use super::{Compressor, ReplyForm, WireError, compression, op_query};
use bytes::Bytes;
use value::DocumentBuf;

/// A command with its documents.
#[derive(Clone, Debug)]
pub struct Request {
    /// The command's document: its first field names the command.
    pub body: DocumentBuf,
    /// Documents sent beside it, as if they were arrays in it.
    pub sequences: Vec<DocumentSequence>,
}

/// A request and how its reply must travel.
#[derive(Clone, Debug)]
pub struct Message {
    /// The request.
    pub request: Request,
    /// The message that a reply must have the form of.
    pub form: ReplyForm,
    /// How the message was compressed; the reply is compressed alike.
    pub compressor: Option<Compressor>,
}

impl Message {
    /// Reads a whole message, whose header was read before. Compressed ones are refused unless allowed.
    pub fn parse(header: &Header, message: &Bytes, compression_allowed: bool) -> Result<Message, WireError> {
        if header.opcode != OpCode::Compressed {
            return parse_plain(header.opcode, message, None);
        }
        if !compression_allowed {
            return Err(WireError::Framing("compressed before the login".into()));
        }
        let inner = compression::decompress(header, message)?;
        parse_plain(inner.header.opcode, &inner.message, Some(inner.compressor))
    }
}

fn parse_plain(
    opcode: OpCode,
    message: &Bytes,
    compressor: Option<Compressor>,
) -> Result<Message, WireError> {
    match opcode {
        OpCode::Msg => {
            let (request, wanted) = op_msg::parse(message)?;
            let form = match wanted {
                RepliesWanted::None => ReplyForm::None,
                RepliesWanted::One => ReplyForm::Msg,
                RepliesWanted::Stream => ReplyForm::Stream,
            };
            Ok(Message {
                request,
                form,
                compressor,
            })
        }
        OpCode::Query => Ok(Message {
            request: op_query::parse(&message.slice(HEADER_BYTES..))?,
            form: ReplyForm::Reply,
            compressor,
        }),
        OpCode::Reply | OpCode::Compressed | OpCode::Other(_) => Err(WireError::Framing(format!(
            "opcode {} is not supported: use OP_MSG",
            opcode.number()
        ))),
    }
}
