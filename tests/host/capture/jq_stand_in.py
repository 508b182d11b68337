"""The command jq by its Python package, for -R with -c or -r, a program and files: no binary has to be installed."""

import json
import sys
from pathlib import Path

import jq


def main(args: list[str]) -> None:
    options = "".join(arg[1:] for arg in args if arg.startswith("-"))
    text, *files = [arg for arg in args if not arg.startswith("-")]
    assert set(options) <= set("Rcr") and "R" in options, "what the documentation does not use is not here"
    program = jq.compile(text)
    for file in files:
        for line in Path(file).read_bytes().removesuffix(b"\n").split(b"\n"):
            for value in program.input_value(line.decode("utf-8", "replace")).all():
                raw = "r" in options and isinstance(value, str)
                print(value if raw else json.dumps(value, separators=(",", ":")))


if __name__ == "__main__":
    main(sys.argv[1:])
