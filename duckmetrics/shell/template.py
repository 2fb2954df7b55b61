"""Texts of queries that a macro writes when it is called, with the arguments of the call in them."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.expressions.folding import literal
from duckmetrics.shell.macro import FUNCTIONS, QUERY, Written, concatenated, hidden, reference, written
from duckmetrics.shell.words import BEGIN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from duckmetrics.shell.macro import Argument


Part = str | exp.Expr
Case = tuple[exp.Expr, exp.Query]
# Stand between the texts of a list, between the pieces of a metric, around the mark of a piece, and around a
# text that not all metrics need.
BETWEEN, BETWEEN_PIECES, MARK, IF = "\u241d", "\u241f", "\u241e", "\u241a"
# Begins a piece that is as another one of the metric.
SAME = "~"
# Around a text for several systems and another one for one system, and between the two.
SEVERAL, ONE = "\u241c", "\u241b"
_TOKEN = re.compile(f"{MARK}[^{MARK}]*{MARK}|{IF}\\?[^:]*:|\\w+|\\W")
# The piece of a metric that needs a text.
FLAG = "1"
_MARK = re.compile(r"__argument_(\d+)__")
# Runs a text that the query itself puts together, which costs nothing where that part of it is left out.
LATER = "query_later"
# Texts with fewer letters are not shortened, alone and together: a call takes its time to read the words.
LEAST_LONG, LEAST_TOGETHER = 200, 30_000
# The same of a text that a macro runs whole, which has most of its letters in words.
LEAST_WHOLE = 3_000
# The conditions that choose more than one text, where a macro reads them.
CONDITIONS = "_choices"


class Template:
    """Writes texts for the function ``format`` of DuckDB, and collects the values that go into them.

    A text holds a mark where a value goes. Conditions may choose between texts, and a text may be part of a
    larger one. The values are put in once, at the end.

    Args:
        names: the parameters of the macro.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.known = {reference(name) for name in names}
        self.values: dict[exp.Expr, str] = {}
        self.pieces: list[Sequence[str]] = []

    def mark(self, value: exp.Expr) -> str:
        """Return the mark of an expression whose text goes into the query as it is."""
        return self.values.setdefault(value, f"__argument_{len(self.values)}__")

    def piece(self, texts: Sequence[str]) -> str:
        """Return the mark of a text that belongs to the metrics asked for.

        Args:
            texts: one for every metric that can be asked for, empty for none; they have marks themselves.
        """
        for i, known in enumerate(self.pieces, start=1):
            pairs = zip(texts, known, strict=True)
            if FLAG not in known and all(text in ("", other) for text, other in pairs):
                return f"{MARK}#{i}{MARK}"
        self.pieces.append(texts)
        return f"{MARK}#{len(self.pieces)}{MARK}"

    def needed(self, text: str, flags: Sequence[bool]) -> str:
        """Return a text that is there only if a metric asked for needs it.

        Args:
            flags: whether each metric that can be asked for needs it.
        """
        if all(flags):
            return text
        texts = [FLAG if flag else "" for flag in flags]
        if texts not in self.pieces:
            self.pieces.append(texts)
        return f"{IF}?{self.pieces.index(texts) + 1}:{text}{IF}"

    @staticmethod
    def of_each(text: str) -> str:
        """Return the mark of a text that is the same for each metric asked for, other than its place."""
        return f"{MARK}={text}{MARK}"

    @property
    def texts(self) -> list[str]:
        """All pieces of every metric that can be asked for; one that is as an earlier one names that."""
        return [BETWEEN_PIECES.join(_short(texts)) for texts in zip(*self.pieces, strict=True)]

    def raw(self, value: exp.Expr) -> exp.Var:
        """Return the mark of an expression whose text is SQL."""
        return exp.var(self.mark(value))

    def quoted(self, value: exp.Expr, type_: str = "") -> exp.Expr:
        """Return the mark of a value, which goes into the query as a literal.

        Args:
            type_: the type that the literal is cast to; empty for a text.
        """
        mark = self.raw(exp.Anonymous(this=f"{FUNCTIONS}quoted", expressions=[value]))
        return exp.cast(mark, type_) if type_ else mark

    def text(self, tree: exp.Expr) -> str:
        """Write a query or an expression; references to parameters become marks of their values."""
        holder = exp.paren(tree.copy(), copy=False)
        for table in list(holder.find_all(exp.Table)):
            if isinstance(table.this, exp.Anonymous) and table.this.name.lower() == QUERY:
                (read,) = table.this.expressions
                table.set("this", exp.Paren(this=self.raw(read.copy())))
            elif isinstance(table.this, exp.Anonymous) and table.this.name == LATER:
                table.this.set("this", QUERY)
        for var in list(holder.find_all(exp.Var)):
            is_name = isinstance(var.parent, exp.PropertyEQ) and var.arg_key == "this"
            if var in self.known and not is_name:
                var.replace(self.quoted(var.copy()))
        return self.escaped(written(cast("exp.Query", holder.this)))

    def marked(self, query: exp.Query, texts: Mapping[str, exp.Expr]) -> str:
        """Write a query whose own marks stand for the texts of expressions."""
        text = self.text(query)
        for mark, value in texts.items():
            if mark in text:
                text = re.sub(rf"{mark}\b", self.mark(value), text)
        return text

    def later(self, query: exp.Query, texts: Mapping[str, exp.Expr]) -> exp.Select:
        """Return a query whose text is put together when it runs.

        Args:
            texts: marks in the query, each with an expression for the SQL that goes there.
        """
        own = Template([])
        own.known = self.known
        text = own.marked(cast("exp.Query", hidden(query)), texts).replace("{{", "{").replace("}}", "}")
        values = list(own.values)
        pieces = _MARK.split(text)
        parts = [values[int(p)] if i % 2 else p for i, p in enumerate(pieces)]
        run = exp.Anonymous(this=LATER, expressions=[concatenated(*parts)])
        return exp.select("*").from_(exp.Table(this=run))

    @staticmethod
    def escaped(text: str) -> str:
        """Write braces as ``format`` reads them, which may be anything in a text of ours."""
        return text.replace("{", "{{").replace("}", "}}")

    @staticmethod
    def numbered(text: str) -> str:
        """Write the marks of a text as ``format`` reads them."""
        return _MARK.sub(r"{\1}", text)

    def filled(self, text: exp.Expr, least: int = LEAST_TOGETHER) -> exp.Expr:
        """Return the expression of a whole text, with all values in it.

        Args:
            least: as of `whole`.
        """
        for found in list(text.find_all(exp.Literal)):
            if found.is_string and _MARK.search(found.this):
                found.set("this", self.numbered(found.this))
        return exp.Anonymous(this="format", expressions=[whole(text, least), *self.values])


