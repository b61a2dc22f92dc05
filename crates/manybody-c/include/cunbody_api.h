/* The general call of CUNBODY-1 (Hamada & Iitaka 2007, appendix A), computed by manybody.
 *
 * A driver, such as those of figures 12 and 13, defines IDIM, JDIM and FDIM, the numbers of a body acted on, of a body that
 * acts and of a result, includes this header, and calls
 *
 *     cunbody_api(p_xj, p_xi, p_fi, ni, nj);
 *
 * with double p_xj[][JDIM], p_xi[][IDIM], p_fi[][FDIM]. The pipeline description, such as those of figures 14 and 15, is
 * CUNBODY_PIPELINE: a string with the text, or with the name of a file that holds it. It is defined before this header is
 * included, or on the command line:
 *
 *     cc -DCUNBODY_PIPELINE='"gravity.pipe"' driver.c $(pkg-config --cflags --libs manybody)
 *
 * Precision, device and errors are as in cunbody.h; mb_cunbody_api() is the same call with a status. */
#ifndef MANYBODY_CUNBODY_API_H
#define MANYBODY_CUNBODY_API_H

#if !defined(IDIM) || !defined(JDIM) || !defined(FDIM)
#error "IDIM, JDIM and FDIM must be defined before cunbody_api.h is included"
#endif
#ifndef CUNBODY_PIPELINE
#error "CUNBODY_PIPELINE must be defined before cunbody_api.h is included: a string with a pipeline description or its file"
#endif

#include <stdio.h>

#include "manybody.h"

static inline void cunbody_api(double xj[][JDIM], double xi[][IDIM], double f[][FDIM], int ni, int nj)
{
    const double *j = (const double *)xj, *i = (const double *)xi;
    if (mb_cunbody_api(CUNBODY_PIPELINE, IDIM, JDIM, FDIM, j, i, (double *)f, ni, nj) != MB_OK)
        fprintf(stderr, "cunbody_api: %s\n", mb_last_error());
}

#endif /* MANYBODY_CUNBODY_API_H */
