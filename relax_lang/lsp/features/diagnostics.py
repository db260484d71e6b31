"""Diagnostics, pushed and pulled, and what of them code actions need."""

from __future__ import annotations

from lsprotocol import types
from pygls.uris import from_fs_path

from relax_lang.base.diagnostic import ERROR, HINT, OFF, WARNING
from relax_lang.lsp.project import FADED
from relax_lang.lsp.server import RelaxServer, path_of, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.workspace.incremental.snapshot import DocumentSnapshot

SEVERITIES = {
    ERROR: types.DiagnosticSeverity.Error,
    WARNING: types.DiagnosticSeverity.Warning,
    HINT: types.DiagnosticSeverity.Information,
    OFF: types.DiagnosticSeverity.Hint,
}


def published(server: RelaxServer, made: DocumentSnapshot) -> list[types.Diagnostic]:
    """Return the diagnostics of a document as the client shows them."""
    return [converted(server, made, one) for one in made.diagnostics]


def converted(server: RelaxServer, made: DocumentSnapshot, one: Diagnostic) -> types.Diagnostic:
    """Return one diagnostic; its notes and help follow the message."""
    lines = [one.message]
    if one.primary and one.primary not in one.message:
        lines.append(one.primary)
    lines += [f"note: {note}" for note in one.notes]
    if one.help:
        lines.append(f"help: {one.help}")
    related = [
        types.DiagnosticRelatedInformation(
            types.Location(made.document.path, server.range(made, (label.pos, label.end))), label.message
        )
        for label in one.labels
    ]
    end = max(one.end, one.pos + 1)
    return types.Diagnostic(
        range=server.range(made, (max(one.pos, 0), max(end, 0))),
        message="\n".join(lines),
        severity=SEVERITIES.get(one.severity, types.DiagnosticSeverity.Error),
        code=one.code,
        code_description=_link(server, one.code),
        source="relax",
        tags=[types.DiagnosticTag.Unnecessary] if one.slug in FADED or one.slug == "dead-prim-func" else None,
        related_information=related or None,
        data={"slug": one.slug},
    )


def _link(server: RelaxServer, code: str) -> types.CodeDescription | None:
    """Return the link to the explanation of a diagnostic: a file of this machine, as there is no public page."""
    links = server.links
    if links is None:
        return None
    if code not in links:
        from relax_lang import api
        from relax_lang.files.explanation_pages import page

        text = api.explain(code)
        path = None if text is None else page(code, text)
        links[code] = None if path is None else from_fs_path(path)
    uri = links[code]
    return None if uri is None else types.CodeDescription(uri)


def register(server: RelaxServer) -> None:
    """Add what answers requests for diagnostics, and how they are shown."""
    server.shown = lambda made: published(server, made)

    @server.feature(
        types.TEXT_DOCUMENT_DIAGNOSTIC,
        types.DiagnosticOptions(
            inter_file_dependencies=False, workspace_diagnostics=True, identifier="relax"
        ),
    )
    async def document_diagnostic(
        ls: RelaxServer, params: types.DocumentDiagnosticParams
    ) -> types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport:
        made = await ls.checked(params.text_document.uri)
        if made is None:
            return types.RelatedFullDocumentDiagnosticReport(items=[])
        result_id = str(made.document.version)
        if params.previous_result_id == result_id:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=result_id)
        return types.RelatedFullDocumentDiagnosticReport(items=published(ls, made), result_id=result_id)

    @server.feature(types.WORKSPACE_DIAGNOSTIC)
    async def workspace_diagnostic(
        ls: RelaxServer, _params: types.WorkspaceDiagnosticParams
    ) -> types.WorkspaceDiagnosticReport:
        reports: list[types.WorkspaceDocumentDiagnosticReport] = []
        for uri in ls.programs.paths:
            made = await ls.checked(uri)
            if made is not None:
                reports.append(
                    types.WorkspaceFullDocumentDiagnosticReport(
                        uri=uri,
                        items=published(ls, made),
                        version=made.document.version,
                        result_id=str(made.document.version),
                    )
                )
        reports += [
            types.WorkspaceFullDocumentDiagnosticReport(uri=uri, items=_of_file(ls, uri), version=None)
            for uri in ls.other_files()
        ]
        return types.WorkspaceDiagnosticReport(reports)


def _of_file(server: RelaxServer, uri: str) -> list[types.Diagnostic]:
    """Return the diagnostics of a file that is not open."""
    from relax_lang.workspace.workspace import Workspace

    text = text_of(path_of(uri))
    if text is None:
        return []
    alone = Workspace(server.settings_of)
    alone.open(uri, text)
    return published(server, alone.check(uri))
