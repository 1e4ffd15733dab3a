"""How often RulesPal is right: question sets, figures, plain baselines beside it, and speed."""
