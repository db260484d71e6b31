"""The forms of types, their text, and the solver that makes them equal. [R.31]"""
