"""`python -m relax_lang`: the same as the command `relax`."""

import sys

from relax_lang._main import main

sys.exit(main())
