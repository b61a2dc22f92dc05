#!/usr/bin/env bash
# Packs target/faults-kit: the program, the test of faults and its shims, all compiled, for a machine of the same kind
# that has a GPU but no compiler. There:  target/faults-kit/run.sh [cuda|wgpu]
set -euo pipefail
cd "$(dirname "$0")/.."
kit=target/faults-kit
rm -rf "$kit"
mkdir -p "$kit"
cargo build --release --locked -p manybody-cli
cp target/release/manybody "$kit/"
test=$(cargo test --no-run --locked -p manybody-cli --test faults --message-format=json 2>/dev/null |
    sed -n 's/.*"executable":"\([^"]*faults-[^"]*\)".*/\1/p' | tail -1)
cp "$test" "$kit/faults"
for shim in shim device; do
    cc -shared -fPIC -O1 -o "$kit/$shim.so" "crates/manybody-cli/tests/faults/$shim.c" -ldl
done
strip "$kit/manybody" "$kit/faults" "$kit"/*.so
cat > "$kit/run.sh" <<'END'
#!/usr/bin/env bash
# Faults in file calls and in the driver's, on the GPU here; some minutes. FAULT_REPORT names a file for the findings.
cd "$(dirname "$0")"
export MANYBODY_GPU=${1:-cuda} MANYBODY_BIN=$PWD/manybody FAULT_SHIM=$PWD/shim.so DEVICE_SHIM=$PWD/device.so
MANYBODY_FAULTS=${MANYBODY_FAULTS:-1} exec ./faults --nocapture gpu device
END
chmod +x "$kit/run.sh"
du -sh "$kit"
