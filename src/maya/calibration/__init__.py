"""What a user's own profiler traces tell about Maya's estimates, and what to measure next."""

from maya.calibration.calibrating import Calibration, FamilyError, calibrate
from maya.calibration.plan import MeasurementPlan, Wanted, plan_measurements
from maya.calibration.traces import read_traces
from maya.calibration.write import write_measurements

__all__ = [
    "Calibration",
    "FamilyError",
    "MeasurementPlan",
    "Wanted",
    "calibrate",
    "plan_measurements",
    "read_traces",
    "write_measurements",
]
