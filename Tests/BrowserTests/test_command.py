"""The command as a user starts it: everything in one process, its address, its end, and what it refuses."""

import json
import re
import signal
import subprocess

import pytest

from harness.events import Events
from harness.paths import OUTPUT, REPOSITORY, binary
from harness.player import Player
from harness.processes import PlayerHost, Process
from harness.values import typed
from harness.viewer import Viewer


@pytest.fixture
def command():
    return str(binary("pagebridge", "PAGEBRIDGE_BIN"))


def test_demo_is_relay_and_hosts_in_one_process(command, children, open_window, tmp_path):
    events = Events(tmp_path / "demo.ndjson")
    demo = Process("whole-demo", [command, "demo", "--listen", "127.0.0.1:0", "--events", str(events.path)])
    children.append(demo)
    url = demo.line(r"(http://127\.0\.0\.1:\d+/view/player)\s")[1]
    window = open_window(url, size=(1000, 900))
    window.attached()
    with window.inside():
        window.wait("document.querySelector('.video-container')?.dataset.state === 'playing'")
    # The window is closed first: the end of a relay is an error in its page's console.
    window.close()
    demo.child.send_signal(signal.SIGINT)
    assert demo.child.wait(10) == 0, demo.text()
    assert events.matching(event="connected")


def test_demo_speaks_tls(command, children, open_window, tmp_path):
    """The certificate is one of the test's own, which the tests' browser takes."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=localhost",
            "-addext",
            "subjectAltName=IP:127.0.0.1",
            "-keyout",
            key,
            "-out",
            certificate,
        ],
        check=True,
        capture_output=True,
        timeout=60,
    )
    demo = Process(
        "tls-demo",
        [command, "demo", "--listen", "127.0.0.1:0", "--tls-cert", str(certificate), "--tls-key", str(key)],
    )
    children.append(demo)
    window = open_window(demo.line(r"(https://127\.0\.0\.1:\d+/view/player)\s")[1], size=(1000, 900))
    window.attached()
    with window.inside():
        window.wait("document.querySelector('.video-container')?.dataset.state === 'playing'")
        assert window.value("location.protocol") == "https:"


def test_bare_page_opened_before_its_host_comes_alive(own_relay, children, open_window, tmp_path):
    relay = own_relay()
    window = open_window(f"{relay.http}/pages/player/", size=(400, 800))
    window.wait("document.getElementById('start').dataset.state === 'waiting'")
    children.append(PlayerHost(relay.ws, tmp_path))
    window.wait("document.querySelector('.video-container')?.dataset.state === 'playing'")


@pytest.mark.console("WebSocket connection to", "ERR_", "no connection to", "503", "the host", "MIME type", "its session is over")
def test_viewer_comes_back_when_its_host_is_stopped_and_started(own_relay, children, open_window, tmp_path):

    relay = own_relay()
    first = PlayerHost(relay.ws, tmp_path)
    children.append(first)
    shown = Viewer(open_window, relay, device="phone").ready()
    assert first.stop() == 0
    shown.window.wait("document.querySelector('iframe[name=pagebridge]') === null")
    second = PlayerHost(relay.ws, tmp_path)
    children.append(second)
    shown.ready()
    hello = second.connected()["time"]
    back = second.events.wait(event="open", kind="screen")["time"]
    print(f"the viewer was back {back - hello:.3f} s after the new host's hello")


@pytest.mark.console("WebSocket connection to", "ERR_", "no connection to", "503", "the host", "its session is over")
@pytest.mark.parametrize("ending", ["stop", "kill"])
def test_tab_with_the_hosts_content_comes_back_when_its_host_does(ending, own_relay, children, open_window, tmp_path):
    """The tab's address is content of the host that is gone, so it goes back to the page that it was opened with."""
    relay = own_relay("--host-grace", "1")
    first = PlayerHost(relay.ws, tmp_path)
    children.append(first)
    window = open_window(f"{relay.http}/pages/player/", size=(400, 800))
    window.wait("location.pathname.startsWith('/s/')")
    old = Player(window, first.events, window.session()).playing().session
    getattr(first, ending)()
    window.wait("!location.pathname.startsWith('/s/') || pagebridge.state !== 'attached'")
    second = PlayerHost(relay.ws, tmp_path)
    children.append(second)
    window.wait("location.pathname.startsWith('/s/') && !location.pathname.startsWith('/s/' + arguments[0])", old)
    page = Player(window, second.events, window.session()).playing()
    page.wait_state("isVideoPlayerReady", True)
    hello = second.connected()["time"]
    back = second.events.wait(event="open", kind="page")["time"]
    print(f"the tab was back {back - hello:.3f} s after the new host's hello")


