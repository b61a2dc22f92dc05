#!/usr/bin/env bash
# Runs all tests and doc tests: as `cargo test --workspace --quiet "$@"`, but as many test programs at a time as there
# are processors. Many are busy on one of them only, or wait.
set -euo pipefail
cd "$(dirname "$0")/.."
# those that take longest, which are begun first
long=(manybody/expansions manybody-gpu/manybody_gpu manybody-cli/expansions manybody-gpu/law_expansions manybody/manybody manybody-cli/ranks)

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
export logs
# Runs a program in the folder of its crate, and prints a line; all of its output if it fails.
one() {
    local log name
    log=$logs/$(basename "$2")
    name=$(basename "$1")/$(basename "$2")
    if (cd "$1" && "$2" --quiet) >"$log" 2>&1; then
        printf -- '-- %s: %s\n' "${name%-*}" "$(grep -E '^test result' "$log" | sed 's/^test result: //')"
        grep -hE '^(test .* has been|skipped)' "$log" || true
    else
        printf -- '-- %s FAILED\n' "${name%-*}"
        cat "$log"
        return 1
    fi
}
export -f one

# lines of a crate's folder and a program
programs=$(cargo test --workspace --no-run --message-format=json-render-diagnostics "$@" |
    sed -nE 's|.*"manifest_path":"([^"]*)/Cargo\.toml".*"test":true\},"features".*"executable":"([^"]+)".*|\1 \2|p')
first=$(for name in "${long[@]}"; do grep -E "/crates/${name%/*} .*/${name#*/}-[0-9a-f]+$" <<<"$programs" || true; done)
[ "$(wc -l <<<"$programs")" -gt 10 ] || { echo "cargo names too few test programs: $programs"; exit 1; }
{ echo "$first"; grep -vxF "$first" <<<"$programs"; } | xargs -P "$(nproc)" -L 1 bash -c 'one "$@"' _
cargo test --workspace --doc --quiet "$@"
