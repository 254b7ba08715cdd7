//! Statistics of the kernels as compiled for real hardware, without the hardware: registers,
//! workgroup memory, instructions.
//!
//! Mesa's RADV compiles for a GPU that is not present, from the SPIR-V that wgpu would pass to it.
//! wgpu itself does not open such a device, because it has no memory. This module therefore calls
//! the driver through ash, as wgpu does internally.
//!
//! The table `tests/data/shader-statistics.csv` has the recorded numbers. A kernel that exceeds
//! them fails the test that calls [`hold`]. Compilers differ, so the table is valid for the version
//! of Mesa named in its first line. With other versions, and without RADV (which comes with Mesa's
//! Vulkan drivers, as lavapipe does), nothing is compared, and a message on standard error reports
//! that.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::{env, fs, io};

use ash::{Entry, khr, vk};
use naga::back::spv::{Options, PipelineOptions, WriterFlags, ZeroInitializeWorkgroupMemoryMode, write_vec};
use naga::back::{PipelineConstants, pipeline_constants::process_overrides};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{AddressSpace, Module, Scalar, ShaderStage, TypeInner};

use crate::device::kernel::Code;

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/shader-statistics.csv");

/// The target GPU, by Mesa's name: RDNA 2, whose registers and waves are representative of later
/// ones too.
const FAMILY: (&str, &str) = ("RADV_FORCE_FAMILY", "navi21");

/// If this variable is set, the table is written instead of compared.
const RECORD: &str = "SHADER_STATISTICS_RECORD";

/// The columns, by the driver's names, with the tolerated relative excess over the recorded
/// numbers; `None` if the column is not compared.
const COLUMNS: [(&str, Option<f64>); 8] = [
    ("VGPRs", Some(0.0)),
    ("Spilled SGPRs", Some(0.0)),
    ("Spilled VGPRs", Some(0.0)),
    ("LDS size", Some(0.0)),
    ("Scratch size", Some(0.0)),
    // Follows from registers and workgroup memory.
    ("Subgroups per SIMD", None),
    // Tolerates small changes of a shared file.
    ("Instructions", Some(0.02)),
    ("Branches", None),
];

/// The numbers of a kernel in the order of [`COLUMNS`]; by kernel, form and constant.
type Table = BTreeMap<String, [u64; COLUMNS.len()]>;

/// Compares the kernels with the table, or records it.
///
/// An environment variable tells the driver the target GPU. It must not be set in a process in
/// which other tests open adapters. The caller, the `test` with this full name, is therefore run
/// again in its own process.
pub(crate) fn hold(kernels: &[&Code], test: &str) {
    if env::var(FAMILY.0).is_err() {
        let test = test.split_once("::").map_or(test, |(_, path)| path);
        let run = Command::new(env::current_exe().expect("the tests' program"))
            .args(["--exact", test, "--nocapture"])
            .env(FAMILY.0, FAMILY.1)
            .env("VK_LOADER_DRIVERS_SELECT", "radeon*")
            .env_remove("VK_DRIVER_FILES")
            .env_remove("VK_ICD_FILENAMES")
            .stderr(Stdio::inherit())
            .output()
            .expect("the tests' program starts");
        print!("{}", String::from_utf8_lossy(&run.stdout));
        assert!(run.status.success(), "shader statistics: see above");
        return;
    }
    let compiler = match Compiler::open() {
        Ok(compiler) => compiler,
        Err(why) => return say(&format!("not compared, as there is no RADV here: {why}")),
    };
    let recorded = fs::read_to_string(TABLE).expect("the table");
    let (head, name) = (recorded.lines().next().unwrap_or_default(), &compiler.name);
    let record = env::var_os(RECORD).is_some();
    if head != name && !record {
        return say(&format!("not compared, as the table is of {head}, and here is {name}"));
    }
    let mut found = Table::new();
    for code in kernels {
        compiler.measure(code, &mut found);
    }
    print!("{}", text(name, &found));
    if record {
        fs::write(TABLE, text(name, &found)).expect("the table is written");
        return;
    }
    let faults = faults(&parsed(&recorded), &found);
    assert!(
        faults.is_empty(),
        "shader statistics:\n{faults}After a deliberate change: {RECORD}=1 cargo test --release --lib statistics"
    );
}

/// Writes past the capture of the tests' output, which hides the output of tests that pass.
fn say(what: &str) {
    let _ = writeln!(io::stderr(), "shader statistics: {what}");
}

fn text(head: &str, table: &Table) -> String {
    let mut text = format!("{head}\nkernel");
    COLUMNS.iter().for_each(|(name, _)| text.extend([",", name]));
    for (kernel, numbers) in table {
        let _ = write!(text, "\n{kernel}");
        numbers
            .iter()
            .for_each(|number| text.extend([",", &number.to_string()]));
    }
    text + "\n"
}

