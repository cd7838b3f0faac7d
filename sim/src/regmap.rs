//! The register map as pages: Markdown, C header, SystemRDL, all from `nic_spec::regs` and, for
//! what is exchanged through memory and table rows, `nic_spec::layouts`.

use nic_spec::layouts::{Layout, Part, LAYOUTS};
use nic_spec::regs::{
    registers, Access, Field, Register, CC_ID_VALUE, CC_REGISTERS, CLOCK_HZ, CORE_SIZES_FIELDS,
    COUNTERS, EVENTS, ID, SCHED_ID_VALUE, SCHED_REGISTERS, SIZES, SPECIAL_REGISTERS, VERSION,
};
use std::fmt::Write;

/// The registers of a core, and what its software exchanges with it through memory.
#[derive(Debug)]
pub struct Map {
    /// Lower-case name of the core.
    name: &'static str,
    /// In offset order.
    registers: Vec<Register>,
    events: &'static [(&'static str, &'static str)],
    layouts: &'static [Layout],
}

impl Map {
    /// The whole NIC.
    pub fn nic() -> Self {
        let mut registers: Vec<_> = registers().copied().collect();
        registers.sort_by_key(|r| r.offset);
        Self { name: "nic", registers, events: EVENTS, layouts: LAYOUTS }
    }

    /// The congestion control unit as a core of its own.
    pub fn cc_core() -> Self {
        Self::core("cc_core", CC_ID_VALUE, "Identifies the core: \"RNCC\".", CC_REGISTERS)
    }

    /// The scheduler as a core of its own.
    pub fn sched_core() -> Self {
        let id = "Identifies the core: \"RNSC\".";
        Self::core("sched_core", SCHED_ID_VALUE, id, SCHED_REGISTERS)
    }

    /// The map of a core by the name of its top module; `None` if it has no registers.
    pub fn of(name: &str) -> Option<Self> {
        [Self::nic(), Self::cc_core(), Self::sched_core()].into_iter().find(|map| map.name == name)
    }

    fn core(name: &'static str, id: u32, id_doc: &'static str, own: &[Register]) -> Self {
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
        registers.sort_by_key(|r| r.offset);
        Self { name, registers, events: &[], layouts: &[] }
    }

    /// What C names begin with.
    fn prefix(&self) -> String {
        self.name.to_uppercase()
    }
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
        "# Register map of `{name}`\n\nMade by `nic regmap --core {name} --format markdown`; edit \
         `fw/spec/src/regs.rs`.\n\n\
         AXI4-Lite, 32-bit registers. SLVERR answers an offset without a register, a write to a\n\
         read-only register and a write with a byte strobe low; nothing changes then.\n\n\
         | offset | name | access | reset | bits | meaning |\n|---|---|---|---|---|---|\n",
        name = map.name
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
            writeln!(page, "| | .{} | | | {} | {} |", f.name, bits(f.lsb, f.width), f.doc)
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
         * Made by `nic regmap --core {} --format c`; edit fw/spec/src/regs.rs. */\n\
         #ifndef {prefix}_REGS_H\n#define {prefix}_REGS_H\n\n",
        map.name
    );
    for r in &map.registers {
        let name = r.name.to_uppercase();
        let access = access_name(r.access);
        writeln!(page, "/* {} ({access}, reset 0x{:x}) */", r.doc, r.reset)
            .expect("writing to a string");
        writeln!(page, "#define {prefix}_{name} 0x{:03x}", r.offset).expect("writing to a string");
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

fn rdl_field(page: &mut String, name: &str, f: &Field, access: Access, reset: u32) {
    let sw = match access {
        Access::Rw => "rw",
        Access::Ro => "r",
        Access::Wo => "w",
    };
    let mask = u32::MAX >> (32 - u32::from(f.width));
    let reset = match access {
        Access::Rw => format!(" = {}'h{:x}", f.width, reset >> f.lsb & mask),
        _ => String::new(),
    };
    let doc = f.doc.replace('"', "'");
    let range = format!("[{}:{}]", f.lsb + f.width - 1, f.lsb);
    writeln!(page, "    field {{ sw = {sw}; desc = \"{doc}\"; }} {name}{range}{reset};")
        .expect("writing to a string");
}

/// The SystemRDL 2.0 description.
pub fn system_rdl(map: &Map) -> String {
    let mut page = format!(
        "// SPDX-License-Identifier: MIT OR Apache-2.0\n\
         // Made by `nic regmap --core {name} --format systemrdl`; edit fw/spec/src/regs.rs.\n\
         addrmap {name} {{\n  default regwidth = 32;\n  default hw = na;\n",
        name = map.name
    );
    for r in &map.registers {
        let doc = r.doc.replace('"', "'");
        writeln!(page, "  reg {{\n    desc = \"{doc}\";").expect("writing to a string");
        if r.fields.is_empty() {
            let whole = Field { name: "value", lsb: 0, width: r.width, doc: "the value" };
            rdl_field(&mut page, "value", &whole, r.access, r.reset);
        }
        for f in r.fields {
            rdl_field(&mut page, f.name, f, r.access, r.reset);
        }
        let array = if r.count > 1 { format!("[{}]", r.count) } else { String::new() };
        let stride = if r.count > 1 { " += 0x4" } else { "" };
        writeln!(page, "  }} {}{array} @ 0x{:x}{stride};", r.name, r.offset)
            .expect("writing to a string");
    }
    for (i, (name, doc)) in map.events.iter().enumerate() {
        writeln!(
            page,
            "  reg {{ desc = \"{doc}\"; field {{ sw = r; }} count[31:0]; }} counter_{name} @ 0x{:x};",
            counter_offset(i)
        )
        .expect("writing to a string");
    }
    page.push_str("};\n");
    page
}
