// Clears the counters of lists; with a call of 1 all of them.
@compute @workgroup_size(64)
fn clear(@builtin(local_invocation_index) t: u32) {
    if (t < 36u && (tree.call.x == 1u || t < SEGMENTS || t == SPARSE)) {
        atomicStore(&counters[t], 0u);
    }
}
