//! Attributes as numbers, in whichever type a program wrote them: h5py makes 64-bit integers of Python's, SWIFT arrays
//! of one element, older codes single precision.

use hdf5_pure::AttrValue;

/// The numbers of an attribute; `None` for text.
pub(super) fn numbers(value: &AttrValue) -> Option<Vec<f64>> {
    let real = || value.to_f64s();
    let signed = || value.to_i64s().map(|list| list.into_iter().map(|v| v as f64).collect());
    let unsigned = || value.to_u64s().map(|list| list.into_iter().map(|v| v as f64).collect());
    real().or_else(signed).or_else(unsigned)
}

/// The one number of an attribute.
pub(super) fn number(value: &AttrValue) -> Option<f64> {
    match numbers(value)?[..] {
        [one] => Some(one),
        _ => None,
    }
}

/// The whole numbers of an attribute, 0 or more, be they stored as integers or not.
pub(super) fn counts(value: &AttrValue) -> Option<Vec<u64>> {
    let whole = |v: f64| (v >= 0.0 && v.fract() == 0.0 && v < 2f64.powi(53)).then_some(v as u64);
    value.to_u64s().or_else(|| value.to_f64s()?.into_iter().map(whole).collect())
}
