"""Code of all shapes, for tests of trees and places."""

from __future__ import annotations

import ast

from epslint.outline import Rows, Stretch
from epslint.source import Source

SNIPPETS = {
    "plain": "def f(x, y):\n    z = x / y.sum()\n    return z\n",
    "decorators": (
        "@outer(lambda: 1 / x)\n@other.thing\n# comment between\n@last\n"
        "def f(x):\n    return x[0] / 2\n"
    ),
    "methods": (
        "class A(B[int]):\n    a = 1 / b\n\n    @property\n    def f(self):\n"
        "        return self.x / -self.y\n\n    async def g(self):\n        await self.f / 2\n"
    ),
    "crlf": "def f(x):\r\n    # one\r\n    y = (x /\r\n         2)\r\n    return y\r\n",
    "cr": "def f(x):\r    y = x / 2\r    return y\r",
    "mixed newlines": "def f(x):\n    y = x / 2\r\n    return y / 3\n",
    "tabs": "def f(x):\n\tif x:\n\t\treturn x / 2\n\treturn -x\n",
    "tabs and spaces": "class A:\n  def f(x):\n  \tif x:\n  \t  return x / 2\n  \treturn [x, 1]\n",
    "parentheses": "def f(x, y):\n    return ((x)) / (( y.sum( ) )) + (((x / y)))\n",
    "comments in parentheses": (
        "def f(x, y):\n    return (  # the value\n        x  # over\n        /\n"
        "        # the count\n        (y + 1)  # done\n    )\n"
    ),
    "string at column 0": (
        'class A:\n    def f(x):\n        """Doc\nat column 0\n  and 2"""\n'
        '        y = """a\nb""" + x\n'
        "        return y / 2\n"
    ),
    "string with indents": "def f(x):\n    y = '''\n        deep\n    '''\n    return x / 2\n",
    "continuation": "def f(x, y):\n    return x \\\n        / \\\n   y.sum()\\\n    .item()\n",
    "unicode": "def f(größe, π):\n    ñ = 'é😀' + größe / π  # 😀\n    return ñ[1] / 2\n",
    "wide before": "x = '😀😀' + (a / b); y = 'é' * (c / d)\n",
    "form feed": "x = 1 / a\n\f\ndef f(x):\n    return x / 2\n\f\nclass A:\n    y = 1 / b\n",
    "no trailing newline": "def f(x):\n    return x / 2",
    "trailing comment": "def f(x):\n    return x / 2  # end",
    "trailing spaces": "def f(x):\n    return x / 2   \n   ",
    "semicolons": "def f(x): y = x / 2; z = y / 3; return z / 4\na = 1 / b; c = 2 / d;\n",
    "one-liners": "if x: y = 1 / a\nelse: y = 2 / b\nfor i in x: z = i / y\nwhile x: x = x / 2\n",
    "one-line class": "class A: x = 1 / a; y = 2 / b\n",
    "nested functions": (
        "def f(x):\n    def g(y):\n        return x / y\n\n    [g(z) / 2 for z in x if z / 2]\n"
    ),
    "tuples": "def f(x):\n    a, b = x / 1, (x / 2, 3)\n    (c,) = ()\n    return a, (b), (c,),\n",
    "generators": "y = sum(i / 2 for i in x) + sum((i for i in x), 1) + (i for i in x)\n",
    "subscripts": "def f(x):\n    return x[1:2, ..., None] / x[(1)] / x[(1, 2)] / x[a / b]\n",
    "f-strings": "def f(x):\n    return 'a' f'{x / 2:{x}}' 'b', f'''{\nx / 2}'''\n",
    "walrus": "def f(x):\n    if (y := x / 2) > 0 and (z := [y]):\n        return z[0] / y\n",
    "lambda": "f = lambda x, *a, y=1 / 2, **k: (x / y if y else -x)\n",
    "async": (
        "async def f(x):\n    async with x as y, (z):\n        async for i in y:\n"
        "            await (i / 2)\n    return [i async for i in x]\n"
    ),
    "with": "def f(x):\n    with (open(x) as y, open(y) as z):\n        return y / z\n",
    "match": (
        "def f(x):\n    match x / 2:\n        case [a, *b] if a / 2:\n            return a / b\n"
        "        case {'k': v, **rest}:\n            return v / 2\n        case _: pass\n"
    ),
    "try": (
        "def f(x):\n    try:\n        return x / 2\n    except (A, B) as e:\n        return -x\n"
        "    else:\n        y = 1 / x\n    finally:\n        z = x / 3\n"
    ),
    "annotations": (
        "def f(x: 'a / b' = 1 / 2, *, y: List[int] = (1, 2)) -> Tuple[int, ...]:\n"
        "    z: int = x / y\n"
    ),
    "powers": "def f(x):\n    return -x ** -2 / +x ** (1 / 2) @ ~x\n",
    "comparisons": "y = not (0 < x / 2 <= 3) or x in (1, 2) and (x) is not (None)\n",
    "odd spacing": "def f( x ,y ) :\n    return   x  /y .  sum ( dim = ( 1 ) )  [ 0 ]  \n",
    "empty lines with spaces": "def f(x):\n    y = x / 2\n   \n\t\n    return y / 3\n",
    "blank first": "\n\n# comment\n\n\ndef f(x):\n\n    # inner\n    return x / 2\n\n\n",
    "dedented comment": "def f(x):\n    y = x / 2\n# at the margin\n    return y / 3\n",
    "nested indent widths": "if x:\n  if y:\n     z = 1 / a\n  else:\n         z = 2 / b\n",
    "backslash in a string": "x = 'a\\\nb' + (c / d)\ny = e / f\n",
    "empty": "",
    "only a comment": "# nothing\n",
}


def whole(source: Source) -> Stretch:
    return Stretch(Rows(1, len(source.lines)), tuple(ast.parse(source.text).body))
