"""The command line of the package: the program `nestwright`."""

import os
import sys

from ._tune import command_line


def main() -> None:
    """Becomes the program, with this process's arguments."""
    program = command_line()
    os.execv(program, [program, *sys.argv[1:]])
