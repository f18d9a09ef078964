"""pytest --maya, as somebody's test suite uses it."""

from inspect import signature
from pathlib import Path

import pytest
from run_facts import write_facts
from training_capture import training

import maya
from maya.pytest_plugin import MayaRun

pytest_plugins = ["pytester"]
# The prediction is real; the recording, which wants PyTorch, was made before.
CONFTEST = """
    import maya, pytest
    @pytest.fixture(autouse=True)
    def _recorded(monkeypatch):
        def run(command, *, cluster, output, force):
            assert command == "python train.py"
            return maya.simulate({run!r}, cluster=cluster)
        monkeypatch.setattr(maya, "run", run)
"""
TESTS = """
    import pytest
    @pytest.mark.maya(cluster="h100:1", max_step_ms=1e6)
    def test_kept(maya_run):
        assert maya_run("python train.py").step_ms > 0
    @pytest.mark.maya(cluster="h100:1", max_step_ms=1e-9, max_memory_gb=1e-9)
    def test_missed(maya_run):
        maya_run("python train.py")
    def test_other():
        pass
"""


@pytest.fixture
def suite(pytester: pytest.Pytester, tmp_path_factory: pytest.TempPathFactory) -> pytest.Pytester:
    run = tmp_path_factory.mktemp("recorded")
    training(run)
    write_facts(run)
    pytester.makeconftest(CONFTEST.format(run=str(run)))
    pytester.makepyfile(TESTS)
    return pytester


def _run(suite: pytest.Pytester, *words: str) -> pytest.RunResult:
    loaded = suite.plugins or any(
        plugin.__name__ == "maya.pytest_plugin"
        for _, plugin in suite._request.config.pluginmanager.list_name_plugin()
        if hasattr(plugin, "__name__")
    )
    more = () if loaded else ("-p", "maya.pytest_plugin")
    return suite.runpytest_inprocess("--strict-markers", "-p", "no:randomly", *more, *words)


def test_limits_of_the_marker_are_held_against_the_prediction(suite: pytest.Pytester) -> None:
    done = _run(suite, "--maya")
    done.assert_outcomes(passed=2, failed=1)
    done.stdout.fnmatch_lines(["*step time * ms, limit 1e-09; peak memory reserved *A step takes*"])


def test_nothing_is_emulated_unless_it_is_asked_for(suite: pytest.Pytester) -> None:
    _run(suite).assert_outcomes(passed=1, skipped=2)


def test_the_marker_is_documented(suite: pytest.Pytester) -> None:
    _run(suite, "--markers").stdout.fnmatch_lines(["@pytest.mark.maya(cluster=*"])


def test_the_fixture_shows_the_options_of_maya_run(tmp_path: Path) -> None:
    assert signature(MayaRun({}, tmp_path)) == signature(maya.run)


def test_the_package_registers_it() -> None:
    told = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    assert '[project.entry-points.pytest11]\nmaya = "maya.pytest_plugin"' in told
