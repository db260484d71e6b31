"""Commands that show a program: graphs, infos, differences, what passes and the vectorizer do."""
