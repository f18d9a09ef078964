"""Names of the files that a program leaves in the run directory.

maya itself cannot be imported here: this is the program's interpreter. maya/rundir/names.py says
what each file is for.
"""

STOP = "stop"
GROUPS = "groups.txt"
PARTNERS = "partners-{rank}.txt"
ALLOCATOR_SUFFIX = ".memory.json"
SNAPSHOT_SUFFIX = ".snapshot.json"
SERVED = "served-{process}.jsonl"
