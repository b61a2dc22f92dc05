#!/usr/bin/env bash
# Fuzzes a target with coverage: fuzz/run.sh TARGET [libFuzzer's options or files]; fuzz/run.sh --merge TARGET;
# fuzz/run.sh --build compiles only, and prints where the program is. With COMPARES= (empty), comparisons get no
# instruments: the mutator does not see what an input is compared with, and an execution takes less time.
# What it finds of use goes to fuzz/found/TARGET, beside the corpus of the repository.
set -euo pipefail
cd "$(dirname "$0")"
: "${1:?which target: the folders of corpus/ name them}"
host=$(rustc -vV | sed -n 's/^host: //p')
# what cargo-fuzz passes, without the sanitizers that take a nightly compiler: memory is safe here
instruments="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4"
for what in inline-8bit-counters pc-table ${COMPARES-trace-compares}; do
    instruments+=" -Cllvm-args=-sanitizer-coverage-$what"
done
export RUSTC_WRAPPER=$PWD/rustc.sh
RUSTFLAGS="--cfg fuzzing $instruments" cargo build --quiet --release --target "$host"
program=target/$host/release/fuzz
[ "${1:-}" = --build ] && { echo "$program"; exit; }

merge=
[ "${1:-}" = --merge ] && { merge=yes; shift; }
target=${1:?which target}
shift
mkdir -p "found/$target"
export TARGET=$target
if [ -n "$merge" ]; then
    mkdir -p "found/merged-$target"
    "$program" -merge=1 -max_len=20000 "found/merged-$target" "corpus/$target" "found/$target"
    cp -n "found/merged-$target"/* "corpus/$target/"
    rm -r "found/merged-$target"
else
    # files are run once each; libFuzzer takes either files or folders
    folders=("found/$target" "corpus/$target")
    for word in "$@"; do
        [ -f "$word" ] && folders=()
    done
    # 512 MiB and 5 seconds an input are far more than any of a size that libFuzzer makes may take
    exec "$program" -rss_limit_mb=512 -timeout=5 "$@" "${folders[@]}"
fi
