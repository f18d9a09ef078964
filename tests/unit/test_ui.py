"""maya ui: a page for the person at this machine, and for nobody else."""

import json
import threading
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import optuna
import pytest
from run_facts import write_facts
from training_capture import training

import maya
from maya.page.document import unpacked
from maya.ui import UiServer


@pytest.fixture
def server(tmp_path: Path) -> Iterator[UiServer]:
    for name, cluster in (("one", "h100:1"), ("two words", "a100-80:1")):
        run = tmp_path / "maya-runs" / name
        run.mkdir(parents=True)
        training(run)
        write_facts(run)
        maya.simulate(run, cluster=cluster)
    with UiServer(tmp_path) as made:
        thread = threading.Thread(target=made.serve_forever, daemon=True)
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def _get(server: UiServer, path: str, **headers: str) -> tuple[HTTPResponse, str]:
    connection = HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    connection.request("GET", path, headers={"Cookie": f"maya-token={server.token}"} | headers)
    answer = connection.getresponse()
    return answer, answer.read().decode()


def _state(server: UiServer) -> dict[str, list[dict[str, object]]]:
    answer, text = _get(server, "/state")
    assert answer.status == 200
    found: dict[str, list[dict[str, object]]] = json.loads(text)
    return found


def test_only_who_has_the_token_is_served(server: UiServer) -> None:
    for cookie in ("", "maya-token=guess", "maya-token=ü", ";;;"):
        assert _get(server, "/state", Cookie=cookie)[0].status == 403
    first, _ = _get(server, f"/?token={server.token}", Cookie="")
    assert first.status == 200
    assert server.token in (first.getheader("Set-Cookie") or "")


def test_a_name_that_was_made_to_mean_this_machine_is_refused(server: UiServer) -> None:
    assert _get(server, "/state", Host="evil.example")[0].status == 403


def test_it_listens_on_loopback_only(server: UiServer) -> None:
    assert server.server_address[0] == "127.0.0.1"


def test_runs_are_listed_shown_and_compared(server: UiServer) -> None:
    runs = _state(server)["runs"]
    assert {run["name"] for run in runs} == {"maya-runs/one", "maya-runs/two words"}
    assert all(str(run["answer"]).startswith("A step takes ") for run in runs)
    shown, text = _get(server, f"/run/{runs[0]['id']}")
    assert shown.status == 200
    assert unpacked(text)["answer"] == runs[0]["answer"]
    both, text = _get(server, f"/diff?a={runs[0]['id']}&b={runs[1]['id']}")
    assert both.status == 200
    assert unpacked(text)["page"] == "diff"


@pytest.mark.parametrize("path", ["/run/nothing", "/run/../../etc/passwd", "/x", "/diff?a=1&b=2"])
def test_nothing_else_is_served(server: UiServer, path: str) -> None:
    assert _get(server, path)[0].status == 404


def test_a_search_is_followed_while_it_runs(server: UiServer) -> None:
    place = server.root / "maya-searches" / "big"
    place.mkdir(parents=True)
    study = optuna.create_study(storage=f"sqlite:///{place / 'study.db'}", study_name="big")
    study.set_metric_names(["step_time"])
    study.add_trial(optuna.create_trial(value=12.5))
    (search,) = _state(server)["searches"]
    assert (search["trials"], search["best"], search["has_page"]) == ({"complete": 1}, 12.5, False)
    assert search["objective"] == "step_time"
    study.add_trial(optuna.create_trial(value=7.5))
    (place / "answer.html").write_text("<p>done</p>")
    (search,) = _state(server)["searches"]
    assert (search["trials"], search["best"], search["has_page"]) == ({"complete": 2}, 7.5, True)
    assert _get(server, f"/search/{search['id']}")[1] == "<p>done</p>"


def test_a_damaged_run_hides_none_of_the_others(server: UiServer) -> None:
    (server.root / "maya-runs" / "one" / "summary.json").write_text("{")
    assert [run["name"] for run in _state(server)["runs"]] == ["maya-runs/two words"]
