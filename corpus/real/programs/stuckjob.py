"""A job of cron that reads its 10 MB and then waits for the lock of the job before it, which hangs."""
import fcntl

held = bytearray(b"x") * (10 << 20)
lock = open("/tmp/job.lock", "w")
fcntl.flock(lock, fcntl.LOCK_EX)
