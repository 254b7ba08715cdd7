//! Progress writes nothing to stderr if it is not a terminal.

use std::fs;

use super::program::{THREE, run};

#[test]
fn progress_is_shown_only_on_terminals() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let write = |name: &str, text: &str| fs::write(here.join(name), text).expect("it can be written");
    write("three.csv", THREE);
    let frames = THREE.replace('\n', ",1\n").replacen(",1\n", ",frame\n", 1);
    write("frames.csv", &frames);
    write("points.csv", "id,x,y,z\n1,0,0,0\n1,1,0,0\n1,0,1,0\n1,0,0,1\n2,0,0,0\n");
    write(
        "mesh.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n",
    );
    for line in [
        "generate uniform --count 20k --out s.npy",
        "check s.npy --contacts c.csv --html c.html",
        "check frames.csv --frame all --clashes c.csv",
        "verify s.npy",
        "verify --adversarial 1k",
        "bench s.npy --frames 2 --html b.html",
        "sweep three.csv --dt 1",
        "track frames.csv",
        "solids points.csv",
        "mesh mesh.obj",
        "mesh mesh.obj --inside points.csv --out o.csv",
        "fit points.csv --out f.csv",
        "room three.csv --min 0,0,0 --max 1,1,1 --out w.csv",
    ] {
        let arguments: Vec<&str> = line.split(' ').collect();
        let backend = ["--backend", "cpu"];
        let takes_none = ["generate", "fit"].contains(&arguments[0]);
        let arguments = [&arguments[..], if takes_none { &[] } else { &backend[..] }].concat();
        let output = run(here, &arguments);
        assert_eq!(output.status.code(), Some(0), "{line}: {output:?}");
        assert_eq!(output.stderr, b"", "{line}");
    }
}
