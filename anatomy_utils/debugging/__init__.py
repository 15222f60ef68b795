"""The ward: eight broken transformers, each with one fault, to be diagnosed by what can be seen and measured.

Notebook 07. All of them are small writers that learn on the street in seconds, beside a healthy twin of the same body
and lessons. From the ground up:

- `body`: what they are made of; `care`: how a writer is built, taught and used
- `faults`: the steps that went wrong; `cases`: the patients, and where the same happened in public
- `writing`, `looks`, `probes`: what can be read, seen and measured of them
- `patient`, `round`: one of them, and all
"""

from anatomy_utils.debugging.broken_model import Finding, Patient, Samples
from anatomy_utils.debugging.case import Case, Report
from anatomy_utils.debugging.checks import PROBES, Probe
from anatomy_utils.debugging.overview import Table, Ward, admit

__all__ = ["PROBES", "Case", "Finding", "Patient", "Probe", "Report", "Samples", "Table", "Ward", "admit"]
