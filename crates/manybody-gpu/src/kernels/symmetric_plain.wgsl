// Every pair once where there are no subgroups: the sums of j stay in workgroup memory and a thread visits them in turn,
// with a barrier after every step. Otherwise as symmetric.wgsl.

struct Call { n: u32, tiles: u32, d0: u32, d1: u32, chain: u32, zero: u32, u1: u32, u2: u32 }

@group(0) @binding(0) var<storage, read> bodies: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> slots_i: array<f32>;
@group(0) @binding(2) var<storage, read_write> slots_j: array<f32>;
@group(0) @binding(3) var<uniform> par: Par;
@group(0) @binding(4) var<uniform> call: Call;

const B: u32 = $Bu;
const K: u32 = $Ku;
const T: u32 = B * K;

var<workgroup> tile: array<vec4<f32>, $TILE>;  // [QUADS][T]
var<workgroup> sums: array<f32, $SUMS>;        // [NO][T]

@compute @workgroup_size($B)
fn symmetric(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let I = group.x;
    let stride = call.tiles * T;
    $K{
    let gi$k = I * T + $ku * B + t;
    $Q{let q$k_$q = bodies[gi$k * QUADS + $qu];
    }$O{var oi$k_$o: f32;
    }start($O{&oi$k_$o, });
    }
    let begin = call.d0 + group.y * call.chain;
    let end = min(call.d1, begin + call.chain);
    for (var d = begin; d < end; d++) {
        let J = select(I + d - call.tiles, I + d, I + d < call.tiles);
        let slot = (d - max(call.d0, 1u)) * NO * stride + J * T;  // not used for d = 0
        let nothing = 2u * d == call.tiles && I >= d;  // the other half of the last round
        workgroupBarrier();
        for (var k = 0u; k < K; k++) {
            $Q{tile[$qu * T + k * B + t] = bodies[(J * T + k * B + t) * QUADS + $qu];
            }$O{var n$o: f32;
            }start($O{&n$o, });
            $O{sums[$ou * T + k * B + t] = n$o;
            }
        }
        workgroupBarrier();
        if (d == 0u) {
            for (var s = 0u; s < T; s++) {
                let gj = J * T + s;
                $Q{let r$q = tile[$qu * T + s];
                }if (gj < call.n) {
                    $K{if (SELF || gi$k != gj) {
                        pair($I{q$k_$iq.$ic, }$J{r$jq.$jc, }$O{&oi$k_$o, });
                    }
                    }
                }
            }
            continue;
        }
        if (!nothing) {
            for (var chunk = 0u; chunk < T; chunk += B) {
                for (var s = 0u; s < B; s++) {
                    let at = chunk + (t + s) % B;
                    if (J * T + at < call.n) {
                        $Q{let r$q = tile[$qu * T + at];
                        }$O{var oj$o = sums[$ou * T + at];
                        }$K{if (gi$k < call.n) {
                            pair_both($I{q$k_$iq.$ic, }$J{r$jq.$jc, }$O{&oi$k_$o, }$O{&oj$o, });
                        }
                        }$O{sums[$ou * T + at] = oj$o;
                        }
                    }
                    workgroupBarrier();
                }
            }
        }
        for (var k = 0u; k < K; k++) {
            $O{slots_j[slot + $ou * stride + k * B + t] = sums[$ou * T + k * B + t];
            }
        }
    }
    $K{$O{slots_i[(group.y * NO + $ou) * stride + gi$k] = oi$k_$o;
    }}
}