fn parsed(text: &str) -> Table {
    let row = |line: &str| {
        let (kernel, numbers) = line.split_once(',')?;
        let numbers: Option<Vec<u64>> = numbers.split(',').map(|number| number.parse().ok()).collect();
        Some((kernel.to_owned(), numbers?.try_into().ok()?))
    };
    text.lines().skip(2).map(|line| row(line).expect(line)).collect()
}

/// Lists the numbers that exceed the recorded ones, one per line.
fn faults(recorded: &Table, found: &Table) -> String {
    let mut faults = String::new();
    for (kernel, numbers) in found {
        let Some(before) = recorded.get(kernel) else {
            let _ = writeln!(faults, "  {kernel} is not recorded");
            continue;
        };
        for (((name, slack), now), before) in COLUMNS.iter().zip(numbers).zip(before) {
            if slack.is_some_and(|slack| *now as f64 > *before as f64 * (1.0 + slack)) {
                let _ = writeln!(
                    faults,
                    "  {kernel}: {name} {now}, recorded {before}, {} more",
                    now - before
                );
            }
        }
    }
    let gone = recorded.keys().filter(|kernel| !found.contains_key(*kernel));
    gone.for_each(|kernel| faults += &format!("  {kernel} is recorded but is not a kernel\n"));
    faults
}

/// A device that can compile but not run.
struct Compiler {
    /// The GPU and the version of Mesa, as in the table's first line.
    name: String,
    device: ash::Device,
    statistics: khr::pipeline_executable_properties::Device,
    instance: ash::Instance,
    /// The loader, which is unloaded last.
    _entry: Entry,
}

#[expect(unsafe_code, reason = "Vulkan is called directly, and all of its calls are unsafe")]
impl Compiler {
    fn open() -> Result<Self, String> {
        // SAFETY: the loader is the system's; the structures are made by ash, and each handle
        // outlives everything made from it.
        unsafe {
            let entry = Entry::load().map_err(|error| error.to_string())?;
            let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
            let info = vk::InstanceCreateInfo::default().application_info(&application);
            let instance = entry.create_instance(&info, None).map_err(|error| error.to_string())?;
            let physical = instance
                .enumerate_physical_devices()
                .map_err(|error| error.to_string())?;
            let physical = *physical.first().ok_or("no device")?;

            let mut driver = vk::PhysicalDeviceDriverProperties::default();
            let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
            instance.get_physical_device_properties2(physical, &mut properties);
            let device_name = properties.properties.device_name;
            let name = |of: &[std::ffi::c_char]| CStr::from_ptr(of.as_ptr()).to_string_lossy().into_owned();
            let name = format!("# {}; {}", name(&device_name), name(&driver.driver_info));

            let features = instance.get_physical_device_features(physical);
            let mut more = vk::PhysicalDeviceVulkan13Features::default().subgroup_size_control(true);
            let mut info =
                vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default().pipeline_executable_info(true);
            let queues = [vk::DeviceQueueCreateInfo::default()
                .queue_family_index(0)
                .queue_priorities(&[1.0])];
            let extensions = [khr::pipeline_executable_properties::NAME.as_ptr()];
            let info = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .enabled_extension_names(&extensions)
                .enabled_features(&features)
                .push_next(&mut more)
                .push_next(&mut info);
            let device = instance
                .create_device(physical, &info, None)
                .map_err(|error| error.to_string())?;
            let statistics = khr::pipeline_executable_properties::Device::new(&instance, &device);
            Ok(Self {
                name,
                device,
                statistics,
                instance,
                _entry: entry,
            })
        }
    }

    /// Adds the rows of a kernel: for both forms of its source, without switches and with each of
    /// its switches on.
    fn measure(&self, code: &Code, table: &mut Table) {
        let forms = if code.source.forms.is_some() {
            &[false, true][..]
        } else {
            &[false]
        };
        for &subgroups in forms {
            let module = naga::front::wgsl::parse_str(&code.source.text(subgroups)).expect("a shader");
            let is_switch = |of: &naga::Override| module.types[of.ty].inner == TypeInner::Scalar(Scalar::BOOL);
            let switches = module.overrides.iter().map(|(_, of)| of).filter(|of| is_switch(of));
            for switch in [None].into_iter().chain(switches.map(|of| of.name.as_deref())) {
                // Determined by the names of the files: some sources have such a part in any form.
                let list = code.source.list(subgroups);
                let word = |ending: &str, word| list.iter().any(|(name, _)| name.ends_with(ending)).then_some(word);
                let words = [
                    Some(code.entry),
                    word("_subgroup.wgsl", "subgroups"),
                    word("/counting.wgsl", "counting"),
                    word("/digit_of_bodies.wgsl", "bodies"),
                    switch,
                ];
                let name = words.into_iter().flatten().collect::<Vec<_>>().join(" ");
                let numbers = self.compile(&module, code.entry, switch);
                // A kernel may be in several lists.
                let same = table.get(&name).is_none_or(|before| *before == numbers);
                assert!(same, "two kernels are called {name}");
                table.insert(name, numbers);
            }
        }
    }

