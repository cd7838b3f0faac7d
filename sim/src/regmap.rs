//! The register map as pages: Markdown, C header, SystemRDL, all from `nic_spec::regs` and, for
//! what is exchanged through memory and table rows, `nic_spec::layouts`.

use nic_spec::config::NicConfig;
use nic_spec::layouts::{Layout, Part, LAYOUTS};
use nic_spec::regs::{
    registers, Access, Field, Register, CC_ID_VALUE, CC_REGISTERS, CLOCK_HZ, CORE_SIZES_FIELDS,
    COUNTERS, EVENTS, ID, SCHED_ID_VALUE, SCHED_REGISTERS, SIZES, SPECIAL_REGISTERS, VERSION,
};
use std::fmt::Write;

/// The registers of a core in the sizes of a configuration, and what its software exchanges with it
/// through memory.
#[derive(Debug)]
pub struct Map {
    /// Lower-case name of the core.
    name: &'static str,
    /// Preset that it has the sizes of, as in `--preset`.
    preset: &'static str,
    /// Those sizes, in words.
    sizes: String,
    /// In offset order.
    registers: Vec<Register>,
    events: &'static [(&'static str, &'static str)],
    layouts: &'static [Layout],
}

impl Map {
    /// The whole NIC.
    pub fn nic(config: &NicConfig) -> Self {
        let mut map = Self {
            name: "nic",
            preset: config.name,
            sizes: format!(
                "{}-bit datapath, {} queue pairs, {} memory regions, {} work requests a queue pair, \
                 {} telemetry records a packet, {} completions, {}",
                config.data_bits,
                config.flow_count,
                config.mr_count,
                config.sq_depth(),
                config.hop_count,
                config.cq_depth(),
                clock(config)
            ),
            registers: registers().copied().collect(),
            events: EVENTS,
            layouts: LAYOUTS,
        };
        map.finish(config, config.sizes_word());
        map
    }

    /// The congestion control unit as a core of its own.
    pub fn cc_core(config: &NicConfig) -> Self {
        let id = (CC_ID_VALUE, "Identifies the core: \"RNCC\".");
        Self::core("cc_core", config, id, CC_REGISTERS)
    }

    /// The scheduler as a core of its own.
    pub fn sched_core(config: &NicConfig) -> Self {
        let id = (SCHED_ID_VALUE, "Identifies the core: \"RNSC\".");
        Self::core("sched_core", config, id, SCHED_REGISTERS)
    }

    /// The map of a core by the name of its top module; `None` if it has no registers.
    pub fn of(name: &str, config: &NicConfig) -> Option<Self> {
        match name {
            "nic" => Some(Self::nic(config)),
            "cc_core" => Some(Self::cc_core(config)),
            "sched_core" => Some(Self::sched_core(config)),
            _ => None,
        }
    }

    fn core(
        name: &'static str,
        config: &NicConfig,
        (id, id_doc): (u32, &'static str),
        own: &[Register],
    ) -> Self {
        let head = |r: &&Register| matches!(r.offset, ID | VERSION | SIZES | CLOCK_HZ);
        let mut registers: Vec<_> = SPECIAL_REGISTERS.iter().filter(head).copied().collect();
        for r in &mut registers {
            match r.offset {
                ID => (r.reset, r.doc) = (id, id_doc),
                SIZES => r.fields = CORE_SIZES_FIELDS,
                _ => {}
            }
        }
        registers.extend(own);
        let sizes = format!("{} flows, {}", config.flow_count, clock(config));
        let (preset, events, layouts) = (config.name, &[][..], &[][..]);
        let mut map = Self { name, preset, sizes, registers, events, layouts };
        map.finish(config, config.flow_sizes_word());
        map
    }

    /// Fills in what depends on the configuration, and sorts.
    fn finish(&mut self, config: &NicConfig, sizes_word: u32) {
        for r in &mut self.registers {
            match r.offset {
                SIZES => r.reset = sizes_word,
                CLOCK_HZ => r.reset = config.clock_hz as u32,
                _ => {}
            }
        }
        self.registers.sort_by_key(|r| r.offset);
    }

    /// Offset and value of every word that software may read, after reset.
    pub fn reset_values(&self) -> Vec<(u16, u32)> {
        let readable = self.registers.iter().filter(|r| r.access != Access::Wo);
        let words = readable.flat_map(|r| (0..r.count).map(|word| (r.offset + 4 * word, r.reset)));
        let counters = (0..self.events.len()).map(|index| (counter_offset(index) as u16, 0));
        words.chain(counters).collect()
    }

    /// The first byte of each register, written-only ones included.
    pub fn offsets(&self) -> Vec<u16> {
        self.registers.iter().map(|r| r.offset).collect()
    }

    /// Where the page comes from: the command, and where to edit.
    fn origin(&self, format: &str) -> String {
        let Self { name, preset, .. } = self;
        format!(
            "Made by `nic regmap --core {name} --preset {preset} --format {format}`; edit \
             fw/spec/src/regs.rs."
        )
    }

    /// Whose values are shown.
    fn values(&self) -> String {
        format!("Values after reset are those of `{}`: {}.", self.preset, self.sizes)
    }

    /// What C names begin with.
    fn prefix(&self) -> String {
        self.name.to_uppercase()
    }
}

fn clock(config: &NicConfig) -> String {
    format!("{} MHz", config.clock_hz as f64 / 1e6)
}

/// Bits of a value that are those of a field.
fn field_value(f: &Field, value: u32) -> u32 {
    value >> f.lsb & u32::MAX >> (32 - u32::from(f.width))
}

fn access_name(access: Access) -> &'static str {
    match access {
        Access::Rw => "rw",
        Access::Ro => "ro",
        Access::Wo => "wo",
    }
}

