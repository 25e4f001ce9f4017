"""`bascule tools`: packages of tools, written, checked, called and served."""
