"""One pure review per kind: may this be stored, and what does it lack?"""
