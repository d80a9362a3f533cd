"""Two operators set the same field of an object to different values; each sees the other's change as an event and compares and patches all of its objects anew, by
five workers each, without a back-off."""
import json
import os

objects = [{"name": f"app-{n}", "spec": {"replicas": n, "labels": {str(m): "v" * 20 for m in range(20)}}} for n in range(60)]
name = "vpa-updater" if os.fork() else "app-operator"
with open("/proc/self/comm", "w") as comm:
    comm.write(name)
for _ in range(4):
    if os.fork() == 0:
        break
while True:
    for one in objects:
        patched = json.loads(json.dumps(one, sort_keys=True))
        patched["spec"]["replicas"] += 1
        patched == one
