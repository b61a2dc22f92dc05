#!/usr/bin/env bash
# Packs fuzz/target/kit: the fuzzer compiled, the corpora and what was found before, for a machine of the same kind that
# has no compiler. There:  kit/run.sh SECONDS [PROCESSES]
set -euo pipefail
cd "$(dirname "$0")"
kit=target/kit
rm -rf "$kit"
mkdir -p "$kit/corpus"
program=$(./run.sh --build)
strip -o "$kit/fuzz" "$program"
cp -r corpus/. "$kit/corpus/"
[ ! -d found ] || cp -r found/. "$kit/corpus/" # (names are digests of the content, so nothing is replaced)
cp kit_run.sh "$kit/run.sh"
du -sh "$kit"
