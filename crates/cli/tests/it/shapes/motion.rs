//! Sweeps and tracks of bodies of all shapes.

use obbligato::{Pair, report::checksum};

use crate::program::json;
use crate::shapes::{read, words, write};

#[test]
fn a_sweep_reports_times_of_impact() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    // A spinning sphere, whatever its spin, meets another after 2 s; a falling capsule meets a box
    // after 1.5 s, and row 4 from the start.
    let moving = "shape,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw,radius,vx,vz,wx,az
capsule,0,50,10,,,2,0,0,0,1,1,,-4,,
sphere,10,0,0,,,,,,,,1,,,NaN,
box,0,50,0,1,1,1,0,0,0,1,,,,,
sphere,0,0,0,,,,,,,,1,4,,much,
sphere,3,54,12,,,,,,,,4,,-4,,
";
    write(here, "s.csv", moving);
    let sweep = "sweep s.csv --backend cpu --dt 2.25 --impacts i.csv --json -";
    let report = json(here, &words(sweep));
    assert_eq!(
        (&report["boxes"], &report["impacts"], &report["starting"]),
        (&5.into(), &3.into(), &1.into()),
        "{report}"
    );
    let written = read(here, "i.csv");
    let rows: Vec<Vec<&str>> = written.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let pairs: Vec<_> = rows.iter().map(|row| (row[0], row[1], row[3])).collect();
    assert_eq!(pairs, [("0", "4", "start"), ("0", "2", "impact"), ("1", "3", "impact")]);
    for (row, time) in rows.iter().zip([0.0, 1.5, 2.0]) {
        let found: f64 = row[2].parse().expect("a number");
        assert!(found <= time && found > time - 1e-5, "{row:?}");
    }
    // From the first row of the pair to the second.
    assert!(
        rows[2][4].parse::<f64>().is_ok_and(|x| (x + 1.0).abs() < 1e-6),
        "{written}"
    );
    let sums = [[0, 4], [0, 2], [1, 3]].map(|[a, b]| Pair::new(a, b));
    assert_eq!(report["checksum"], format!("{:016x}", checksum(&sums)));
}

#[test]
fn a_track_follows_bodies_of_all_shapes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    // A sphere approaches a capsule, touches it by 3-4-5, and is a distant box of the same id in
    // the last frame.
    let tracks = "frame,id,shape,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw,radius
1,ball,sphere,3,5,6,,,,,,,,4
1,pill,capsule,0,0,5,,,2,0,0,0,1,1
2,pill,capsule,0,0,5,,,2,0,0,0,1,1
2,ball,sphere,3,4,6,,,,,,,,4
2,floor,,0,0,1,9,9,1,0,0,0,1,
3,ball,box,30,4,6,1,1,1,0,0,0,1,
3,floor,,0,0,1,9,9,1,0,0,0,1,
3,pill,capsule,0,0,5,,,2,0,0,0,1,1
";
    write(here, "t.csv", tracks);
    let report = json(
        here,
        &words("track t.csv --backend cpu --events e.csv --persist --json -"),
    );
    assert_eq!(
        read(here, "e.csv"),
        "frame,event,a,b\n2,begin,ball,floor\n2,begin,ball,pill\n2,begin,floor,pill\n3,end,ball,floor\n3,end,ball,pill\n\
         3,persist,floor,pill\n"
    );
    assert_eq!((&report["boxes"], &report["pairs"]), (&8.into(), &4.into()), "{report}");
}
