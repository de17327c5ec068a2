"""The pictures of the docs show the figures that are committed: `make pictures` draws them."""

from __future__ import annotations

from xml.etree import ElementTree

from benchmarks.pictures import PICTURES, draw_all
from tests.docs.markdown import PAGES


def test_drawing_the_pictures_again_gives_the_same() -> None:
    drawn = draw_all()
    assert {path.name: path.read_text() for path in PICTURES.iterdir()} == drawn
    for picture in drawn.values():
        assert ElementTree.fromstring(picture).tag.endswith('svg')


def test_every_picture_is_shown_on_a_page() -> None:
    pages = ''.join(page.read_text() for page in PAGES)
    assert all(f'(pictures/{name})' in pages for name in draw_all())
