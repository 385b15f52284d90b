#!/usr/bin/env python3
"""Makes everything that follows from radio.def and the ROS 2 .msg files.

usage: generate.py build OUT   radio.h radio.c ros2.h ros2.c radio.dict messages.md into the folder OUT
       generate.py record      enter new messages and appended fields into radio.ledger
       generate.py docs FILE   write the documentation to FILE
       generate.py check FILE  fail when FILE is not what 'docs' would write

Options: --def FILE, --ledger FILE, --ros2 FOLDER read other definitions than those beside this program.
"""

import argparse
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # the source tree stays as it is

import definitions
from definitions import DefinitionError, INTEGERS, RadioReader, RosReader, integer_limits

HERE = Path(__file__).resolve().parent
NOTICE = "// Made by src/messages/generate.py; do not edit.\n"
SEPARATOR = "=" * 80
C_TYPES = {"bool": "bool", "byte": "uint8_t", "char": "uint8_t", "float32": "float", "float64": "double",
           "string": "const char *", **{name: name + "_t" for name in INTEGERS}}
KINDS = {"byte": "UINT8", "char": "UINT8"}


def c_string(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def c_text(text):
    """A text of several lines as adjacent C literals, each well below the limits of compilers."""
    return "\n".join("    " + c_string(line)[:-1] + '\\n"' for line in text.splitlines())


def c_integer(base, value):
    if value == -(1 << 63):
        return "INT64_MIN"
    return f"(({base}_t){value}{'ULL' if value > (1 << 63) - 1 else 'LL'})"


def c_bits(value):
    """An int64 literal with the bits of the value."""
    value = value - (1 << 64) if value >= 1 << 63 else value
    return "INT64_MIN" if value == -(1 << 63) else f"{value}LL"


def kind_of(base):
    if base in C_TYPES:
        return "CAIRN_KIND_" + KINDS.get(base, base.upper())
    return "CAIRN_KIND_MESSAGE"


# Radio messages


def radio_struct(message):
    out = [f"// {message.text}.", f"typedef struct cairn_msg_{message.name} {{"]
    for f in message.fields:
        note = [f.unit] if f.unit != "-" else []
        if (f.low, f.high) != integer_limits(f.base):
            note.append(f"{f.low}..{f.high}")
        if f.unknown is not None:
            note.append(f"{f.unknown} unknown")
        comment = f"// {' '.join(note)}{': ' if note else ''}{f.text}"
        if f.shape == "inline":
            out.append(f"    uint16_t {f.name}_count; // at most {f.bound}")
        out.append(f"    {f.base}_t {f.name}{'' if f.shape == 'one' else f'[{f.bound}]'}; {comment}")
    return out + [f"}} cairn_msg_{message.name};", ""]


def radio_constants(message):
    out = []
    for f in message.fields:
        stem = f"CAIRN_MSG_{message.name.upper()}_{f.name.upper()}"
        if f.unknown is not None:
            out.append(f"#define {stem}_UNKNOWN {c_integer(f.base, f.unknown)}")
        if f.shape != "one":
            out.append(f"#define {stem}_COUNT_MAX {f.bound}")
    return out


def radio_header(messages):
    bytes_max = 4 + max(m.payload_bytes_max for m in messages)
    out = [NOTICE + "// radio.h - the messages that go on the air, as structs; docs/messages.md describes them.",
           "#pragma once", '#include "messages/layout.h"', ""]
    out += ["enum {"] + [f"    CAIRN_MSG_{m.name.upper()} = 0x{m.id:02x}," for m in messages] + ["};", ""]
    for message in messages:
        constants = radio_constants(message)
        out += constants + [""] * bool(constants) + radio_struct(message)
    out += ["// Any one of them: id says which.", "typedef struct cairn_radio_message {", "    uint8_t id; // CAIRN_MSG_...", "    union {"]
    out += [f"        cairn_msg_{m.name} {m.name};" for m in messages] + ["    };", "} cairn_radio_message;", ""]
    out += ["// Where the struct of a message starts, whichever it is.",
            f"#define CAIRN_RADIO_BODY_OFFSET offsetof(cairn_radio_message, {messages[0].name})", ""]
    out += [f"#define CAIRN_RADIO_BYTES_MAX {bytes_max} // the longest message, header included",
            f"#define CAIRN_RADIO_TYPE_COUNT {len(messages)}", "",
            "// In the order of radio.def.", "extern const cairn_radio_type cairn_radio_types[CAIRN_RADIO_TYPE_COUNT];"]
    return "\n".join(out) + "\n"


def radio_schema(message):
    out = [f"# {message.text}."]
    for f in message.fields:
        array = {"one": "", "fixed": f"[{f.bound}]", "inline": f"[<={f.bound}]"}[f.shape]
        note = [f.unit] if f.unit != "-" else []
        note.append(f"{f.low}..{f.high}")
        if f.unknown is not None:
            note.append(f"{f.unknown} unknown")
        out.append(f"{f.base}{array} {f.name} # {', '.join(note)}; {f.text}")
    return "\n".join(out) + "\n"


def radio_tables(message):
    struct = f"cairn_msg_{message.name}"
    out = [f"static const cairn_field {message.name}_fields[] = {{"]
    for f in message.fields:
        place = f".offset_bytes = offsetof({struct}, {f.name})"
        if f.shape == "inline":
            place += f", .count_offset_bytes = offsetof({struct}, {f.name}_count)"
        bound = "" if f.shape == "one" else f", .bound = {f.bound}"
        out.append(f"    {{.name = \"{f.name}\", .kind = {kind_of(f.base)}, .shape = CAIRN_SHAPE_{f.shape.upper()}, {place}{bound}}},")
    out += ["};", f"static const cairn_radio_rule {message.name}_rules[] = {{"]
    for f in message.fields:
        unknown = f", .unknown = {c_bits(f.unknown)}, .has_unknown = true" if f.unknown is not None else ""
        out.append(f"    {{.min = {c_bits(f.low)}, .max = {c_bits(f.high)}{unknown}, .unit = {c_string(f.unit)}, "
                   f".since = {f.since}, .same_count_as = {f.same_count_as}}},")
    out += ["};", f"static const cairn_ros_type {message.name}_ros = {{",
            f"    .name = \"cairn_msgs/msg/{message.camel}\", .fields = {message.name}_fields,",
            f"    .field_count = {len(message.fields)}, .size_bytes = sizeof({struct}), .schema =",
            c_text(radio_schema(message)), "};", ""]
    return out


def radio_source(messages):
    out = [NOTICE + '#include "messages/radio.h"', ""]
    for message in messages:
        out += radio_tables(message)
    out.append("const cairn_radio_type cairn_radio_types[CAIRN_RADIO_TYPE_COUNT] = {")
    for m in messages:
        out.append(f"    {{.id = 0x{m.id:02x}, .version = {m.version}, .name = \"{m.name}\", .rules = {m.name}_rules, "
                   f".ros = &{m.name}_ros, .payload_bytes_max = {m.payload_bytes_max}}},")
    return "\n".join(out + ["};"]) + "\n"


def fuzz_dictionary(messages):
    """Headers and the values at the edges of ranges, as libFuzzer's -dict wants them."""
    entries = {}
    for m in messages:
        entries[bytes([m.id, m.version])] = m.name
        least = sum(2 if f.shape == "inline" else f.bytes_max for f in m.fields)
        entries[bytes([m.id, m.version]) + least.to_bytes(2, "little")] = m.name + "_least"
        for f in m.fields:
            for what, value in (("low", f.low), ("high", f.high), ("unknown", f.unknown)):
                if value is not None and f.value_bytes > 1:
                    signed = INTEGERS[f.base][1]
                    entries.setdefault(value.to_bytes(f.value_bytes, "little", signed=signed), f"{m.name}_{f.name}_{what}")
    def escaped(raw):
        return "".join(f"\\x{b:02x}" for b in raw)

    return "".join(f'{name}="{escaped(raw)}"\n' for raw, name in entries.items())


# ROS 2 messages


def ros_struct_name(full):
    return "cairn_ros_" + full.replace("/", "_")


def ros_constant_stem(full):
    package, name = full.split("/")
    parts = "".join(("_" if i and c.isupper() and not name[i - 1].isupper() else "") + c for i, c in enumerate(name))
    return f"CAIRN_ROS_{package.upper()}_{parts.upper()}"


def ros_constant(full, base, name, value):
    if base == "string":
        text = value.strip("\"'")
        return f"#define {ros_constant_stem(full)}_{name} {c_string(text)}"
    if base == "bool":
        return f"#define {ros_constant_stem(full)}_{name} {value.lower()}"
    return f"#define {ros_constant_stem(full)}_{name} (({C_TYPES[base]}){value})"


def ros_member(f):
    c = C_TYPES.get(f.base) or ros_struct_name(f.base)
    gap = "" if c.endswith("*") else " "
    if f.shape == "sequence":
        item = "const char *const *" if f.base == "string" else f"const {c} *"
        return f"    struct {{ {item}data; uint32_t count; }} {f.name};"
    return f"    {c}{gap}{f.name}{f'[{f.bound}]' if f.shape == 'fixed' else ''};"


def ros_header(types):
    out = [NOTICE + "// ros2.h - the ROS 2 messages that journals hold, as structs. Strings and sequences are borrowed.",
           "#pragma once", '#include "messages/layout.h"', ""]
    for full, type_ in types.items():
        struct = ros_struct_name(full)
        out += [ros_constant(full, *constant) for constant in type_.constants]
        out += [f"typedef struct {struct} {{"] + [ros_member(f) for f in type_.fields] + [f"}} {struct};"]
        out += [f"extern const cairn_ros_type {struct}_type; // {type_.package}/msg/{type_.name}", ""]
    out += [f"#define CAIRN_ROS_TYPE_COUNT {len(types)}",
            "// All of them, each after those that it contains.",
            "extern const cairn_ros_type *const cairn_ros_types[CAIRN_ROS_TYPE_COUNT];"]
    return "\n".join(out) + "\n"


def ros_dependencies(types, full, found):
    for f in types[full].fields:
        if f.base in types and f.base not in found:
            found.append(f.base)
            ros_dependencies(types, f.base, found)
    return found


def ros_schema(types, full):
    text = "\n".join(types[full].lines) + "\n"
    for other in ros_dependencies(types, full, []):
        text += f"{SEPARATOR}\nMSG: {other}\n" + "\n".join(types[other].lines) + "\n"
    return text


def ros_source(types):
    out = [NOTICE + '#include "messages/ros2.h"', ""]
    for full, type_ in types.items():
        struct = ros_struct_name(full)
        out.append(f"static const cairn_field {struct}_fields[] = {{")
        for f in type_.fields:
            line = f"    {{.name = \"{f.name}\", .kind = {kind_of(f.base)}, .shape = CAIRN_SHAPE_{f.shape.upper()}"
            line += f", .offset_bytes = offsetof({struct}, {f.name})"
            if f.shape != "one" and f.bound:
                line += f", .bound = {f.bound}"
            if f.string_bound:
                line += f", .string_bound = {f.string_bound}"
            if f.base in types:
                line += f", .type = &{ros_struct_name(f.base)}_type"
            out.append(line + "},")
        out += ["};", f"const cairn_ros_type {struct}_type = {{",
                f"    .name = \"{type_.package}/msg/{type_.name}\", .fields = {struct}_fields,",
                f"    .field_count = {len(type_.fields)}, .size_bytes = sizeof({struct}), .schema =",
                c_text(ros_schema(types, full)), "};", ""]
    out += ["const cairn_ros_type *const cairn_ros_types[CAIRN_ROS_TYPE_COUNT] = {"]
    out += [f"    &{ros_struct_name(full)}_type," for full in types] + ["};"]
    return "\n".join(out) + "\n"


# Documentation


def documentation(messages, retired, types):
    out = ["# Messages", "",
           "Made by `src/messages/generate.py docs docs/messages.md` from `src/messages/radio.def` and the `.msg`",
           "files in `src/messages/ros2/`; a test fails when it is not up to date.", "",
           "## On the air", "",
           "Each message is `id` (uint8), `version` (uint8), payload length (uint16) and payload, little endian and packed",
           "in the order of its table. `T[0..N]` is a count (uint16) followed by that many values. A receiver skips an",
           "unknown id by its length. A version grows by appending fields only: what a newer sender appended is ignored,",
           "what an older sender does not send reads as its unknown value (an array as empty). A value outside its range",
           "makes the whole message invalid. Ids are never reused: `src/messages/radio.ledger` holds every id, name and",
           "field that was ever agreed, and the generator refuses what contradicts it.", "",
           "In journals the same messages appear as `cairn_msgs/msg/Name` in CDR, with ros2msg schemas.", "",
           "| id | message | version | bytes | journal type | says |", "|---|---|---|---|---|---|"]
    for m in messages:
        least = 4 + sum(2 if f.shape == "inline" else f.bytes_max for f in m.fields)
        most = 4 + m.payload_bytes_max
        size = f"{least}" if least == most else f"{least}..{most}"
        out.append(f"| 0x{m.id:02x} | [{m.name}](#{m.name}) | {m.version} | {size} | `cairn_msgs/msg/{m.camel}` | {m.text} |")
    for number, name in sorted(retired.items()):
        out.append(f"| 0x{number:02x} | {name} | | | | retired |")
    for m in messages:
        out += ["", f"### {m.name}", "", f"{m.text}.", "", "| field | type | unit | range | unknown | meaning |", "|---|---|---|---|---|---|"]
        for f in m.fields:
            unknown = "" if f.unknown is None else f.unknown
            since = f" (since v{f.since})" if f.since > 1 else ""
            if f.same_count_as >= 0:
                since += f" (as many as `{m.fields[f.same_count_as].name}`)"
            unit = "" if f.unit == "-" else f.unit
            out.append(f"| {f.name} | `{f.type_text}` | {unit} | {f.low}..{f.high} | {unknown} | {f.text}{since} |")
    out += ["", "## ROS 2 types in journals", "",
            "Field for field those of ROS 2 Humble; encoded as CDR (XCDR1, little endian).", "",
            "| type | fields |", "|---|---|"]
    for type_ in types.values():
        fields = ", ".join(f"{f.line_text.split()[0]} {f.name}" for f in type_.fields)
        out.append(f"| `{type_.package}/msg/{type_.name}` | {fields} |")
    return "\n".join(out) + "\n"


# The program


def record(messages, retired, path):
    old = Path(path).read_text(encoding="utf-8").splitlines() if Path(path).exists() else []
    kept = [line for line in old if line.startswith("#")] or [
        "# radio.ledger - every message id ever agreed, with its name and the fields of each version.",
        "# Kept by `generate.py record`; lines are only added or grow at their end."]
    lines = {int(line.split()[0], 16): line for line in old if line and not line.startswith("#")}
    for message in messages:
        line = definitions.ledger_line(message)
        before = lines.get(message.id, line)
        if not (line + " ").startswith(before + " "):
            raise DefinitionError(path, 0, f"'{message.name}' contradicts: {before}")
        if line != before and not line[len(before):].startswith(" v"):
            raise DefinitionError(path, 0, f"'{message.name}' has new fields but not a new version")
        lines[message.id] = line
    Path(path).write_text("\n".join(kept + [lines[i] for i in sorted(lines)]) + "\n", encoding="utf-8")


def build(out, messages, retired, types):
    for name, text in (("radio.h", radio_header(messages)), ("radio.c", radio_source(messages)),
                       ("ros2.h", ros_header(types)), ("ros2.c", ros_source(types)),
                       ("radio.dict", fuzz_dictionary(messages)),
                       ("messages.md", documentation(messages, retired, types))):
        (Path(out) / name).write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("verb", choices=["build", "record", "docs", "check"])
    parser.add_argument("target", nargs="?")
    parser.add_argument("--def", dest="definition", default=HERE / "radio.def")
    parser.add_argument("--ledger", default=HERE / "radio.ledger")
    parser.add_argument("--ros2", default=HERE / "ros2")
    args = parser.parse_args()
    if (args.target is None) != (args.verb == "record"):
        parser.error(f"'{args.verb}' takes {'no' if args.verb == 'record' else 'one'} argument")
    try:
        messages, retired = RadioReader(args.definition, args.definition).read()
        if args.verb == "record":
            record(messages, retired, args.ledger)
            return 0
        definitions.check_ledger(messages, retired, args.ledger, args.ledger, args.definition)
        types = RosReader(args.ros2, args.ros2).read()
    except (DefinitionError, OSError) as problem:
        print(problem, file=sys.stderr)
        return 1
    if args.verb == "build":
        build(args.target, messages, retired, types)
    elif args.verb == "docs":
        Path(args.target).write_text(documentation(messages, retired, types), encoding="utf-8")
    elif Path(args.target).read_text(encoding="utf-8") != documentation(messages, retired, types):
        print(f"{args.target} is not up to date; run: generate.py docs {args.target}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
