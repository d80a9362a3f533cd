"""Brings the interface lo up."""
import fcntl
import socket
import struct

fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sh14x", b"lo", 0x49))
