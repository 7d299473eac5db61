#!/bin/bash
# Gets the document collections of all files of questions beside it but held-out-2.toml: Debian 12 packages, downloaded and unpacked,
# not installed.
# Two further collections are in this repository, under collections/.
#
#   docs/eval/collections.sh DIR      then: masthead eval docs/eval/seen.toml $(docs/eval/collections.sh --sources DIR)
#
# The versions that the questions were written from are named in the files of questions. A later version of a package may
# say things differently: then the fact has to be looked up again. Needs apt-get, dpkg-deb, man, xz and python3.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

if [ "${1:-}" = --sources ]; then
    for collection in "$2"/*/ "$here"/collections/*/; do
        printf -- '--sources %s=%s ' "$(basename "$collection")" "${collection%/}"
    done
    exit
fi

[ $# = 1 ] || { echo "usage: $0 DIR, or $0 --sources DIR" >&2; exit 2; }
mkdir -p "$1"
to=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

packages=(sqlite3-doc gnucash-docs git-doc manpages cron sudo openssh-client openssh-server rsync debian-faq doc-debian
    git systemd coreutils bash dict-foldoc liblzma-dev dbus-1-doc base-files postfix-doc developers-reference chrony
    nethack-common anarchism debian-policy debian-reference-en python3.11-doc slurm-wlm-doc nut-doc debian-history jargon-text
    crawl-common lvm2 borgbackup-doc git-annex exim4-doc-html shorewall-doc gnome-user-docs python-django-doc)
(cd "$work" && apt-get download "${packages[@]}")
for deb in "$work"/*.deb; do
    name=$(basename "$deb")
    dpkg-deb -x "$deb" "$work/${name%%_*}"
done

# take COLLECTION PATH...: copies documents, unpacks what is compressed, leaves out pictures and styles.
take() {
    local collection=$to/$1
    shift
    mkdir -p "$collection"
    for path in "$@"; do cp -rL "$path" "$collection/" 2>/dev/null || true; done
    find "$collection" -name '*.gz' -exec gunzip -f {} +
    find "$collection" -type f \( -name '*.png' -o -name '*.gif' -o -name '*.svg' -o -name '*.css' -o -name '*.js' \) -delete
}

# pages COLLECTION PACKAGE...: manual pages as `man` prints them, without hyphens at line ends.
pages() {
    local collection=$to/$1
    shift
    mkdir -p "$collection"
    for package in "$@"; do
        find "$work/$package/usr/share/man" -path '*/man/man*' -type f -name '*.gz' | while read -r page; do
            MANWIDTH=80 man --nh --nj -l "$page" 2>/dev/null | col -bx >"$collection/$(basename "$page" .gz).txt"
        done
    done
}

