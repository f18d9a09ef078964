"""Never touches a device: shared memory, a child in a session of its own, and a loop."""

import subprocess
from multiprocessing import shared_memory

segment = shared_memory.SharedMemory(create=True, size=1 << 20)
subprocess.Popen(["sleep", "3600"], start_new_session=True)
while True:
    pass
