#!/usr/bin/env bash
# Tests the library of C, C++ and Fortran as it is installed: builds the examples, the programs of docs/c.md and the tests
# with pkg-config and with CMake, shared and static, runs them, also under valgrind and AddressSanitizer, and compares the
# bits of all languages. Needs `cargo build --release -p manybody-cli -p manybody-c` before. What is missing here is printed
# as skipped.
#
#     scripts/check_c.sh [PYTHON]            PYTHON has the package `manybody`
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:-}
root=$PWD
built=${CARGO_TARGET_DIR:-$root/target}/release
crate=$root/crates/manybody-c
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
skip() { echo "skipped: $*"; }
has() { command -v "$1" >/dev/null; }
prefix=$work/prefix
scripts/install_c.sh "$prefix"
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
has gcc || { skip "all of it: no gcc"; exit 0; }

# only what the headers declare is exported: no other name of a program can meet one of the library's
if has nm; then
    names=$(nm -D --defined-only "$prefix/lib/libmanybody.so" | awk '{ print $3 }' | grep -v '^mb_\|^g6' || true)
    [ -z "$names" ] || { echo "exported, too: $names"; exit 1; }
    for name in $(nm -D --defined-only "$prefix/lib/libmanybody.so" | awk '{ print $3 }'); do
        grep -q "\b$name(" "$prefix"/include/{manybody,grape6}.h || { echo "$name is in no header"; exit 1; }
        [[ $name == g6* ]] || grep -q "\b$name\b" "$prefix"/share/manybody/fortran/*.f90 ||
            { echo "$name is not in Fortran"; exit 1; }
        # CUNBODY-1's calls are for C, and two texts need no wrapper
        [[ $name =~ ^g6|^mb_cunbody_|^mb_version$|^mb_status_name$ ]] || grep -q "^[^/]*\b$name[(;]" "$prefix/include/manybody.hpp" ||
            { echo "$name is not in C++"; exit 1; }
    done
fi

if has pkg-config; then
    flags=$(pkg-config --cflags --libs manybody)
    static="-I$prefix/include $prefix/lib/libmanybody.a"
    static+=" $(pkg-config --static --libs-only-l manybody | sed s/-lmanybody//)"
else
    skip "pkg-config: not here"
    flags="-I$prefix/include -L$prefix/lib -lmanybody"
    static="-I$prefix/include $prefix/lib/libmanybody.a -lgcc_s -lpthread -lm -ldl"
fi
strict="-Wall -Wextra -Wpedantic -Werror -g -O1"

# figure 10 of CUNBODY-1's paper, as it is: its declarations and its call
compile() { # NAME OPTIONS...
    local name=$1
    shift
    case $name in
    figure10) set -- -include cunbody.h "$@" ;;
    esac
    case $name in
    misuse | threads | bits) gcc -std=c99 -D_GNU_SOURCE $strict "$crate/tests/programs/$name.c" "$@" -lm -lpthread ;;
    cluster) g++ -std=c++17 $strict "$crate/examples/cpp/$name.cpp" "$@" ;;
    device | wrapper) g++ -std=c++17 $strict "$crate/tests/programs/$name.cpp" "$@" ;;
    *) gcc -std=c99 $strict "$crate/examples/c/$name.c" "$@" -lm ;;
    esac
}
programs="forces simulation figure10 figure12 hermite misuse threads bits"
if has g++; then
    programs+=" cluster device wrapper"
    g++ -std=c++20 $strict "$crate/examples/cpp/cluster.cpp" $flags -o "$work/cluster20"
    g++ -std=c++20 $strict "$crate/tests/programs/wrapper.cpp" $flags -o "$work/wrapper20"
else
    skip "C++: no g++"
fi
cd "$work"
for name in $programs; do
    compile "$name" $flags -o "$name"
    compile "$name" -fsanitize=address,undefined $flags -o "$name.asan"
done
compile forces $static -o forces.static
fortran=
if has gfortran; then
    fortran=1
    mkdir -p f && cd f
    for mode in "" .asan; do
        options="-g -O1 -Wall -Werror ${mode:+-fsanitize=address}"
        gfortran -std=f2018 $options -c "$prefix"/share/manybody/fortran/{manybody,cunbody}.f90
        for name in forces simulation; do
            gfortran $options "$crate/examples/fortran/$name.f90" manybody.o $flags -o "../f$name$mode"
        done
        gfortran -std=legacy ${mode:+-fsanitize=address} "$crate/examples/fortran/f77.f" cunbody.o $flags -o "../f77$mode"
        gfortran $options "$crate/tests/programs/bits.f90" manybody.o $flags -o "../fbits$mode"
    done
    cd ..
else
    skip "Fortran: no gfortran"
fi

# what they print is what they have always printed
ran=0
run() { # PROGRAM COMMAND...
    local program=$1
    shift
    "$@" >"$program.out" 2>"$program.err" || { echo "$* has failed"; cat "$program.out" "$program.err"; exit 1; }
    ran=$((ran + 1))
}
all="forces simulation figure10 figure12 hermite misuse threads"
[[ $programs != *cluster* ]] || all+=" cluster device wrapper"
[ -z "$fortran" ] || all+=" fforces fsimulation f77"
for program in $all; do
    run "$program" "./$program"
    expected=$crate/tests/programs/expected/$program.txt
    [ -z "${MANYBODY_WRITE_EXPECTED:-}" ] || cp "$program.out" "$expected"
    diff -u "$expected" "$program.out" || { echo "$program prints something else"; exit 1; }
    ASAN_OPTIONS=detect_leaks=1 run "$program.asan" "./$program.asan"
    diff -u "$program.out" "$program.asan.out"
done
run forces.static ./forces.static
cmp forces.out forces.static.out
for name in cluster wrapper; do # with std::span
    [ ! -x "${name}20" ] || { run "${name}20" "./${name}20"; cmp "$name.out" "${name}20.out"; }
done

# CUNBODY-1's and GRAPE-6's calls where the environment says how: the programs judge their errors
run single env MANYBODY_SETTINGS="precision=f32 threads=1" ./figure10
if "$built/manybody" devices --json | grep >/dev/null '"device":"wgpu",.*"name"'; then
    run wgpu env MANYBODY_SETTINGS="precision=f32 device=wgpu" ./figure10
else
    skip "calls on a GPU: no device wgpu here"
fi
if MANYBODY_SETTINGS="precision=f46" ./figure10 >refused.out 2>&1 || ! grep -q "did you mean f64" refused.out; then
    echo "a setting that does not exist is not refused"
    exit 1
fi

# the programs of docs/c.md
awk '/^```(c|cpp|fortran)$/ { n++; type = substr($0, 4); next } /^```/ { type = "" } type { print > ("page" n "." type) }' \
    "$root/docs/c.md"
for page in page*.c page*.cpp page*.fortran; do
    case $page in
    *.c) gcc -std=c99 $strict "$page" $flags -o "$page.run" ;;
    *.cpp) has g++ || continue; g++ -std=c++17 $strict "$page" $flags -o "$page.run" ;;
    *)
        [ -n "$fortran" ] || continue
        mv "$page" "$page.f90"
        gfortran -Wall -Jf "$prefix/share/manybody/fortran/manybody.f90" "$page.f90" $flags -o "$page.run"
        ;;
    esac
    run "$page" "./$page.run"
done

# the bits of all languages
"$built/manybody" ic plummer -n 700 --seed 5 -o bodies.hdf5 >ic.log 2>&1
for how in "f64 symmetric" "f64 direct" "f32 symmetric"; do
    read -r precision solver <<<"$how"
    run bits ./bits bodies.hdf5 $how 0.01 c.bin
    if [ -n "$fortran" ]; then
        run fbits ./fbits bodies.hdf5 $how 0.01 f.bin
        cmp c.bin f.bin || { echo "Fortran has other bits than C ($how)"; exit 1; }
    fi
    if [ -n "$python" ] && "$python" -c 'import manybody, numpy' 2>/dev/null; then
        "$python" "$crate/tests/programs/bits.py" package bodies.hdf5 $how 0.01 p.bin
        cmp c.bin p.bin || { echo "Python has other bits than C ($how)"; exit 1; }
        "$built/manybody" force bodies.hdf5 -o forces.csv --device cpu --precision "$precision" --solver "$solver" \
            --eps 0.01 --force >force.log 2>&1
        "$python" "$crate/tests/programs/bits.py" table forces.csv t.bin
        cmp c.bin t.bin || { echo "the command has other bits than C ($how)"; exit 1; }
    fi
done
[ -n "$python" ] || skip "bits of Python and of the command: no Python with the package manybody is named"
[ -n "$fortran" ] && ASAN_OPTIONS=detect_leaks=1 run fbits.asan ./fbits.asan bodies.hdf5 f64 direct 0.01 f.bin

if has valgrind; then
    # threads of the pool are not joined at the end, and what they own is no leak
    check=(valgrind --quiet --error-exitcode=1 --leak-check=full --errors-for-leak-kinds=definite)
    [[ $programs != *cluster* ]] || cpp=cluster
    # without vectors: valgrind 3.19 lacks one of AVX's moves between registers, which compilers take now and then
    for program in misuse simulation hermite ${cpp:-} ${fortran:+fforces f77}; do
        run "$program.valgrind" env MANYBODY_SIMD=scalar "${check[@]}" "./$program"
        cmp "$program.out" "$program.valgrind.out"
    done
else
    skip "valgrind: not here"
fi

if has cmake; then
    cmake -S "$crate/examples" -B cmake -DCMAKE_PREFIX_PATH="$prefix" >cmake.log 2>&1 || { cat cmake.log; exit 1; }
    { cmake --build cmake -j2 && (cd cmake && ctest --output-on-failure); } >cmake.log 2>&1 || { cat cmake.log; exit 1; }
else
    skip "CMake: not here"
fi
echo "the library of C: $ran programs ran"
