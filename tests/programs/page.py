"""A page without a browser: what the station tells over its WebSocket, and actions sent to it."""
import base64
import json
import os
import socket
import struct
import threading
import time

from team import PATIENCE_S


class Page:
    """Keeps the newest of everything that was told; connects again by itself, as the real page does.

    A task may be over before anybody looks: `purposes` has every change of one, (robot, purpose), in order.
    """

    def __init__(self, port):
        self.port, self.robots, self.victims, self.events = port, {}, {}, {}
        self.hellos, self.shown_s, self.lock, self.socket, self.over = 0, 0, threading.Lock(), None, False
        self.sending, self.purposes = threading.Lock(), []
        threading.Thread(target=self._live, daemon=True).start()

    def close(self):
        self.over = True
        if self.socket:
            try:
                self.socket.shutdown(socket.SHUT_RDWR)  # closing alone does nothing while _live reads from it
            except OSError:
                pass

    def _live(self):
        while not self.over:
            try:
                self._connect()
                while not self.over:
                    self._take(self._frame())
            except (OSError, ValueError, struct.error):
                self.socket = None
                time.sleep(0.2)

    def _connect(self):
        line = socket.create_connection(("127.0.0.1", self.port), 5)
        line.settimeout(PATIENCE_S)  # a station that stalls is still there
        key = base64.b64encode(os.urandom(16)).decode()
        line.sendall((f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nOrigin: http://127.0.0.1:{self.port}\r\n"
                      f"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
                      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: cairn.1\r\n\r\n").encode())
        head = b""
        while b"\r\n\r\n" not in head:
            more = line.recv(1)
            if not more:
                raise OSError("closed")
            head += more
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise OSError("refused")
        self.socket = line

    def _read(self, count):
        got = b""
        while len(got) < count:
            more = self.socket.recv(count - len(got))
            if not more:
                raise OSError("closed")
            got += more
        return got

    def _frame(self):
        first, second = self._read(2)
        length = second & 127
        if length == 126:
            length = struct.unpack(">H", self._read(2))[0]
        elif length == 127:
            length = struct.unpack(">Q", self._read(8))[0]
        payload = self._read(length)
        if first & 15 == 9:
            self._send(self.socket, 10, payload)
        return payload if first & 15 == 1 else None

    def _take(self, text):
        if text is None:
            return
        told = json.loads(text)
        with self.lock:
            if told["type"] == "hello":
                self.hellos += 1
                self.robots, self.victims, self.events = {}, {}, {}
                return
            self.shown_s = told.get("t", self.shown_s)
            for robot in told.get("robots", []):
                self._note_purpose(robot)
                self.robots[robot["id"]] = robot
            for victim in told.get("victims", []):
                self.victims[victim["number"]] = victim
            for event in told.get("events", []):
                self.events[event["number"]] = event

    def _note_purpose(self, robot):
        before, now = self.robots.get(robot["id"], {}).get("task") or {}, robot.get("task") or {}
        if now.get("purpose") != before.get("purpose"):
            self.purposes.append((robot["id"], now.get("purpose")))

    def _send(self, line, opcode, payload):
        mask = os.urandom(4)
        head = bytes([0x80 | opcode]) + (bytes([0x80 | len(payload)]) if len(payload) < 126
                                         else b"\xfe" + struct.pack(">H", len(payload)))
        with self.sending:
            line.sendall(head + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(payload)))

    def do(self, **action):
        """Over the connection that there is; while there is none, it waits for the next."""
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            line = self.socket
            try:
                if line:
                    return self._send(line, 1, json.dumps(action).encode())
            except OSError:
                pass
            time.sleep(0.02)
        raise OSError("the page has no connection")

    def has_event(self, words, after=0):
        with self.lock:
            return next((number for number, event in sorted(self.events.items())
                         if number > after and words in event["text"]), None)

    def shows_victim_near(self, place, away_m=0.5):
        with self.lock:
            return any(abs(v["x"] - place["x"]) + abs(v["y"] - place["y"]) < away_m for v in self.victims.values()
                       if "x" in v)

    def last_event(self):
        with self.lock:
            return max(self.events, default=0)
