"""Client for Rivulet.

Operations are in ``rivulet_client.generated.api``, a module each with ``sync`` and ``asyncio`` functions; their bodies
and answers are in ``rivulet_client.generated.models``. ``stream`` and ``astream`` follow topics.
"""

from .generated.client import AuthenticatedClient
from .generated.errors import UnexpectedStatus
from .streaming import Event, StreamRefused, astream, stream

__all__ = ["AuthenticatedClient", "Event", "StreamRefused", "UnexpectedStatus", "astream", "stream"]
