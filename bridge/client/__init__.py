"""A terminal's side of a bridge: finding one, and calling it. Blocking, standard library only."""
