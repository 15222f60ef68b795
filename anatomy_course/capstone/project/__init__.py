"""The final project: one organ, one claim.

project.template("my_organ.py")   # a file to fill in: plan, organ, counts by hand
project.register("my_organ.py")   # before anything is run
project.run("my_organ.py")        # control and organ, on every registered seed
project.check("my_organ.py")      # what is proven; may be asked at any time
project.report("my_organ.py")     # one page, one figure
"""

from __future__ import annotations

from anatomy_course.capstone.project.page import report as report
from anatomy_course.capstone.project.plan import example as example, register as register, template as template
from anatomy_course.capstone.project.proofs import check as check
from anatomy_course.capstone.project.trial import run as run
