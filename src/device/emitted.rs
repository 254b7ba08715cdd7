//! Checks of naga's output for Metal and Direct3D, for kernels whose error bounds depend on it
//! (`src/base/rewriting.rs`): for tests, without a device.

use naga::back::{hlsl, msl};
use naga::proc::TypeResolution;
use naga::valid::{Capabilities, FunctionInfo, ModuleInfo, ValidationFlags, Validator};
use naga::{BinaryOperator, Expression, Function, MathFunction, Module, ScalarKind};

use crate::device::kernel::Code;

/// The assumptions of a kernel's error bound about its code.
pub(crate) struct Assumed {
    /// The minimum number of values that go through a fence in the source.
    pub fences: usize,
    /// `true` if it divides numbers or takes roots.
    pub divides: bool,
}

/// Checks the code of a kernel against the assumptions.
pub(crate) fn check(code: &Code, assumed: &Assumed) {
    let forms = if code.source.forms.is_some() {
        &[false, true][..]
    } else {
        &[false]
    };
    for &subgroups in forms {
        let text = code.source.text(subgroups);
        let (module, info) = parse(&text);
        let what = code.entry;
        for (handle, function) in module.functions.iter() {
            let name = function.name.as_deref().unwrap_or_default();
            check_function(&module, function, &info[handle], assumed, &format!("{what}: {name}"));
        }
        for (place, entry) in module.entry_points.iter().enumerate() {
            check_function(&module, &entry.function, info.get_entry_point(place), assumed, what);
        }
        let calls = |text: &str| text.matches("fenced_3(").count() + text.matches("fenced(").count();
        // Two are the declarations, and one is the call of one from the other.
        assert!(calls(&text) >= 3 + assumed.fences, "{what}: {} fences", calls(&text));
        check_text(&module, &info, text.contains("<f64>"), what);
    }
}

fn parse(text: &str) -> (Module, ModuleInfo) {
    let module = naga::front::wgsl::parse_str(text).unwrap_or_else(|error| panic!("{}", error.emit_to_string(text)));
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&module)
        .unwrap_or_else(|error| panic!("{}", error.emit_to_string(text)));
    (module, info)
}

/// Checks that there is no unexpected division or root, and no comparison of two numbers for
/// equality, which is how NaNs are detected.
fn check_function(module: &Module, function: &Function, info: &FunctionInfo, assumed: &Assumed, what: &str) {
    for (handle, expression) in function.expressions.iter() {
        let operand = match expression {
            Expression::Binary { left, .. } => *left,
            Expression::Math { arg, .. } => *arg,
            _ => continue,
        };
        let of_numbers = scalar_kind(module, &info[operand].ty) == Some(ScalarKind::Float);
        let span = || function.expressions.get_span(handle);
        match expression {
            Expression::Binary {
                op: BinaryOperator::Divide | BinaryOperator::Modulo,
                ..
            } if of_numbers => {
                assert!(assumed.divides, "{what} divides: {:?}", span());
            }
            Expression::Math {
                fun: MathFunction::Sqrt | MathFunction::InverseSqrt | MathFunction::Normalize,
                ..
            } => {
                assert!(assumed.divides, "{what} takes a root: {:?}", span());
            }
            Expression::Binary {
                op: BinaryOperator::Equal | BinaryOperator::NotEqual,
                ..
            } if of_numbers => {
                // In these functions zeros and subnormal numbers may count as equal.
                assert!(
                    what.ends_with("is_aligned"),
                    "{what} compares numbers for equality: {:?}",
                    span()
                );
            }
            _ => {}
        }
    }
}

fn scalar_kind(module: &Module, ty: &TypeResolution) -> Option<ScalarKind> {
    ty.inner_with(&module.types).scalar_kind()
}

