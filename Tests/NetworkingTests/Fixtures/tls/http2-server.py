"""Answers HTTP/2 over TLS on 127.0.0.1 with the certificate of the given file; prints the port; stops with its standard input.

Every response is "METHOD PATH BODY". A fault happens at the first request of a path and method: the path begins with

    /refuse     the stream is refused
    /shut       GOAWAY for this and later streams, which is refused, too, then as /goaway
    /notify     the response, then the end of TLS without an end of the connection
    /goaway     GOAWAY for this and later streams, then the end of the connection after the earlier ones
    /leave      GOAWAY for later streams, the response, then the end
    /drop       the end of the connection, with all its streams
    /reset      the connection is reset
    /break      the stream is reset with an error, every time
    /head/N     a head of N bytes, every time
    /cut        half of the body, then the stream is reset, every time
    /early      the response, if the body did not arrive with the head, then the end of the stream, every time

/counts returns the paths that were processed more often than once, one per line.
"""
import select
import socket
import ssl
import struct
import sys
import threading

from hpack import Decoder, Encoder

context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1])
context.set_alpn_protocols(["h2"])
listener = socket.create_server(("127.0.0.1", 0), backlog=512)
print(listener.getsockname()[1], flush=True)

DATA, HEADERS, RESET, SETTINGS, PING, GOAWAY, WINDOW, MORE = 0, 1, 3, 4, 6, 7, 8, 9
lock = threading.Lock()
seen = set()
processed = {}


