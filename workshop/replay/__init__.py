"""Profiler traces, simulated again with the durations that were measured."""
