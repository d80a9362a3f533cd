# Functions for guest.sh and the scripts of cases.

# Runs a command in a group of its own.
within() {
    mkdir -p "/sys/fs/cgroup/$1"
    group=$1
    shift
    sh -c 'echo $$ >/sys/fs/cgroup/'"$group"'/cgroup.procs; exec "$@"' sh "$@"
}
# Moves the calling shell into a group.
join() {
    mkdir -p "/sys/fs/cgroup/$1"
    sh -c 'echo $PPID >/sys/fs/cgroup/'"$1"'/cgroup.procs'
}
up() { cut -d' ' -f1 /proc/uptime; }
# For a trouble that began before the recording: harm counts from here.
late() {
    sleep 8
    began=$(up) began_clock=$(date +%s)
}
psql() { su postgres -c "$bin/psql -h /tmp -q -c \"$2\" $1"; }

# Services. Each prints once a second how much it served.

# A database of PostgreSQL. Arguments: database, clients, transactions per second, seconds, options.
serve() { su postgres -c "$bin/pgbench -h /tmp -n -c $2 -R $3 -P 2 -T $4 $5 $1"; }
# MariaDB with a small buffer pool. It reads and writes its data around the page cache (innodb_flush_method is O_DIRECT).
mariadb_server() {
    within my mariadbd --user=root --datadir=/data/my --skip-networking --socket=/tmp/my --pid-file=/tmp/my.pid \
        --innodb-buffer-pool-size=48M --innodb-buffer-pool-load-at-startup=0 "$@" >/dev/null 2>&1 &
}
redis_server() { within cache redis-server --port 0 --unixsocket /tmp/redis --save '' --daemonize yes "$@" >/dev/null; }
queue() { join app; exec python3 /rec/programs/journal.py /data/queue; }
lookup() { join app; exec python3 /rec/programs/lookup.py; }
# MariaDB reads about 100 rows a second by key, from 60 MB of a table.
orders() {
    ask() { mariadb -u root -S /tmp/my -N shop "$@"; }
    until ask -e 'select 1' >/dev/null 2>&1; do sleep 1; done
    ask -e 'select sum(length(pad)) from item where id < 200000' >/dev/null
    ask --delimiter=// -e "create or replace procedure hot() begin
        set @n = 0, @end = sysdate(6) + interval 900000 microsecond;
        while sysdate(6) < @end do
            set @i = floor(1 + rand() * 200000); select length(pad) into @l from item where id = @i; set @n = @n + 1; do sleep(0.008);
        end while; select unix_timestamp(sysdate()), @n; end //"
    while :; do echo 'call hot();'; sleep 1; done | ask --unbuffered | sed -u 's,\t, ,'
}
cached() {
    redis_server --dir /tmp
    redis-benchmark -s /tmp/redis -q -t set -n 100000 -r 60000 -d 900 -c 2 -P 16 >/dev/null
    exec python3 /rec/programs/cached.py
}
# Requests that each compute. Argument: ms of CPU.
compute() { join app; exec python3 /rec/programs/compute.py "${1:-20}"; }
scan() { join app; exec python3 /rec/programs/scan.py; }
mapped() { exec python3 /rec/programs/mapped.py; }
changing() { exec python3 /rec/programs/changing.py; }
# A Java service in the group `batch`. Argument: MiB of objects.
java_service() {
    within batch java -Xms$1m -Xmx$1m -XX:+UseSerialGC -cp /tmp App "$2" >$out/java.log 2>&1
}

# Troubles.

# Arguments: MiB, MiB/s, seconds between two rounds.
grow() { exec python3 /rec/programs/grow.py "$@"; }
spin() { exec python3 /rec/programs/spin.py; }
random_rows() { exec python3 /rec/programs/random_rows.py; }
# Arguments: number of the journal, bytes.
syncing() { exec python3 /rec/programs/syncing.py "/data/journal$1" "$2"; }
frames() { exec python3 /rec/programs/frames.py "$1"; }
loopback() { python3 /rec/programs/loopback.py; }
# An idle program in the group `batch`. Arguments: MiB of memory, MiB of it in swap.
swapped() {
    within batch python3 /rec/programs/hold.py "$1" &
    sleep 6
    echo "$2M" >/sys/fs/cgroup/batch/memory.reclaim
    cat /data/pg/base/"$shop"/* >/dev/null 2>&1
}
# Small jobs of a host, every few seconds.
cron() {
    while :; do
        find /etc /usr/share -name '*.conf' | wc -l
        head -c 400000 /usr/bin/python3 | gzip | wc -c
        sleep "$1"
    done >/dev/null
}
# A small backup at an interval. Argument: seconds.
backups() {
    while :; do
        tar -C /bulk -cf - media/part1 | gzip -1 | head -c 8000000 >/bulk/backup
        sleep "$1"
    done
}
