"""The texts of the shipped games, as data: see README.md beside this file."""
