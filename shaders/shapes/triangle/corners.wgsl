// The corners of a triangle, as columns.
// Uses: shapes/triangle/triangle.wgsl.

fn corners(t: Triangle) -> mat3x3<f32> {
    return mat3x3(t.a_x, t.a_y, t.a_z, t.b_x, t.b_y, t.b_z, t.c_x, t.c_y, t.c_z);
}
