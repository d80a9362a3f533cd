"""A small client of redis at /tmp/redis."""
import socket


class Redis:
    def __init__(self):
        self.link = socket.socket(socket.AF_UNIX)
        self.link.connect("/tmp/redis")
        self.answers = self.link.makefile("rb")

    def send(self, *words):
        words = [word if isinstance(word, bytes) else str(word).encode() for word in words]
        self.link.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words))

    def answer(self):
        head = self.answers.readline()
        if head[:1] != b"$":
            return head[1:-2]
        size = int(head[1:])
        return None if size < 0 else self.answers.read(size + 2)[:-2]

    def ask(self, *words):
        self.send(*words)
        return self.answer()
