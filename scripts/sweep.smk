# The points of a sweep and its report; scripts/sweep calls it. Each entry of `fabric` and `verify`
# has `arguments` and options with lists of values; a point is one choice of them all.
import csv
import itertools
import statistics
from pathlib import Path

from snakemake.exceptions import WorkflowError

ROOT = Path(workflow.basedir).parent
TOOLS = ("fabric", "verify")
# What a row of the report says of fabric's points, averaged over the seeds; decimals.
FIGURES = {
    "slowdown_p50": 2,
    "slowdown_p95": 2,
    "slowdown_p99": 2,
    "queue_peak_bytes": 0,
    "pfc_pauses": 1,
    "drops": 1,
}


def points_of(tool, number, sweep):
    """Folder and options of each point."""
    options = {name: values for name, values in sweep.items() if name != "arguments"}
    for name, values in options.items():
        if not isinstance(values, list) or not values:
            raise WorkflowError(f"{tool}: {name} is no list of values")
    for values in itertools.product(*options.values()):
        chosen = dict(zip(options, map(str, values)))
        text = ",".join(f"{name}={value}" for name, value in chosen.items()) or "all"
        yield f"{tool}_{number}/{text}", (tool, sweep.get("arguments", ""), chosen)


unknown = set(config) - set(TOOLS)
if unknown or not config:
    raise WorkflowError(f"a sweep has {' and '.join(TOOLS)}, not {sorted(unknown) or 'nothing'}")
POINTS = {
    folder: point
    for tool in TOOLS
    for number, sweep in enumerate(config.get(tool, []), 1)
    for folder, point in points_of(tool, number, sweep)
}
FABRIC, VERIFY = ([f for f, (of, _, _) in POINTS.items() if of == tool] for tool in TOOLS)
FILES = [f"{folder}/summary.csv" for folder in FABRIC] + [f"{folder}/log.txt" for folder in VERIFY]


def command(folder):
    tool, arguments, chosen = POINTS[folder]
    options = " ".join(f"--{name}={value}" for name, value in chosen.items())
    return f"target/debug/nic {tool} {arguments} {options}"


def groups(folders):
    """Points that differ in their seed alone."""
    found = {}
    for folder in folders:
        chosen = POINTS[folder][2]
        rest = " ".join(f"{name}={value}" for name, value in chosen.items() if name != "seed")
        found.setdefault((folder.split("/")[0], rest), []).append(folder)
    return found


def table(head, rows):
    lines = [head, ["---"] + ["--:"] * (len(head) - 1), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def summary(folder):
    with open(f"{folder}/summary.csv") as file:
        return {row["name"]: float(row["value"]) for row in csv.DictReader(file)}


rule all:
    input:
        FILES,
        "report.md",


rule fabric:
    output:
        "{folder}/summary.csv",
    wildcard_constraints:
        folder="fabric_.*",
    params:
        command=lambda wildcards: command(wildcards.folder),
    shell:
        "out=$PWD/{wildcards.folder} && cd {ROOT} && {params.command} --out $out >$out/log.txt 2>&1"
        " || {{ cat $out/log.txt >&2; exit 1; }}"


rule verify:
    output:
        "{folder}/log.txt",
    wildcard_constraints:
        folder="verify_.*",
    params:
        command=lambda wildcards: command(wildcards.folder),
    shell:
        "out=$PWD/{output} && cd {ROOT} && {params.command} >$out 2>&1 || {{ cat $out >&2; exit 1; }}"


rule report:
    input:
        FILES,
    output:
        "report.md",
    run:
        with open(output[0], "w") as report:
            report.write("# Sweep\n")
            if FABRIC:
                rows = []
                for (_, rest), folders in groups(FABRIC).items():
                    found = [summary(folder) for folder in folders]
                    means = [
                        f"{statistics.mean(s[name] for s in found):.{decimals}f}"
                        for name, decimals in FIGURES.items()
                    ]
                    rows.append([rest, len(folders), *means])
                report.write("\n## nic fabric\n\nMeans over the seeds.\n\n")
                report.write(table(["point", "seeds", *FIGURES], rows))
            if VERIFY:
                rows = [[rest, len(folders)] for (_, rest), folders in groups(VERIFY).items()]
                report.write("\n## nic verify\n\nSeeds without a mismatch.\n\n")
                report.write(table(["point", "seeds"], rows))
