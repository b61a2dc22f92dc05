#!/usr/bin/env bash
# Installs what the tests need and runs them all: format, lints, tests, doc tests, documentation, examples, the
# licences and sources of dependencies, and the files and ephemerides against the field's own Python packages.
# What CI runs. Everything goes below .check/ and target/.
set -euo pipefail
cd "$(dirname "$0")/.."
skipped=()
step() { printf '\n== %s (%(%H:%M:%S)T)\n' "$1" -1; }
tools=$PWD/.check
target=${CARGO_TARGET_DIR:-$PWD/target}
mkdir -p "$tools"
scratch=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$scratch"' EXIT

step "tools: Python packages, CUDA's compilers, a Vulkan device on the CPU, compilers of C, C++ and Fortran, mpirun, Slurm"
as_root() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }
python=$tools/venv/bin/python
if ! python3 -c 'import venv, ensurepip' 2>/dev/null && as_root; then
    apt-get update -q && apt-get install -yq --no-install-recommends python3 python3-venv
fi
if python3 -c 'import venv, ensurepip' 2>/dev/null; then
    [ -x "$python" ] || python3 -m venv "$tools/venv"
    "$python" -m pip install --quiet --disable-pip-version-check -r tests/python/requirements.txt
    cuda=$(echo "$tools"/venv/lib/python3*/site-packages/nvidia/cu13)
    export LD_LIBRARY_PATH=$cuda/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} PTXAS=$cuda/bin/ptxas NVDISASM=$cuda/bin/nvdisasm
fi
if ! compgen -G '/usr/share/vulkan/icd.d/*.json' >/dev/null && ! compgen -G '/etc/vulkan/icd.d/*.json' >/dev/null && as_root; then
    apt-get update -q && apt-get install -yq --no-install-recommends libvulkan1 mesa-vulkan-drivers
fi
absent=()
for tool in gcc g++ gfortran valgrind cmake pkg-config npm chromium; do
    command -v "$tool" >/dev/null || absent+=("$tool")
