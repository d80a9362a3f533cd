"""Imports a feed of a supplier: parses XML and looks for doubles, for a long time."""
import xml.etree.ElementTree as tree

with open("/proc/self/comm", "w") as comm:
    comm.write("feedimport")
text = "<feed>" + "".join(f"<item id='{n}'><name>chair {n}</name><price>{n}.50</price></item>" for n in range(300)) + "</feed>"
while True:
    items = tree.fromstring(text).findall("item")
    sorted(items, key=lambda item: item.find("name").text[::-1])
