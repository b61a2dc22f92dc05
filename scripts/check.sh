#!/usr/bin/env bash
# Installs what the tests need and runs them all: format, lints, tests, doc tests, documentation, and the
# files and ephemerides against the field's own Python packages. What CI runs. Everything goes below .check/ and target/.
set -euo pipefail
cd "$(dirname "$0")/.."
skipped=()
step() { printf '\n== %s (%(%H:%M:%S)T)\n' "$1" -1; }
tools=$PWD/.check
mkdir -p "$tools"

step "format"
cargo fmt --all --check

step "lints"
cargo clippy --workspace --all-targets --locked -- -D warnings

step "tests"
cargo test --workspace --locked --quiet

step "documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --quiet

step "the program, built as users build it"
cargo build --release --locked

step "against Python packages"
if ! python3 -c 'import venv, ensurepip' 2>/dev/null; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        apt-get update -q && apt-get install -yq --no-install-recommends python3 python3-venv
    fi
fi
if python3 -c 'import venv, ensurepip' 2>/dev/null; then
    [ -x "$tools/venv/bin/python" ] || python3 -m venv "$tools/venv"
    "$tools/venv/bin/pip" install --quiet --disable-pip-version-check -r tests/python/requirements.txt
    MANYBODY_BIN=$PWD/target/release/manybody "$tools/venv/bin/python" -m pytest -q tests/python
else
    skipped+=("tests/python: no Python with venv, and none could be installed")
fi

# what this machine cannot show is said, not passed over
for level in avx2 avx512 neon; do
    MANYBODY_SIMD=$level ./target/release/manybody devices >/dev/null 2>&1 ||
        skipped+=("kernels for $level: this machine does not have it")
done

step "done"
for line in "${skipped[@]:-}"; do
    [ -z "$line" ] || printf 'skipped: %s\n' "$line"
done
