"""`bascule check`: whether an app keeps the contract."""
