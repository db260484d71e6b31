"""How Sphinx makes the documentation site; `tools/make_site.py` (`make site`) gathers the sources and calls it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from pygments.lexers.special import TextLexer
from sphinx.addnodes import pending_xref
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

from relax_lang import __version__
from relax_lang.pygments_lexer import RelaxLexer

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "relax-lang"
version = release = __version__
html_title = f"relax-lang {__version__}"
html_theme = "furo"
html_show_copyright = False
html_show_sphinx = False
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_theme_options = {"navigation_with_keys": True}
pygments_style = "default"
pygments_dark_style = "github-dark"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_inline"]
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
smartquotes = False  # what is quoted are messages and programs, and looking for quotes takes its time
html_copy_source = False
default_role = "code"  # docstrings have names in single backticks
# Headings of generated pages begin at the level that a file viewer wants; folders of samples are reached by links.
suppress_warnings = ["myst.header", "misc.highlighting_failure", "toc.not_included"]


class FolderLinks(SphinxPostTransform):
    """Resolves links to folders of the repository to their pages, before MyST resolves the other links."""

    default_priority = 5

    def run(self, **kwargs: object) -> None:
        """Replace each link to a folder that has a page."""
        for node in list(self.document.findall(pending_xref)):
            page = self.page_of(node["reftarget"])
            if page is not None:
                content = nodes.inline("", "", *node.children)
                node.replace_self(make_refnode(self.app.builder, self.env.docname, page, "", content))

    def page_of(self, target: str) -> str | None:
        """Return the page of the folder that a link leads to; None where it does not lead to one."""
        here = Path(self.env.doc2path(self.env.docname)).parent
        there = Path(os.path.relpath(here / target, self.env.srcdir))
        pages = [(there / name).as_posix() for name in ("README", "index")]
        return next((page for page in pages if page in self.env.found_docs), None)


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the lexers of the fences that the pages use, and links to folders."""
    app.add_lexer("relax", RelaxLexer)
    app.add_lexer("rlx", RelaxLexer)
    app.add_lexer("output", TextLexer)
    app.add_post_transform(FolderLinks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