class Connection:
    def __init__(self, stream):
        self.stream = stream
        self.decoder, self.encoder = Decoder(), Encoder()
        self.requests = {}
        self.leaving = None  # the last stream that is served
        self.isQuiet = False

    def frame(self, kind, flags, number, payload=b""):
        return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", number) + payload

    def send(self, *frames):
        self.stream.sendall(b"".join(frames))

    def read(self, count):
        data = b""
        while len(data) < count:
            piece = self.stream.recv(count - len(data))
            if not piece:
                raise OSError("closed")
            data += piece
        return data

    def has_more(self):
        return self.stream.pending() > 0 or len(select.select([self.stream], [], [], 0)[0]) > 0

    def run(self):
        self.read(24)
        self.send(self.frame(SETTINGS, 0, 0))
        while True:
            head = self.read(9)
            payload = self.read(int.from_bytes(head[:3], "big"))
            kind, flags, number = head[3], head[4], int.from_bytes(head[5:9], "big") & 0x7FFFFFFF
            if kind == SETTINGS and not flags & 1:
                self.send(self.frame(SETTINGS, 1, 0))
            elif kind == PING and not flags & 1:
                self.send(self.frame(PING, 1, 0, payload))
            elif kind == HEADERS:
                if flags & 8:
                    payload = payload[1:len(payload) - payload[0]]
                if flags & 0x20:
                    payload = payload[5:]
                self.requests[number] = [payload, b""]
            elif kind == MORE:
                self.requests[number][0] += payload
            elif kind == DATA:
                if number in self.requests:
                    self.requests[number][1] += payload
                if payload:
                    grant = struct.pack(">I", len(payload))
                    self.send(self.frame(WINDOW, 0, 0, grant), self.frame(WINDOW, 0, number, grant))
            elif kind == RESET:
                self.requests.pop(number, None)
            if kind in (HEADERS, MORE) and flags & 4:
                fields = dict(self.decoder.decode(self.requests[number][0]))
                self.requests[number][0] = fields
                served = self.leaving is None or number <= self.leaving
                if served and not flags & 1 and fields[":path"].startswith("/early/") and not self.has_more():
                    del self.requests[number]
                    self.respond(number, b"early")
                    self.send(self.frame(RESET, 0, number, struct.pack(">I", 0)))
            if kind in (HEADERS, DATA, MORE) and flags & 1 and number in self.requests:
                self.answer(number, *self.requests.pop(number))
            if self.leaving is not None and all(number > self.leaving for number in self.requests):
                raise OSError("left")

    def answer(self, number, fields, body):
        method, path = fields[":method"], fields[":path"]
        if self.leaving is not None and number > self.leaving:
            return
        if path == "/counts":
            text = "\n".join(sorted(key for key, count in processed.items() if count > 1))
            return self.respond(number, text.encode())
        name, key = path.split("/")[1], method + " " + path
        with lock:
            isFirst = key not in seen
            seen.add(key)
            if not (isFirst and name in ("refuse", "goaway", "shut", "drop", "reset")):
                processed[key] = processed.get(key, 0) + 1
        if name == "break":
            return self.send(self.frame(RESET, 0, number, struct.pack(">I", 2)))
        if name == "head":
            left = int(path.split("/")[2])
            block = self.encoder.encode([(":status", "200")])
            while left > 0:
                block += self.encoder.encode([("x-%d" % left, "v" * min(left, 4000))])
                left -= 4000
            parts = [block[at:at + 16000] for at in range(0, len(block), 16000)]
            return self.send(
                self.frame(HEADERS, 1 | (4 if len(parts) == 1 else 0), number, parts[0]),
                *[self.frame(MORE, 4 if part is parts[-1] else 0, number, part) for part in parts[1:]])
        text = (key + " " + body.decode()).encode()
        if name == "cut":
            self.respond(number, text[:len(text) // 2], 0)
            return self.send(self.frame(RESET, 0, number, struct.pack(">I", 2)))
        if isFirst and name == "refuse":
            return self.send(self.frame(RESET, 0, number, struct.pack(">I", 7)))
        if isFirst and name == "shut":
            self.leaving = max(number - 2, 0)
            return self.send(
                self.frame(GOAWAY, 0, 0, struct.pack(">II", self.leaving, 0)),
                self.frame(RESET, 0, number, struct.pack(">I", 7)))
        if isFirst and name == "notify":
            self.respond(number, text)
            self.isQuiet = True
            raise OSError("quiet")
        if isFirst and name in ("goaway", "leave"):
            self.leaving = number if name == "leave" else max(number - 2, 0)
            self.send(self.frame(GOAWAY, 0, 0, struct.pack(">II", self.leaving, 0)))
            return self.respond(number, text) if name == "leave" else None
        if isFirst and name == "drop":
            raise OSError("dropped")
        if isFirst and name == "reset":
            self.stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            raise OSError("reset")
        self.respond(number, text)

    def respond(self, number, text, last=1):
        head = self.encoder.encode([(":status", "200"), ("content-length", str(len(text) * (2 - last)))])
        frames = [self.frame(HEADERS, 4, number, head)]
        for at in range(0, len(text), 16000):
            frames.append(self.frame(DATA, 0, number, text[at:at + 16000]))
        self.send(*frames, self.frame(DATA, last, number))


def serve(raw):
    try:
        raw.settimeout(60)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with context.wrap_socket(raw, server_side=True) as stream:
            connection = Connection(stream)
            try:
                connection.run()
            finally:
                if connection.isQuiet:
                    stream.settimeout(0.05)
                    try:
                        stream.unwrap()
                    except OSError:
                        pass
                    raw = socket.socket(fileno=stream.detach())
                    raw.settimeout(30)
                    while raw.recv(65536):
                        pass
                elif connection.leaving is not None:
                    # The client must not lose the GOAWAY to a reset.
                    raw = socket.socket(fileno=stream.detach())
                    raw.settimeout(10)
                    raw.shutdown(socket.SHUT_WR)
                    while raw.recv(65536):
                        pass
    except (OSError, ValueError):
        pass


def accept():
    while True:
        raw, _ = listener.accept()
        threading.Thread(target=serve, args=(raw,), daemon=True).start()


threading.Thread(target=accept, daemon=True).start()
sys.stdin.read()
