"""`argosy cancel JOB...`: jobs end wherever they are. One that is not there does not keep the others from ending."""

from __future__ import annotations

import argparse

from argosy.base.errors import StatusError
from argosy.cli import printing
from argosy.cli.connecting import failed
from argosy.cli.sailing import TIMED_OUT, seconds_of
from argosy.sdk.errors import FleetError, WaitTimeout
from argosy.sdk.fleets import AsyncFleet


async def cancel(fleet: AsyncFleet, parsed: argparse.Namespace) -> int:
    printing.check_output(parsed.output, ("name",))
    timeout = seconds_of("--timeout", parsed.timeout) if parsed.wait else None
    codes = [0]
    for name in dict.fromkeys(parsed.names):
        try:
            for deleted in await fleet.cancel(name, timeout=timeout):
                print(deleted if parsed.output == "name" else f"{deleted} deleted")
        except WaitTimeout as error:
            codes.append(failed(str(error), TIMED_OUT))
        except FleetError as error:
            codes.append(failed(str(error)))
        except StatusError as error:
            if error.code == 503:
                raise
            codes.append(failed(error.message))
    return max(codes)
