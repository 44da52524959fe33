"""The command line of the package: the program `nestwright`."""

import os
import sys

from ._tune import command_line


def main() -> None:
    """Becomes the program, with this process's arguments."""
    program = command_line()
    if os.path.realpath(program) == os.path.realpath(sys.argv[0]):
        sys.exit(f"nestwright: {program} is the package's script, and not the program: install the package again")
    os.execv(program, [program, *sys.argv[1:]])
