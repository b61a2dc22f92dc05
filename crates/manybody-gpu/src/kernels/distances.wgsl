// The packed distance matrix: the twin of distances.cu, one column per thread. Positions are counted from the end of
// this part, modulo 2^32: intermediate results may overflow, and the final one is right.
struct Call { w: array<vec4<u32>, 4> }  // the domain, then the first block, how many, n, (-), end of the matrix in this part

@group(0) @binding(0) var<storage, read> points: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<uniform> call: Call;

const T: u32 = $Tu;
const PIECES: u32 = $PIECESu;

@compute @workgroup_size($T)
fn distances(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
             @builtin(local_invocation_index) t: u32) {
    let block = group.x + group.y * groups.x;
    if (block >= call.w[1].z) {
        return;
    }
    let d = Domain(call.w[0].x, call.w[0].y, call.w[0].z, call.w[0].w, call.w[1].x);
    let x = call.w[1].y + block;
    let y = 0u;
    let at = $MAP;
    let n = call.w[1].w;
    let padded = d.rows * T;
    let b = at.y * T + t;
    let last = min(at.x * T + T, n);
    for (var a = max(at.x * T, b + 1u); a < last; a++) {
        var s = 0.0;
        for (var p = 0u; p < PIECES; p++) {
            let v = points[p * padded + a] - points[p * padded + b];
            s += dot(v, v);
        }
        out[call.w[2].y - 1u - triangle_number(a - 1u) - b] = $ROOT;
    }
}
