"""Pipeline stages that were not launched, from those that were."""