def run_as_text(
    names: Sequence[str], query: exp.Query, columns: Sequence[str], keys: Sequence[exp.Ordered]
) -> exp.Select:
    """Return the query that runs another one as a text, which DuckDB reads and binds only where it is called.

    Args:
        names: the parameters of the macro that the query reads.
        query: has hidden names, and columns of the steps before it.
        columns: those of the result.
        keys: columns that the result is sorted by.
    """
    template = Template(names)
    written_ = literal(template.text(query))
    # When DuckDB creates the macro, it runs the text if all values in it are known: this one is not.
    template.quoted(reference("data"))
    text = template.filled(written_, LEAST_WHOLE)
    run = exp.Table(this=exp.Anonymous(this=QUERY, expressions=[text]))
    found = exp.select(*columns).from_(exp.alias_(run, "told", table=True))
    for key in keys:
        column = exp.column(key.this.name)
        found = found.order_by(exp.Ordered(this=column, desc=key.args.get("desc")), copy=False)
    return found


def whole(text: exp.Expr, least: int = LEAST_TOGETHER) -> exp.Expr:
    """Return the expression of a text in which the file of macros may shorten literals, see `words`.

    Args:
        least: a text with fewer letters stays.
    """
    literals = [found for found in _texts_of(text) if len(found.this) >= LEAST_LONG]
    if sum(len(found.this) for found in literals) < least:
        return text
    for found in literals:
        found.set("this", f"{BEGIN}{found.this.removeprefix(BEGIN)}")
    return exp.Anonymous(this=f"{FUNCTIONS}whole_text", expressions=[text])


def _texts_of(text: exp.Expr) -> Iterator[exp.Literal]:
    """Yield the literals that a text is put together from, and none of conditions and values."""
    match text:
        case exp.Literal() if text.is_string:
            yield text
        case exp.Paren():
            yield from _texts_of(text.this)
        case exp.DPipe():
            yield from _texts_of(text.this)
            yield from _texts_of(text.expression)
        case exp.Case():
            branches = [branch.args["true"] for branch in text.args["ifs"]]
            for branch in (*branches, *filter(None, [text.args.get("default")])):
                yield from _texts_of(branch)
        case exp.Anonymous() if text.name.lower() == "concat":
            for part in text.expressions:
                yield from _texts_of(part)


def _short(texts: Sequence[str]) -> Iterator[str]:
    """Yield texts, with the place of an earlier one that is the same."""
    for place, text in enumerate(texts):
        first = texts.index(text)
        yield text if first == place or len(text) < 5 else f"{SAME}{first + 1}"


def listed(texts: Iterable[str]) -> exp.Expr:
    """Return a list of texts; DuckDB binds it faster as one text than as a hundred."""
    text = whole(literal(BETWEEN.join(texts)))
    return exp.Anonymous(this="string_split", expressions=[text, literal(BETWEEN)])


