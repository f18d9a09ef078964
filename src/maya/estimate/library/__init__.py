"""Library calls other than plain matrix products."""
