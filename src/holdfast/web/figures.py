"""What the door measures of its requests; the labels are the routes there are, never the paths asked for."""

from collections.abc import Iterable

from holdfast.observe.metrics import Metrics
from holdfast.wire.errands import Errand
from holdfast.wire.volunteers import Sight, Verb

CLASSES = ("1xx", "2xx", "3xx", "4xx", "5xx")
PAGES = "pages"


class Figures:
    def __init__(self, metrics: Metrics, operations: Iterable[str]) -> None:
        known = [*operations, *[f"volunteers {verb}" for verb in (*Verb, *Sight, *Errand)], PAGES]
        self._requests = metrics.counter(
            "web_requests_total", "Requests answered.", operation=known, status=CLASSES
        )
        self._seconds = metrics.histogram(
            "web_request_seconds", "Time from a request's head to the end of its answer.", operation=known
        )

    def request(self, operation: str, status: int, seconds: float) -> None:
        self._requests.at(operation=operation, status=f"{status // 100}xx").inc()
        self._seconds.at(operation=operation).observe(seconds)
