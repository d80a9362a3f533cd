"""A web server builds 12 pages a second, each in a fresh buffer of 600 kB."""
import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("webapp")


def render():
    page = bytearray(b"<") * 600000
    page[:5] = b"<html"


g_steady.serve(render, 12)
