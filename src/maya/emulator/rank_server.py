"""Ranks of a job as forks of one process, which imports for all of them.

They share its pages, and begin with the first line of the program's own. Where that would not be
the same as starting each from nothing, they are started from nothing.
"""

from collections.abc import Mapping, Sequence
from types import TracebackType

from maya.emulator.held_files import LAYER
from maya.emulator.warm import SERVER_LOST, WARM, ImportServer, forkable_words
from maya.rundir import names

FORK = "MAYA_FORK"  # 0: every rank is started from nothing
_LATE = "MAYA_WARM_LATE"  # what ranks imported that came from the server before
_LOST = "the process that they were forked from has died"
_MOST_PATIENCE_S = 300.0


class RankServers:
    """One process to fork from, or another one where the next pass has no virtual ranks."""

    def __init__(self) -> None:
        self._servers: dict[bool, ImportServer | None] = {}
        self.plain_because: str | None = None  # why ranks are started from nothing

    def __enter__(self) -> "RankServers":
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        for server in self._servers.values():
            if server is not None:
                server.close()

    def variables(
        self, argv: Sequence[str], env: Mapping[str, str], seconds_left: float
    ) -> dict[str, str]:
        """What a rank's environment needs besides, so that it is forked: `argv` and `env` are those
        of the first."""
        words = forkable_words(argv)
        wanted = env.get(FORK) != "0" and WARM not in env and "LD_PRELOAD" in env
        if words is None or not wanted or self.plain_because is not None:
            return {}
        peers = "MAYA_REPRESENTATIVES" in env
        if peers not in self._servers:
            self._servers[peers] = self._start(words, env, peers, seconds_left)
        server = self._servers[peers]
        return {} if server is None else {WARM: str(server.directory)}

    def lost(self, exit_code: int) -> bool:
        """Whether ranks ended with the process that they came from; no more of them are forked."""
        if exit_code != SERVER_LOST or not any(self._servers.values()):
            return False
        self.plain_because = _LOST
        return True

    def _start(
        self, words: list[str], env: Mapping[str, str], peers: bool, seconds_left: float
    ) -> ImportServer | None:
        server = ImportServer()
        own = {"MAYA_RUN_DIR": str(server.directory), "MAYA_RECORD": "0"}
        if LAYER in env:
            own[LAYER] = str(server.directory / names.HELD_FILES)
        for before in filter(None, self._servers.values()):
            own[_LATE] = str(before.late_modules)
        script = words[1:3] if words[1] == "-m" else words[1:2]
        try:
            server.start([words[0], *script], dict(env) | own, peers=peers)
            ready = server.wait(min(_MOST_PATIENCE_S, max(0.0, seconds_left)))
        except BaseException:
            server.close()
            raise
        if ready:
            return server
        self.plain_because = server.refusal
        server.close()
        return None