done
command -v chromedriver >/dev/null || absent+=(chromium-driver)
if [ ${#absent[@]} -gt 0 ] && as_root; then
    apt-get update -q && apt-get install -yq --no-install-recommends "${absent[@]}"
fi
libclang() { [ -n "${LIBCLANG_PATH:-}" ] || compgen -G '/usr/lib/llvm-*/lib/libclang*.so*' >/dev/null; }
if ! { command -v mpirun.openmpi && command -v mpirun.mpich && command -v mpicc && libclang; } >/dev/null && as_root; then
    apt-get update -q && apt-get install -yq --no-install-recommends openmpi-bin mpich libopenmpi-dev libclang-dev
fi
# with it, only two crates of ours are compiled twice: the command, and the one that has MPI
mpi=()
if command -v mpicc >/dev/null && libclang; then
    mpi=(--features manybody-cli/mpi)
else
    skipped+=("the feature mpi: mpicc or libclang are not here and could not be installed")
fi
# a batch system, and what makes two machines of one
if ! { command -v slurmctld && command -v slurmd && command -v ip; } >/dev/null && as_root; then
    apt-get update -q && apt-get install -yq --no-install-recommends slurmctld slurmd slurm-client iproute2
fi
export XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-$scratch} # Mesa complains without one

step "format"
cargo fmt --all --check

step "words: the English of documents, doc comments, errors and help"
scripts/words.sh

step "the live view's page: types, and the bundle that is committed"
if command -v npm >/dev/null; then
    scripts/page.sh --check
else
    skipped+=("the page's bundle: npm is not here and could not be installed")
fi

# What cargo-deny says depends on these files alone: it is compiled only if they are not those that have passed.
deny=0.20.2
passed=scripts/licences.passed
to_pass="cargo-deny $deny, $(export LC_ALL=C; cat Cargo.lock deny.toml Cargo.toml crates/*/Cargo.toml | sha256sum | cut -d " " -f 1) (sha256 of Cargo.lock, deny.toml, every Cargo.toml)"
cargo_deny() {
    [ "$(cat "$passed" 2>/dev/null)" != "$to_pass" ] || return 0
    [ "$("$tools/bin/cargo-deny" --version 2>/dev/null)" != "cargo-deny $deny" ] || return 0
    # two minutes of compiling instead of ten: it runs for a second, so it need not be fast
    CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
        CARGO_TARGET_DIR=$tools/build nice -n 19 cargo install --quiet --locked --force --no-default-features \
        --root "$tools" "cargo-deny@$deny"
    rm -rf "$tools/build"
}
has_torch() { [ ! -x "$python" ] || [ -d "$tools/torch/torch" ]; }
install_torch() {
    rm -rf "$tools/torch.part"
    nice -n 19 "$python" -m pip install --quiet --disable-pip-version-check --target "$tools/torch.part" -r tests/python/torch.txt &&
        mv "$tools/torch.part" "$tools/torch"
}
# The program, beside the Python extension and the library of C, which so share its crates, and the tool of a later step
# are compiled in the background: tests that wait leave the processor idle. The program takes a fourth of it at least: its last crates
# are compiled one after the other, which takes minutes if they are left for the end.
in_background() {
    has_torch || install_torch &
    nice -n 5 cargo build --release --locked -p manybody-cli -p manybody-python -p manybody-c
    cargo_deny
    wait
}
in_background >"$scratch/background.log" 2>&1 &
background=$!

step "lints"
cargo clippy --workspace --all-targets --locked --features manybody/benchmarks "${mpi[@]}" -- -D warnings
cargo clippy -p manybody-cli --no-default-features --locked -- -D warnings # without GPUs

step "tests"
# with the threads of each, more than there are cores: many tests wait, for time limits and for other processes
RUST_TEST_THREADS=${RUST_TEST_THREADS:-2} scripts/tests.sh --locked

step "documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --quiet

step "the program, the Python extension and the library of C, compiled in the background"
wait "$background" || { cat "$scratch/background.log"; exit 1; }

step "licences, bans and sources of dependencies"
if [ "$(cat "$passed" 2>/dev/null)" != "$to_pass" ]; then
    "$tools/bin/cargo-deny" --locked check --hide-inclusion-graph licenses bans sources
    echo "$to_pass" >"$passed"
    echo "passed: commit $passed, so that the next check need not compile cargo-deny"
else
    echo "Cargo.lock, deny.toml and every Cargo.toml are those that have passed ($passed)"
fi
skipped+=("advisories: they need the advisory database from the network; cargo deny check advisories asks it")

# What follows runs beside the tests in Python and of the page, and is printed after them.
beside() {
    step "faults: file calls of short commands fail once in every way, and the process is killed at each"
    # all of plain runs, and every eighth of the other commands, so that eight commits after each other run all
    commits=$(git rev-list --count HEAD 2>/dev/null || echo 0)
    MANYBODY_FAULTS_RUN=${MANYBODY_FAULTS_RUN:-1} MANYBODY_FAULTS=${MANYBODY_FAULTS:-8} \
        MANYBODY_FAULTS_FIRST=${MANYBODY_FAULTS_FIRST:-$commits} MANYBODY_BIN=$target/release/manybody \
        cargo test --workspace --test faults --locked --quiet -- --nocapture # the whole, so that no crate is compiled again

    step "fuzzing: mutations of the corpora, a fixed number"
    MANYBODY_FUZZ=${MANYBODY_FUZZ:-1e6} cargo test --workspace --test fuzz --locked --quiet -- --nocapture

    step "examples, and the program with MPI"
    # one command: with the examples go the features of the tests, so that no other crate is compiled again
    cargo build --workspace --examples --bin manybody --locked --quiet "${mpi[@]}"
    [ ${#mpi[@]} -eq 0 ] || cp "$target/debug/manybody" "$scratch/manybody-mpi"
    local source name arguments
    for source in crates/*/examples/*.rs; do
        name=$(basename "$source" .rs)
        [ "$name" != compiled_law ] || continue # of the feature benchmarks
        printf -- '-- %s\n' "$name"
        arguments=()
        case $name in # those that measure: as many bodies as a processor without a GPU has done in seconds
            law_expansions) arguments=(4096 1e-3) ;;
            laws_on_gpus) arguments=(wgpu f32 2048 1e-3 gaussian) ;;
        esac
        TMPDIR=$scratch timeout 600 "$target/debug/examples/$name" "${arguments[@]}" ||
            { echo "$name ended with status $? (124: it took longer than 600 s)"; return 1; }
    done
}
(set -e; renice -n 4 -p "$BASHPID" >/dev/null; beside) >"$scratch/beside.log" 2>&1 &
beside=$!

step "against Python packages"
if [ -x "$python" ]; then
    PATH=$tools/venv/bin:$PATH "$python" -m pip install --quiet --disable-pip-version-check --no-deps \
        --no-build-isolation --force-reinstall .
    "$python" -c 'import manybody' # its tests are skipped where it is not installed
    has_torch || skipped+=("tests with PyTorch: it could not be installed")
    # two at a time, those of a file in one process, which share what they prepare
    PYTHONPATH=$tools/torch MANYBODY_BIN=$target/release/manybody "$python" -m pytest -q -rs -n 2 --dist loadfile tests/python
else
    skipped+=("tests/python: no Python with venv, and none could be installed")
fi

step "the live view's page in headless Chromium"
if [ -x "$python" ] && command -v chromium >/dev/null && command -v chromedriver >/dev/null; then
    MANYBODY_BIN=$target/release/manybody "$python" -m pytest -q -rs tests/page
else
    skipped+=("tests/page: Chromium, chromedriver or Python are not here and could not be installed")
fi

step "C, C++ and Fortran: the library as it is installed"
scripts/check_c.sh "$([ ! -x "$python" ] || echo "$python")"

step "what ran beside: faults, fuzzing, examples"
wait "$beside" || { cat "$scratch/beside.log"; exit 1; }
cat "$scratch/beside.log"

step "several processes: mpirun of Open MPI and of MPICH"
if command -v mpirun >/dev/null; then
    scripts/ranks.sh "$target/release/manybody" $([ ${#mpi[@]} -eq 0 ] || echo "$scratch/manybody-mpi")
else
    skipped+=("mpirun: not here, and it could not be installed")
fi

step "two machines, made of this one: ranks by hand, by mpirun and by Slurm"
status=0
scripts/machines.sh "$target/release/manybody" $([ ${#mpi[@]} -eq 0 ] || echo "$scratch/manybody-mpi") | tee "$scratch/machines.log" ||
    status=$?
while read -r line; do skipped+=("two machines: $line"); done < <(grep "was not tried" "$scratch/machines.log" || true)
case $status in
    0) ;;
    3) skipped+=("ranks on two machines: network namespaces cannot be made here") ;;
    *) exit "$status" ;;
esac

# what this machine cannot show is said, not passed over
for level in avx2 avx512 neon; do
    MANYBODY_SIMD=$level "$target/release/manybody" devices >/dev/null 2>&1 ||
        skipped+=("kernels for $level: this machine does not have it")
done
for device in cuda wgpu; do
    "$target/release/manybody" devices --json | grep >/dev/null "\"device\":\"$device\",.*\"name\"" ||
        skipped+=("kernels for $device: no such device here (they were compiled, not run)")
done
[ -n "${PTXAS:-}" ] || skipped+=("CUDA kernels: not compiled, NVRTC and ptxas could not be installed")

step "done"
for line in "${skipped[@]:-}"; do
    [ -z "$line" ] || printf 'skipped: %s\n' "$line"
done
