"""`bascule demo`: the main jobs, shown from end to end with the real parts."""
