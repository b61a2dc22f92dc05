#!/usr/bin/env bash
# Fuzzes a target with coverage: fuzz/run.sh TARGET [libFuzzer's options or files]; fuzz/run.sh --merge TARGET.
# What it finds of use goes to fuzz/found/TARGET, beside the corpus of the repository.
set -euo pipefail
cd "$(dirname "$0")"
merge=
[ "${1:-}" = --merge ] && { merge=yes; shift; }
target=${1:?which target: the folders of corpus/ name them}
shift
host=$(rustc -vV | sed -n 's/^host: //p')
# what cargo-fuzz passes, without the sanitizers that take a nightly compiler: memory is safe here
instruments="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4"
for what in inline-8bit-counters pc-table trace-compares; do
    instruments+=" -Cllvm-args=-sanitizer-coverage-$what"
done
RUSTFLAGS="--cfg fuzzing $instruments" cargo build --quiet --release --target "$host"
mkdir -p "found/$target"
export TARGET=$target
program=target/$host/release/fuzz
if [ -n "$merge" ]; then
    mkdir -p "found/merged-$target"
    "$program" -merge=1 -max_len=20000 "found/merged-$target" "corpus/$target" "found/$target"
    cp -n "found/merged-$target"/* "corpus/$target/"
    rm -r "found/merged-$target"
else
    # 512 MiB and 5 seconds an input are far more than any of a size that libFuzzer makes may take
    exec "$program" -rss_limit_mb=512 -timeout=5 "$@" "found/$target" "corpus/$target"
fi
