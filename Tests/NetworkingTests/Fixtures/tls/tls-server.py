"""Answers "secure" over TLS on 127.0.0.1 with the certificate of the given file; prints the port; stops with its standard input.

It answers /head with the head of the request, and is a proxy for CONNECT. With a second file, a CA of clients, it
answers /peer with the name in the client's certificate, or "nobody"; a third argument makes the certificate necessary.
After /peer?last it ends the connection; after /notify it ends TLS and leaves the connection open. With --old as the first argument, it speaks only TLS 1.1, with --1.2 only TLS 1.2.
"""
import select
import socket
import ssl
import sys
import threading

context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
if sys.argv[1] == "--old":
    del sys.argv[1]
    context.set_ciphers("DEFAULT@SECLEVEL=0")
    context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
elif sys.argv[1] == "--1.2":
    del sys.argv[1]
    context.maximum_version = ssl.TLSVersion.TLSv1_2
context.load_cert_chain(sys.argv[1])
if len(sys.argv) > 2:
    context.load_verify_locations(sys.argv[2])
    context.verify_mode = ssl.CERT_REQUIRED if len(sys.argv) > 3 else ssl.CERT_OPTIONAL
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)


def tunnel(secure, authority):
    """Carries bytes both ways in one thread: OpenSSL doesn't permit one connection to be read and written at once."""
    host, _, port = authority.rpartition(":")
    with socket.create_connection((host, int(port)), 10) as target:
        secure.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        while True:
            ready = [secure] if secure.pending() else select.select([secure, target], [], [], 10)[0]
            if not ready:
                return
            for source in ready:
                data = source.recv(65536)
                if not data:
                    return
                (target if source is secure else secure).sendall(data)


def drain(secure):
    """Receives until the client ends: closing a socket with unread bytes makes the system discard the alert."""
    with socket.socket(fileno=secure.detach()) as rest:
        rest.settimeout(10)
        rest.shutdown(socket.SHUT_WR)
        while rest.recv(65536):
            pass


def leave_open(secure):
    """Sends TLS's close_notify, and waits for the client's end without an end of its own."""
    secure.settimeout(0.05)
    try:
        secure.unwrap()
    except OSError:
        pass
    with socket.socket(fileno=secure.detach()) as rest:
        rest.settimeout(30)
        while rest.recv(65536):
            pass


def serve(connection):
    try:
        with context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False) as secure:
            secure.settimeout(10)
            try:
                secure.do_handshake()
            except ssl.SSLError:
                return drain(secure)
            while request := secure.recv(65536):
                while b"\r\n\r\n" not in request:
                    request += secure.recv(65536)
                if request.startswith(b"CONNECT "):
                    return tunnel(secure, request.split()[1].decode())
                if b"/head " in request:
                    secure.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(request) + request)
                    continue
                if b" /peer" in request:
                    names = dict(field[0] for field in (secure.getpeercert() or {}).get("subject", ()))
                    name = names.get("commonName", "nobody").encode()
                    secure.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(name) + name)
                    if b"?last " in request:
                        return
                    continue
                if b" /redirect?" in request:
                    target = request.split()[1].split(b"?", 1)[1]
                    secure.sendall(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " + target + b"\r\n\r\n")
                    continue
                if b" /notify" in request:
                    secure.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecure")
                    return leave_open(secure)
                version = b"HTTP/2" if b"/forged" in request else b"HTTP/1.1"
                secure.sendall(version + b" 200 OK\r\nContent-Length: 6\r\n\r\nsecure")
    except OSError:
        pass


def accept():
    while True:
        connection, _ = listener.accept()
        connection.settimeout(10)
        threading.Thread(target=serve, args=(connection,), daemon=True).start()


threading.Thread(target=accept, daemon=True).start()
sys.stdin.read()