def test_taken_port_gives_one_clear_line(command, relay):
    ended = subprocess.run(
        [command, "serve", "--dev", "--listen", f"127.0.0.1:{relay.port}"],
        capture_output=True,
        text=True,
        timeout=20,
        cwd=REPOSITORY,
        env={"XDG_STATE_HOME": str(OUTPUT / "state"), "PATH": "/usr/bin:/bin"},
    )
    assert ended.returncode != 0
    lines = (ended.stdout + ended.stderr).strip().splitlines()
    assert len(lines) == 1 and str(relay.port) in lines[0], lines


def test_serve_without_dev_refuses_and_says_why(command):
    ended = subprocess.run(
        [command, "serve", "--listen", "127.0.0.1:0"], capture_output=True, text=True, timeout=20, cwd=REPOSITORY
    )
    assert ended.returncode != 0
    assert "--dev" in ended.stderr


@pytest.mark.console("WebSocket connection to", "ERR_", "no connection to")
def test_relay_ends_within_five_seconds_and_says_goodbye(own_relay, probe, put, open_window):
    relay = own_relay()
    host = probe(handlers=["iOSNative"], at=relay.ws)
    window = open_window(
        put("const post = (body) => webkit.messageHandlers.iOSNative.postMessage(body);", through=relay.http)
    )
    window.attached()
    window.js("post('last words')")
    # What was on its way arrives; then the process ends.
    assert relay.stop(timeout=6) == 0
    assert host.received("iOSNative")["body"] == typed("last words")
    host.events.wait(event="disconnected", code=1001)


def test_two_threads_serve_apps_side_by_side(own_relay, probe, put, open_window, app):
    relay = own_relay("--threads", "2")
    script = "const post = (body) => webkit.messageHandlers.iOSNative.postMessage(body);"
    for number in range(4):
        name = f"threads-{number}"
        host = probe(handlers=["iOSNative"], at=relay.ws, name=name)
        window = open_window(put(script, path=f"-{number}", name=name, through=relay.http))
        window.attached()
        window.js("post(arguments[0])", number)
        assert host.received("iOSNative")["body"] == typed(number)
        assert host.evaluate("document.title") == typed(name)


def test_video_of_a_local_file_can_be_sought(probe, put, open_window, tmp_path):
    """A browser seeks by byte ranges, which the relay makes of the host's content."""
    host = probe(handlers=["iOSNative"])
    (tmp_path / "clip.webm").write_bytes((REPOSITORY / "web/pages/player/match.webm").read_bytes())
    (tmp_path / "index.html").write_text("<!DOCTYPE html><video id=v src='clip.webm' muted preload=auto></video>")
    window = open_window(put())
    window.attached()
    host.do("loadFile", path=str(tmp_path / "index.html"), readAccess=str(tmp_path))
    window.wait("document.getElementById('v')?.readyState >= 1")
    answer = window.promise(
        "fetch('clip.webm', {headers: {Range: 'bytes=100-199'}}).then(async (answer) =>"
        " [answer.status, answer.headers.get('Content-Range'), (await answer.arrayBuffer()).byteLength])"
    )
    size = (tmp_path / "clip.webm").stat().st_size
    assert answer == [206, f"bytes 100-199/{size}", 100]
    middle = window.value("document.getElementById('v').duration / 2")
    window.js("document.getElementById('v').currentTime = arguments[0]", middle)
    window.wait("!document.getElementById('v').seeking && document.getElementById('v').readyState >= 2")
    assert abs(window.value("document.getElementById('v').currentTime") - middle) < 0.5


