#!/bin/sh
# The guest starts the service, prepares the case, records, starts the trouble, and powers off. record.py put the case into /rec/case:
# settings.sh, prepare.sh, trouble.sh. Results go to /rec/out. The guest does not know the truth.
hostname dbhost
chmod 1777 /tmp
out=/rec/out
mkdir -p $out
bin=$(echo /usr/lib/postgresql/*/bin)
began=
# Sets interval, before, after, service, swap, node, lru.
. /rec/case/settings.sh
. /rec/functions.sh
[ "$lru" = mglru ] && state=y || state=n
[ -e /sys/kernel/mm/lru_gen/enabled ] && echo $state >/sys/kernel/mm/lru_gen/enabled
echo "+memory +io" >/sys/fs/cgroup/cgroup.subtree_control

[ "$swap" = yes ] && mkswap /dev/vde >/dev/null && swapon /dev/vde
chown -R postgres /data/pg
within db ${node:+numactl --membind=$node} su postgres -c "$bin/pg_ctl -w -t 300 -D /data/pg -o '-k /tmp -c listen_addresses= -c shared_buffers=16MB -c jit=off -c autovacuum=off' start" >/dev/null
served=$(up)
seconds=$((before + after + 90))
case $service in reads|writes)
    # Read the service's data once, so that they are cached.
    shop=$(psql shop "copy (select oid from pg_database where datname = 'shop') to stdout")
    within db ${node:+numactl --membind=$node} cat /data/pg/base/"$shop"/* >/dev/null 2>&1
    served=$(up) ;;
esac
case $service in
reads) serve shop 2 25 $seconds -S >$out/pgbench.log 2>&1 & ;;
# It also writes: a service that only reads from the cache does not notice a busy disk.
writes) serve shop 2 25 $seconds >$out/pgbench.log 2>&1 & ;;
# It reads its disk all the time.
archive) serve archive 2 8 $seconds -S >$out/pgbench.log 2>&1 & ;;
queue) queue >$out/app.log & ;;
lookup) lookup >$out/app.log & until grep -q ready $out/app.log; do sleep 1; done ;;
orders) mariadb_server; orders >$out/app.log & until grep -q '^[0-9]' $out/app.log; do sleep 1; done ;;
cached) cached >$out/app.log & until grep -q '^[0-9]' $out/app.log; do sleep 1; done ;;
compute) compute >$out/app.log & until grep -q '^[0-9]' $out/app.log; do sleep 1; done ;;
scan) scan >$out/app.log & ;;
esac
. /rec/case/prepare.sh
sleep 10
recorded=$(up)
/rec/pagetide record --interval "$interval" -o $out/recording >$out/record.log 2>&1 &
recorder=$!
sleep "$before"
onset=$(up) clock=$(date +%s)
# A trouble from before the recording has its onset where the recording begins; harm counts from the time of `late`.
[ -z "$began" ] || onset=$recorded
echo onset >/dev/ttyS0
. /rec/case/trouble.sh
sleep "$after"
kill -INT $recorder
wait $recorder
cat >$out/measured.toml <<END
kernel = "$(uname -r)"
lru_gen = "$(cat /sys/kernel/mm/lru_gen/enabled 2>/dev/null || echo none)"
onset_uptime_s = $onset
harm_uptime_s = ${began:-$onset}
served_uptime_s = ${served:-0}
before_s = $before
after_s = $after
onset_clock_s = ${began_clock:-$clock}
END
sync
umount /rec 2>/dev/null || mount -o remount,ro /rec
echo o >/proc/sysrq-trigger
sleep 30
