"""Writes the rules of packets for all services of a cluster anew, without end: one process makes them, three read and sort them."""
import os
import time

names = ["kube-proxy", "iptables-restor", "iptables-restor", "ip6tables-resto"]
number = 0
while number < 3 and os.fork():
    number += 1
with open("/proc/self/comm", "w") as name:
    name.write(names[number])
while True:
    rules = [f"-A KUBE-SVC-{n * 7919 % 4000:05d} -m comment --comment ns/svc{n} -j KUBE-SEP-{n}" for n in range(4000)]
    rules.sort()
    chains = {}
    for rule in rules:
        chains.setdefault(rule.split()[1], []).append(rule)
    time.sleep(0.002)
