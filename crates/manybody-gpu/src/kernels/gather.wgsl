// Slots become sums, always in the same order. There is no double here, so a sum is two numbers, the second what the first
// has lost to rounding [Knuth's two-sum].

struct Gather { n: u32, stride: u32, ni: u32, nj: u32, first: u32, zero: u32, u1: u32, u2: u32 }

@group(0) @binding(0) var<storage, read> slots_i: array<f32>;
@group(0) @binding(1) var<storage, read_write> held: array<f32>;  // [2][NO][stride]
@group(0) @binding(2) var<storage, read> slots_j: array<f32>;
@group(0) @binding(3) var<uniform> par: Par;
@group(0) @binding(4) var<uniform> call: Gather;

// 32 bodies a workgroup: LINES lines of threads take every LINES-th slot each, and their sums are added one after the other.
const LINES: u32 = $LINESu;
var<workgroup> partial: array<f32, $GATHERED>;  // [LINES][2][NO][32]

@compute @workgroup_size(32, $LINES)
fn gather(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
          @builtin(local_invocation_id) local: vec3<u32>) {
    let b = (group.y * groups.x + group.x) * 32u + local.x;  // more groups than one axis may have
    let line = local.y;
    $O{var a$o: f32;
    var lost$o = 0.0f;
    }start($O{&a$o, });
    if (b < call.n) {
        if (line == 0u && call.first == 0u) {
            $O{a$o = held[$ou * call.stride + b];
            lost$o = held[(NO + $ou) * call.stride + b];
            }
        }
        for (var s = line; s < call.ni; s += LINES) {
            merge_exactly(call.zero, $O{&a$o, }$O{&lost$o, }$O{slots_i[(s * NO + $ou) * call.stride + b], });
        }
        for (var s = line; s < call.nj; s += LINES) {
            merge_exactly(call.zero, $O{&a$o, }$O{&lost$o, }$O{slots_j[(s * NO + $ou) * call.stride + b], });
        }
    }
    if (LINES > 1u) {  // one line has nothing to hand over, and its many results would not fit
        $O{partial[((line * 2u) * NO + $ou) * 32u + local.x] = a$o;
        partial[((line * 2u + 1u) * NO + $ou) * 32u + local.x] = lost$o;
        }
    }
    workgroupBarrier();
    if (line > 0u || b >= call.n) {
        return;
    }
    for (var l = 1u; l < LINES; l++) {
        merge_exactly(call.zero, $O{&a$o, }$O{&lost$o, }$O{partial[((l * 2u) * NO + $ou) * 32u + local.x], });
        $O{lost$o += partial[((l * 2u + 1u) * NO + $ou) * 32u + local.x];
        }
    }
    $O{held[$ou * call.stride + b] = a$o;
    held[(NO + $ou) * call.stride + b] = lost$o;
    }
}
