"""What the course promises about speed, measured: this package beside torch.nn, Hugging Face and x-transformers.

`make bench` runs everything and writes `RESULTS.md`, `results.json`, the picture `images/benchmarks` and the README's
summary. One subject alone: `python -m tools.benchmarks.generation`, with `--quick` for a look at tiny sizes.
"""
