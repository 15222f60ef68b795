"""The environment check of notebook 00, drawn by a widget: where it shows, widgets are alive."""

from __future__ import annotations

import traitlets

from anatomy_course.figures.picture import Picture
from anatomy_course.views._kit.base import AnatomyWidget


class SetupList(AnatomyWidget):
    """Lines of the form `{"sign": "✓", "state": "ok", "text": "torch 2.11.0"}`, and one more from the browser.

    They are folded to one line, "15 of 15 in place", unless something is missing.
    """

    lines = traitlets.List(traitlets.Dict()).tag(sync=True)

    def still_picture(self) -> Picture:
        """There is none: `SetupReport` stands in for this widget with text."""
        raise NotImplementedError("The report shows itself as text where no widget lives.")
