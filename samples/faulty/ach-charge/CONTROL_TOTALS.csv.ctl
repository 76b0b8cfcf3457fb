rows=13
