"""An authority that signs certificates, for servers and clients behind TLS."""

import os
import subprocess
from pathlib import Path


def openssl(*words):
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)


class House:
    """An authority in a folder, with a certificate for the server."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.authority = folder / "authority.pem"
        self._key = folder / "authority.key"
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", 9,
                "-keyout", self._key, "-out", self.authority, "-subj", "/CN=the house")
        self.certificate, self.key = self.sign("server", "/O=Example/CN=localhost")

    def sign(self, name, subject):
        """The files of a certificate and of its key."""
        certificate, key, request = (self.folder / f"{name}.{end}" for end in ("pem", "key", "csr"))
        extensions = self.folder / "extensions"
        extensions.write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\nbasicConstraints=CA:FALSE\n")
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key,
                "-out", request, "-subj", subject)
        openssl("x509", "-req", "-in", request, "-CA", self.authority, "-CAkey", self._key, "-days", 9,
                "-out", certificate, "-extfile", extensions)
        return certificate, key

    def both(self, name, subject):
        """One file with a certificate and its key, as drivers of MongoDB want it."""
        certificate, key = self.sign(name, subject)
        whole = self.folder / f"{name}-both.pem"
        whole.write_text(certificate.read_text() + key.read_text())
        return whole

    def options(self, *more):
        return ["--tls-certificate", str(self.certificate), "--tls-key", str(self.key), *more]

    def demanding(self, *more):
        """Clients have to show a certificate."""
        return self.options("--tls-client-ca", str(self.authority), *more)




def larder(*words, folder=None):
    command = [os.environ["LARDER_BINARY"], *map(str, words)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)