fn bits(lsb: u8, width: u8) -> String {
    match width {
        1 => format!("{lsb}"),
        _ => format!("{}:{lsb}", lsb + width - 1),
    }
}

fn counter_offset(index: usize) -> usize {
    usize::from(COUNTERS) + 4 * index
}

/// The reference page.
pub fn markdown(map: &Map) -> String {
    let mut page = format!(
        "# Register map of `{name}`\n\n{origin}\n\n{values}\n\n\
         AXI4-Lite, 32-bit registers. SLVERR answers an offset without a register, a write to a\n\
         read-only register and a write with a byte strobe low; nothing changes then.\n\n\
         | offset | name | access | reset | bits | meaning |\n|---|---|---|---|---|---|\n",
        name = map.name,
        origin = map.origin("markdown"),
        values = map.values()
    );
    for r in &map.registers {
        let (offset, name) = match r.count {
            1 => (format!("0x{:03x}", r.offset), r.name.to_uppercase()),
            n => (
                format!("0x{:03x}..0x{:03x}", r.offset, r.offset + 4 * (n - 1)),
                format!("{}[{n}]", r.name.to_uppercase()),
            ),
        };
        let access = access_name(r.access);
        let whole = bits(0, r.width);
        writeln!(page, "| {offset} | {name} | {access} | 0x{:x} | {whole} | {} |", r.reset, r.doc)
            .expect("writing to a string");
        for f in r.fields {
            let (bits, reset) = (bits(f.lsb, f.width), field_value(f, r.reset));
            writeln!(page, "| | .{} | | 0x{reset:x} | {bits} | {} |", f.name, f.doc)
                .expect("writing to a string");
        }
    }
    if !map.events.is_empty() {
        page.push_str("\n## Event counters\n\n32 bits, saturating, read only.\n\n");
        page.push_str("| offset | event | one count is |\n|---|---|---|\n");
    }
    for (i, (name, doc)) in map.events.iter().enumerate() {
        writeln!(page, "| 0x{:03x} | {name} | {doc} |", counter_offset(i))
            .expect("writing to a string");
    }
    if !map.layouts.is_empty() {
        page.push_str("\n## Rows, work requests, completions\n\n32-bit little-endian words.\n");
    }
    for layout in map.layouts {
        writeln!(page, "\n### {}: {} bytes\n\n{}.\n", layout.name, layout.bytes, layout.doc)
            .expect("writing to a string");
        page.push_str("| word | bits | name | meaning |\n|---|---|---|---|\n");
        for part in layout.parts {
            let (f, last) = (part.field, part.word + part.word_count - 1);
            let words = if last == part.word {
                format!("{last}")
            } else {
                format!("{}, {last}", part.word)
            };
            writeln!(page, "| {words} | {} | {} | {} |", bits(f.lsb, f.width), f.name, f.doc)
                .expect("writing to a string");
        }
    }
    page
}

/// A part of a record in C: its word, and shift and mask where it is not whole words.
fn c_part(page: &mut String, prefix: &str, layout: &str, part: &Part) {
    let name = format!("{prefix}_{}_{}", layout.to_uppercase(), part.field.name.to_uppercase());
    let Field { lsb, width, doc, .. } = part.field;
    let words = if part.word_count > 1 { "; high word behind it" } else { "" };
    writeln!(page, "#define {name}_WORD {} /* {doc}{words} */", part.word)
        .expect("writing to a string");
    if width < 32 {
        let mask = (u32::MAX >> (32 - u32::from(width))) << lsb;
        writeln!(page, "#define {name}_SHIFT {lsb}\n#define {name}_MASK 0x{mask:08x}u")
            .expect("writing to a string");
    }
}

