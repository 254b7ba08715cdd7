//! Sine and cosine with the same results on every machine; those of the standard library depend on
//! the platform.
//!
//! The kernels are those of FreeBSD's `msun` (`k_sin.c`, `k_cos.c`), whose polynomials err by less
//! than 2^-58. The argument is reduced by the method of Cody and Waite, which suffices for the
//! angles used here.

/// π/2 as a number of 33 bits, whose products with integers below 2^20 are exact, and the
/// remainder.
const QUARTER: [f64; 2] = [1.570_796_326_734_125_6, 6.077_100_506_506_192e-11];

const SINE: [f64; 6] = [
    -1.666_666_666_666_663_2e-1,
    8.333_333_333_322_49e-3,
    -1.984_126_982_985_795e-4,
    2.755_731_370_707_006_8e-6,
    -2.505_076_025_340_686_3e-8,
    1.589_690_995_211_55e-10,
];

const COSINE: [f64; 6] = [
    4.166_666_666_666_66e-2,
    -1.388_888_888_887_411e-3,
    2.480_158_728_947_673e-5,
    -2.755_731_435_139_066_3e-7,
    2.087_572_321_298_175e-9,
    -1.135_964_755_778_819_5e-11,
];

fn horner([c0, c1, c2, c3, c4, c5]: [f64; 6], z: f64) -> f64 {
    c0 + z * (c1 + z * (c2 + z * (c3 + z * (c4 + z * c5))))
}

/// Returns the sine and the cosine of an angle from 0 to 2^20 radians. Both err by less than 2^-51.
pub(crate) fn sine_cosine(angle: f64) -> [f64; 2] {
    let quarters = (angle * std::f64::consts::FRAC_2_PI + 0.5) as u32;
    let whole = f64::from(quarters);
    let x = angle - whole * QUARTER[0] - whole * QUARTER[1];
    let z = x * x;
    let sine = x + x * z * horner(SINE, z);
    let cosine = 1.0 - (0.5 * z - z * z * horner(COSINE, z));
    match quarters % 4 {
        0 => [sine, cosine],
        1 => [cosine, -sine],
        2 => [-sine, -cosine],
        _ => [-cosine, sine],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::split_mix::SplitMix;

    #[test]
    fn errors_are_within_the_promised_bound() {
        let mut random = SplitMix(1);
        let mut worst = 0f64;
        for k in 0..300_000 {
            let angle = match k % 3 {
                0 => random.unit(),
                1 => random.unit() * 50.0,
                _ => random.unit() * f64::from(1 << 20),
            };
            // glibc's are within an ulp.
            let (sine, cosine) = angle.sin_cos();
            let [ours, other] = sine_cosine(angle);
            worst = worst.max((ours - sine).abs()).max((other - cosine).abs());
        }
        assert!(worst < 2f64.powi(-51), "{worst:e}");
    }

    #[test]
    fn zero_and_quarter_turns_are_accurate() {
        assert_eq!(sine_cosine(0.0), [0.0, 1.0]);
        for quarter in 1..1_000u32 {
            let [sine, cosine] = sine_cosine(f64::from(quarter) * std::f64::consts::FRAC_PI_2);
            let least = sine.abs().min(cosine.abs());
            assert!(
                least < 1e-12 && (sine * sine + cosine * cosine - 1.0).abs() < 1e-15,
                "{quarter}"
            );
        }
    }
}
