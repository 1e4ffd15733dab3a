"""Front doors of RulesPal: the command line, and what it shares with other doors.

`cli` names the commands; `lookup` has those that need no model, `answering` those that do, and
imports it no sooner. `catalogue` reads the corpus, `service` opens what answers. `views` shows
things to people, `data` to programs; `terminal` keeps either from commanding a terminal.
"""
