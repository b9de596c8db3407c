/* Weights of the interpolation of presented states. */
#include "stage/present.h"

mote_hermite mote_hermite_make(float alpha, double h, double roundings) {
    const double s = (double)alpha, left = 1 - s;
    return (mote_hermite){
        .alpha = alpha,
        .position = {(float)(s * s * (3 - 2 * s)), (float)(h * s * left * left), (float)(-h * s * s * left)},
        .inverse_h = (float)(1 / h),
        .bump = (float)(6 * s * left),
        .x_error = (float)(roundings * 0x1p-24 / h),
        .v_error = 0x1p-21f};
}
