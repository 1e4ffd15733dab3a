"""The page. Not built yet: the command line and the answer's JSON are the front doors so far."""
