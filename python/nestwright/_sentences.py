"""The library's sentences as a caller in Python can follow them: they name options of the command line."""

import re
from collections.abc import Callable


def _fixed(match: re.Match[str]) -> str:
    return 'fixed="' + " ".join(match.group().split("--fix ")).strip().replace("  ", " ") + '"'


def _restrictions(match: re.Match[str]) -> str:
    conditions = re.findall('"[^"]*"', match.group())
    return "restrictions=" + (conditions[0] if len(conditions) == 1 else f"[{', '.join(conditions)}]")


_REWRITES: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
    (r"'nestwright tune' first", "nw.tune() first"),
    (r"\bnestwright (space|doctor)(?: --json)?", r"nw.\1()"),
    (r"give that plugin with --plugin", "load that plugin by nw.load_plugin()"),
    (r"with --db (.+)$", r'with database="\1"'),
    (r" \(see nestwright tune --help\)", ""),
    (r"--(seconds|trials|effort|caches|strategy|seed|finalists|builders)\b", r"\1"),
    (r"--cost-model\b", "cost_model"),
    (r"--batch\b", "batch_size"),
    (r"--early-stop\b", "early_stop"),
    (r"--until-gain\b", "until_gain"),
    (r"as in --dim (.+?)=(\d+)(?= )", r'as in dims={"\1": \2}'),
    (r"with --(db|file)\b", lambda match: "as " + {"db": "database=", "file": "file"}[match.group(1)]),
    (r"--target ([^\s:]+)", r'target="\1"'),
    (r"--fix [^\s:]+(?: --fix [^\s:]+)*", _fixed),
    (r'--only "[^"]*"(?: --only "[^"]*")*', _restrictions),
]


def in_python(sentence: str) -> str:
    """The sentence with what to write in Python in the place of options and commands."""
    for pattern, replacement in _REWRITES:
        sentence = re.sub(pattern, replacement, sentence)
    return sentence
