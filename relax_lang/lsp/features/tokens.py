"""Semantic tokens: whole, of a range, and as the difference from the last answer."""

from __future__ import annotations

from lsprotocol import types

from relax_lang.lsp.other_languages import RelaySnapshot
from relax_lang.lsp.server import RelaxServer
from relax_lang.workspace.incremental.snapshot import Snapshot
from relax_lang.workspace.queries.token_classes import CLASSES, Token, tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from relax_lang.base.source import Span

    Coloured = Snapshot | RelaySnapshot

MODIFIERS = ["definition"]
LEGEND = types.SemanticTokensLegend(list(CLASSES), MODIFIERS)


def register(server: RelaxServer) -> None:
    """Add what answers requests for semantic tokens."""

    @server.feature(
        types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL,
        types.SemanticTokensRegistrationOptions(
            LEGEND, full=types.SemanticTokensFullDelta(delta=True), range=True
        ),
    )
    async def full(ls: RelaxServer, params: types.SemanticTokensParams) -> types.SemanticTokens:
        made = await _made(ls, params.text_document.uri)
        if made is None:
            return types.SemanticTokens([])
        return _remember(ls, made, _data(ls, made, (0, len(made.text))))

    @server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE)
    async def some(ls: RelaxServer, params: types.SemanticTokensRangeParams) -> types.SemanticTokens:
        made = await _made(ls, params.text_document.uri)
        return types.SemanticTokens([] if made is None else _data(ls, made, ls.span(made, params.range)))

    @server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA)
    async def delta(
        ls: RelaxServer, params: types.SemanticTokensDeltaParams
    ) -> types.SemanticTokens | types.SemanticTokensDelta:
        made = await _made(ls, params.text_document.uri)
        if made is None:
            return types.SemanticTokens([])
        known = ls.answers.get(f"tokens {params.text_document.uri}")
        answer = _remember(ls, made, _data(ls, made, (0, len(made.text))))
        if known is None or known[0] != params.previous_result_id:
            return answer
        return types.SemanticTokensDelta(_difference(known[1], list(answer.data)), answer.result_id)


async def _made(server: RelaxServer, uri: str) -> Coloured | None:
    made = await server.checked(uri)
    return made if isinstance(made, Snapshot | RelaySnapshot) else None


def _of_names(made: RelaySnapshot, span: Span) -> Iterator[Token]:
    """Yield the names of a Relay program; the rest of it is left to the grammar of the editor."""
    from relax_lang.lsp.relay_names import CLASSES as OF_NAMES

    for one in made.names():
        pos, end = one.place
        if end >= span[0] and pos <= span[1]:
            yield Token(pos, end, OF_NAMES[one.kind], is_definition=one.is_definition)


def _remember(server: RelaxServer, made: Coloured, data: list[int]) -> types.SemanticTokens:
    result_id = str(made.document.version)
    server.answers[f"tokens {made.document.path}"] = result_id, data
    return types.SemanticTokens(data, result_id)


def _data(server: RelaxServer, made: Coloured, span: Span) -> list[int]:
    """Return five numbers for each token: lines and columns are relative to the token before."""
    lines = made.document.lines
    encoding = server.encoding
    data: list[int] = []
    line = column = 0
    numbers = {name: number for number, name in enumerate(CLASSES)}
    for token in tokens(made, span) if isinstance(made, Snapshot) else _of_names(made, span):
        here, begin = lines.place(token.pos, encoding)
        end_line, end = lines.place(token.end, encoding)
        if end_line != here:
            continue
        if here != line:
            column = 0
        data += [here - line, begin - column, end - begin, numbers[token.kind], int(token.is_definition)]
        line, column = here, begin
    return data


def _difference(before: list[int], now: list[int]) -> list[types.SemanticTokensEdit]:
    """Return the one edit between a common beginning and a common end."""
    most = min(len(before), len(now))
    start = 0
    while start < most and before[start] == now[start]:
        start += 1
    stop = 0
    while stop < most - start and before[-1 - stop] == now[-1 - stop]:
        stop += 1
    if start == len(before) == len(now):
        return []
    return [types.SemanticTokensEdit(start, len(before) - start - stop, now[start : len(now) - stop])]
