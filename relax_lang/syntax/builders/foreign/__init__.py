"""Expressions and struct infos as other languages write them: settled once all of it is known. [Y.7]"""
