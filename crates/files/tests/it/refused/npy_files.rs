//! Bad NPY files.

use crate::refused::assert_refused;
use crate::{npy, raw_npy, unit_rows};

/// The content of a file, and words of the message about it.
type Bad = (Vec<u8>, &'static [&'static str]);

/// Returns a file with a header that claims this shape.
fn claims(shape: &str, data: &[u8]) -> Vec<u8> {
    raw_npy(
        1,
        &format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n"),
        data,
    )
}

/// Bad numbers and shapes, and truncated files.
fn bad_shapes() -> Vec<Bad> {
    let f4 = |shape: &[u64], numbers: &[f32]| npy(shape, npyz::Order::C, numbers);
    let mut bad = unit_rows(9000);
    bad[8500 * 10 + 4] = -1.0;
    bad[8999 * 10 + 2] = f32::NAN;
    let mut turned = unit_rows(2);
    turned[6] = 0.1;
    let whole = f4(&[3, 10], &unit_rows(3));
    vec![
        (
            f4(&[9000, 10], &bad),
            &["row 8500 has a negative half extent", "(2 bad rows in all)", "fix"],
        ),
        (f4(&[2, 10], &turned), &["row 0 has a rotation", "(1 bad row in all)"]),
        (f4(&[10], &unit_rows(1)), &["has shape (10), not (N, 10)"]),
        (f4(&[5, 6], &unit_rows(3)), &["has shape (5, 6), not (N, 10)"]),
        (f4(&[10, 3], &unit_rows(3)), &["has shape (10, 3), not"]),
        (f4(&[3, 1, 10], &unit_rows(3)), &["has shape (3, 1, 10), not"]),
        (
            npy(&[1, 10], npyz::Order::C, &[0.0f64; 10]),
            &["type <f8, not <f4 (little-endian float32)"],
        ),
        (npy(&[1, 10], npyz::Order::C, &[0i32; 10]), &["type <i4, not <f4"]),
        (
            npy(&[3, 10], npyz::Order::Fortran, &unit_rows(3)),
            &["is in Fortran order, not C order", "numpy.save"],
        ),
        (
            whole[..whole.len() - 1].to_vec(),
            &["is truncated: its shape is (3, 10) but only 2 of 3 rows are complete"],
        ),
        ([whole.clone(), vec![0]].concat(), &["more data than its shape (3, 10)"]),
        (
            claims("(10000000000000, 10)", &[0; 80]),
            &["is truncated", "(10000000000000, 10)", "only 2 of 10000000000000 rows"],
        ),
        (
            claims("(18446744073709551615, 10)", &[]),
            &["is truncated", "only 0 of 18446744073709551615 rows"],
        ),
    ]
}

/// Bad headers.
fn bad_headers() -> Vec<Bad> {
    let big_endian = raw_npy(
        1,
        "{'descr': '>f4', 'fortran_order': False, 'shape': (1, 10), }",
        &[0; 40],
    );
    let structure = raw_npy(
        1,
        "{'descr': [('cx', '<f4')], 'fortran_order': False, 'shape': (1, 10), }",
        &[0; 40],
    );
    let ordered = |order: &str| {
        let dictionary = format!("{{'descr': '<f4', 'shape': (1, 10), 'fortran_order': {order}}}");
        raw_npy(1, &dictionary, &[0; 40])
    };
    vec![
        (ordered("True"), &["is in Fortran order, not C order"]),
        (
            ordered("1"),
            &["has 1 for fortran_order instead of True or False: write"],
        ),
        (ordered("true"), &["has true for fortran_order"]),
        (ordered("banana"), &["has banana for fortran_order"]),
        (ordered("'False'"), &["has 'False' for fortran_order"]),
        (ordered("False or True"), &["has False or True for fortran_order"]),
        (big_endian, &["type >f4 (big-endian), not <f4"]),
        (structure, &["a structure", "not <f4"]),
        (claims("(99999999999999999999, 10)", &[]), &["is not an NPY file"]),
        (claims("(-1, 10)", &[]), &["is not an NPY file"]),
        (raw_npy(9, "{}", &[]), &["NPY version 9"]),
        (raw_npy(1, "{'shape': (1, 10)}", &[0; 40]), &["is not an NPY file"]),
        (Vec::new(), &["is not an NPY file"]),
        (
            b"\x93NUMPY\x02\0\xff\xff\xff\xff{'descr'".to_vec(),
            &["is not an NPY file"],
        ),
    ]
}

#[test]
fn bad_npy() {
    for (content, expected) in bad_shapes().into_iter().chain(bad_headers()) {
        assert_refused("scene.npy", &content, expected);
    }
}
