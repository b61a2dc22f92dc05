#!/usr/bin/env bash
# Makes the pictures of README.md by commands of manybody: docs/cluster.png and docs/cluster.svg.
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
