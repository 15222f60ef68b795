"""The search for the slip: small edits of the learner's own code, tried until one of them explains what is wrong."""
