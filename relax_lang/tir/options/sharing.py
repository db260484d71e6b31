"""What memory the results of a planned call may share. [O.4] [X.O4]"""

from __future__ import annotations

from typing import NamedTuple


class Sharing(NamedTuple):
    """The inputs whose memory results may have, by their positions: `views` as views of it, `over` by being written
    over it.
    """

    views: tuple[int, ...] = ()
    over: tuple[int, ...] = ()


NOTHING_SHARED = Sharing()
