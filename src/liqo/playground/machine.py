async def prepare(say):
    pass
