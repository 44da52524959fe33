"""Tests of the Python package. Those marked `slow` tune for seconds or compile packages; ./check leaves them to --full."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes more than a few seconds")


@pytest.fixture
def database(tmp_path) -> str:
    return str(tmp_path / "nw.db")
