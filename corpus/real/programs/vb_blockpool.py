"""Makes the folders of a block pool, subdirA/subdirB, with an empty block in each. Arguments: the pool, how many A, how many B in each."""
import os
import sys

for first in range(int(sys.argv[2])):
    for second in range(int(sys.argv[3])):
        folder = f"{sys.argv[1]}/subdir{first}/subdir{second}"
        os.makedirs(folder)
        os.close(os.open(f"{folder}/blk_{first}_{second}", os.O_CREAT | os.O_WRONLY))
