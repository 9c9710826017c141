"""Jobs and CronJobs.

`defaulting` fills in both. `specs` validates what a job asks for (with `policies` and `indexes` below it), `statuses`
what its controller reports; `jobs` and `cronjobs` are what the server does around them, `schedules` is cron's syntax.
"""

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.batch.cronjobs import CRON_JOB
from argosy.api.rules.batch.jobs import JOB

RULES: Final[dict[str, Rules]] = {"Job": JOB, "CronJob": CRON_JOB}
