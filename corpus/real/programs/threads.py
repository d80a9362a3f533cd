"""A helper that leaks threads, 30 a second, and tries again when it gets no more."""
import threading
import time

threading.stack_size(65536)
while True:
    try:
        threading.Thread(target=time.sleep, args=(10000,), daemon=True).start()
    except RuntimeError:
        pass
    time.sleep(0.03)
