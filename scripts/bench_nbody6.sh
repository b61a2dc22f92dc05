#!/usr/bin/env bash
# Unsoftened Plummer spheres of equal masses: manybody, NBODY6 and ph4 from the same bodies, one core each; seconds and energy errors.
#
#     scripts/bench_nbody6.sh MANYBODY NBODY6 AMUSE FOLDER [BODIES TIME SEED]...
#
# MANYBODY is our program, NBODY6 a checkout of github.com/nbodyx/Nbody6 (dff3b5c was tried), AMUSE one of github.com/amusecode/amuse
# (8dd292c0a was tried), FOLDER gets the programs, the bodies and what the runs print. Needs gfortran, g++, make, and AVX. Without
# BODIES TIME SEED: 1,024 bodies to 50, seeds 1 to 3, and 4,096 to 10, seeds 1 and 2. Times in whole units. Each line: parameters, user
# and wall seconds, and the change of the energy over |E| at the end.
#
# What is changed of their sources: of ph4 as in bench_ph4.sh; of NBODY6 the largest numbers of bodies and neighbours, the digits of the
# energy in a FORMAT, and newton.f, which its Makefiles name and Ncode lacks, is taken from Block. NBODY6 is built twice: Ncode, f64
# without vector instructions by hand, and GPU2 without a GPU, its AVX forces in f32.
set -euo pipefail
manybody=$(realpath "$1") nbody6=$(realpath "$2") amuse=$(realpath "$3") folder=$4
shift 4
[ $# -gt 0 ] || set -- 1024 50 1 1024 50 2 1024 50 3 4096 10 1 4096 10 2
mkdir -p "$folder"
folder=$(realpath "$folder")
export OMP_NUM_THREADS=1
ulimit -s unlimited

fortran="-O3 -march=native -ffast-math -std=legacy -fallow-argument-mismatch -w"
if [ ! -x "$folder/nbody6_avx" ]; then
    rm -rf "$folder/nbody6.source"
    mkdir "$folder/nbody6.source"
    cp -r "$nbody6"/{Ncode,Nchain,Chain,Block,GPU2} "$folder/nbody6.source"
    cd "$folder/nbody6.source"
    cp Block/newton.f Ncode/
    sed -i 's/^      PARAMETER  (NMAX=4010,KMAX=1010,LMAX=200,/      PARAMETER  (NMAX=9010,KMAX=1010,LMAX=600,/' Ncode/params.h
    for copy in Nchain/params.h GPU2/params.h; do
        rm -f "$copy"
        cp Ncode/params.h "$copy"
    done
    sed -i "s/'  E =',0P,F10.6,'  RMIN/'  E =',0P,F17.13,'  RMIN/" Ncode/adjust.f GPU2/adjust.f
    make -C Ncode -j2 FFLAGS="$fortran" >"$folder/nbody6.log" 2>&1
    mv Ncode/nbody6 "$folder/nbody6"
    # objects there would be taken for those of GPU2, and the assembly is of another compiler
    rm -f Ncode/*.o GPU2/gpuirr*.s
    mkdir -p GPU2/Build
    make -C GPU2 avx avx=enable chainmode=chain FFLAGS="$fortran" CXXFLAGS="-O3 -march=native" >"$folder/nbody6_avx.log" 2>&1
    cp GPU2/run/nbody6.avx "$folder/nbody6_avx"
    cd - >/dev/null
fi
if [ ! -x "$folder/ph4" ]; then
    source=$amuse/src/amuse_ph4/src stopcond=$amuse/lib/stopcond
    mkdir -p "$folder/ph4.source"
    cd "$folder/ph4.source"
    sed -E -e '/^[^/]*MPI_(Barrier|Init|Finalize)\(/d' -e 's/^.*setup_mpi\(.*;/jd.gpu_id = -1;/' \
        -e 's/MPI_Comm_rank\(MPI_COMM_WORLD, &rank\);/rank = 0;/' "$source/parallel_hermite_4.cc" >parallel_hermite_4.cc
    flags="-O3 -march=native -ffast-math -w"
    for name in jdata idata scheduler gpu util diag debug close_encounter two_body kepler hdyn smallN smallN_unpert analyze; do
        g++ $flags -fpermissive -DNOMPI -I"$source" -I"$stopcond" -c "$source/$name.cc" -o "$name.o"
    done
    gcc $flags -c "$source/nstab.c" "$source/f2c.c" "$stopcond/stopcond.c"
    g++ $flags -fpermissive -DNOMPI -I"$source" -I"$stopcond" parallel_hermite_4.cc ./*.o -o "$folder/ph4"
    cd - >/dev/null
fi

# timed NAME COMMAND...: what it prints goes to NAME.txt, its seconds to NAME.time
timed() {
    local name=$1 TIMEFORMAT='%U s (wall %R s)'
    shift
    { time "$@" >"$name.txt" 2>"$name.err"; } 2>"$name.time" || echo "$name failed" >&2
}

# run_nbody6 PROGRAM NEIGHBOURS ETAI ETAR ETAU SMAX RS0
run_nbody6() {
    rm -rf run
    mkdir run
    cp bodies.txt run/fort.10
    cat >run/input <<X
1 10000.0
$bodies 1 10 1 $2 1
$3 $4 $7 1.0 10.0 $time.5 1.0 1.0 1.0
0 0 0 0 1 0 0 0 0 0
0 0 0 0 1 0 0 0 0 0
1 3 0 0 0 2 0 0 0 1
0 0 1 0 0 0 1 1 0 1
0 0 0 0 0 0 0 0 0 0
1.0E-05 0.0005 $5 1.0 1.0E-06 0.001
2.3 1.0 1.0 0 0 0.02 0.0 100.0
0.5 0.0 0.0 0.0 $6
X
    cd run
    timed ../"$1" "$folder/$1" <input
    cd ..
    echo "$1, NNBMAX $2 ETAI $3 ETAR $4 ETAU $5 SMAX $6: $(cat "$1.time"), dE/|E| $(sed -nE \
        's/^ ADJUST:.*TIME = *([0-9.]+).*  E = *([-0-9.]+).*/\1 \2/p' "$1.txt" | awk -v end="$time" 'NR == 1 { first = $2 }
        { at = $1; last = $2 } END { if (at < end) print "at", at; printf "%+.1e", (last - first) / (first < 0 ? -first : first) }')"
}

