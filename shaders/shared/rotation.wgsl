// Rotations as matrices, and sums over vectors.
// Uses: shared/common.wgsl.
// The including shader declares: params.

// The quaternion's matrix with homogeneous diagonal: the rotation times |q|^2. Columns are the
// box's axes.
fn matrix(q: vec4<f32>) -> mat3x3<f32> {
    let d = q * q;
    return mat3x3(
        vec3(d.w + d.x - d.y - d.z, 2.0 * (q.x * q.y + q.w * q.z), 2.0 * (q.x * q.z - q.w * q.y)),
        vec3(2.0 * (q.x * q.y - q.w * q.z), d.w - d.x + d.y - d.z, 2.0 * (q.y * q.z + q.w * q.x)),
        vec3(2.0 * (q.x * q.z + q.w * q.y), 2.0 * (q.y * q.z - q.w * q.x), d.w - d.x - d.y + d.z),
    );
}

// conj(a) b, the rotation of B in the frame of A.
fn relative(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return fenced(vec4(a.w * b.xyz - b.w * a.xyz - cross(a.xyz, b.xyz), dot(a, b)), params.zero);
}

fn sum(v: vec3<f32>) -> f32 {
    return v.x + v.y + v.z;
}

fn largest(v: vec3<f32>) -> f32 {
    return max(v.x, max(v.y, v.z));
}
