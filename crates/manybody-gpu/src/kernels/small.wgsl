// One-sided, for few bodies: the twin of small.cu. A workgroup has K bodies i, its threads share out all j, and their sums
// meet in workgroup memory: always in the same order, with or without subgroups. One dispatch, no slots, and the device
// is full from a few hundred bodies on.

struct Call { ni: u32, nj: u32, stride: u32, same: u32, zero: u32, u0: u32, u1: u32, u2: u32 }

@group(0) @binding(0) var<storage, read> bodies_j: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> held: array<f32>;  // [2][NO][stride]
@group(0) @binding(2) var<storage, read> bodies_i: array<vec4<f32>>;
@group(0) @binding(3) var<uniform> par: Par;
@group(0) @binding(4) var<uniform> call: Call;

const B: u32 = $Bu;
const K: u32 = $Ku;
const SHARES: u32 = B / K;  // threads that first add the sums of a body, K each

var<workgroup> sums: array<f32, $SUMS>;  // [K][NO][B]

@compute @workgroup_size($B)
fn small(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let first = group.x * K;
    $K{$Q{let q$k_$q = bodies_i[(first + $ku) * QUADS + $qu];
    }$O{var oi$k_$o: f32;
    }start($O{&oi$k_$o, });
    }
    let own = first + call.same - 1u;  // body 0 of i is body same - 1 of j, if same is not 0
    // the next body j is asked for while this one is at work
    $Q{var next$q = bodies_j[min(t, max(call.nj, 1u) - 1u) * QUADS + $qu];
    }for (var j = t; j < call.nj; j += B) {
        let after = min(j + B, call.nj - 1u) * QUADS;
        $Q{let r$q = next$q;
        next$q = bodies_j[after + $qu];
        }
        // one question a body j, not one a pair
        if (SELF || call.same == 0u || j - own >= K) {
            $K{pair($I{q$k_$iq.$ic, }$J{r$jq.$jc, }$O{&oi$k_$o, });
            }
        } else {
            $K{if (own + $ku != j) {
                pair($I{q$k_$iq.$ic, }$J{r$jq.$jc, }$O{&oi$k_$o, });
            }
            }
        }
    }
    $K{$O{sums[($ku * NO + $ou) * B + t] = oi$k_$o;
    }}
    workgroupBarrier();
    if (t < K * SHARES) {
        let at = t / SHARES * NO * B + t % SHARES;
        $O{var m$o = sums[at + $ou * B];
        }for (var s = 1u; s < K; s++) {
            merge($O{&m$o, }$O{sums[at + $ou * B + s * SHARES], });
        }
        $O{sums[at + $ou * B] = m$o;
        }
    }
    workgroupBarrier();
    if (t < K && first + t < call.ni) {
        $O{var a$o: f32;
        var lost$o = 0.0f;
        }start($O{&a$o, });
        for (var s = 0u; s < SHARES; s++) {
            merge_exactly(call.zero, $O{&a$o, }$O{&lost$o, }$O{sums[(t * NO + $ou) * B + s], });
        }
        $O{held[$ou * call.stride + first + t] = a$o;
        held[(NO + $ou) * call.stride + first + t] = lost$o;
        }
    }
}
