"""Searches that their caller drives: ask for a configuration, measure it, tell the result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from . import _nestwright
from ._arguments import listed, workload_from
from ._nestwright import Workload
from ._results import Config, Measurement


class Proposal:
    """A configuration that a study proposes."""

    def __init__(self, of: _nestwright._Study, template: str, version: int, config: dict[str, Any]) -> None:
        self._of = of
        self.template = template
        self.version = version
        self.config = Config(config)

    def measure(self) -> Measurement:
        """Compiles, checks and times it, beside the fastest one so far."""
        return Measurement(**self._of.measure(self.template, self.version, self.config))

    def __repr__(self) -> str:
        return f"<nestwright.Proposal {self.template} {self.config}>"


class Study:
    """A search whose caller decides what is measured, where, and what is learned. Iterating over it asks.

    The arguments are those of tune(). Several threads may share a study; their calls take turns.
    """

    def __init__(
        self,
        workload: Workload | str,
        *,
        target: str = "host",
        restrictions: str | Sequence[str] | None = None,
        fixed: Mapping[str, Any] | str | None = None,
        template: str | None = None,
        strategy: str | None = None,
        cost_model: str | None = None,
        seed: int = 1,
        batch_size: int | None = None,
    ) -> None:
        options = {
            "restrictions": listed(restrictions),
            "fixed": fixed,
            "template": template,
            "strategy": strategy,
            "cost_model": cost_model,
            "seed": seed,
            "batch_size": batch_size,
        }
        self._study = _nestwright._Study(workload_from(workload), target, options)

    def ask(self) -> Proposal | None:
        """The next configuration, never one twice; the first is the default. None: no other was found."""
        point = self._study.ask()
        return None if point is None else Proposal(self._study, *point)

    def tell(self, proposal: Proposal, result: Measurement | float | None) -> None:
        """Tells the search what a configuration gave: a Measurement, a number of seconds, or None for a failure."""
        self._study.tell(proposal.template, proposal.version, proposal.config, result)

    def __iter__(self) -> Iterator[Proposal]:
        while (proposal := self.ask()) is not None:
            yield proposal


def study(workload: Workload | str, **options: Any) -> Study:
    """A search to be driven by ask() and tell(). Nothing of it is recorded. The options are those of Study."""
    return Study(workload, **options)
