/* The call of CUNBODY-1 (Hamada & Iitaka 2007, figure 9), computed by manybody.
 *
 * Programs that call force() compile as they are, with this header in place of the library's own:
 *
 *     cc -include cunbody.h figure10.c $(pkg-config --cflags --libs manybody)
 *
 * xj [nj][3] are the places of the bodies that act, mj [nj] their masses, xi [ni][3] the places acted on, eps2 the square of
 * the softening length; a [ni][3] is set to sum_j mj (xj - xi) / (|xj - xi|^2 + eps2)^(3/2). A body at a place xi itself adds
 * nothing. Arrays of C and, as (3,n), of Fortran have this layout.
 *
 * The forces are computed in f64. The environment variable MANYBODY_SETTINGS chooses otherwise, as in
 * MANYBODY_SETTINGS="precision=f32 device=cuda": f32 is CUNBODY-1's precision, with sums in blocks as there.
 *
 * force() has no status: on an error it prints a line on stderr and fills a with NaN. mb_last_error() has the message, and
 * mb_cunbody_force() is the same call with a status. */
#ifndef MANYBODY_CUNBODY_H
#define MANYBODY_CUNBODY_H

#include <stdio.h>

#include "manybody.h"

static inline void force(double xj[][3], double mj[], double xi[][3], double eps2, double a[][3], int ni, int nj)
{
    if (mb_cunbody_force((const double *)xj, mj, (const double *)xi, eps2, (double *)a, ni, nj) != MB_OK)
        fprintf(stderr, "force: %s\n", mb_last_error());
}

#endif /* MANYBODY_CUNBODY_H */
