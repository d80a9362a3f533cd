"""Checks coupons of a shop with a regular expression that goes back over its input again and again, without end."""
import re

with open("/proc/self/comm", "w") as name:
    name.write("couponcheck")
coupon = re.compile(r"(\w+\s?)+$")
while True:
    coupon.match("springsalespecial22" + "!")
