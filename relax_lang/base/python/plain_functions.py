"""Some functions of the standard library, from where they are written in C.

The modules that export them, `functools` above all, load others that nothing here needs.
"""

from __future__ import annotations

__all__ = ("attrgetter", "bisect_left", "bisect_right", "itemgetter", "not_equal", "partial")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bisect import bisect_left, bisect_right
    from functools import partial
    from operator import attrgetter, itemgetter
    from operator import ne as not_equal
else:
    try:
        from _bisect import bisect_left, bisect_right
        from _functools import partial
        from _operator import attrgetter, itemgetter
        from _operator import ne as not_equal
    except ImportError:  # another implementation of Python
        from bisect import bisect_left, bisect_right
        from functools import partial
        from operator import attrgetter, itemgetter
        from operator import ne as not_equal
