from __future__ import annotations

from collections.abc import Mapping

import pytest

from epslint.config import Config, ConfigError
from epslint.selection import choose
from tests import fake

ALWAYS_ON = {r.code for r in fake.RULES if r.default and not r.preview}
FAK1 = {"FAK101", "FAK102", "FAK103"}


def on(*layers: Mapping[str, object]) -> set[str]:
    config = Config()
    for layer in layers:
        kebab = {key.replace("_", "-"): value for key, value in layer.items()}
        config = config.overlaid(kebab, "test")
    return set(choose(fake.catalogue(), config).on)


@pytest.mark.parametrize(
    ("layer", "expected"),
    [
        ({}, ALWAYS_ON),
        ({"select": ["FAK1"]}, FAK1),
        ({"select": ["FAK101", "worse-division"]}, {"FAK101", "FAK102"}),
        ({"select": []}, set()),
        ({"select": ["ALL"]}, {r.code for r in fake.RULES if not r.preview}),
        ({"select": ["ALL"], "preview": True}, {r.code for r in fake.RULES}),
        ({"preview": True}, ALWAYS_ON | {"FAK202"}),
        ({"select": ["FAK202"]}, set()),
        ({"extend-select": ["FAK201"]}, ALWAYS_ON | {"FAK201"}),
        ({"ignore": ["FAK"]}, {"EPS001", "EPS002"}),
        # the most specific word decides
        ({"select": ["FAK101"], "ignore": ["FAK1"]}, {"FAK101"}),
        ({"select": ["FAK1"], "ignore": ["FAK101"]}, {"FAK102", "FAK103"}),
        ({"select": ["FAK1"], "ignore": ["bad-division"]}, {"FAK102", "FAK103"}),
        ({"select": ["bad-division"], "ignore": ["ALL"]}, {"FAK101"}),
        ({"select": ["FAK101"], "ignore": ["FAK101"]}, set()),
        ({"select": ["FAK10"], "extend-select": ["FAK201"], "ignore": ["FAK"]}, FAK1 | {"FAK201"}),
    ],
)
def test_one_layer(layer: dict[str, object], expected: set[str]) -> None:
    assert on(layer) == expected


def test_a_later_layer_has_the_last_say() -> None:
    file = {"select": ["FAK1"], "ignore": ["FAK102"]}
    assert on(file, {"select": ["FAK102"]}) == {"FAK102"}
    assert on(file, {"extend-select": ["FAK102"]}) == FAK1
    assert on(file, {"ignore": ["FAK1"]}) == set()
    assert on(file, {"ignore": ["FAK101"]}, {"extend-select": ["FAK201"]}) == {"FAK103", "FAK201"}


@pytest.mark.parametrize("word", ["FAK9", "bad-divisions", "", "fak101"])
@pytest.mark.parametrize("key", ["select", "ignore", "extend-select", "fixable", "unfixable"])
def test_a_word_that_names_no_rule_is_an_error(key: str, word: str) -> None:
    with pytest.raises(ConfigError, match=f"^test: {key}: no rule has"):
        on({key: [word]})
