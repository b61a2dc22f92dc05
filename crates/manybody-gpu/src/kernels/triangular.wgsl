// Every pair of a law in square tiles of the triangle: the twin of triangular.cu. Mirrored, the sums of j stay in workgroup
// memory and a thread visits them in turn, with a barrier after every step: it needs no subgroups.
struct Call { w: array<vec4<u32>, 4> }  // the domain, n, tiles

const B: u32 = $Bu;
const K: u32 = $Ku;
const T: u32 = B * K;

//// triangular
@group(0) @binding(0) var<storage, read> bodies: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> slots: array<f32>;
@group(0) @binding(2) var<uniform> par: Par;
@group(0) @binding(3) var<storage, read> map_table: array<u32>;
@group(0) @binding(4) var<uniform> call: Call;

var<workgroup> tile: array<vec4<f32>, $TILE>;  // [QUADS][T]
var<workgroup> sums: array<f32, $SUMS>;        // [NO][T]
var<workgroup> place: vec3<u32>;

@compute @workgroup_size($B)
fn triangular(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let n = call.w[1].y;
    let tiles = call.w[1].z;
    let stride = tiles * T;
    $LEAVE
    if (t == 0u) {
        let d = Domain(call.w[0].x, call.w[0].y, call.w[0].z, call.w[0].w, call.w[1].x);
        let x = group.x;
        let y = group.y;
        place = $MAP;
    }
    let at = workgroupUniformLoad(&place);  // so that all leave together, and that can be seen
    if (at.z == 0u || at.y > at.x || at.x >= tiles) {
        return;
    }
    // one-sided: both tiles are i in turn; mirrored: I is
    for (var side = 0u; side < select(2u, 1u, $MIRRORED || at.x == at.y); side++) {
        let I = select(at.x, at.y, side == 1u);
        let J = select(at.y, at.x, side == 1u);
        $K{
        let gi$k = I * T + $ku * B + t;
        $Q{let q$k_$q = bodies[gi$k * QUADS + $qu];
        }$O{var oi$k_$o: f32;
        }start($O{&oi$k_$o, });
        }
        workgroupBarrier();
        for (var k = 0u; k < K; k++) {
            $Q{tile[$qu * T + k * B + t] = bodies[(J * T + k * B + t) * QUADS + $qu];
            }$O{var n$o: f32;
            }start($O{&n$o, });
            $O{sums[$ou * T + k * B + t] = n$o;
            }
        }
        workgroupBarrier();
        if (!$MIRRORED || I == J) {
            let m = min(T, n - J * T);
            for (var s = 0u; s < m; s++) {
                let gj = J * T + s;
                $Q{let r$q = tile[$qu * T + s];
                }$K{if (SELF || gi$k != gj) {
                    pair($I{q$k_$iq.$ic, }$J{r$jq.$jc, }$O{&oi$k_$o, });
                }
                }
            }
        } else {
            for (var chunk = 0u; chunk < T; chunk += B) {
                for (var s = 0u; s < B; s++) {
                    let to = chunk + (t + s) % B;
                    $Q{let r$q = tile[$qu * T + to];
                    }$O{var oj$o = sums[$ou * T + to];
                    }$K{if (gi$k < n) {
                        $BOTH($I{q$k_$iq.$ic, }$J{r$jq.$jc, }$O{&oi$k_$o, }$TWO);
                    }
                    }$O{sums[$ou * T + to] = oj$o;
                    }
                    workgroupBarrier();
                }
            }
            for (var k = 0u; k < K; k++) {
                $O{slots[(I * NO + $ou) * stride + J * T + k * B + t] = sums[$ou * T + k * B + t];
                }
            }
        }
        $K{$O{slots[(J * NO + $ou) * stride + gi$k] = oi$k_$o;
        }}
    }
}

//// gather_tiles
@group(0) @binding(0) var<storage, read> slots: array<f32>;
@group(0) @binding(1) var<storage, read_write> held: array<f32>;  // [2][NO][stride]
@group(0) @binding(2) var<uniform> par: Par;
@group(0) @binding(3) var<uniform> call: Call;

@compute @workgroup_size(64)
fn gather_tiles(@builtin(global_invocation_id) id: vec3<u32>) {
    let b = id.x;
    if (b >= call.w[1].y) {
        return;
    }
    let stride = call.w[1].z * T;  // w[3].w is 0, which the compiler does not know
    $O{var a$o: f32;
    var lost$o = 0.0f;
    }start($O{&a$o, });
    for (var s = 0u; s < call.w[1].z; s++) {
        merge_exactly(call.w[3].w, $O{&a$o, }$O{&lost$o, }$O{slots[(s * NO + $ou) * stride + b], });
    }
    $O{held[$ou * stride + b] = a$o;
    held[(NO + $ou) * stride + b] = lost$o;
    }
}
