#!/usr/bin/env bash
# Runs of several processes by mpirun, with the ordinary program (TCP) and with programs that were built with the feature
# mpi: the files are those of one process, and a rank that is killed ends all. For every launcher that is here, Open MPI's
# and MPICH's.
#
#     scripts/ranks.sh target/release/manybody [PROGRAM WITH MPI]...
set -euo pipefail
programs=()
for program in "$@"; do
    programs+=("$(realpath "$program")")
done
program=${programs[0]}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export MANYBODY_RANKS_DIR=$scratch/meeting OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

launchers=()
for name in mpirun.openmpi mpirun.mpich; do
    command -v "$name" >/dev/null && launchers+=("$name")
done
if [ ${#launchers[@]} -eq 0 ]; then
    command -v mpirun >/dev/null && launchers=(mpirun)
fi
[ ${#launchers[@]} -gt 0 ] || { echo "no mpirun is here"; exit 3; }

is_open_mpi() { "$1" --version 2>&1 | grep -q "Open MPI\|OpenRTE"; }

options() { # those that Open MPI needs where there are fewer cores than ranks
    is_open_mpi "$1" && echo --oversubscribe || true
}

# What a program sends letters through under a launcher: MPI where its own library's launcher it is
through() {
    case "$(ldd "$2") $(is_open_mpi "$1" && echo open)" in
        *libmpich*" " | *libmpi.so*" open") echo "MPI" ;;
        *libmpich* | *libmpi.so*) echo "TCP, not MPI:" ;;
        *) echo "TCP" ;;
    esac
}

# NAME RANKS ARGUMENTS...: the files of one process
same() {
    local launcher=$1 ranks=$2 by
    by=$(through "$launcher" "$program")
    shift 2
    rm -rf "$scratch/one" "$scratch/several"
    mkdir "$scratch/one" "$scratch/several"
    (cd "$scratch/one" && "$program" run "$@" --threads 1 --quiet --out b.hdf5)
    # shellcheck disable=SC2046 # options are words
    (cd "$scratch/several" &&
        "$launcher" $(options "$launcher") -n "$ranks" "$program" run "$@" --threads 1 --out b.hdf5) 2>"$scratch/text" ||
        { cat "$scratch/text"; exit 1; }
    grep -qF "$ranks ranks by $by" "$scratch/text" || { echo "$launcher: not by $by"; cat "$scratch/text"; exit 1; }
    diff -r "$scratch/one" "$scratch/several"
    [ -z "$(ls -A "$MANYBODY_RANKS_DIR" 2>/dev/null)" ] || { echo "$launcher: left $(ls "$MANYBODY_RANKS_DIR")"; exit 1; }
    echo "$launcher, $ranks ranks by ${by%%,*}, $*: the files of one process"
}

# A rank that is killed: all end, and one process continues to the same end
killed() {
    local launcher=$1 words="-n 3000 --dt 1/256 --eps 1/32 --snapshot-every 1/64 --audit 0 --threads 1"
    rm -rf "$scratch/killed"
    mkdir "$scratch/killed"
    cd "$scratch/killed"
    # shellcheck disable=SC2046,SC2086 # options are words
    "$launcher" $(options "$launcher") -n 3 "$program" run $words --t-end 16 --quiet --out b.hdf5 >text 2>&1 &
    local job=$! start rank ranks
    for _ in $(seq 600); do
        [ -e b.0002.hdf5 ] && break
        sleep 0.05
    done
    ranks=$(pgrep -f "^$program run .*--t-end 16 --quiet --out b.hdf5")
    rank=$(echo "$ranks" | tail -1)
    start=$SECONDS
    kill -9 "$rank"
    wait $job && { echo "$launcher: a killed rank was no failure"; exit 1; }
    for rank in $ranks; do
        while kill -0 "$rank" 2>/dev/null; do
            [ $((SECONDS - start)) -le 6 ] || { echo "$launcher: process $rank goes on"; cat text; exit 1; }
            sleep 0.1
        done
    done
    "$program" run --resume b.0001.hdf5 --t-end 3/64 --quiet --out c.hdf5
    # shellcheck disable=SC2086 # options are words
    "$program" run $words --t-end 3/64 --quiet --out c1.hdf5
    cmp c.hdf5 c1.hdf5
    cd - >/dev/null
    echo "$launcher, $(basename "$program"): a rank that is killed ends all within 6 s"
}

# Ranks of other settings, and MPI where it cannot be: errors
refused() {
    local launcher=$1 text
    # shellcheck disable=SC2016,SC2046 # $0 is the program of the inner shell; options are words
    text=$("$launcher" $(options "$launcher") -n 2 sh -c \
        '"$0" run -n 600 --dt 1/${OMPI_COMM_WORLD_RANK:-$PMI_RANK}8 --t-end 1/4 --out "$1/c.hdf5"' \
        "$program" "$scratch" 2>&1) && { echo "$launcher: other settings were no failure"; exit 1; }
    grep -q "rank 1: it was started with other settings than rank 0" <<<"$text" || { echo "$text"; exit 1; }
    echo "$launcher, $(basename "$program"): ranks of other settings are refused"
    [ "$(through "$launcher" "$program")" != MPI ] || return 0
    # shellcheck disable=SC2046 # options are words
    text=$(MANYBODY_RANKS_BY=mpi "$launcher" $(options "$launcher") -n 2 "$program" run -n 600 --dt 1/64 --t-end 1/64 \
        --out "$scratch/c.hdf5" 2>&1) && { echo "$launcher: MPI that is not there was no failure"; exit 1; }
    grep -q "MANYBODY_RANKS_BY = mpi: " <<<"$text" || { echo "$text"; exit 1; }
    echo "$launcher: MPI that this program cannot use is refused"
}

# Every integrator, solver and kind of law, by 2, 3 and 4 ranks in turn. (The rank tests of the command have the
# same list by TCP without a launcher.)
short="-n 1100 --dt 1/64 --t-end 1/32"
own="body x[3], m = mass; d = j.x - i.x; r2 = dot(d, d) + 0.01; sum acc[3] = j.m * d / (r2 * sqrt(r2))"
kinds() {
    local ranks=2 words
    for words in "--integrator leapfrog-dkd" "--integrator yoshida4" "--integrator yoshida6" "--integrator hermite6" \
        "--integrator hermite4 --time-steps shared" "--integrator hermite4 --time-steps constant" \
        "--solver direct" "--solver direct --precision f32 --sum fixed" "--precision mixed" "--solver reference" \
        "--solver fmm" "--solver tree --precision f32"; do
        # shellcheck disable=SC2086 # words are words
        same "$1" $ranks $short $words
        ranks=$((ranks % 4 + 1))
        [ $ranks -gt 1 ] || ranks=2
    done
    # shellcheck disable=SC2086 # words are words
    same "$1" 3 $short --law "$own" --precision f32
    # shellcheck disable=SC2086 # words are words
    same "$1" 2 $short --law "$own"
}

for program in "${programs[@]}"; do
    for launcher in "${launchers[@]}"; do
        same "$launcher" 4 -n 1500 --dt 1/64 --t-end 1/16 --snapshot-every 1/32 --log 1/32
        refused "$launcher"
        [ "$(through "$launcher" "$program")" != "TCP, not MPI:" ] || continue
        same "$launcher" 3 -n 1500 --dt 1/64 --t-end 1/32 --integrator hermite4
        kinds "$launcher"
        # snapshots that all ranks write, which those of so few bodies are not
        MANYBODY_SHARED_FILES=1000:4096 same "$launcher" 3 -n 1500 --dt 1/64 --t-end 1/16 --snapshot-every 1/32
        killed "$launcher"
    done
done