/// The C header.
pub fn c_header(map: &Map) -> String {
    let prefix = map.prefix();
    let mut page = format!(
        "/* SPDX-License-Identifier: MIT OR Apache-2.0\n \
         * {}\n \
         * {} */\n\
         #ifndef {prefix}_REGS_H\n#define {prefix}_REGS_H\n\n",
        map.origin("c"),
        map.values()
    );
    for r in &map.registers {
        let name = r.name.to_uppercase();
        let access = access_name(r.access);
        writeln!(page, "/* {} ({access}, reset 0x{:x}) */", r.doc, r.reset)
            .expect("writing to a string");
        writeln!(page, "#define {prefix}_{name} 0x{:03x}", r.offset).expect("writing to a string");
        if r.reset != 0 {
            writeln!(page, "#define {prefix}_{name}_RESET 0x{:x}u", r.reset)
                .expect("writing to a string");
        }
        if r.count > 1 {
            writeln!(page, "#define {prefix}_{name}_COUNT {}", r.count)
                .expect("writing to a string");
        }
        for f in r.fields {
            let field = format!("{prefix}_{name}_{}", f.name.to_uppercase());
            let mask = (u32::MAX >> (32 - u32::from(f.width))) << f.lsb;
            writeln!(page, "#define {field}_SHIFT {} /* {} */", f.lsb, f.doc)
                .expect("writing to a string");
            writeln!(page, "#define {field}_MASK 0x{mask:08x}u").expect("writing to a string");
        }
    }
    if !map.events.is_empty() {
        page.push_str("\n/* Event counters: 32 bits, saturating. */\n");
    }
    for (i, (name, doc)) in map.events.iter().enumerate() {
        let offset = counter_offset(i);
        writeln!(
            page,
            "#define {prefix}_COUNTER_{} 0x{offset:03x} /* {doc} */",
            name.to_uppercase()
        )
        .expect("writing to a string");
    }
    for layout in map.layouts {
        writeln!(page, "\n/* {}: 32-bit little-endian words. */", layout.doc)
            .expect("writing to a string");
        let name = layout.name.to_uppercase();
        writeln!(page, "#define {prefix}_{name}_BYTES {}", layout.bytes)
            .expect("writing to a string");
        layout.parts.iter().for_each(|part| c_part(&mut page, &prefix, layout.name, part));
    }
    page.push_str("\n#endif\n");
    page
}

/// Text as SystemRDL has it between quotes.
fn rdl_text(text: &str) -> String {
    text.replace('"', "'")
}

/// What stands for a register in a list: the first sentence about it; and all that is said.
fn rdl_about(doc: &str) -> String {
    let doc = rdl_text(doc);
    let first = doc.split_once(". ").map_or(&*doc, |(first, _)| first).trim_end_matches('.');
    format!("    name = \"{first}\";\n    desc = \"{doc}\";")
}

/// A field; `doc` is empty where the register's own says it all.
fn rdl_field(page: &mut String, r: &Register, f: &Field) {
    let (sw, hw) = match (r.access, r.offset) {
        (Access::Rw, _) => ("rw", "r"),
        // Constants of the core.
        (Access::Ro, ID | VERSION | SIZES | CLOCK_HZ) => ("r", "na"),
        (Access::Ro, _) => ("r", "w"),
        (Access::Wo, _) => ("w", "r"),
    };
    let reset = match r.access {
        Access::Rw | Access::Ro => format!(" = {}'h{:x}", f.width, field_value(f, r.reset)),
        Access::Wo => String::new(),
    };
    let desc = match f.doc {
        "" => String::new(),
        doc => format!(" desc = \"{}\";", rdl_text(doc)),
    };
    let (name, range) = (f.name, format!("[{}:{}]", f.lsb + f.width - 1, f.lsb));
    writeln!(page, "    field {{ sw = {sw}; hw = {hw};{desc} }} {name}{range}{reset};")
        .expect("writing to a string");
}

/// The SystemRDL 2.0 description.
pub fn system_rdl(map: &Map) -> String {
    let mut page = format!(
        "// SPDX-License-Identifier: MIT OR Apache-2.0\n// {}\n\
         addrmap {} {{\n  desc = \"{}\";\n  default regwidth = 32;\n",
        map.origin("systemrdl"),
        map.name,
        map.values()
    );
    for r in &map.registers {
        writeln!(page, "  reg {{\n{}", rdl_about(r.doc)).expect("writing to a string");
        if r.fields.is_empty() {
            rdl_field(&mut page, r, &Field { name: "value", lsb: 0, width: r.width, doc: "" });
        }
        r.fields.iter().for_each(|f| rdl_field(&mut page, r, f));
        let array = if r.count > 1 { format!("[{}]", r.count) } else { String::new() };
        let stride = if r.count > 1 { " += 0x4" } else { "" };
        writeln!(page, "  }} {}{array} @ 0x{:x}{stride};", r.name, r.offset)
            .expect("writing to a string");
    }
    for (i, (name, doc)) in map.events.iter().enumerate() {
        writeln!(
            page,
            "  reg {{\n{}\n    field {{ sw = r; hw = w; }} count[31:0] = 32'h0;\n  \
             }} counter_{name} @ 0x{:x};",
            rdl_about(&format!("Counter: {doc}")),
            counter_offset(i)
        )
        .expect("writing to a string");
    }
    page.push_str("};\n");
    page
}
