"""Reads the files that describe jobs to schedulers: what would run where."""

from maya.job_files.job import JobFile
from maya.job_files.read import read_job_file

__all__ = ["JobFile", "read_job_file"]