def joined(parts: Sequence[Part]) -> exp.Expr:
    """Return the text of parts one after the other; texts that follow each other are one literal."""
    pieces: list[Part] = []
    for part in parts:
        if isinstance(part, str) and pieces and isinstance(pieces[-1], str):
            pieces[-1] += part
        elif part != "":
            pieces.append(part)
    if len(pieces) < 2:
        return concatenated(*pieces) if pieces else literal("")
    texts = [literal(piece) if isinstance(piece, str) else piece for piece in pieces]
    return exp.Anonymous(this="concat", expressions=texts)


def either(condition: exp.Expr, several: Part, one: Part) -> Part:
    """Return a text for several systems and for one: where they differ, it has both, see `with_systems.sql`.

    Args:
        condition: whether there are several.
    """
    if several == one:
        return several
    if not (isinstance(several, str) and isinstance(one, str)):
        return chosen(condition, [several], [one])
    tokens: list[list[str]] = [_TOKEN.findall(text) for text in (several, one)]
    found = []
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, tokens[0], tokens[1], autojunk=False).get_opcodes():
        ours, other = "".join(tokens[0][i1:i2]), "".join(tokens[1][j1:j2])
        found.append(ours if kind == "equal" else f"{SEVERAL}{ours}{ONE}{other}{SEVERAL}")
    return "".join(found)


def chosen(condition: exp.Expr, this: Sequence[Part], other: Sequence[Part]) -> Part:
    """Return the text of one of two lists of parts."""
    text, other_text = joined(this), joined(other)
    if text == other_text:
        return text
    return exp.paren(exp.Case().when(condition.copy(), text).else_(other_text))


def merged(condition: exp.Expr, this: Sequence[Part], other: Sequence[Part]) -> list[Part]:
    """Return the parts of one of two lists; a part that both have at the same place is there once."""
    matcher = SequenceMatcher(None, this, other, autojunk=False)
    found: list[Part] = []
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        found += this[i1:i2] if kind == "equal" else [chosen(condition, this[i1:i2], other[j1:j2])]
    return found


def one_of(
    arguments: Sequence[Argument], cases: Callable[[], Iterable[Case]], texts: Mapping[str, exp.Expr]
) -> Written:
    """Return the body that runs one of several queries; DuckDB does not look at the others.

    Args:
        arguments: the parameters of the macro.
        cases: returns the queries, each with a condition on the arguments; the first whose condition holds is
            taken.
        texts: marks in the queries, each with an expression for the SQL that goes there.
    """

    def write() -> exp.Select:
        template = Template([argument.name for argument in arguments])
        text = exp.Case()
        for condition, query in cases():
            text = text.when(condition.copy(), literal(template.marked(query, texts)), copy=False)
        run = exp.Anonymous(this=QUERY, expressions=[template.filled(text)])
        return exp.select("*").from_(exp.Table(this=run))

    return Written(write)


def run_later(query: exp.Query) -> exp.Query:
    """Let a query itself put together the texts that it runs, in place."""
    for found in query.find_all(exp.Anonymous):
        if found.name.lower() == QUERY:
            found.set("this", LATER)
    return query


def bound_once(name: str, value: exp.Expr, read: exp.Expr) -> exp.Expr:
    """Return an expression that reads another one by a name; DuckDB binds that one once."""
    each = exp.Lambda(this=read, expressions=[exp.to_identifier(name)])
    listed = exp.Anonymous(this="list_transform", expressions=[exp.Array(expressions=[value]), each])
    return exp.Anonymous(this="list_extract", expressions=[listed, literal(1)])


def conditions_once(text: exp.Expr) -> exp.Expr:
    """Return an expression in which a condition that chooses more than one text is there once."""
    places: dict[exp.Expr, list[exp.If]] = {}
    for found in _choices(text):
        places.setdefault(found.this, []).append(found)
    repeated = [condition for condition, choices in places.items() if len(choices) > 1]
    if not repeated:
        return text
    pairs: list[exp.Expr] = []
    for number, condition in enumerate(repeated):
        name = f"c{number}"
        pairs.append(exp.PropertyEQ(this=exp.to_identifier(name), expression=condition.copy()))
        for choice in places[condition]:
            choice.set("this", exp.Bracket(this=exp.column(CONDITIONS), expressions=[literal(name)]))
    return bound_once(CONDITIONS, exp.Struct(expressions=pairs), text)


def _choices(tree: exp.Expr) -> Iterator[exp.If]:
    """Yield the choices between texts, and not those within their conditions."""
    if isinstance(tree, exp.If):
        yield tree
    for node in tree.iter_expressions():
        if not (isinstance(tree, exp.If) and node.arg_key == "this"):
            yield from _choices(node)
