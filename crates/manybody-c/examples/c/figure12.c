/* A driver of CUNBODY-1's general call (Hamada & Iitaka 2007, figure 12), as printed, with the pipeline description of
 * figure 14, and a program that calls it. */
#include <stdio.h>

#define NMAX (1024)
#define CUNBODY_PIPELINE \
    "float dx, dy, dz, r2, r1i, mr3i;" \
    "dx = INPUT_J[0] - INPUT_I[0]; dy = INPUT_J[1] - INPUT_I[1]; dz = INPUT_J[2] - INPUT_I[2];" \
    "r2 = (dx * dx + dy * dy) + (dz * dz + INPUT_I[3]);" \
    "r1i = 1/sqrt(r2); mr3i = INPUT_J[3] * r1i * r1i * r1i;" \
    "OUTPUT[0] += mr3i * dx; OUTPUT[1] += mr3i * dy; OUTPUT[2] += mr3i * dz;"

#define IDIM  (4)
#define JDIM  (4)
#define FDIM  (3)

#include <cunbody_api.h>

static double p_xj[NMAX][JDIM];
static double p_xi[NMAX][IDIM];

void force(double xj[][3],
           double mj[],
           double xi[][3],
           double eps2,
           double a[][3],
           int ni,
           int nj)
{
  for(int i=0;i<ni;i++){
    for(int d=0;d<3;d++) p_xi[i][d] = xi[i][d];
    p_xi[i][3] = eps2;
  }
  for(int j=0;j<nj;j++){
    for(int d=0;d<3;d++) p_xj[j][d] = xj[j][d];
    p_xj[j][3] = mj[j];
  }

  cunbody_api(p_xj, p_xi, a, ni, nj);

}

int main(void)
{
    double x[2][3] = {{0, 0, 0}, {3, 4, 0}}, m[2] = {1, 2}, a[2][3];
    force(x, m, x, 0.0625, a, 2, 2);
    for (int i = 0; i < 2; i++)
        printf("%.6f %.6f %.6f\n", a[i][0], a[i][1], a[i][2]);
    return 0;
}
