// A law over lists: the twin of law_lists.cu.
struct Call { w: array<vec4<u32>, 4> }  // first item, how many, whether bodies are left out of their own sums, first leaf; .., 0

@group(0) @binding(0) var<storage, read> bodies_i: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> bodies_j: array<vec4<f32>>;
@group(0) @binding(2) var<uniform> par: Par;
// leaf, its first range and the end of its ranges, whether others were before
@group(0) @binding(3) var<storage, read> items: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> ranges: array<vec2<u32>>;
@group(0) @binding(5) var<storage, read> itself: array<u32>;
@group(0) @binding(6) var<storage, read_write> results: array<f32>;
@group(0) @binding(7) var<uniform> call: Call;

const B: u32 = $Bu;
const T: u32 = $Tu;
const LEAF: u32 = $LEAFu;
const BAG: u32 = $BAGu;

var<workgroup> tile: array<vec4<f32>, $TILE>;  // [QUADS][T]

@compute @workgroup_size($B)
fn law_lists(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
             @builtin(local_invocation_index) t: u32) {
    let block = group.x + group.y * groups.x;
    if (block >= call.w[0].y) {
        return;
    }
    let item = items[call.w[0].x + block];
    let to = item.x * NO * LEAF + t;
    $K{
    let at$k = (call.w[0].w + item.x) * LEAF + $ku * B + t;
    $Q{let q$k_$q = bodies_i[at$k * QUADS + $qu];
    }var own$k = 0xffffffffu;
    if (call.w[0].z != 0u) {
        own$k = itself[at$k];
    }
    $O{var oi$k_$o: f32;
    var bag$k_$o: f32;
    }start($O{&oi$k_$o, });
    start($O{&bag$k_$o, });
    if (item.w != 0u) {
        $O{oi$k_$o = results[to + $ou * LEAF + $ku * B];
        }
    }
    }
    var tiles = 0u;
    for (var r = item.y; r < item.z; r++) {
        let range = ranges[r];
        for (var j0 = range.x; j0 < range.y; j0 += T) {
            let m = min(T, range.y - j0);
            workgroupBarrier();
            if (t < m) {
                $Q{tile[$qu * T + t] = bodies_j[(j0 + t) * QUADS + $qu];
                }
            }
            workgroupBarrier();
            for (var s = 0u; s < m; s++) {
                $Q{let r$q = tile[$qu * T + s];
                }$K{if (own$k != j0 + s) {
                    pair($I{q$k_$iq.$ic, }$J{r$jq.$jc, }$O{&bag$k_$o, });
                }
                }
            }
            tiles += 1u;
            if (tiles == BAG) {
                tiles = 0u;
                $K{merge($O{&oi$k_$o, }$O{bag$k_$o, });
                start($O{&bag$k_$o, });
                }
            }
        }
    }
    $K{merge($O{&oi$k_$o, }$O{bag$k_$o, });
    $O{results[to + $ou * LEAF + $ku * B] = oi$k_$o;
    }
    }
}
