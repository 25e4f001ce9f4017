"""The browser bridge as a state machine: attach, offer, acknowledge, answer, expire.

Events and two clock readings go in, replies come out; sockets, tasks and randomness belong to
the shell that drives it.
"""

from bridge.broker.broker import Broker
from bridge.broker.snapshot import BrokerSnapshot

__all__ = ["Broker", "BrokerSnapshot"]