# run_ph4 ETA
run_ph4() {
    { echo "0 $bodies 0"; awk '{ print NR, $0 }' bodies.txt; } >bodies.ph4
    timed ph4 "$folder/ph4" -a "$1" -c 1 -e 0 -d "$time" -t "$time" -f bodies.ph4
    echo "ph4, -a $1: $(cat ph4.time), dE/|E| $(sed -nE 's/^E = ([-0-9.e]+),  E-E0 = ([-0-9.e]+)$/\1 \2/p' ph4.txt | awk 'END { printf "%+.1e", $2 / -($1 - $2) }')"
}

# run_ours PAIRS PRECISION ETA
run_ours() {
    timed ours "$manybody" run bodies.hdf5 --integrator hermite4 --pairs "$1" --precision "$2" --eps 0 --eta "$3" --dt 1/32 --threads 1 \
        --t-end "$time" --out last.hdf5 --overwrite
    echo "manybody, --pairs $1 --precision $2 --eta $3: $(cat ours.time), dE/|E| $(sed -nE \
        's/^energy .* ([-+0-9.e]+) of .*/\1/p' ours.txt ours.err)"
}

while [ $# -ge 3 ]; do
    bodies=$1 time=$2 seed=$3
    shift 3
    mkdir -p "$folder/$bodies.$seed"
    cd "$folder/$bodies.$seed"
    "$manybody" run --ic plummer -n "$bodies" --seed "$seed" --t-end 0 --eps 0 --integrator hermite4 --quiet --out bodies.hdf5 --overwrite
    "$manybody" convert bodies.hdf5 bodies.txt --to-columns mass-first --no-checksum --force --json >convert.txt
    echo "$bodies bodies to $time, seed $seed"
    if [ "$bodies" -lt 2048 ]; then
        run_ours resolved f64 0.13
        run_ours resolved mixed 0.13
        run_ours chain f64 0.15
        run_ours chain mixed 0.15
        run_nbody6 nbody6_avx 80 0.02 0.005 0.1 0.0625 0.3
        run_nbody6 nbody6_avx 80 0.02 0.01 0.2 0.0625 0.3
        run_nbody6 nbody6 80 0.02 0.005 0.1 0.0625 0.3
    else
        run_ours resolved f64 0.22
        run_ours resolved mixed 0.2
        run_ours chain f64 0.24
        run_ours chain mixed 0.22
        run_nbody6 nbody6_avx 100 0.02 0.02 0.2 0.03125 0.1
        run_nbody6 nbody6_avx 100 0.04 0.03 0.2 0.03125 0.1
        run_nbody6 nbody6 100 0.02 0.01 0.2 0.03125 0.1
    fi
    run_ph4 0.18
    cd - >/dev/null
done
