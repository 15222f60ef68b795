"""The site's fonts, cut down to what its pages use: run again when a page needs another character.

The pages come with a text face and a math face, because many machines have none with a MATH table. Both are under the
SIL Open Font License, which lies beside them. It reserves the name of the text face, so the smaller files have names of
their own. The sources are three files of the npm package `source-sans` (3.52.0) and the PyPI package `ziamath` (0.13):

    python -m pip install fonttools brotli     # in an environment of its own
    python docs/site/make_fonts.py …/SourceSans3VF-{Upright,Italic}.ttf.woff2 …/STIXTwoMath-Regular.ttf

`tests/site` fails where a formula has a character that is not in `MATH`.
"""

from __future__ import annotations

import sys
from pathlib import Path

FONTS = Path(__file__).with_name("static") / "fonts"
ASCII = "".join(map(chr, range(0x20, 0x7F)))
GREEK = "".join(chr(code) for code in range(0x391, 0x3CA) if code != 0x3A2) + "ϵϕ"
SIGNS = "‐‑–—‘’‚“”„†•…′″‹›⁄⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉←↑→↓↔∂∑−√∞≈≠≤≥◊▲▶▼◀✓"
TEXT = ASCII + GREEK + "".join(map(chr, range(0xA0, 0x180))) + SIGNS
ITALIC = "".join(chr(code) for code in [*range(0x1D434, 0x1D468), *range(0x1D6E2, 0x1D71C)] if code != 0x1D455) + "ℎ"
"""What a browser draws for a variable: letters of mathematics, not letters in an italic font."""
MATH = ASCII + GREEK + ITALIC + "\xa0¬°±·×÷‖…′″‴←↑→↓↔↦⇒⇔ℒℝ∂∇∈∉∏∑−∗∘√∝∞∥∧∨∩∪∫≈≔≠≡≤≥≪≫⊂⊆⊕⊖⊗⊙⊤⊥⋅⋮⋯⋱⌈⌉⌊⌋⟨⟩│"


def small(source: Path, characters: str, name: str, features: list[str]) -> None:
    """Write `name`.woff2 with these characters of a font, and what its features and its MATH table make of them."""
    from fontTools import subset
    from fontTools.ttLib import TTFont
    from fontTools.varLib import instancer

    font = TTFont(source)
    options = subset.Options(layout_features=features, hinting=False, name_IDs=[0, 1, 2, 4, 6, 13, 14], flavor="woff2")
    cut = subset.Subsetter(options)
    cut.populate(text=characters)
    cut.subset(font)
    if "MATH" in font:  # a prime is set as a superscript, and for that drawn lower and larger, as TeX's fonts do
        prime = font["glyf"][font.getBestCmap()[0x2032]]
        prime.coordinates.scale((1.25, 1.25))
        prime.coordinates.translate((0, -480))
        prime.recalcBounds(font["glyf"])
    if "fvar" in font:
        font = instancer.instantiateVariableFont(font, {"wght": (400, 700)})
    for record in font["name"].names:
        if record.nameID in (1, 4, 6):
            record.string = "Anatomy-" + name if record.nameID == 6 else "Anatomy " + name
    subset.save_font(font, FONTS / f"{name}.woff2", options)


if __name__ == "__main__":
    upright, italic, math = map(Path, sys.argv[1:])
    prose = ["kern", "mark", "mkmk", "ccmp", "locl", "liga", "tnum", "lnum"]
    small(upright, TEXT, "text", prose)
    small(italic, TEXT, "text-italic", prose)
    small(math, MATH, "math", ["kern", "ccmp", "locl", "dtls"])