/// Checks that the fence is correct and that the text does not control how arithmetic is compiled:
/// the assumptions are then minimal.
fn check_text(module: &Module, info: &ModuleInfo, f64_alone: bool, what: &str) {
    let constants = Default::default();
    let (module, info) = naga::back::pipeline_constants::process_overrides(module, info, None, &constants)
        .unwrap_or_else(|error| panic!("{what}: {error}"));
    // wgpu offers `f64` only on Vulkan.
    if f64_alone {
        return;
    }
    let options = msl::Options {
        lang_version: (2, 4),
        ..Default::default()
    };
    let (metal, _) = msl::write_string(&module, &info, &options, &Default::default())
        .unwrap_or_else(|error| panic!("{what}, Metal: {error}"));
    let options = hlsl::Options {
        shader_model: hlsl::ShaderModel::V6_0,
        ..Default::default()
    };
    let pipeline = Default::default();
    let mut direct3d = String::new();
    hlsl::Writer::new(&mut direct3d, &options, &pipeline)
        .write(&module, &info, None)
        .unwrap_or_else(|error| panic!("{what}, Direct3D: {error}"));
    for word in ["fast::", "precise", "#pragma", "fma("] {
        assert!(!metal.contains(word) && !direct3d.contains(word), "{what} has {word}");
    }
    let fences = [
        (
            &metal,
            "as_type<metal::float4>(as_type<metal::uint4>(v) ^ metal::uint4(",
        ),
        (&direct3d, "asfloat((asuint(v) ^ ("),
    ];
    for (text, start) in fences {
        let fence = text
            .lines()
            .skip_while(|line| !line.contains(" fenced("))
            .take(8)
            .collect::<Vec<_>>();
        let returned = fence.iter().find(|line| line.contains("return"));
        let is_whole = |line: &&str| line.contains(start) && line.contains("zero");
        assert!(returned.is_some_and(is_whole), "{what}: the fence is {fence:#?}");
    }
}

#[test]
fn faults_are_detected() {
    use crate::device::kernel::{At, File, Source};

    /// A kernel with the fence `$fence`, which then applies `$does` to a number.
    macro_rules! kernel {
        ($fence:literal, $does:literal) => {
            &[(
                "small.wgsl",
                concat!(
                    "@group(0) @binding(0) var<storage, read_write> x: vec4<f32>;\n",
                    "@group(0) @binding(1) var<uniform> zero: u32;\n",
                    "fn fenced(v: vec4<f32>, zero: u32) -> vec4<f32> { return ",
                    $fence,
                    "; }\nfn fenced_3(v: vec3<f32>, zero: u32) -> vec3<f32> { return fenced(vec4(v, 0.0), zero).xyz; }\n",
                    "@compute @workgroup_size(1) fn run() { x = vec4(fenced_3(x.xyz, zero), 1.0); ",
                    $does,
                    " }\n",
                ),
            )]
        };
    }
    const FENCE_ALONE: &[File] = kernel!(
        "bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) ^ vec4(zero))",
        "x.x = x.x * x.y;"
    );
    const DIVIDES: &[File] = kernel!(
        "bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) ^ vec4(zero))",
        "x.x = x.x / x.y;"
    );
    const TAKES_A_ROOT: &[File] = kernel!(
        "bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) ^ vec4(zero))",
        "x.x = sqrt(x.y);"
    );
    const ASKS_FOR_NAN: &[File] = kernel!(
        "bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) ^ vec4(zero))",
        "if x.x != x.x { x.x = 0.0; }"
    );
    const FUSES: &[File] = kernel!(
        "bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) ^ vec4(zero))",
        "x.x = fma(x.x, x.y, x.z);"
    );
    const NO_FENCE: &[File] = kernel!("v + vec4(f32(zero))", "x.x = x.x * x.y;");
    let holds = |files, fences| {
        let code = Code {
            entry: "run",
            workgroup: 1,
            source: Source::of(files),
            slots: [const { &[] as &[At] }, &[]],
            overrides: &[],
        };
        std::panic::catch_unwind(|| check(&code, &Assumed { fences, divides: false })).is_ok()
    };
    assert!(holds(FENCE_ALONE, 1));
    assert!(!holds(FENCE_ALONE, 2), "a fence too few");
    for fault in [DIVIDES, TAKES_A_ROOT, ASKS_FOR_NAN, FUSES, NO_FENCE] {
        assert!(!holds(fault, 1), "{fault:?}");
    }
}
