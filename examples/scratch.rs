use obbligato::glam::*;
use obbligato::*;
fn rnd(s: &mut u64) -> f32 {
    *s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    ((*s >> 40) as f32) / (1u64 << 24) as f32
}
fn scene(n: usize, mixed: bool, w: f32) -> Vec<Obb> {
    let mut s = 1;
    (0..n)
        .map(|_| {
            let k = if mixed {
                10f32.powf(rnd(&mut s) * 3.0 - 2.0)
            } else {
                1.0
            };
            let h = Vec3::new(
                0.5 + 0.5 * rnd(&mut s),
                0.5 + 0.5 * rnd(&mut s),
                0.5 + 0.5 * rnd(&mut s),
            ) * k;
            let q = Quat::from_xyzw(
                rnd(&mut s) - 0.5,
                rnd(&mut s) - 0.5,
                rnd(&mut s) - 0.5,
                rnd(&mut s) - 0.5,
            )
            .normalize();
            Obb::new(Vec3::new(rnd(&mut s), rnd(&mut s), rnd(&mut s)) * w, h, q)
        })
        .collect()
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let n: usize = a[1].parse().unwrap();
    let mixed = a[2] == "m";
    let w: f32 = a[3].parse().unwrap();
    let b = scene(n, mixed, w);
    let mut c = Checker::new(Config {
        backend: if a.len() > 4 { Backend::Gpu } else { Backend::Cpu },
        ..Default::default()
    })
    .unwrap();
    for _ in 0..3 {
        let r = c.check(&b).unwrap();
        println!(
            "{} cand {} pairs {:016x} {:?} {:?}",
            r.candidate_pairs,
            r.colliding_pairs,
            r.checksum(),
            r.timings,
            r.grid
        );
    }
    if n <= 20000 {
        let mut brute = 0u64;
        let mut cnt = 0;
        for i in 0..n {
            for j in i + 1..n {
                if obbligato::reference::separation(&b[i], &b[j]) <= 0.0 {
                    cnt += 1;
                    brute = brute.wrapping_add(checksum(&[Pair::new(i as u32, j as u32)]));
                }
            }
        }
        println!("brute {} {:016x}", cnt, brute);
    }
}
