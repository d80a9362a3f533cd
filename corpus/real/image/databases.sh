#!/bin/sh
# Runs in the guest's system: a cluster of PostgreSQL with a small database that is served and one larger than the guest's memory, a
# table of MariaDB, rows of sqlite, and a database that programs map.
set -eu

mkdir /data/pg
chown postgres /data/pg
bin=$(echo /usr/lib/postgresql/*/bin)
as() { su postgres -c "$bin/$*"; }
as initdb -D /data/pg
as pg_ctl -w -D /data/pg -o '"-k /tmp -c listen_addresses= -c fsync=off -c max_wal_size=64MB"' start
as createdb -h /tmp shop
as pgbench -q -h /tmp -i -s 14 shop
as createdb -h /tmp archive
as pgbench -q -h /tmp -i -s 60 archive
as pg_ctl -w -D /data/pg stop

mkdir /data/my
mariadb-install-db --user=root --datadir=/data/my
mariadbd --user=root --datadir=/data/my --skip-networking --socket=/tmp/my --innodb-flush-log-at-trx-commit=0 --innodb-buffer-pool-size=512M --pid-file=/tmp/my.pid &
ask() { mariadb -u root -S /tmp/my "$@"; }
until ask -e 'select 1'; do sleep 1; done
ask -e 'create database shop'
ask shop -e 'create table item (id int primary key, pad char(250)); insert into item select seq, repeat(md5(seq), 7) from seq_1_to_1400000'
ask shop --delimiter=// -e 'create procedure churn() begin while true do
    set @i = floor(1 + rand() * 1400000); select length(pad) into @n from item where id = @i; end while; end //'
mariadb-admin -u root -S /tmp/my shutdown
wait

python3 /make/rows.py
python3 /make/map.py
