"""A training loop that adds the loss of each batch to a list, and with it the graph of the batch: it takes MB a second and gives nothing back, until it
holds some MB. Arguments: MB a second, MB."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("finetune")
rate, most = float(sys.argv[1]), int(sys.argv[2])
losses, batch = [], bytes(range(256)) * 1024
while True:
    if len(losses) < most * 4:
        losses.append(bytearray(batch))
    sum(batch[:20000])
    time.sleep(1 / rate / 4)
