"""A mail gateway: ten mails a second, each is written, renamed, and removed 60 mails later; nothing is synced. Argument: the folder."""
import os
import sys

import g_steady

folder, number = sys.argv[1], 0


def mail():
    global number
    with open(f"{folder}/tmp{number}", "wb") as file:
        file.write(b"m" * 2500)
    os.rename(f"{folder}/tmp{number}", f"{folder}/mail{number}")
    if number >= 60:
        os.unlink(f"{folder}/mail{number - 60}")
    number += 1


g_steady.serve(mail, 10)
