"""python -m maya"""

from maya.cli import main

main()
