// One-sided: the twin of direct.cu. A workgroup keeps a tile of B bodies j, a thread K bodies i; j is split over group.y,
// and the sums of a bag of tiles are added to the sums of the split.

struct Call { ni: u32, nj: u32, stride: u32, share: u32, same: u32, zero: u32, first_block: u32, u2: u32 }

@group(0) @binding(0) var<storage, read> bodies_j: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> slots_i: array<f32>;
@group(0) @binding(2) var<storage, read> bodies_i: array<vec4<f32>>;
@group(0) @binding(3) var<uniform> par: Par;
@group(0) @binding(4) var<uniform> call: Call;

const B: u32 = $Bu;
const K: u32 = $Ku;
const BAG: u32 = $BAGu;

var<workgroup> tile: array<vec4<f32>, $TILE>;  // [QUADS][B]

@compute @workgroup_size($B)
fn direct(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let first = (call.first_block + group.x) * (B * K);
    let own = call.same - 1u;  // body 0 of i among those of j, if it is there: then same is 1 more, else 0
    $K{
    let gi$k = first + $ku * B + t;
    $Q{let q$k_$q = bodies_i[gi$k * QUADS + $qu];
    }$O{var oi$k_$o: f32;
    var bag$k_$o: f32;
    }start($O{&oi$k_$o, });
    start($O{&bag$k_$o, });
    }
    let begin = group.y * call.share;
    let end = min(call.nj, begin + call.share);
    var tiles = 0u;
    for (var j0 = begin; j0 < end; j0 += B) {
        workgroupBarrier();
        $Q{tile[$qu * B + t] = bodies_j[(j0 + t) * QUADS + $qu];
        }workgroupBarrier();
        let meets_itself = call.same != 0u && !SELF && j0 < first + own + B * K && first + own < j0 + B;
        if (end - j0 >= B && !meets_itself) {
            for (var s = 0u; s < B; s++) {
                $Q{let r$q = tile[$qu * B + s];
                }$K{pair($I{q$k_$iq.$ic, }$J{r$jq.$jc, }$O{&bag$k_$o, });
                }
            }
        } else {
            let m = min(B, end - j0);
            for (var s = 0u; s < m; s++) {
                $Q{let r$q = tile[$qu * B + s];
                }$K{if (!(meets_itself && gi$k + own == j0 + s)) {
                    pair($I{q$k_$iq.$ic, }$J{r$jq.$jc, }$O{&bag$k_$o, });
                }
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
    $K{merge($O{&oi$k_$o, }$O{bag$k_$o, });
    if (gi$k < call.ni) {
        $O{slots_i[(group.y * NO + $ou) * call.stride + gi$k] = oi$k_$o;
        }
    }
    }
}
