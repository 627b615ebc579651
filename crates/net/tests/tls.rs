//! Connections through TLS, with rustls as the client.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use net::{Limits, Listener, Places, Stream, Tls, TlsFiles, serve};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DistinguishedName, DnType, IsCa, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use std::fmt::Write as _;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::watch;

type Client = StreamOwned<ClientConnection, TcpStream>;

/// An authority, and a folder with what it has signed.
struct House {
    folder: tempfile::TempDir,
    authority: CertifiedIssuer<'static, KeyPair>,
}

impl House {
    fn new() -> House {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, "the house");
        let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let house = House { folder, authority };
        let certificate = pem("CERTIFICATE", house.authority.der());
        std::fs::write(house.path("authority.pem"), certificate).unwrap();
        house.sign("server", "localhost");
        house
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a certificate and its key; gives both.
    fn sign(&self, file: &str, name: &str) -> (CertificateDer<'static>, PrivateKeyDer<'static>) {
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.distinguished_name = DistinguishedName::new();
        params
            .distinguished_name
            .push(DnType::OrganizationName, "Example");
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.authority).unwrap();
        let write = |path: &Path, text: String| std::fs::write(path, text).unwrap();
        write(
            &self.path(&format!("{file}.pem")),
            pem("CERTIFICATE", certificate.der()),
        );
        write(
            &self.path(&format!("{file}.key")),
            pem("PRIVATE KEY", key.serialized_der()),
        );
        (
            certificate.der().clone(),
            PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
        )
    }

    fn files(&self) -> TlsFiles {
        TlsFiles {
            certificate: self.path("server.pem"),
            key: self.path("server.key"),
            client_authorities: None,
            client_optional: false,
        }
    }

    fn client(
        &self,
        address: SocketAddr,
        identity: Option<(CertificateDer<'static>, PrivateKeyDer<'static>)>,
    ) -> Client {
        let mut roots = RootCertStore::empty();
        roots.add(self.authority.der().clone()).unwrap();
        let builder = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots);
        let config = match identity {
            None => builder.with_no_client_auth(),
            Some((certificate, key)) => builder.with_client_auth_cert(vec![certificate], key).unwrap(),
        };
        let name = ServerName::try_from("localhost").unwrap();
        let tcp = TcpStream::connect(address).unwrap();
        tcp.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        StreamOwned::new(ClientConnection::new(Arc::new(config), name).unwrap(), tcp)
    }
}

/// Base64 by hand, to need no dependency for it.
fn pem(kind: &str, der: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut digits = String::new();
    for three in der.chunks(3) {
        let number = (0..3).fold(0, |sum, at| sum << 8 | u32::from(*three.get(at).unwrap_or(&0)));
        for at in 0..4 {
            match at <= three.len() {
                true => digits.push(char::from(DIGITS[(number >> (18 - 6 * at)) as usize & 63])),
                false => digits.push('='),
            }
        }
    }
    let mut out = format!("-----BEGIN {kind}-----\n");
    for line in digits.as_bytes().chunks(64) {
        writeln!(out, "{}", std::str::from_utf8(line).unwrap()).unwrap();
    }
    out + &format!("-----END {kind}-----\n")
}

struct Server {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    served: tokio::task::JoinHandle<()>,
}

impl Server {
    async fn start(tls: &Tls, places: usize) -> Server {
        let tcp = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = tcp.local_addr().unwrap();
        let (stop, stopping) = watch::channel(false);
        let limits = Limits {
            places: Places::new(places),
            refusal: b"",
            stop_time_max: Duration::from_secs(60),
        };
        let listener = Listener::new(tcp, Some(tls.clone()));
        let served = tokio::spawn(serve(listener, limits, stopping, |stream, _| answer(stream)));
        Server {
            address,
            stop,
            served,
        }
    }

    async fn stop(self) {
        self.stop.send_replace(true);
        self.served.await.unwrap();
    }
}

/// Sends the client's name, then echoes bytes, large pieces too.
async fn answer(mut stream: Stream) {
    assert!(stream.is_secure());
    let subject = stream
        .certified()
        .map_or("nobody", |peer| peer.subject.as_str())
        .to_owned();
    stream.send(format!("{subject}\n").as_bytes()).await.unwrap();
    let mut bytes = vec![0; 100_000];
    while let Ok(count @ 1..) = stream.read(&mut bytes).await {
        if stream.write_all(&bytes[..count]).await.is_err() || stream.flush().await.is_err() {
            return;
        }
    }
}

