"""The reference interpreter over the normal form, and the machine whose stack both engines share."""
