// Moments that are handed up from children to cells, by eight threads each; see moments.cuh.

$WRITE_SPHERICAL
// The moments of a cell, of which this thread has a child: `off` is from the cell's centre to the child's, in units of the cell, `ratio`
// that of the child's unit, and `softer` by how much the mean half of the child's softenings is above the cell's.
fn hand_up(t: u32, g: u32, child: u32, here: bool, is_cell: bool, off: vec3<f32>, ratio: f32, softer: f32,
           M: ptr<function, array<f32, MOMENTS>>) {
    let sub = t % 8u;
    for (var charge = 0u; charge < CHARGES; charge++) {
        set_moments(M);
        of_child(off.x, off.y, off.z, ratio, record(child) + charge * tree.second_moments, M);
        clear_moments(here, M);
        if (OWN == 1u) {
            // a child's products have differences from its own mean
            var products: array<f32, MOMENTS>;
            of_child(off.x, off.y, off.z, ratio, record(child) + tree.second_moments, &products);
            clear_moments(here, &products);
            add_moments(softer * tree.per_difference, M, &products);
            gather_moments_of_eight(t, &products);
            take_moments(t / 8u * MOMENTS, &products);
            if (is_cell) {
                store_moments(sub, 8u, record(g) + tree.second_moments, &products);
            }
            workgroupBarrier();
        }
        gather_moments_of_eight(t, M);
        take_moments(t / 8u * MOMENTS, M);
        if (is_cell) {
            store_moments(sub, 8u, record(g) + charge * tree.second_moments, M);
        }
        workgroupBarrier();
    }
    if (is_cell) {
        write_spherical(sub, 8u, g, M);
    }
}
