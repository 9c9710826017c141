"""The live view of a fleet on a terminal: what `argosy up` shows in the foreground, and `argosy top` anywhere.

    watching ──> Picture ──> rendering ──> lines ──> drawing ──> terminals
    (watches)    (values)    (pure)                  (what differs)  (ANSI, restored whatever happens)

`pictures`, `texts`, `tables`, `sections`, `rendering` and `views` are pure: a picture, a size and a time go in, lines
come out. `tracking` and `watching` keep the picture current without asking for everything again. Nothing here needs
curses or another library.
"""
