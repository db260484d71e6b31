"""Running a program: the reference interpreter over the normal form, arguments, results, failures."""
