"""`hostsync verify-rules`: its options. What it does is in `verifying`, which is imported when it runs."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(
    "verify-rules", short_help="Run the examples of rules on the GPU and hold them to it; needs torch and CUDA."
)
@click.argument("rules", nargs=-1, metavar="[RULE]...")
@click.option(
    "--rules",
    "folders",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="A folder with rule files of your own, besides those of extend-rules in the configuration.",
)
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write the evidence here."
)
@click.option("--update", is_flag=True, help="Write the evidence to `evidence/blocks.json` beside the rules.")
@click.option("--jobs", "-j", type=click.IntRange(min=1), default=4, show_default=True, help="Number of processes.")
def verify_rules_command(
    rules: tuple[str, ...], folders: tuple[Path, ...], output: Path | None, update: bool, jobs: int
) -> int:
    """Run every Bad and Good block of the rules in force on the GPU, and say where one does not do what its page says.

    RULE is a code, the beginning of one, or a name; without it all rules are verified. A `# waits` line has to make
    the host wait, and no other line may. The evidence has the verdict, driver calls, torch, GPU and date, and the
    hash of each block.

    This is the only command that runs code of rule files: your own rules with the rights that you have. Verify only
    rules that you trust.

    Exit code: 0 every block does what its page says, 1 one does not, 2 the blocks can't be run.
    """
    if output is not None and update:
        raise click.UsageError("--output and --update exclude each other.")
    from hostsync.cli.verifying import verify

    return verify(rules, folders, output, update, jobs)
