from pathlib import Path

from training.fetch import Source, read_sources
from training.notice import write_notice

ROOT = Path(__file__).parents[2]


def test_the_notice_names_all_that_the_embedding_was_trained_on() -> None:
    sources = read_sources(ROOT / 'training' / 'sources.toml')
    assert (ROOT / 'NOTICE').read_text() == write_notice(sources)


def test_packages_stand_under_their_licence() -> None:
    sources = [
        Source('pypi', 'one', '1.0', 'MIT', ''),
        Source('pypi', 'two', '2.0', 'BSD', ''),
        Source('npm', '@group/three', '3.0', 'MIT', ''),
    ]
    assert write_notice(sources).endswith('\nBSD:\ntwo 2.0\n\nMIT:\none 1.0, @group/three 3.0\n')
