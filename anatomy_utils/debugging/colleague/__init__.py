"""Cases: small organs that are shipped broken on purpose, to be diagnosed."""
