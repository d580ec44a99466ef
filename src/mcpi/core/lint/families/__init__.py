"""The rules, one family a module: the rules as data, and the functions that check them."""
