"""A page that goes along with its widget, as a notebook's does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from widget_page import Shown


class OnPage(Shown):
    """A widget on its page, with a stand-in for the kernel's answers."""

    widget: Any

    def __init__(self, *parts: Any, **named: Any) -> None:
        super().__init__(*parts, **named)
        self._sent = self.widget.get_state()

    def follow(self, *first: str) -> Any:
        """What Python has computed reaches the page, some of it first, the answer's number last; the widget."""
        self.settle()
        before, self._sent = self._sent, self.widget.get_state()
        changed = [name for name, value in self._sent.items() if before.get(name) != value]
        last = {"error": 1, "answered": 2}
        names = [*first, *sorted({*changed} - {*first, "question"}, key=lambda name: (last.get(name, 0), name))]
        self.update(**{name: getattr(self.widget, name) for name in names})
        return self.widget

    def count(self, selector: str) -> int:
        return self.page.locator(selector).count()

    def text(self, selector: str) -> str:
        """Of the first such element."""
        return self.page.locator(selector).first.inner_text()

    def texts(self, selector: str) -> list[str]:
        return self.page.locator(selector).all_inner_texts()

    def click(self, role: Any, name: str, **options: Any) -> None:
        """On the first such control."""
        self.page.get_by_role(role, name=name, **options).first.click()
        self.settle()

    def keys(self, *names: str) -> None:
        for name in names:
            self.page.keyboard.press(name)
            self.settle()

    def type(self, label: str, text: str) -> None:
        """Into the first such field, ended by Enter."""
        field = self.page.get_by_label(label).first
        field.fill(text)
        field.press("Enter")
        self.settle()


Show = Callable[..., OnPage]
