// Pairs counted by distance: the twin of correlation.cu. Drivers may do a product and a sum in one step, or not; products go
// through an exclusive or with a 0 that is known only when the kernel runs, so they cannot, and the counts are the host's.
// The search is unrolled: Mesa's llvmpipe ends all loops of a thread after 65,535 iterations, without an error.
// A total of 64 bits is two words: a thread whose addition makes the lower word overflow adds 1 to the upper word. The
// previous value of the lower word shows the overflow.
struct Call { w: array<vec4<u32>, 4> }  // the domain (two sets: tiles of the second first), first block, how many, points, .., 0

@group(0) @binding(0) var<storage, read> rows: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> columns: array<vec4<f32>>;
// squares of edges [SLOTS], of the last edge, sides [4], their reciprocals [4]
@group(0) @binding(2) var<storage, read> limits: array<f32>;
@group(0) @binding(3) var<storage, read_write> totals: array<atomic<u32>>;
@group(0) @binding(4) var<uniform> call: Call;

const B: u32 = $Bu;
const T: u32 = $Tu;
const SLOTS: u32 = $SLOTSu;
const COPIES: u32 = $COPIESu;

var<workgroup> tile: array<vec4<f32>, $B>;
var<workgroup> squares: array<f32, $SLOTS>;
var<workgroup> counts: array<atomic<u32>, $COUNTS>;

fn opaque(v: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) ^ vec4(call.w[3].w));
}
fn sides(at: u32) -> vec4<f32> {
    return vec4(limits[at], limits[at + 1u], limits[at + 2u], limits[at + 3u]);
}
fn meet(a: vec4<f32>, b: vec4<f32>, side: vec4<f32>, per_side: vec4<f32>, low: f32, high: f32, allowed: bool, copy: u32) {
    var d = b - a;
    $IMAGE
    let p = opaque(d * d);
    let square = $SQUARE;
    if (low <= square && square < high && allowed) {
        var bin = 0u;
        $U{bin += select(0u, SLOTS >> ($uu + 1u), squares[bin + (SLOTS >> ($uu + 1u))] <= square);
        }
        atomicAdd(&counts[bin * COPIES + copy], 1u);
    }
}

@compute @workgroup_size($B)
fn correlation(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
               @builtin(local_invocation_index) t: u32) {
    let block = group.x + group.y * groups.x;
    if (block >= call.w[1].z) {
        return;
    }
    let x = call.w[1].y + block;
    $CELL
    for (var slot = t; slot < SLOTS; slot += B) {
        squares[slot] = limits[slot];
    }
    for (var at = t; at < SLOTS * COPIES; at += B) {
        atomicStore(&counts[at], 0u);
    }
    let low = limits[0];
    let high = limits[SLOTS];
    let side = sides(SLOTS + 1u);
    let per_side = sides(SLOTS + 5u);
    // points i that are left from the thread's first one on
    let left = i32(call.w[1].w - cell.x * T) - i32(t);
    let there = min(call.w[2].x - cell.y * T, T);
    $K{let i$k = rows[cell.x * T + $ku * B + t];
    }
    for (var first = 0u; first < there; first += B) {
        workgroupBarrier();
        tile[t] = columns[cell.y * T + first + t];
        workgroupBarrier();
        let count = min(there - first, B);
        for (var s = 0u; s < count; s++) {
            let j = tile[s];
            // on the diagonal, how far point j is past the thread's first point i
            let ahead = select(-1, i32(first + s) - i32(t), same);
            $K{meet(i$k, j, side, per_side, low, high, $k * i32(B) < left && ahead < $k * i32(B), t % COPIES);
            }
        }
    }
    workgroupBarrier();
    for (var slot = t; slot < SLOTS; slot += B) {
        var sum = 0u;
        for (var c = 0u; c < COPIES; c++) {
            sum += atomicLoad(&counts[slot * COPIES + (c + t) % COPIES]);
        }
        if (sum > 0u && atomicAdd(&totals[2u * slot], sum) > 0xffffffffu - sum) {
            atomicAdd(&totals[2u * slot + 1u], 1u);
        }
    }
}
