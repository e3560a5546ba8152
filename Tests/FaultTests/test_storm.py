"""The short storm of continuous integration; `deploy/faults.sh` runs long ones."""

from kit.storm import Plan, Storm


def test_storm_loses_doubles_and_reorders_nothing(tmp_path, record_property):
    figures = Storm(Plan(seconds=45, seed=20), tmp_path).run()
    record_property("figures", figures)
    assert figures["relayKills"] == 3 and figures["hostRestarts"] == 2 and figures["reloads"] >= 3
    assert sum(figures["faults"].values()) >= 20
