"""`bascule doctor`: the way from here to an app, step by step."""
