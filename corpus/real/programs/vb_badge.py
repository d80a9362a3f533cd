"""Opens a door for a badge eight times a second, and waits until the logger of the host confirms that it is logged. Uses no disk itself."""
import socket

import pace

logger = socket.socket(socket.AF_UNIX)
logger.connect("/tmp/log")


def enter():
    logger.sendall(b"badge 4711 door 12 opened" * 8)
    logger.recv(1)


pace.serve(enter, interval=0.125)
