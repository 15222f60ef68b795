"""What live views share: their base, requests to Python, the scripts and styles of the kit, the pages' style."""
