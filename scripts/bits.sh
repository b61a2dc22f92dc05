#!/usr/bin/env bash
# Records the bits of a set of results: every solver, precision, sum, integrator, format and resume, on the devices named.
#
#     scripts/bits.sh target/release/manybody cpu wgpu cuda > bits.txt
#
# One line a result: what was computed, and the SHA-256 of its numbers (not of the file, which also holds metadata).
# Two builds give the same lines on the same machine where no bit has changed. A result that is refused has the line
# "refused". The CPU's bits depend on the vector level: MANYBODY_SIMD chooses it.
set -uo pipefail
binary=$(realpath "${1:?usage: bits.sh BINARY DEVICE...}")
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# The numbers of a snapshot: id, mass, position and velocity of each body, without metadata.
numbers() {
    "$binary" convert "$1" "$scratch/numbers.csv" >/dev/null 2>&1 || return 1
    python3 - "$scratch/numbers.csv" <<'PY'
import csv, hashlib, sys
rows = csv.reader(line for line in open(sys.argv[1]) if not line.startswith("#"))
head = next(rows)
names = [name.split(" ")[0].split("[")[0].strip() for name in head]
keep = [names.index(name) for name in ("id", "mass", "x", "y", "z", "vx", "vy", "vz")]
digest = hashlib.sha256()
for row in rows:
    digest.update(",".join(row[k] for k in keep).encode() + b"\n")
print(digest.hexdigest()[:32])
PY
    rm -f "$scratch/numbers.csv"
}
run() { # name, file, options
    local name=$1 file=$2
    shift 2
    rm -rf out && mkdir out
    if timeout 300 "$binary" run "$@" --out "out/$file" >/dev/null 2>&1; then
        echo "run $name $(numbers "out/$file")"
    else
        echo "run $name refused"
    fi
}
force() { # name, options
    local name=$1
    shift
    rm -f f.csv
    if timeout 300 "$binary" force "$@" -o f.csv >/dev/null 2>&1; then
        echo "force $name $(sha256sum <f.csv | cut -c1-32)"
    else
        echo "force $name refused"
    fi
}

for ic in plummer king hernquist uniform-sphere disc collision; do
    "$binary" ic "$ic" -n 1500 --seed 3 -o "$ic.hdf5" >/dev/null 2>&1
    echo "ic $ic $(numbers "$ic.hdf5")"
done
python3 - >columns.csv <<'PY'
import random
random.seed(1)
names = "mass x y z vx vy vz ax ay az jx jy jz q w h rho p u sigma epsilon alphax alphay alphaz fx fy fz nx ny nz area a b c radius sample re im".split()
print("id", *names, sep=",")
for body in range(700):
    print(body, *(repr(0.1 + 0.9 * random.random()) for _ in names), sep=",")
PY
"$binary" ic plummer -n 20000 --seed 5 -o large.hdf5 >/dev/null 2>&1
for device in "$@"; do
    for precision in f32 mixed f64; do
        for solver in symmetric direct reference auto; do
            run "$device $precision $solver plummer-1500" b.hdf5 plummer.hdf5 --device "$device" --precision "$precision" --solver "$solver" --eps 1/64 --dt 1/256 --t-end 1/16 --audit 0
        done
        for sum in direct blocked blocked:32 pairwise compensated f64 fixed; do
            run "$device $precision direct --sum $sum" b.hdf5 king.hdf5 --device "$device" --precision "$precision" --solver direct --sum "$sum" --eps 1/64 --dt 1/128 --t-end 1/16 --audit 0
        done
        for integrator in leapfrog-dkd yoshida4 yoshida6; do
            run "$device $precision $integrator" b.hdf5 collision.hdf5 --device "$device" --precision "$precision" --integrator "$integrator" --eps 1/64 --dt 1/128 --t-end 1/16 --audit 0
        done
        for size in 1 2 3 31 33 129 513 2051; do
            run "$device $precision n=$size" b.hdf5 --ic plummer -n "$size" --device "$device" --precision "$precision" --eps 1/64 --dt 1/128 --t-end 1/8 --audit 0
        done
        force "$device $precision 20000" large.hdf5 --device "$device" --precision "$precision" --eps 0.01 --audit 0
        force "$device $precision 20000 direct" large.hdf5 --device "$device" --precision "$precision" --solver direct --eps 0.01 --audit 0
    done
    for precision in f32 f64; do
        while read -r law parameters; do
            # shellcheck disable=SC2086
            force "$device $precision law $law" columns.csv --device "$device" --precision "$precision" --law "$law" $parameters
        done <<'LAWS'
gravity --eps 0.1
gravity-jerk --par eps2=0.01
gravity-snap --par eps2=0.01
coulomb
yukawa --par kappa=2
lennard-jones --par rc=0.5
buckingham
sph-density
sph-pressure
sph-motion
laplace-single
laplace-double
helmholtz-single --par k=3
gaussian --par h=0.3
matern
distances
biot-savart
stokeslet --par mu=1 --par eps=0.1
nearest
overlap
LAWS
        force "$device $precision law smallest" columns.csv --device "$device" --precision "$precision" --law 'body x[3]; d = j.x - i.x; min near = norm(d); self exclude'
        force "$device $precision law several" columns.csv --device "$device" --precision "$precision" --law 'body x[3], w; id id; d = j.x - i.x; r = sqrt(dot(d, d) + 0.01); sum phi = -j.w / r; count c = r < 0.5; argmin a = r, j.id; self exclude'
        force "$device $precision law exponential" columns.csv --device "$device" --precision "$precision" --law 'body x[3]; d = j.x - i.x; sum a[3] = d * exp(-dot(d, d)); logsumexp z = -norm(d)'
    done
    for format in hdf5 nemo csv; do
        run "$device format $format" "b.$format" plummer.hdf5 --device "$device" --eps 1/64 --dt 1/256 --t-end 1/16 --snapshot-every 1/64 --audit 0
        rm -f "out/b.$format" "out/b.0003.$format"
        "$binary" run --resume "out/b.$format" >/dev/null 2>&1 && echo "run $device resumed $format $(numbers "out/b.$format")"
    done
    run "$device solar-system" b.hdf5 --ic solar-system --device "$device" --dt '1 d' --t-end '100 d' --audit 0
    run "$device figure8" b.hdf5 --ic figure8 --device "$device" --dt 1/256 --t-end 1
done
