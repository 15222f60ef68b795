"""What turns an answer that is no function of tensors into one: a module's class, a step that changes a model.

A drive is called with the answer and a case's arguments (`Exercise.observe`). Everything that compares, catalogues and
diagnoses then works on what it returns.
"""
