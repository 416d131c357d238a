"""A ResourceSlice class that grants half of what is asked for, and no GPUs."""

from liqo.classes import Answer, Refusal, Request, serve


def half(asked: Request) -> Answer:
    if not asked.resources:
        return Refusal("say how much you need: this class has no defaults")
    if any("gpu" in name for name in asked.resources):
        return Refusal("this class has no GPUs: ask for them in the class default")
    return {name: amount.percent(50) for name, amount in asked.resources.items()}


if __name__ == "__main__":
    serve("half", grant=half)
