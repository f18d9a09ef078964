"""Names of the files in a search's directory."""

STUDY = "study.db"  # every trial, in Optuna's own tables
ANSWER = "answer.json"
PAGE = "answer.html"
RUNS = "runs"  # directory of captures, one a recipe
SIMULATIONS = "simulations"  # directory of what was simulated before
EDITED = "files"  # directory of configuration files as recipes change them
