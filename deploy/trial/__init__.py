"""What `deploy/try_hub.py` is made of: a hub with learners on this machine, and what they cost."""
