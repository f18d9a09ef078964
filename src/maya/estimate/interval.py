"""How wide a printed interval is."""

from statistics import NormalDist

# The share of measurements that the printed interval is to hold, and its half-width in standard
# deviations of a normal distribution.
COVERAGE = 0.85
WIDTH = NormalDist().inv_cdf((1 + COVERAGE) / 2)
