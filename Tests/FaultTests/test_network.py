"""A network that loses and delays packets, where the machine can make one."""

import os
import subprocess
import uuid
from pathlib import Path

import pytest

from harness.processes import Relay
from kit.load import Load, clean


def run(*command: str) -> subprocess.CompletedProcess:
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture
def lossy(request):
    """The name of a network namespace whose loopback loses and delays as asked; skipped where that cannot be."""
    if os.geteuid() != 0:
        pytest.skip("network namespaces need root")
    if not Path("/usr/sbin/ip").exists() or not Path("/usr/sbin/tc").exists():
        pytest.skip("the package iproute2 is not installed")
    name = f"pagebridge-{uuid.uuid4().hex[:8]}"
    made = run("/usr/sbin/ip", "netns", "add", name)
    if made.returncode:
        pytest.skip(f"no network namespace here: {made.stderr.strip()}")
    try:
        run("/usr/sbin/ip", "-n", name, "link", "set", "lo", "up")
        shaped = run("/usr/sbin/tc", "-n", name, "qdisc", "add", "dev", "lo", "root", "netem", *request.param.split())
        if shaped.returncode:
            pytest.skip(f"the kernel has no netem: {shaped.stderr.strip()}")
        yield name
    finally:
        run("/usr/sbin/ip", "netns", "delete", name)


@pytest.mark.parametrize("lossy", ["delay 40ms 20ms loss 3%", "delay 5ms reorder 25% duplicate 5%"], indirect=True)
def test_loss_and_delay_cost_time_and_nothing_else(lossy, tmp_path):
    inside = ("/usr/sbin/ip", "netns", "exec", lossy)
    relay = Relay(state=tmp_path / "state", prefix=inside)
    load = None
    try:
        load = Load(
            relay.ws, tmp_path, "--pages", "50", "--mode", "rate", "--rate", "200", "--size", "40,900,70000",
            "--seconds", "10", "--cuts", "2", "--drain", "60", prefix=inside,
        )  # fmt: skip
        clean(load.report(150))
    finally:
        if load:
            load.kill()
        relay.kill()
