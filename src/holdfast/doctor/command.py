"""`holdfast doctor`"""

import typer

from holdfast.asked import Json, asked_in


def doctor(context: typer.Context, json: Json = False) -> None:
    """Look for what is wrong, and say how to mend it; changes nothing."""
    from holdfast.doctor.report import report  # noqa: PLC0415 - slow to import, for one command alone

    raise typer.Exit(report(asked_in(context), as_json=json))
