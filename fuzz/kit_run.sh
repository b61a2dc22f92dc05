#!/usr/bin/env bash
# Fuzzes several targets at once:  run.sh SECONDS [PROCESSES [EXECUTIONS [TARGET...]]]. Without TARGET, it fuzzes all.
# It ends earlier if each target has reached EXECUTIONS. Every target has at least one process, and slow targets have
# more, so that all reach about the same number of executions. Writes report.txt (a line a target) and crashes/ to $OUT
# (default: here).
# Exit status 1 if anything was found.
set -uo pipefail
kit=$(cd "$(dirname "$0")" && pwd)
seconds=${1:?how many seconds}
processes=${2:-$(nproc)}
executions=${3:-}
targets=${*:4}
out=${OUT:-$kit}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out/crashes"

# microseconds of an execution (EPYC, AVX-512), which share the processes out
costs="hdf5=120 csv=50 sniff=60 law=75 nemo=25 tipsy=25 text=20 metadata=25 npy=25 quantity=16 table=15 description=40"
shares=$(awk -v all="$processes" -v costs="$costs" -v targets=" $targets " 'BEGIN {
    m = split(costs, entries, " ")
    for (k = 1; k <= m; k++) {
        split(entries[k], entry, "=")
        if (targets ~ /[a-z]/ && !index(targets, " " entry[1] " ")) continue
        n++; name[n] = entry[1]; cost[n] = entry[2]; count[n] = 1
    }
    # each further process goes to the target that is the slowest so far
    for (left = all - n; left > 0; left--) {
        slowest = 1
        for (k = 2; k <= n; k++) if (cost[k] / count[k] > cost[slowest] / count[slowest]) slowest = k
        count[slowest]++
    }
    for (k = 1; k <= n; k++) print name[k], count[k]
}')

# A process of a target: it is started again after a finding, with another seed, until the time is over.
fuzz() {
    local target=$1 number=$2 of=$3 end=$((SECONDS + seconds)) round=0 left limits=()
    # HDF5: the files of its corpus are long, and an execution of one takes three times as long as one of 20 KB
    [ "$target" != hdf5 ] || limits=(-max_len=20000)
    [ -z "$executions" ] || limits+=("-runs=$(awk -v n="$executions" -v of="$of" 'BEGIN { printf "%d", n / of + 1 }')")
    while left=$((end - SECONDS)); [ "$left" -gt 0 ] && [ "$round" -lt 100 ]; do
        # processes of a target share what they find
        TARGET=$target "$kit/fuzz" -rss_limit_mb=1024 -timeout=10 -max_total_time="$left" -print_final_stats=1 \
            "${limits[@]}" -seed=$((1000 * number + round + 1)) -artifact_prefix="$out/crashes/$target-" \
            "$work/$target" "$kit/corpus/$target" >> "$work/$target.$number.log" 2>&1 && return
        round=$((round + 1))
    done
}

while read -r target count; do
    mkdir -p "$work/$target"
    for number in $(seq "$count"); do fuzz "$target" "$number" "$count" & done
done <<< "$shares"
wait

total() { cat "$work/$1".*.log | sed -n "s/^stat::$2: *//p" | awk -v how="$3" '
    { sum += $1; if ($1 > most) most = $1 } END { printf "%d", how == "sum" ? sum : most }'; }
{
    echo "target processes executions per_second slowest_s memory_mib inputs findings"
    while read -r target count; do
        echo "$target $count $(total "$target" number_of_executed_units sum)" \
            "$(total "$target" average_exec_per_sec sum) $(total "$target" slowest_unit_time_sec most)" \
            "$(total "$target" peak_rss_mb most) $(find "$work/$target" -type f | wc -l)" \
            "$(find "$out/crashes" -type f -name "$target-*" | wc -l)"
    done <<< "$shares"
} > "$out/report.txt"
# what each finding said
for log in "$work"/*.log; do
    grep -aE 'panicked at|SUMMARY: libFuzzer' -A1 "$log" | sed "s|^|$(basename "$log"): |" | head -20
done >> "$out/report.txt"
cat "$out/report.txt"
! find "$out/crashes" -type f | grep -q .
