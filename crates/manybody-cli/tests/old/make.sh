#!/usr/bin/env bash
# Writes the files of earlier versions: make.sh MANYBODY, with the command as it was then, in a folder that has only
# bodies.csv, stars.csv, springs.txt and hand-*.toml.
set -euo pipefail
export MANYBODY_SIMD=scalar
m=$1
mkdir ends .keep

# snapshots
for to in hdf5 nemo "f32.hdf5 --precision f32" "f32.nemo --precision f32" standard.tipsy "native.tipsy --tipsy native"; do
    $m convert bodies.csv bodies.$to
done
$m convert stars.csv stars.nvidia.tipsy --tipsy nvidia
$m convert stars.csv stars.bonsai.tipsy --tipsy bonsai
$m ic plummer -n 8 -o mass-first.txt --columns mass-first
$m ic plummer -n 8 -o mass-last.txt --columns mass-last
scaled="ic king --w0 5 -n 12 --scale 1e5Msun:3pc"
$m $scaled --units gadget -o gadget.hdf5
$m $scaled --units msun-pc-kms -o parsecs.nemo
for file in bodies.{csv,hdf5,nemo,f32.hdf5,f32.nemo,standard.tipsy,native.tipsy} stars.{nvidia,bonsai}.tipsy gadget.hdf5 \
    parsecs.nemo; do
    $m convert $file ends/$file.csv
done
$m convert mass-first.txt ends/mass-first.txt.csv --columns mass-first
$m convert mass-last.txt ends/mass-last.txt.csv --columns mass-last

$m force bodies.csv --law springs.txt --par length=0.25 -o ends/springs.csv

# runs
steps="--eps 1/32 --dt 1/64 --t-end 1/4 --snapshot-every 1/16"
$m run --ic plummer -n 24 $steps --audit 1/2 --out leapfrog.hdf5
$m run --ic king --w0 5 -n 10 --seed 3 $steps --integrator leapfrog-dkd --solver direct --precision f32 \
    --max-energy-error 0.1 --out dkd.csv
$m run bodies.csv --dt 1/64 --t-end 1/2 --snapshot-every 1/16 --integrator yoshida4 --out yoshida4.nemo
$m run --ic plummer -n 8 --seed 4 --eps 1/32 --dt 0.01 --t-end 1/4 --snapshot-every 0.07 --integrator yoshida6 \
    --solver reference --out yoshida6.csv
$m run --ic uniform-sphere -n 8 $steps --precision mixed --audit 1 --out mixed.csv
$m run parsecs.nemo --eps 1pc --dt 0.01Myr --t-end 1Myr --snapshot-every 0.3Myr --rtol 1e-6 --out rtol.csv
for sum in direct blocked:4 pairwise compensated f64 fixed; do
    $m run --ic plummer -n 8 --seed 5 $steps --precision f32 --solver direct --sum $sum --audit 0 --out sum-${sum%:*}.csv
done
$m run --resume yoshida6.csv --t-end 3/8 --out longer.csv
$m run --resume rtol.0002.csv --out rtol-resumed.csv

$m run --ic plummer -n 8 --seed 7 $steps --device wgpu --precision f32 --audit 1 --out wgpu.csv

# runs that were interrupted, and their ends without it
small="--ic plummer -n 8 --seed 6 --eps 1/32 --dt 1/131072 --t-end 1/4 --snapshot-every 1/8"
for out in interrupted.csv rounded.tipsy; do
    $m run $small --out $out --json >events &
    until grep -qF .0001. events; do :; done
    kill -TERM $!
    wait $! || true
    rm events
    $m run $small --out ends/$out
done

# descriptions that were written by hand
for hand in hand-*.toml; do
    $m run $hand --out ends/${hand%.toml}.csv
done

# what the test does not read, and what is there twice; of one run, two snapshots stay
mv ends/hand-{default,uneven}.toml sum-direct.0001.csv .keep
rm -f ends/{bodies.csv,bodies.hdf5,bodies.nemo,bodies.native.tipsy,bodies.f32.nemo,stars.nvidia.tipsy,mass-last.txt}.csv
rm -f ends/hand-{default,uneven}.* ends/*.000?.* ends/*.toml ./*.000[1345].{csv,nemo,hdf5} rounded.0001.tipsy rtol-resumed.csv
rm -f sum-{blocked,pairwise,compensated,f64}.0002.csv
mv .keep/hand-*.toml ends
mv .keep/* .
rmdir .keep
sed -i '/^# meta/d' ends/hand-*.csv sum-{blocked,pairwise,compensated,f64}.csv
gzip -9n ./*.hdf5
