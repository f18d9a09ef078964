"""How one recipe is tried: jobs, the pools that run them, and when a trial may end early."""
