#!/usr/bin/env bash
# ph4, the Hermite code of AMUSE, by itself and with the calls of GRAPE-6 of libmanybody: seconds, steps and energy errors.
#
#     scripts/bench_ph4.sh AMUSE PREFIX FOLDER [BODIES TIME]...
#
# AMUSE is a checkout of github.com/amusecode/amuse (8dd292c0a was tried), PREFIX has include/grape6.h and lib/libmanybody.so
# (scripts/install_c.sh), FOLDER gets the programs. MANYBODY_SETTINGS chooses the device, "device=cuda" where it is not set. Two
# things of ph4's source are changed: calls of MPI are left out, and gpu_id, which it reads and never sets, is -1.
set -euo pipefail
amuse=$(realpath "$1") prefix=$(realpath "$2") folder=$3
shift 3
[ $# -gt 0 ] || set -- 1024 1 4096 0.125 16384 0.00390625
source=$amuse/src/amuse_ph4/src stopcond=$amuse/lib/stopcond
if [ ! -x "$folder/ph4" ] || [ ! -x "$folder/ph4_grape" ]; then
    mkdir -p "$folder"
    sed -E -e '/^[^/]*MPI_(Barrier|Init|Finalize)\(/d' -e 's/^.*setup_mpi\(.*;/jd.gpu_id = -1;/' \
        -e 's/MPI_Comm_rank\(MPI_COMM_WORLD, &rank\);/rank = 0;/' "$source/parallel_hermite_4.cc" >"$folder/parallel_hermite_4.cc"
    flags="-O3 -w -fpermissive -DNOMPI -I$source -I$stopcond -I$prefix/include"
    for name in jdata idata scheduler grape gpu util diag debug close_encounter two_body; do
        g++ $flags -c "$source/$name.cc" -o "$folder/$name.o"
        g++ $flags -DGPU -c "$source/$name.cc" -o "$folder/$name.gpu.o"
    done
    for name in kepler hdyn smallN smallN_unpert analyze; do
        g++ $flags -c "$source/$name.cc" -o "$folder/$name.lib.o"
    done
    for name in nstab f2c; do
        gcc -O3 -w -c "$source/$name.c" -o "$folder/$name.lib.o"
    done
    gcc -O3 -w -c "$stopcond/stopcond.c" -o "$folder/stopcond.lib.o"
    cd "$folder"
    g++ $flags parallel_hermite_4.cc $(ls ./*.o | grep -v '\.gpu\.o\|grape') -o ph4
    g++ $flags -DGPU parallel_hermite_4.cc ./*.gpu.o ./*.lib.o -L"$prefix/lib" -lmanybody -Wl,-rpath,"$prefix/lib" -o ph4_grape
    cd - >/dev/null
fi
export LD_LIBRARY_PATH=$prefix/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} MANYBODY_SETTINGS=${MANYBODY_SETTINGS:-device=cuda}
while [ $# -ge 2 ]; do
    for program in ph4 ph4_grape; do
        # its own Plummer spheres, of 1,024, 4,096, 8,192 or 16,384 bodies; softening 4 / N
        eps=$(awk "BEGIN { print 4 / $1 }")
        "$folder/$program" -n "$1" -t "$2" -d "$2" -e "$eps" -f "$source/plummer$(($1 / 1024))k.in" >"$folder/$program.$1.txt" 2>&1 || true
        printf '%s, %s bodies to %s: ' "$program" "$1" "$2"
        grep -h -o 'E-E0 = [^ ,]*\|dE = [^ ,]*\|block_steps = [0-9]*\|total_steps = [0-9]*\|elapsed_time = [^ ,]*' "$folder/$program.$1.txt" |
            tail -6 | tr '\n' ' '
        echo
    done
    shift 2
done
