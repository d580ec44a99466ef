"""Failures of TLS connections are reported as such."""

import json
import os
import shlex
import socket
import ssl
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Thread

import pytest

from running import measured

Serve = Callable[[ssl.SSLSocket], None]
INVALID_RECORD = ("BAD_RECORD_MAC", "RECORD_LAYER_FAILURE")
"""The reasons that versions of OpenSSL give for an invalid record."""
BAD_RECORD = b"\x17\x03\x03\x00\x20" + b"A" * 32
BEGUN = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A self-signed certificate for localhost, and its key."""
    pem = tmp_path_factory.mktemp("tls") / "server.pem"
    made = f"openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -keyout {pem}.key -out {pem}"
    names = "subjectAltName=DNS:localhost"
    subprocess.run([*shlex.split(made), "-addext", names], check=True, capture_output=True)
    pem.write_bytes(pem.read_bytes() + Path(f"{pem}.key").read_bytes())
    return pem


def accept(listener: socket.socket, context: ssl.SSLContext, serve: Serve) -> None:
    with suppress(OSError):
        while True:
            connection, _ = listener.accept()
            with closing(connection), suppress(OSError):
                handle(connection, context, serve)


def handle(connection: socket.socket, context: ssl.SSLContext, serve: Serve) -> None:
    with context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False) as secure:
        try:
            secure.do_handshake()
            secure.recv(1 << 16)
            serve(secure)
        except ssl.SSLError:
            end(secure)


def end(secure: ssl.SSLSocket) -> None:
    """Close the connection when the client has closed it, so that the client receives everything that was sent."""
    with socket.socket(fileno=secure.detach()) as plain:
        plain.shutdown(socket.SHUT_WR)
        while plain.recv(1 << 16):
            pass


@contextmanager
def listening(certificate: Path, serve: Serve, **settings: ssl.VerifyMode) -> Iterator[int]:
    """Accept TLS connections, and yield the port."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    for name, value in settings.items():
        setattr(context, name, value)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = Thread(target=accept, args=(listener, context, serve), daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


def begin_and_break(connection: ssl.SSLSocket) -> None:
    """Send the beginning of a response, and then a record that cannot be decrypted."""
    connection.sendall(BEGUN)
    break_off(connection)


def break_off(connection: ssl.SSLSocket) -> None:
    """Send a record that cannot be decrypted."""
    os.write(connection.fileno(), BAD_RECORD)
    end(connection)


def failure(url: str, certificates: Path | None = None, *flags: str) -> tuple[str, str]:
    """The code of the failure, and all its text."""
    environment = {} if certificates is None else {"SSL_CERT_FILE": str(certificates)}
    ran = measured("--method", "tools/list", "--structured", url, *flags, env=environment)
    assert (ran.exit_code, ran.stderr) == (1, "")
    return ran.json["error"]["code"], json.dumps(ran.json["error"])


@pytest.mark.parametrize("transport", ["http", "sse"])
def test_required_client_certificate_is_reported(transport: str, certificate: Path) -> None:
    with listening(certificate, break_off, verify_mode=ssl.CERT_REQUIRED) as port:
        code, text = failure(f"https://localhost:{port}/mcp", certificate, "--transport", transport)

    assert code == "TLS_FAILED"
    assert "CERTIFICATE_REQUIRED" in text
    assert "requires a client certificate, which mcpi cannot send" in text


def test_invalid_record_instead_of_a_response_is_reported(certificate: Path) -> None:
    with listening(certificate, break_off) as port:
        code, text = failure(f"https://localhost:{port}/mcp", certificate)

    assert code == "TLS_FAILED"
    assert any(name in text for name in INVALID_RECORD)


def test_invalid_record_within_a_body_is_reported(certificate: Path) -> None:
    with listening(certificate, begin_and_break) as port:
        code, text = failure(f"https://localhost:{port}/mcp", certificate)

    assert code == "CONNECTION_LOST"
    assert "the body was cut off: " in text
    assert any(name in text for name in INVALID_RECORD)


def test_unknown_issuer_and_wrong_host_have_different_hints(certificate: Path) -> None:
    with listening(certificate, break_off) as port:
        unknown = failure(f"https://localhost:{port}/mcp")
        other_host = failure(f"https://127.0.0.1:{port}/mcp", certificate)

    assert (unknown[0], other_host[0]) == ("TLS_FAILED", "TLS_FAILED")
    assert "self-signed certificate" in unknown[1]
    assert "for a private certificate, set SSL_CERT_FILE" in unknown[1]
    assert "IP address mismatch" in other_host[1]
    assert "for a private certificate" not in other_host[1]


def test_file_without_certificates_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "empty.pem"
    file.write_text("hello\n")

    code, text = failure("https://localhost/mcp", file)

    assert code == "INVALID_ARGUMENT"
    assert "NO_CERTIFICATE_OR_CRL_FOUND" in text
