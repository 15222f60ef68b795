"""A learner who does it all in a browser: logs in, waits for the course, opens notebook 01, runs it, answers, saves."""

from __future__ import annotations

import sys
from pathlib import Path

from trial.learner import ANSWERED, NOTEBOOK, PATIENCE, Kernel, Learner, answers

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "support"))

import lab_page
from lab_page import NotebookPage, chromium_browser

READY = """() => window.jupyterapp?.shell?.currentWidget?.context?.sessionContext?.session?.kernel?.status === 'idle'"""
FAILED = "#progress-bar.bg-danger, .spawn-error-msg, .error"
"""What shows on the hub's pages when a server did not start."""
STARTED = f"() => location.pathname.endsWith('/00_start_here.ipynb') || document.querySelector('{FAILED}')"
MILLISECONDS = lab_page.WAIT_MS = int(1000 * PATIENCE)


def in_a_browser(learner: Learner) -> None:
    """Everything that `Learner` does by requests, on the pages that a learner sees.

    Raises:
        RuntimeError: a page shows an error, or an answer did not pass.
    """
    with chromium_browser() as browser:
        page = browser.new_context(viewport={"width": 1400, "height": 1000}).new_page()
        page.set_default_timeout(MILLISECONDS)

        def log_in() -> None:
            page.goto(f"{learner.hub.url}/hub/login")
            page.fill("#username_input", learner.account.name)
            page.fill("#password_input", learner.account.password)
            page.click("#login_submit")
            page.wait_for_function(STARTED)  # after the server's start and the pull
            if page.locator(FAILED).count():
                raise RuntimeError(f"The server did not start: {' '.join(page.inner_text('body').split())[-500:]}")
            page.wait_for_function(READY)

        def open_notebook() -> None:
            page.goto(f"{learner.url}/lab/workspaces/attention/tree/{NOTEBOOK}", wait_until="domcontentloaded")
            page.wait_for_function(READY)

        def answer() -> None:
            for id, right in answers().items():
                index = notebook.index(f'@exercise("{id}")')
                if id == ANSWERED[0]:
                    for _ in range(learner.wrong):
                        notebook.write_and_run(index, right.replace("return table[input_ids]", "return table"))
                card = notebook.write_and_run(index, right).locator(".anatomy")
                card.wait_for()
                if "Passed" not in card.inner_text():
                    raise RuntimeError(f"{id} did not pass: {card.inner_text()}")
            page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")

        notebook = NotebookPage(page, NOTEBOOK)
        learner.timed("log in, server, course", log_in)
        learner.timed("open notebook 01", open_notebook)
        learner.timed("run notebook 01", notebook.run_all)
        wrong = [
            cell["source"]
            for cell in notebook.cells()
            if any(output["output_type"] == "error" for output in cell.get("outputs", []))
        ]
        if wrong:
            raise RuntimeError(f"These cells raised: {wrong}")
        learner.timed("three answers", answer)
        learner.log_in()  # for the checks that follow, which need a token
        (session,) = [
            each
            for each in learner.request("GET", f"{learner.url}/api/sessions").json()
            if each["path"].endswith("01_attention.ipynb")
        ]
        learner.kernel = Kernel(learner.url, learner.token, session["kernel"]["id"])
