// The rate at which the card fills memory: the twin of fill.cu.
struct Call { w: array<vec4<u32>, 4> }  // how many of sixteen bytes, -, the value
@group(0) @binding(0) var<storage, read_write> out: array<vec4<f32>>;
@group(0) @binding(1) var<uniform> call: Call;

@compute @workgroup_size(256)
fn fill(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) t: u32) {
    let v = vec4(bitcast<f32>(call.w[0].z));
    for (var k = group.x * 256u + t; k < call.w[0].x; k += groups.x * 256u) {
        out[k] = v;
    }
}