fn line(client: &mut Client) -> std::io::Result<String> {
    let mut line = Vec::new();
    loop {
        let mut byte = [0];
        client.read_exact(&mut byte)?;
        if byte == *b"\n" {
            return Ok(String::from_utf8(line).unwrap());
        }
        line.extend(byte);
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.unwrap()
}

#[tokio::test]
async fn bytes_come_back_as_they_went_and_the_end_is_told() {
    let house = House::new();
    let server = Server::start(&Tls::open(&house.files()).unwrap(), 4).await;
    let mut client = house.client(server.address, None);
    blocking(move || {
        assert_eq!(line(&mut client).unwrap(), "nobody");
        let sent: Vec<u8> = (0..3_000_000_u32).map(|n| (n % 251) as u8).collect();
        for piece in sent.chunks(50_000) {
            client.write_all(piece).unwrap();
            let mut came = vec![0; piece.len()];
            client.read_exact(&mut came).unwrap();
            assert!(came == piece);
        }
        client.conn.send_close_notify();
        client.flush().unwrap();
        // The server's own end: an orderly one, not a broken connection.
        assert_eq!(client.read(&mut [0]).unwrap(), 0);
    })
    .await;
    server.stop().await;
}

#[tokio::test]
async fn clients_are_known_by_certificates_that_the_authority_signed_and_by_no_others() {
    let house = House::new();
    let asked = TlsFiles {
        client_authorities: Some(house.path("authority.pem")),
        ..house.files()
    };
    let server = Server::start(&Tls::open(&asked).unwrap(), 9).await;
    let ann = house.sign("ann", "ann");
    let stranger = House::new().sign("stranger", "ann");
    let mut known = house.client(server.address, Some(ann));
    let refused = [
        house.client(server.address, None),
        house.client(server.address, Some(stranger)),
    ];
    blocking(move || {
        assert_eq!(line(&mut known).unwrap(), "CN=ann,O=Example");
        for mut client in refused {
            assert!(line(&mut client).is_err());
        }
    })
    .await;
    server.stop().await;

    let optional = TlsFiles {
        client_optional: true,
        ..asked
    };
    let server = Server::start(&Tls::open(&optional).unwrap(), 9).await;
    let mut client = house.client(server.address, None);
    blocking(move || assert_eq!(line(&mut client).unwrap(), "nobody")).await;
    server.stop().await;
}

#[tokio::test]
async fn files_are_read_again_and_unusable_ones_change_nothing() {
    let house = House::new();
    let tls = Tls::open(&house.files()).unwrap();
    let first = tls.validity();
    let server = Server::start(&tls, 4).await;
    std::fs::write(house.path("server.key"), "nonsense").unwrap();
    let said = tls.reload(&house.files()).unwrap_err().to_string();
    assert!(
        said.contains("server.key") && said.contains("no private key"),
        "{said}"
    );
    assert_eq!(tls.validity(), first);

    house.sign("server", "elsewhere.example");
    tls.reload(&house.files()).unwrap();
    let mut client = house.client(server.address, None);
    let refused = blocking(move || line(&mut client).unwrap_err().to_string()).await;
    assert!(refused.contains("not valid for name"), "{refused}");
    server.stop().await;

    // A key of another certificate.
    let other = House::new();
    let mixed = TlsFiles {
        key: other.path("server.key"),
        ..house.files()
    };
    let said = Tls::open(&mixed).unwrap_err().to_string();
    assert!(said.contains("cannot be used together"), "{said}");
}

#[tokio::test]
async fn a_handshake_holds_a_place_and_ends_with_the_server() {
    let house = House::new();
    let server = Server::start(&Tls::open(&house.files()).unwrap(), 1).await;
    let mut silent = TcpStream::connect(server.address).unwrap();
    silent.write_all(&[0x16, 3, 1]).unwrap();
    // Connections are accepted in the order in which they were made.
    let mut refused = house.client(server.address, None);
    blocking(move || assert!(line(&mut refused).is_err())).await;
    let began = Instant::now();
    server.stop().await;
    assert!(
        began.elapsed() < Duration::from_secs(40),
        "the stop waited for a handshake"
    );
}

#[tokio::test]
async fn bytes_that_are_no_handshake_are_answered_with_an_alert() {
    let house = House::new();
    let server = Server::start(&Tls::open(&house.files()).unwrap(), 4).await;
    let address = server.address;
    blocking(move || {
        let mut plain = TcpStream::connect(address).unwrap();
        plain
            .write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            .unwrap();
        let mut said = Vec::new();
        let read = plain.read_to_end(&mut said);
        assert!(read.is_ok() || read.unwrap_err().kind() == ErrorKind::ConnectionReset);
        // An alert, if anything.
        assert!(said.first().is_none_or(|&kind| kind == 0x15), "{said:?}");
    })
    .await;
    server.stop().await;
}
