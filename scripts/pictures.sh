#!/usr/bin/env bash
# Makes the pictures of README.md by commands of manybody: docs/collision-*.png, docs/cluster.png and docs/cluster.svg.
#
#     MANYBODY_BIN=target/release/manybody scripts/pictures.sh
set -euo pipefail
cd "$(dirname "$0")/.."
manybody=$(realpath "${MANYBODY_BIN:-target/release/manybody}")
docs=$(realpath docs)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$manybody" ic king --w0 9 -n 1e5 --scale 1e5Msun:3pc --units msun-pc-kms -o cluster.hdf5
"$manybody" render cluster.hdf5 -o "$docs/cluster.png" --size 300 --width 20pc --spot 1 --force
"$manybody" run --ic king --w0 8 -n 500 --eps 0.002 --dt 1/1024 --t-end 40 --log 1/2 --device cpu --out b.hdf5 --quiet
"$manybody" plot b.hdf5 -o "$docs/cluster.svg" --show lagrangian,energy_error --force

# two disc galaxies on a parabolic orbit; of their bodies the stars of the discs, component 2 of 3
"$manybody" run --ic collision --with disc-share=0.8 --inclination1 20 --inclination2 60 --separation 15 -n 12000 \
    --precision f32 --eps 0.1 --dt 1/16 --t-end 16 --snapshot-every 4 --device cpu --out c.hdf5 --quiet
for number in 0000 0002 0003 last; do
    [ "$number" = last ] && file=c.hdf5 || file=c.$number.hdf5
    "$manybody" convert "$file" all.csv --force
    # the number of bodies and the checksum are those of all
    awk -F, '/^# (bodies|checksum)/ { next } /^#/ || /^id/ || $10 == 2' all.csv >"disc-$number.csv"
done
"$manybody" render disc-0000.csv disc-0002.csv disc-0003.csv disc-last.csv -o "$docs/collision-%d.png" \
    --size 300 --width 22 --centre 0,0,0 --colour group --spot 1 --force
