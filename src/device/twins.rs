//! Declarations that exist both in a shader and in Rust, and the test that compares the two: for
//! every kernel, without a device.

use std::collections::BTreeSet;

use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{AddressSpace, Binding, BuiltIn, Module, TypeInner};

use crate::device::kernel::{Code, File, Source};
use crate::device::limits;

/// A declaration that exists in a shader and in Rust.
#[derive(Debug)]
pub(crate) enum Twin {
    /// A constant, and its value in Rust.
    Constant(&'static str, f64),
    /// Constants that are used only within their shader.
    Local(&'static [&'static str]),
    /// A record, its size, and its fields with their offsets.
    Record(&'static str, usize, &'static [(&'static str, usize)]),
}

/// The twins by the files of `shaders` that contain them, or by folders any file of which may
/// contain them.
pub(crate) type Table = [(&'static str, &'static [Twin])];

/// The layout of a record whose fields have the same names in Rust, except those given another name
/// in WGSL.
macro_rules! record {
    ($name:literal, $record:ty, [$($field:ident $(as $wgsl:literal + $plus:literal)?),+ $(,)?]) => {
        $crate::device::twins::Twin::Record(
            $name,
            size_of::<$record>(),
            &[$($crate::device::twins::record!(@ $record, $field $(, $wgsl, $plus)?)),+],
        )
    };
    (@ $record:ty, $field:ident) => { (stringify!($field), std::mem::offset_of!($record, $field)) };
    (@ $record:ty, $field:ident, $wgsl:literal, $plus:literal) => {
        ($wgsl, std::mem::offset_of!($record, $field) + $plus)
    };
}
pub(crate) use record;

/// Checks a kernel with naga, and against the limits that a device must have, its declaration and
/// its twins. Returns the files that it consists of.
pub(crate) fn check(code: &Code, twins: &Table, most_storage_buffers: u64) -> BTreeSet<&'static str> {
    let forms = match code.source.forms {
        None => &[false][..],
        Some(_) => &[false, true],
    };
    let mut files = BTreeSet::new();
    for &subgroups in forms {
        let list = code.source.list(subgroups);
        let what = format!("{} ({})", code.entry, if subgroups { "subgroups" } else { "portable" });
        // Otherwise two files would share a line.
        assert!(
            list.iter().all(|(_, text)| text.ends_with('\n')),
            "{what}: a file without a last line break"
        );
        files.extend(list.iter().map(|(name, _)| *name));
        let mut needed = Capabilities::empty();
        // Determined by their names: some shaders have such a part in any form.
        let by_subgroups = list.iter().any(|(name, _)| name.ends_with("_subgroup.wgsl"));
        needed.set(Capabilities::SUBGROUP, by_subgroups);
        needed.set(
            Capabilities::SUBGROUP_BARRIER,
            list.iter().any(|(_, text)| text.contains("subgroupBarrier()")),
        );
        needed.set(
            Capabilities::FLOAT64,
            list.iter().any(|(_, text)| text.contains("<f64>")),
        );
        let (module, info) = load(&list, needed).unwrap_or_else(|error| panic!("{what}: {error}"));
        for capability in needed.iter() {
            let without = load(&list, needed.difference(capability));
            assert!(without.is_err(), "{what} does without {capability:?}");
        }
        check_entry(code, &what, &module, &info, most_storage_buffers);
        check_twins((code, twins), &what, &list, &module);
    }
    files
}

/// Returns `true` if an entry point reads the number of workgroups.
pub(crate) fn asks_for_workgroups(code: &Code) -> bool {
    let (module, _) = load(&code.source.list(false), Capabilities::all()).unwrap_or_else(|error| panic!("{error}"));
    let entry = module.entry_points.iter().find(|entry| entry.name == code.entry);
    let arguments = entry.map_or(&[][..], |entry| &entry.function.arguments);
    let asks = |argument: &naga::FunctionArgument| argument.binding == Some(Binding::BuiltIn(BuiltIn::NumWorkGroups));
    arguments.iter().any(asks)
}

/// Checks workgroup size, limits, bindings and pipeline constants.
fn check_entry(code: &Code, what: &str, module: &Module, info: &ModuleInfo, most_storage_buffers: u64) {
    let index = module.entry_points.iter().position(|entry| entry.name == code.entry);
    let index = index.unwrap_or_else(|| panic!("{what}: no such entry point"));
    let entry = &module.entry_points[index];
    assert_eq!(entry.workgroup_size, [code.workgroup, 1, 1], "{what}: the workgroup");
    assert!(u64::from(code.workgroup) <= limits::INVOCATIONS.least, "{what}");

    let declared = declared(code);
    let (mut bound, mut storage, mut uniform, mut shared) = (BTreeSet::new(), 0, 0, 0);
    for (handle, variable) in module.global_variables.iter() {
        if info.get_entry_point(index)[handle].is_empty() {
            continue;
        }
        let bytes = u64::from(module.types[variable.ty].inner.size(module.to_ctx()));
        match variable.space {
            AddressSpace::Storage { .. } => storage += 1,
            AddressSpace::Uniform => {
                uniform += 1;
                assert!(
                    bytes <= limits::UNIFORM_BYTES.least,
                    "{what}: {bytes} bytes of a uniform"
                );
            }
            AddressSpace::WorkGroup => shared += bytes,
            _ => {}
        }
        if let Some(binding) = &variable.binding {
            assert!(
                u64::from(binding.binding) < limits::BINDINGS.least,
                "{what}: {binding:?}"
            );
            bound.insert((binding.binding, variable.name.clone().unwrap_or_default()));
        }
    }
    assert_eq!(bound, declared, "{what}: bindings, in the shader and as declared");
    assert!(storage <= most_storage_buffers, "{what}: {storage} storage buffers");
    assert!(
        uniform <= limits::UNIFORM_BUFFERS.least,
        "{what}: {uniform} uniform buffers"
    );
    assert!(
        shared <= limits::SHARED_BYTES.least,
        "{what}: {shared} bytes of workgroup memory"
    );
    let overrides: BTreeSet<&str> = module
        .overrides
        .iter()
        .filter_map(|(_, constant)| constant.name.as_deref())
        .collect();
    assert_eq!(
        overrides,
        code.overrides.iter().copied().collect(),
        "{what}: pipeline constants"
    );
}

/// Returns the bindings and names of all buffers that a kernel declares.
fn declared(code: &Code) -> BTreeSet<(u32, String)> {
    code.slots
        .into_iter()
        .flatten()
        .flat_map(|at| {
            let count = if at.streamed { 1 } else { at.slot.bindings };
            (0..count).map(move |k| match count {
                1 => (at.binding, at.name.to_owned()),
                _ => (at.binding + k as u32, format!("{}_{k}", at.name)),
            })
        })
        .collect()
}

/// Checks that every constant and record of the shader is a twin of its file, with equal values.
fn check_twins((code, table): (&Code, &Table), what: &str, list: &[File], module: &Module) {
    let text: String = list.iter().map(|(_, text)| *text).collect();
    let place = |span: naga::Span| locate(list, span.location(&text).line_number as usize);
    let twins = |file: &'static str| {
        let own = table.iter().filter(move |(name, _)| file.starts_with(name));
        own.flat_map(|(_, twins)| *twins)
    };
    for (handle, constant) in module.constants.iter() {
        let (Some(name), Some(value)) = (constant.name.as_deref(), value(module, constant)) else {
            continue;
        };
        if name == "WORKGROUP" && value == f64::from(code.workgroup) {
            continue;
        }
        let (file, line) = place(module.constants.get_span(handle));
        let mut known = twins(file).filter(|twin| match twin {
            Twin::Constant(own, _) => *own == name,
            Twin::Local(names) => names.contains(&name),
            Twin::Record(..) => false,
        });
        match known.next() {
            None => panic!("{what}: {name} of shaders/{file}, line {line}, is not a twin"),
            Some(Twin::Constant(_, expected)) => assert_eq!(value, *expected, "{what}: {name} of shaders/{file}"),
            Some(_) => {}
        }
    }
    // The types that the host and the device exchange.
    let mut exchanged: BTreeSet<naga::Handle<naga::Type>> = module
        .global_variables
        .iter()
        .filter(|(_, variable)| matches!(variable.space, AddressSpace::Storage { .. } | AddressSpace::Uniform))
        .map(|(_, variable)| variable.ty)
        .collect();
    let mut open: Vec<_> = exchanged.iter().copied().collect();
    while let Some(ty) = open.pop() {
        let inner: Vec<_> = match &module.types[ty].inner {
            TypeInner::Struct { members, .. } => members.iter().map(|member| member.ty).collect(),
            TypeInner::Array { base, .. } => vec![*base],
            _ => Vec::new(),
        };
        open.extend(inner.into_iter().filter(|ty| exchanged.insert(*ty)));
    }
    for (handle, ty) in module.types.iter() {
        if !matches!(ty.inner, TypeInner::Struct { .. }) {
            continue;
        }
        let (file, _) = place(module.types.get_span(handle));
        let is_twin = check_record(twins(file), what, ty);
        assert!(
            is_twin || !exchanged.contains(&handle),
            "{what}: the record {:?} of shaders/{file} is not a twin",
            ty.name
        );
    }
}

/// Compares a record with its twin; returns `true` if it has one.
fn check_record(mut twins: impl Iterator<Item = &'static Twin>, what: &str, ty: &naga::Type) -> bool {
    let (TypeInner::Struct { members, span }, Some(name)) = (&ty.inner, ty.name.as_deref()) else {
        return false;
    };
    let record = twins.find_map(|twin| match twin {
        Twin::Record(own, size, fields) if *own == name => Some((size, fields)),
        _ => None,
    });
    let Some((size, fields)) = record else {
        return false;
    };
    let found: Vec<(&str, usize)> = members
        .iter()
        .map(|member| (member.name.as_deref().unwrap_or(""), member.offset as usize))
        .collect();
    assert_eq!(found, *fields, "{what}: {name}");
    assert_eq!(*span as usize, *size, "{what}: the size of {name}");
    true
}

/// Checks files that declare records, and depend on nothing else, against the twins. Returns the
/// number of records.
pub(crate) fn check_records(list: &[File], table: &Table) -> usize {
    let (module, _) = load(list, Capabilities::empty()).unwrap_or_else(|error| panic!("{error}"));
    let structs = module
        .types
        .iter()
        .filter(|(_, ty)| matches!(ty.inner, TypeInner::Struct { .. }));
    let own = |(_, ty): &(_, &naga::Type)| {
        let twins = table
            .iter()
            .filter(|(file, _)| list.iter().any(|(name, _)| name == file));
        assert!(
            check_record(twins.flat_map(|(_, twins)| *twins), "a record", ty),
            "{:?} is not a twin",
            ty.name
        );
    };
    structs.inspect(own).count()
}

/// Parses and validates a shader. An error names the file and the line in it.
fn load(list: &[File], capabilities: Capabilities) -> Result<(Module, ModuleInfo), String> {
    let text: String = list.iter().map(|(_, text)| *text).collect();
    let located = |message: String, line: Option<u32>| match line.map(|line| locate(list, line as usize)) {
        Some((file, line)) => format!("shaders/{file}, line {line}: {message}"),
        None => message,
    };
    let line = |location: naga::SourceLocation| location.line_number;
    let module = naga::front::wgsl::parse_str(&text)
        .map_err(|error| located(error.message().to_owned(), error.location(&text).map(line)))?;
    let info = Validator::new(ValidationFlags::all(), capabilities)
        .validate(&module)
        .map_err(|error| located(error.emit_to_string(&text), error.location(&text).map(line)))?;
    Ok((module, info))
}

/// Returns the file, and the line in it, of a line of the whole text (from 1).
fn locate(list: &[File], line: usize) -> (&'static str, usize) {
    let mut before = 0;
    for (name, text) in list {
        let lines = text.lines().count();
        if line <= before + lines {
            return (name, line - before);
        }
        before += lines;
    }
    ("the end", line - before)
}

/// Returns the value of a constant that is a number.
fn value(module: &Module, constant: &naga::Constant) -> Option<f64> {
    match module.global_expressions[constant.init] {
        naga::Expression::Literal(naga::Literal::U32(value)) => Some(value.into()),
        naga::Expression::Literal(naga::Literal::F32(value)) => Some(value.into()),
        naga::Expression::Literal(naga::Literal::F64(value)) => Some(value),
        _ => None,
    }
}

#[test]
fn errors_name_file_and_line() {
    let syntax: &[File] = &[
        ("first.wgsl", "fn f() {}\n"),
        ("second.wgsl", "fn g() {}\nfn h() { let = 1; }\n"),
    ];
    let error = load(syntax, Capabilities::empty()).expect_err("a syntax error");
    assert!(error.starts_with("shaders/second.wgsl, line 2: "), "{error}");

    let invalid: &[File] = &[
        ("first.wgsl", "fn f() {}\n"),
        ("second.wgsl", "fn g() -> u32 {\n    return 1.0f;\n}\n"),
    ];
    let error = load(invalid, Capabilities::empty()).expect_err("a type error");
    assert!(error.starts_with("shaders/second.wgsl, line "), "{error}");
}

#[test]
fn a_line_is_located_in_its_file() {
    let list: &[File] = &[("first.wgsl", "a\nb\n"), ("second.wgsl", "c\n")];
    let located = |line| locate(list, line);
    assert_eq!(
        [1, 2, 3].map(located),
        [("first.wgsl", 1), ("first.wgsl", 2), ("second.wgsl", 1)]
    );
}

/// A declaration that differs from its shader is noticed, in each thing that is checked.
#[test]
fn faults_of_a_declaration_are_detected() {
    use crate::device::buffers::Slot;
    use crate::device::kernel::At;
    const FILE: &[File] = &[(
        "small.wgsl",
        "const SIZE: u32 = 8u;\noverride ruled: bool = false;\n@group(0) @binding(2) var<storage, read_write> list: array<u32>;\n\
         @compute @workgroup_size(SIZE)\nfn run(@builtin(local_invocation_index) i: u32) { if ruled { list[i] = SIZE; } }\n",
    )];
    const TWINS: &Table = &[("small.wgsl", &[Twin::Constant("SIZE", 8.0)])];
    static LIST: Slot = Slot::of::<u32>("list", "a list");
    static OTHER: Slot = Slot::of::<u32>("other", "another list");
    let code = || Code {
        entry: "run",
        workgroup: 8,
        source: Source::of(FILE),
        slots: [const { &[At::new(2, &LIST)] }, &[]],
        overrides: &["ruled"],
    };
    assert_eq!(check(&code(), TWINS, 1), BTreeSet::from(["small.wgsl"]));
    let faults = [
        Code {
            entry: "walk",
            ..code()
        },
        Code { workgroup: 9, ..code() },
        Code {
            slots: [const { &[At::new(1, &LIST)] }, &[]],
            ..code()
        },
        Code {
            slots: [const { &[At::new(2, &OTHER)] }, &[]],
            ..code()
        },
        Code {
            slots: [&[], &[]],
            ..code()
        },
        Code {
            overrides: &[],
            ..code()
        },
    ];
    let noticed = |code: &Code, twins, most| std::panic::catch_unwind(|| check(code, twins, most)).is_err();
    for fault in &faults {
        assert!(noticed(fault, TWINS, 1), "{fault:?}");
    }
    let wrong_twins: [&Table; 3] = [
        &[],
        &[("small.wgsl", &[Twin::Constant("SIZE", 9.0)])],
        &[("large.wgsl", &[Twin::Constant("SIZE", 8.0)])],
    ];
    for twins in wrong_twins {
        assert!(noticed(&code(), twins, 1), "{twins:?}");
    }
    assert!(noticed(&code(), TWINS, 0));
}
