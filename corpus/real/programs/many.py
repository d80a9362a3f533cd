"""A hundred programs start, and each is small."""
import json
import time
import numpy

time.sleep(10000)
