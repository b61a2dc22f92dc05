// Slots become sums, always in the same order. There is no double here, so a sum is two numbers, the second what the first
// has lost to rounding [Knuth's two-sum].

struct Gather { n: u32, stride: u32, ni: u32, nj: u32, first: u32, zero: u32, u1: u32, u2: u32 }

@group(0) @binding(0) var<storage, read> slots_i: array<f32>;
@group(0) @binding(1) var<storage, read_write> held: array<f32>;  // [2][NO][stride]
@group(0) @binding(2) var<storage, read> slots_j: array<f32>;
@group(0) @binding(3) var<uniform> par: Par;
@group(0) @binding(4) var<uniform> call: Gather;

@compute @workgroup_size(64)
fn gather(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
          @builtin(local_invocation_index) t: u32) {
    let b = (group.y * groups.x + group.x) * 64u + t;  // more groups than one axis may have
    if (b >= call.n) {
        return;
    }
    $O{var a$o: f32;
    var lost$o = 0.0f;
    }start($O{&a$o, });
    if (call.first == 0u) {
        $O{a$o = held[$ou * call.stride + b];
        lost$o = held[(NO + $ou) * call.stride + b];
        }
    }
    for (var s = 0u; s < call.ni; s++) {
        merge_exactly(call.zero, $O{&a$o, }$O{&lost$o, }$O{slots_i[(s * NO + $ou) * call.stride + b], });
    }
    for (var s = 0u; s < call.nj; s++) {
        merge_exactly(call.zero, $O{&a$o, }$O{&lost$o, }$O{slots_j[(s * NO + $ou) * call.stride + b], });
    }
    $O{held[$ou * call.stride + b] = a$o;
    held[(NO + $ou) * call.stride + b] = lost$o;
    }
}
