"""A learner of the trial: logs in to the hub, runs notebook 01 over the kernel protocol, answers, saves."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import requests
import websocket

from anatomy_course.judge import solution_source
from trial.accounts import Account
from trial.hub import Hub

FOLDER = "transformer-anatomy"
NOTEBOOK = f"{FOLDER}/notebooks/01_attention.ipynb"
ANSWERED = ("attention.weighted_average", "attention.projection", "attention.softmax")
PATIENCE = 600.0
"""Seconds that a server's start or one cell may take, when everybody starts at once."""
IDLE = 15.0
"""Seconds after which a connection is made anew: the server closes one that answers no ping."""


def answers() -> dict[str, str]:
    """Exercise → the text of a cell that answers it."""
    return {id: solution_source(id) for id in ANSWERED}


@dataclass
class Kernel:
    """One kernel, talked to over its websocket."""

    url: str
    token: str
    id: str
    socket: websocket.WebSocket | None = field(default=None, repr=False)
    used: float = 0.0

    def run(self, code: str) -> str:
        """Run a cell; the text of its outputs.

        Raises:
            RuntimeError: the cell raised, with its error.
        """
        if time.monotonic() - self.used > IDLE:
            self.close()
        socket = self.socket = self.socket or self._connect()
        sent = uuid.uuid4().hex
        header = {"msg_id": sent, "msg_type": "execute_request", "username": "", "session": sent, "version": "5.3"}
        content = {"code": code, "silent": False, "store_history": True, "allow_stdin": False, "stop_on_error": False}
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell"}
        socket.send(json.dumps(message))
        told: list[str] = []
        error = ""
        while True:
            received = socket.recv()
            if isinstance(received, bytes):  # a live view's numbers
                continue
            answer = json.loads(received)
            if answer["parent_header"].get("msg_id") != sent:
                continue
            kind, content = answer["header"]["msg_type"], answer["content"]
            if kind == "stream":
                told.append(content["text"])
            elif kind in ("execute_result", "display_data"):
                told.append(str(content["data"].get("text/plain", "")))
            elif kind == "error":
                error = error or f"{content['ename']}: {content['evalue']}"
            elif kind == "status" and content["execution_state"] == "idle":
                self.used = time.monotonic()
                if error:
                    raise RuntimeError(error)
                return "".join(told)

    def close(self) -> None:
        """Close the connection; the kernel goes on."""
        if self.socket is not None:
            self.socket.close()
            self.socket = None

    def _connect(self) -> websocket.WebSocket:
        address = f"ws{self.url.removeprefix('http')}/api/kernels/{self.id}/channels"
        header = [f"Authorization: token {self.token}"]
        return websocket.create_connection(address, timeout=PATIENCE, header=header)


