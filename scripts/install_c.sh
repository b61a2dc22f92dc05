#!/usr/bin/env bash
# Installs the library of C, C++ and Fortran that `cargo build --release -p manybody-c` has made: header files, libraries,
# the sources of the Fortran module, and files for pkg-config and CMake.
#
#     scripts/install_c.sh PREFIX            to PREFIX, or below $DESTDIR/PREFIX for a package
#
# cargo-c does the same and needs ten minutes to compile; it knows neither the Fortran module nor CMake.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# = 1 ] || { echo "usage: scripts/install_c.sh PREFIX" >&2; exit 2; }
mkdir -p "${DESTDIR:-}$1"
prefix=$(cd "${DESTDIR:-}$1" && pwd)
# as programs will see it
seen=${prefix#"${DESTDIR:-}"}
crate=crates/manybody-c
built=${CARGO_TARGET_DIR:-target}/release
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
major=${version%%.*}
[ -f "$built/libmanybody.a" ] || { echo "not built yet: cargo build --release -p manybody-c" >&2; exit 1; }

install -d "$prefix"/{include,lib/pkgconfig,lib/cmake/manybody,share/manybody/fortran}
install -m 644 "$crate"/include/*.h "$crate"/include/*.hpp "$prefix/include"
install -m 644 "$crate"/fortran/*.f90 "$prefix/share/manybody/fortran"
install -m 644 "$built/libmanybody.a" "$prefix/lib"
case $(uname -s) in
Darwin)
    shared=libmanybody.$version.dylib link=libmanybody.$major.dylib plain=libmanybody.dylib
    install -m 755 "$built/libmanybody.dylib" "$prefix/lib/$shared"
    ;;
*)
    shared=libmanybody.so.$version link=libmanybody.so.$major plain=libmanybody.so
    install -m 755 "$built/libmanybody.so" "$prefix/lib/$shared"
    ;;
esac
ln -sf "$shared" "$prefix/lib/$link"
ln -sf "$link" "$prefix/lib/$plain"

fill() { sed -e "s|@PREFIX@|$seen|g" -e "s|@VERSION@|$version|g" -e "s|@MAJOR@|$major|g" -e "s|@SHARED@|$link|g" "$1"; }
fill "$crate/cmake/manybody.pc.in" >"$prefix/lib/pkgconfig/manybody.pc"
fill "$crate/cmake/manybodyConfig.cmake.in" >"$prefix/lib/cmake/manybody/manybodyConfig.cmake"
fill "$crate/cmake/manybodyConfigVersion.cmake.in" >"$prefix/lib/cmake/manybody/manybodyConfigVersion.cmake"
echo "manybody $version: $seen/lib/$plain, $seen/include/manybody.h"
