#!/bin/sh
# Builds the guest of the incidents of real programs, once: root.img (Debian 12 and its programs), data.img (databases), bulk.img (media,
# a repository, many small files) and swap.img. Usage: corpus/real/image/build.sh CACHE, as root (10 minutes, 9 GB).
set -eu

cache=$1
here=$(realpath "$(dirname "$0")")
[ -e "$cache/root.img" ] && exit
mkdir -p "$cache"
"$here/../../../tools/need" mmdebstrap qemu-system-x86_64 mkfs.ext4 debugfs git

# The mirror from which apt of this machine installs a release.
mirror() {
    apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' "Codename: $1" | sort -u | head -n 1
}

system() {
    debian=$(mirror bookworm) security=$(mirror bookworm-security)
    if [ -z "$debian" ] || [ -z "$security" ]; then
        echo 'apt of this machine knows no mirror of bookworm and bookworm-security' >&2
        exit 3
    fi
    {
        printf 'deb %s bookworm main\ndeb %s bookworm-security main\n' "$debian" "$security"
        # The kernel of Debian 11, and nothing else of it.
        printf 'deb %s bullseye main\ndeb %s bullseye-security main\n' "$debian" "$security"
    } >"$cache/sources"
    rm -rf "$cache/root"
    mmdebstrap --variant=minbase --aptopt='APT::Install-Recommends "false"' \
        --include=udev,kmod,initramfs-tools,linux-image-cloud-amd64,linux-image-6.12-cloud-amd64,linux-image-5.10.0-46-cloud-amd64 \
        --include=postgresql,mariadb-server,redis-server,rsync,git,sqlite3,python3,procps,util-linux,e2fsprogs \
        --include=openjdk-17-jdk-headless,gcc,libc6-dev,make,logrotate,numactl,fio \
        --include=plocate,python3-numpy,python3-lmdb,nginx-light,apache2-utils,pigz,mdadm,dmsetup,nfs-kernel-server \
        bookworm "$cache/root" "$cache/sources"
    # An upgrade without a network: packages that dpkg unpacks in the guest.
    mkdir -p "$cache/root/debs"
    chroot "$cache/root" sh -c 'cd /debs && apt-get update -q && apt-get download -q gcc-12 cpp-12 libgcc-12-dev perl-modules-5.36 libperl5.36 git python3.11-minimal libpython3.11-stdlib' >/dev/null
    install "$here/../init.sh" "$cache/root/init.sh"
    mkdir -p "$cache/root/data" "$cache/root/bulk" "$cache/root/rec"
}

# What other programs read.
bulk() {
    rm -rf "$cache/bulk"
    mkdir -p "$cache/bulk/media"
    for part in 1 2 3 4 5 6; do dd if=/dev/urandom of="$cache/bulk/media/part$part" bs=1M count=200 status=none; done
    python3 "$here/bulk.py" "$cache/bulk"
    git -C "$cache/bulk/repo" init -q
    git -C "$cache/bulk/repo" add .
    git -C "$cache/bulk/repo" -c user.name=a -c user.email=a@b commit -qm all
    mkfs.ext4 -q -F -N 200000 -d "$cache/bulk" "$cache/bulk.img" 4G
    rm -rf "$cache/bulk"
}

# The databases, made by the programs of the guest.
data() {
    rm -rf "$cache/data"
    mkdir "$cache/data"
    install -D -t "$cache/root/make" "$here/databases.sh" "$here/rows.py" "$here/map.py"
    chroot "$cache/root" /make/databases.sh >"$cache/databases.log" 2>&1
    mv "$cache"/root/data/* "$cache/data/"
    rm -r "$cache/root/make"
    mkfs.ext4 -q -F -d "$cache/data" "$cache/data.img" 6G
    rm -rf "$cache/data"
}

[ -e "$cache/root/init.sh" ] || system
[ -e "$cache/bulk.img" ] || bulk
[ -e "$cache/data.img" ] || data
truncate -s 1G "$cache/swap.img"
mkfs.ext4 -q -F -d "$cache/root" "$cache/root.img.new" 5G
mv "$cache/root.img.new" "$cache/root.img"