def test_player_survives_a_closed_and_opened_window(player_host, relay, open_window):
    """Each visitor has a player of its own."""
    sessions = set()
    for _ in range(2):
        window = open_window(f"{relay.http}/pages/player/", size=(400, 800))
        window.wait("location.pathname.startsWith('/s/')")
        sessions.add(Player(window, player_host.events, window.session()).playing().session)
        window.close()
    assert len(sessions) == 2


def test_a_large_cookie_is_no_obstacle(relay, player_host, open_window):
    window = open_window(f"{relay.http}/bridge.d.ts", size=(400, 800))
    try:
        window.js("for (let i = 0; i < 3; i++) document.cookie = `big${i}=${'x'.repeat(3900)}; path=/`")
        window.go(f"{relay.http}/pages/player/")
        window.wait("document.querySelector('.video-container')?.dataset.state === 'playing'")
        assert re.search(r"big2=x{3900}", window.value("document.cookie"))
    finally:
        window.js("for (let i = 0; i < 3; i++) document.cookie = `big${i}=; path=/; max-age=0`")


def test_load_puts_a_relay_of_another_make_to_the_test(command, children, tmp_path):
    relay = Process("byte-relay", [str(binary("ByteRelay", "BYTERELAY_BIN"))])
    children.append(relay)
    port = relay.line(r"^(\d+)$")[1]
    figures = tmp_path / "figures.json"
    run = subprocess.run(
        [
            command, "load", "--pages=20", "--seconds=1", "--size=3,126,4000,70000", f"--json={figures}",
            f"--report={tmp_path / 'report.html'}", f"--foreign-page-url=ws://127.0.0.1:{port}/pair/{{index}}/page",
            f"--foreign-host-url=ws://127.0.0.1:{port}/pair/{{index}}/host",
        ],
        capture_output=True, text=True, timeout=60,
    )
    assert run.returncode == 0, run.stderr + run.stdout
    report = json.loads(figures.read_text())
    assert report["messages"] > 20 and report["lost"] == report["corrupted"] == 0
    assert "<svg" in (tmp_path / "report.html").read_text()


@pytest.mark.parametrize("mode", ["echo", "flood", "evaluate", "mix"])
def test_load_is_shared_by_processes(command, tmp_path, mode):
    figures = tmp_path / "figures.json"
    run = subprocess.run(
        [command, "load", "--processes=3", "--pages=20", "--seconds=1", f"--mode={mode}", "--cuts=5", "--churn=5",
         f"--json={figures}"],
        capture_output=True, text=True, timeout=60,
    )
    assert run.returncode == 0, run.stderr + run.stdout
    report = json.loads(figures.read_text())
    assert report["pages"] == 20 and report["messages"] > 20 and report["lost"] == report["corrupted"] == 0


@pytest.mark.parametrize("processes", [1, 2])
def test_load_prints_what_it_has_when_it_is_interrupted(command, processes):
    run = subprocess.Popen(
        [command, "load", "--pages=5", "--seconds=600", f"--processes={processes}"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert "traffic" in run.stderr.readline() or "traffic" in run.stderr.readline()
    run.send_signal(signal.SIGINT)
    report, _ = run.communicate(timeout=30)
    assert run.returncode == 0, report
    assert "interrupted" in report and "Every message arrived once" in report


def test_load_says_what_it_cannot_do(command, tmp_path):
    (tmp_path / "bad.jsonl").write_text('{"a":1}\nnot json\n')
    run = subprocess.run([command, "load", f"--messages={tmp_path / 'bad.jsonl'}"], capture_output=True, text=True, timeout=30)
    assert run.returncode != 0 and "line 2" in run.stderr and "bad.jsonl" in run.stderr
    run = subprocess.run([command, "load", "--foreign-page-url=ws://h/"], capture_output=True, text=True, timeout=30)
    assert run.returncode == 2 and "--foreign-host-url" in run.stderr