@dataclass
class Learner:
    """One learner and what they have so far.

    Attributes:
        wrong: how many wrong answers they give to the first exercise, so that their progress is theirs alone.
        seconds: step → how long it took.
    """

    account: Account
    hub: Hub
    wrong: int = 0
    token: str = field(default="", repr=False)
    kernel: Kernel | None = None
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """Where the learner's server answers."""
        return f"{self.hub.url}/user/{self.account.name}"

    def timed(self, step: str, work: Callable[[], Any]) -> None:
        """Do something and note how long it took."""
        begin = time.monotonic()
        work()
        self.seconds[step] = time.monotonic() - begin

    # ---- the way to the notebook

    def log_in(self) -> None:
        """Through the hub's form, with the system password; then ask for a token of their own."""
        with requests.Session() as browser:
            page = f"{self.hub.url}/hub/login"
            browser.get(page, timeout=PATIENCE).raise_for_status()
            form = {"username": self.account.name, "password": self.account.password}
            form |= {"_xsrf": _xsrf(browser)}
            answer = browser.post(page, data=form, timeout=PATIENCE, allow_redirects=False)
            if answer.status_code != 302:
                raise RuntimeError(f"{self.account.name} could not log in: {answer.status_code}")
            page = f"{self.hub.url}/hub/token"
            browser.get(page, timeout=PATIENCE).raise_for_status()
            headers = {"X-XSRFToken": _xsrf(browser), "Referer": page}
            asked = f"{self.hub.url}/hub/api/users/{self.account.name}/tokens"
            answer = browser.post(asked, json={"note": "trial"}, headers=headers, timeout=PATIENCE)
            answer.raise_for_status()
            self.token = answer.json()["token"]

    def start_server(self) -> None:
        """Ask the hub for a server, and wait until it is ready."""
        user = f"{self.hub.url}/hub/api/users/{self.account.name}"
        self.request("POST", f"{user}/server").raise_for_status()
        end = time.monotonic() + PATIENCE
        while not self.server_is_ready():
            if time.monotonic() > end:
                raise RuntimeError(f"{self.account.name}'s server did not start.")
            time.sleep(1)

    def server_is_ready(self) -> bool:
        """As the hub sees it."""
        user = self.request("GET", f"{self.hub.url}/hub/api/users/{self.account.name}").json()
        return bool(user.get("servers", {}).get("", {}).get("ready"))

    def stop_server(self) -> None:
        """Ask the hub to end the server, and wait until it has."""
        if self.kernel is not None:
            self.kernel.close()
        user = f"{self.hub.url}/hub/api/users/{self.account.name}"
        self.request("DELETE", f"{user}/server").raise_for_status()
        end = time.monotonic() + PATIENCE
        while self.request("GET", user).json().get("servers"):
            if time.monotonic() > end:
                raise RuntimeError(f"{self.account.name}'s server did not stop.")
            time.sleep(1)
        self.kernel = None

    # ---- the notebook

    def run_notebook(self) -> None:
        """Run all cells of notebook 01 as they are, in a new kernel."""
        if self.kernel is None:
            asked = {"name": "python3", "path": NOTEBOOK}
            session = {"path": NOTEBOOK, "name": "01_attention.ipynb", "type": "notebook", "kernel": asked}
            made = self.request("POST", f"{self.url}/api/sessions", session)
            made.raise_for_status()
            self.kernel = Kernel(self.url, self.token, made.json()["kernel"]["id"])
        for cell in self.read()["cells"]:
            if cell["cell_type"] == "code":
                self.run(cell["source"])

    def run(self, code: str) -> str:
        """Run a cell in the learner's kernel."""
        if self.kernel is None:
            raise RuntimeError(f"{self.account.name} has no kernel.")
        return self.kernel.run(code)

    def answer(self) -> None:
        """Write three answers into the notebook, run their cells, and save. The first is wrong a few times."""
        notebook = self.read()
        for id, right in answers().items():
            if id == ANSWERED[0]:
                for _ in range(self.wrong):
                    self.run(right.replace("return table[input_ids]", "return table"))
            (cell,) = [each for each in notebook["cells"] if f'@exercise("{id}")' in each["source"]]
            cell["source"] = right
            self.run(right)
        saved = {"type": "notebook", "format": "json", "content": notebook}
        self.request("PUT", f"{self.url}/api/contents/{NOTEBOOK}", saved).raise_for_status()

    def read(self) -> dict[str, Any]:
        """The notebook as it is in the learner's folder."""
        answer = self.request("GET", f"{self.url}/api/contents/{NOTEBOOK}")
        answer.raise_for_status()
        content: dict[str, Any] = answer.json()["content"]
        return content

    def request(self, method: str, url: str, body: Any = None) -> requests.Response:
        """Ask the hub or a server, with the learner's token."""
        headers = {"Authorization": f"token {self.token}"}
        return requests.request(method, url, json=body, headers=headers, timeout=PATIENCE)


def _xsrf(browser: requests.Session) -> str:
    """The hub's cookie against forged forms; a learner's server has one of the same name."""
    return next(str(cookie.value) for cookie in browser.cookies if cookie.name == "_xsrf" and cookie.path == "/hub/")
