"""A script keeps all lines of a log of 550 MB, is killed, and starts again."""
import time

held = open("/bulk/logs/app.log").readlines()
time.sleep(10000)