take sqlite "$work"/sqlite3-doc/usr/share/doc/sqlite3/*
take gnucash "$work"/gnucash-docs/usr/share/doc/gnucash-docs/gnucash-guide-en/*
take git-releases "$work"/git/usr/share/doc/git/RelNotes/*
for package in systemd coreutils bash; do
    take releases/$package "$work"/$package/usr/share/doc/$package/NEWS.gz
done
take git "$work"/git-doc/usr/share/doc/git-doc/*.html
pages man manpages cron sudo openssh-client openssh-server rsync
take debian-faq "$work"/debian-faq/usr/share/doc/debian/FAQ/*.en.html
take debian-project "$work"/doc-debian/usr/share/doc/debian/*
take specs "$work"/liblzma-dev/usr/share/doc/liblzma-dev/*format.txt* "$work"/dbus-1-doc/usr/share/doc/dbus/dbus-specification.html \
    "$work"/git-doc/usr/share/doc/git-doc/technical/*.txt
take licences "$work"/base-files/usr/share/common-licenses/*
take postfix "$work"/postfix-doc/usr/share/doc/postfix/html/*
take developers-reference "$work"/developers-reference/usr/share/developers-reference/*.html
rm -f "$to"/developers-reference/{developers-reference,search}.html
take chrony "$work"/chrony/usr/share/doc/chrony/*
pages chrony chrony
take nethack "$work"/nethack-common/usr/share/doc/nethack-common/Guidebook*
take anarchism "$work"/anarchism/usr/share/doc/anarchism/html/*
take python "$work"/python3.11-doc/usr/share/doc/python3.11/html/*
take debian-policy "$work"/debian-policy/usr/share/doc/debian-policy/*
take debian-reference "$work"/debian-reference-en/usr/share/debian-reference/*
take slurm "$work"/slurm-wlm-doc/usr/share/doc/slurm-wlm/*
take nut "$work"/nut-doc/usr/share/doc/nut-doc/html
take debian-history "$work"/debian-history/usr/share/doc/debian-history/*
take jargon "$work"/jargon-text/usr/share/doc/jargon-text/*
take crawl "$work"/crawl-common/usr/share/doc/crawl-common/* "$work"/crawl-common/usr/share/crawl/docs
take lvm2 "$work"/lvm2/usr/share/doc/lvm2/* "$work"/lvm2/usr/share/man
take borg "$work"/borgbackup-doc/usr/share/doc/borgbackup-doc/html
take git-annex "$work"/git-annex/usr/share/doc/git-annex/html "$work"/git-annex/usr/share/man
take exim "$work"/exim4-doc-html/usr/share/doc/exim4-doc-html/*
take shorewall "$work"/shorewall-doc/usr/share/doc/shorewall-doc/*
take gnome "$work"/gnome-user-docs/usr/share/help/C/*
take django-releases "$work"/python-django-doc/usr/share/doc/python-django-doc/html/releases

# The dictionary as one page an entry.
python3 - "$work/dict-foldoc/usr/share/dictd" "$to/foldoc" <<'PYTHON'
import gzip, os, re, sys
source, target = sys.argv[1:]
digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
number = lambda text: sum(digits.index(c) * 64 ** i for i, c in enumerate(reversed(text)))
text = gzip.open(source + "/foldoc.dict.dz").read()
os.makedirs(target, exist_ok=True)
entries = {}
for line in open(source + "/foldoc.index", encoding="utf-8"):
    word, start, length = line.rstrip("\n").split("\t")[:3]
    if not word.startswith("00-database"):
        entries[number(start)] = number(length)
taken = set()
for start, length in sorted(entries.items()):
    entry = text[start:start + length]
    title = entry.decode("utf-8", "replace").strip().split("\n")[0]
    name = re.sub(r"[^a-z0-9.+-]+", "-", title.lower()).strip("-.")[:80] or "entry"
    if name in taken:
        name += f"-{start}"
    taken.add(name)
    with open(f"{target}/{name}.txt", "wb") as page:
        page.write(entry)
PYTHON

# Mails of two lists, which the source of notmuch has as test data. The archive keeps it beside the binary package.
binary=$(apt-get download --print-uris notmuch | cut -d "'" -f 2)
version=$(basename "$binary" | cut -d _ -f 2 | cut -d - -f 1)
/usr/lib/apt/apt-helper download-file "$(dirname "$binary")/notmuch_$version.orig.tar.xz" "$work/notmuch.tar.xz" >/dev/null
tar xf "$work/notmuch.tar.xz" -C "$work"
# letters COLLECTION FOLDER: each mail as a text file.
letters() {
    mkdir -p "$to/$1"
    find "$2" -type f | sort | while read -r mail; do
        cp "$mail" "$to/$1/$(basename "$mail" | tr -c 'A-Za-z0-9\n' '-').txt"
    done
}
letters notmuch-list "$work"/notmuch-*/test/corpora/default
letters kernel-list "$work"/notmuch-*/test/corpora/lkml

for collection in "$to"/*/; do
    [ -n "$(find "$collection" -type f -print -quit)" ] || { echo "$collection is empty: has a package moved its documents?" >&2; exit 1; }
done
