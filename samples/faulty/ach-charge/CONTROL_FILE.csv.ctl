twelve rows
