"""`hostsync probe`: its options. What it does is in `probing`, which is imported when it runs."""

from __future__ import annotations

import click


@click.command("probe", short_help="Try an expression on the GPU and say whether it waits; needs torch and CUDA.")
@click.argument("expression")
@click.option("--setup", multiple=True, metavar="CODE", help="Run this before; `torch` is imported already.")
@click.option(
    "--delay-ms",
    type=click.FloatRange(min=0, min_open=True),
    metavar="MS",
    help="How long the GPU is kept busy; longer than EXPRESSION takes by itself.  [default: by measurement]",
)
@click.option(
    "--output-format", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How to print it."
)
def probe_command(expression: str, setup: tuple[str, ...], delay_ms: float | None, output_format: str) -> int:
    """Try EXPRESSION, or a statement, on the GPU and say whether it makes the host wait.

    The GPU is kept busy while it is evaluated. If the GPU is done when it returns, it has waited. It is evaluated a few
    times, so it has to be repeatable.

    \b
        hostsync probe "x[mask]" --setup "x = torch.rand(8, device='cuda'); mask = x > 0"

    Exit code: 0 it does not wait, 1 it waits, 2 it can't be tried.
    """
    from hostsync.cli.probing import probe

    return probe(expression, setup, delay_ms, output_format)
