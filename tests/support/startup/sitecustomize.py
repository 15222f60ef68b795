"""In front of PYTHONPATH, this prepares a Python process for the tests; Python itself loads it at start-up.

`network_blocked` and `trained_once` of `notebook_tools.py` say which of the two preparations are wanted.
"""

import gc
import os

gc.set_threshold(50_000, 20, 20)  # looking for garbage in all that torch brings is up to a seventh of a notebook's time
if os.environ.get("ANATOMY_BLOCK_NETWORK"):
    import network_block  # noqa: F401
if os.environ.get("ANATOMY_TRAININGS"):
    import trainings

    trainings.watch_for_fit()
