// Which spheres touch: the twin of collisions.cu. A workgroup has K spheres i a thread and a tile of T spheres j; a bit a
// workgroup and 32 of the j says whether anything touched. How products and sums round is the driver's choice, so pairs
// whose surfaces meet within a rounding may fall either way.
struct Call { w: array<vec4<u32>, 4> }  // the domain, then the first block, how many

const B: u32 = $Bu;
const T: u32 = $Tu;

fn touch(a: vec4<f32>, b: vec4<f32>) -> bool {
    let d = b - a;
    let reach = a.w + b.w;
    return $SQUARE <= reach * reach;
}
fn tiles(block: u32) -> vec3<u32> {
    let d = Domain(call.w[0].x, call.w[0].y, call.w[0].z, call.w[0].w, call.w[1].x);
    let x = call.w[1].y + block;
    let y = 0u;
    return $MAP;
}

//// count
@group(0) @binding(0) var<storage, read> spheres: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;
@group(0) @binding(2) var<storage, read_write> masks: array<u32>;
@group(0) @binding(3) var<uniform> call: Call;

var<workgroup> tile: array<vec4<f32>, $T>;
var<workgroup> total: atomic<u32>;
var<workgroup> mask: atomic<u32>;

@compute @workgroup_size($B)
fn count(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
         @builtin(local_invocation_index) t: u32) {
    let block = group.x + group.y * groups.x;
    if (block >= call.w[1].z) {
        return;
    }
    let at = tiles(block);
    if (t == 0u) {
        atomicStore(&total, 0u);
        atomicStore(&mask, 0u);
    }
    $K{tile[$ku * B + t] = spheres[at.y * T + $ku * B + t];
    let i$k = spheres[at.x * T + $ku * B + t];
    }
    workgroupBarrier();
    var hits = 0u;
    var mine = 0u;
    let same = at.x == at.y;
    for (var c = 0u; c < T / 32u; c++) {
        let before = hits;
        for (var s = 32u * c; s < 32u * c + 32u; s++) {
            let j = tile[s];
            $K{hits += u32(touch(i$k, j) && (!same || s < $ku * B + t));
            }
        }
        mine |= u32(hits > before) << c;
    }
    if (hits > 0u) {
        atomicAdd(&total, hits);
        atomicOr(&mask, mine);
    }
    workgroupBarrier();
    if (t == 0u) {
        counts[block] = atomicLoad(&total);
        masks[block] = atomicLoad(&mask);
    }
}

//// list
@group(0) @binding(0) var<storage, read> spheres: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> masks: array<u32>;
@group(0) @binding(3) var<storage, read_write> pairs: array<vec2<u32>>;
@group(0) @binding(4) var<uniform> call: Call;

var<workgroup> next: atomic<u32>;

@compute @workgroup_size($B)
fn list(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) t: u32) {
    let block = group.x + group.y * groups.x;
    if (block >= call.w[1].z) {
        return;
    }
    let at = tiles(block);
    if (t == 0u) {
        atomicStore(&next, starts[block]);
    }
    workgroupBarrier();
    let same = at.x == at.y;
    for (var left = masks[block]; left != 0u; left &= left - 1u) {
        let c = countTrailingZeros(left);
        for (var s = 32u * c; s < 32u * c + 32u; s++) {
            let j = spheres[at.y * T + s];
            $K{if (touch(spheres[at.x * T + $ku * B + t], j) && (!same || s < $ku * B + t)) {
                pairs[atomicAdd(&next, 1u)] = vec2(at.y * T + s, at.x * T + $ku * B + t);
            }
            }
        }
    }
}