    /// Returns the driver's numbers for a kernel with one of its switches on.
    fn compile(&self, module: &Module, entry: &str, switch: Option<&str>) -> [u64; COLUMNS.len()] {
        let words = spirv(module, entry, switch);
        let kind = |space| match space {
            AddressSpace::Uniform => vk::DescriptorType::UNIFORM_BUFFER,
            _ => vk::DescriptorType::STORAGE_BUFFER,
        };
        let bindings = module.global_variables.iter().filter_map(|(_, variable)| {
            let binding = vk::DescriptorSetLayoutBinding::default()
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
                .descriptor_type(kind(variable.space));
            Some(binding.binding(variable.binding.as_ref()?.binding))
        });
        let bindings: Vec<_> = bindings.collect();
        let name = CString::new(entry).expect("a name");
        let device = &self.device;
        // SAFETY: naga's output is valid, and has the bindings of the layout. All created objects
        // are destroyed, and not used afterwards.
        unsafe {
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            let sets = [device.create_descriptor_set_layout(&info, None).expect("a layout")];
            let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets);
            let layout = device.create_pipeline_layout(&info, None).expect("a layout");
            let info = vk::ShaderModuleCreateInfo::default().code(&words);
            let shader = device.create_shader_module(&info, None).expect("a shader");
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .flags(vk::PipelineShaderStageCreateFlags::ALLOW_VARYING_SUBGROUP_SIZE)
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(shader)
                .name(&name);
            let info = vk::ComputePipelineCreateInfo::default()
                .flags(vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR)
                .stage(stage)
                .layout(layout);
            let pipeline = device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
            let pipeline = pipeline.expect("a pipeline")[0];
            let info = vk::PipelineExecutableInfoKHR::default().pipeline(pipeline);
            let found = self
                .statistics
                .get_pipeline_executable_statistics(&info)
                .expect("statistics");
            device.destroy_pipeline(pipeline, None);
            device.destroy_shader_module(shader, None);
            device.destroy_pipeline_layout(layout, None);
            device.destroy_descriptor_set_layout(sets[0], None);
            let is = |name: &str, of: &[std::ffi::c_char]| CStr::from_ptr(of.as_ptr()).to_bytes() == name.as_bytes();
            COLUMNS.map(|(name, _)| found.iter().find(|one| is(name, &one.name)).expect(name).value.u64)
        }
    }
}

#[expect(unsafe_code, reason = "Vulkan is called directly, and all of its calls are unsafe")]
impl Drop for Compiler {
    fn drop(&mut self) {
        // SAFETY: nothing made from them is left.
        unsafe {
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

/// Translates a shader into wgpu's SPIR-V for a Vulkan driver, with the settings of
/// [`Kernels`](crate::device::dispatch::Kernels).
fn spirv(module: &Module, entry: &str, switch: Option<&str>) -> Vec<u32> {
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(module)
        .expect("a shader");
    let constants: PipelineConstants = switch.map(|name| (name.to_owned(), 1.0)).into_iter().collect();
    let stage = (ShaderStage::Compute, entry);
    let (module, info) = process_overrides(module, &info, Some(stage), &constants).expect("constants");
    let options = Options {
        lang_version: (1, 6),
        flags: WriterFlags::empty(),
        bounds_check_policies: BoundsCheckPolicies {
            index: BoundsCheckPolicy::Unchecked,
            buffer: BoundsCheckPolicy::Unchecked,
            image_load: BoundsCheckPolicy::Unchecked,
            binding_array: BoundsCheckPolicy::Unchecked,
        },
        zero_initialize_workgroup_memory: ZeroInitializeWorkgroupMemoryMode::None,
        force_loop_bounding: false,
        emit_int_div_checks: false,
        ..Options::default()
    };
    let pipeline = PipelineOptions {
        shader_stage: stage.0,
        entry_point: entry.to_owned(),
    };
    write_vec(&module, &info, &options, Some(&pipeline)).expect("SPIR-V")
}

/// Each kind of fault is reported with its kernel and its amount.
#[test]
fn statistics_beyond_the_table_are_named() {
    let row = |vgprs: u64, instructions: u64| [vgprs, 0, 0, 512, 0, 16, instructions, 9];
    let table = |rows: &[(&str, [u64; COLUMNS.len()])]| -> Table {
        rows.iter().map(|&(name, row)| (name.to_owned(), row)).collect()
    };
    let recorded = table(&[("walk", row(48, 100)), ("walk subgroups", row(40, 100))]);
    assert_eq!(parsed(&text("# a driver", &recorded)), recorded);
    let within = table(&[("walk", row(40, 102)), ("walk subgroups", row(40, 10))]);
    assert_eq!(faults(&recorded, &within), "");
    let beyond = table(&[("walk", row(56, 103)), ("test", row(8, 8))]);
    let expected = "  test is not recorded\n  walk: VGPRs 56, recorded 48, 8 more\n  \
                    walk: Instructions 103, recorded 100, 3 more\n  walk subgroups is recorded but is not a kernel\n";
    assert_eq!(faults(&recorded, &beyond), expected);
}
