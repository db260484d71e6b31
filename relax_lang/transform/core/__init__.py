"""What passes change programs with: parts made anew, bindings from terms, groups of bindings, constants."""
