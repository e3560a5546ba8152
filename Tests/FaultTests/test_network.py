"""A network that loses and delays packets: the kernel's own where the machine can make one, and the kit's proxy everywhere."""

import os
import subprocess
import uuid
from pathlib import Path

import pytest

from harness.processes import Relay
from kit.load import Load, clean
from kit.proxy import Weather


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


@pytest.mark.parametrize(
    "weather",
    [
        Weather(delay=0.04, jitter=0.02, losses=33, again=0.25),
        Weather(delay=0.005, jitter=0.2, losses=10, again=0.6),
        Weather(delay=0.02, rate=1_500_000),
    ],
    ids=["late and lossy", "shaken", "narrow"],
)
def test_a_bad_line_costs_time_and_nothing_else(relay, line, load, weather):
    """Delay, jitter and pauses such as lost packets make, and a line that is narrow, with cuts on top of it all."""
    proxy = line(relay.port, weather=weather)
    pages = load(
        proxy.ws, "--pages", "40", "--mode", "rate", "--rate", "40", "--size", "40,900,70000", "--seconds", "8",
        "--cuts", "2", "--drain", "100",
    )  # fmt: skip
    report = pages.report(200)
    clean(report)
    assert report["cuts"] > 0 and report["resumes"] > 0
    # There and back through the proxy, twice: to the relay and on to the host, which is behind it, too.
    assert report["roundTrip"]["p50"] >= 4 * weather.delay * 1e6
