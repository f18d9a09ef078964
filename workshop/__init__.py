"""Fitting, validation and replay: what makes and judges Maya's parameters, beside the package."""
