#!/usr/bin/env bash
# The compiler of the fuzzer (RUSTC_WRAPPER), without instrumentation of some crates:
# - csv-core is a table, and each time it builds the table in ten thousand comparisons that do not depend on the input.
#   They took half of the time of target csv.
# - Kernels, traversals and threads, which no target reaches: libFuzzer looks at the counters of the whole program after
#   every execution.
set -euo pipefail
plain=" csv_core manybody_pairwise manybody_pairs manybody_expansions manybody_tree manybody_ranks fearless_simd rayon rayon_core rustix "
name= before=
for word in "$@"; do
    [ "$before" != --crate-name ] || name=$word
    before=$word
done
[[ -n $name && $plain == *" $name "* ]] || exec "$@"
words=()
for word in "$@"; do
    case $word in -Cpasses=sancov-module | -Cllvm-args=-sanitizer-coverage-*) ;; *) words+=("$word") ;; esac
done
exec "${words[@]}"
