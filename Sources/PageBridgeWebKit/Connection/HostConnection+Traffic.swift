import BridgeProtocol
import Foundation

extension HostConnection {
  /// Notes what crosses the bridge of a view that a viewer shows.
  func note(
    _ direction: TrafficLog.Direction, name: String, kind: String, body: some Collection<UInt8>,
    _ record: SessionRecord
  ) {
    guard let screen = record.screen, let viewer = sessions[screen] else { return }
    let time = Int(Date().timeIntervalSince1970 * 1_000)
    viewer.traffic.note(direction, name: name, kind: kind, body: body, time: time)
    if viewer.traffic.hasUnsent { talkativeScreens.insert(screen) }
  }

  /// Tells viewers what crossed, as long as they keep up; what they miss meanwhile is gathered for their next message.
  func tellTraffic() {
    for screen in talkativeScreens {
      guard let viewer = sessions[screen], viewer.traffic.hasUnsent else {
        talkativeScreens.remove(screen)
        continue
      }
      guard viewer.channel.isAttached, viewer.channel.isDrained else { continue }
      talkativeScreens.remove(screen)
      notify(viewer, method: "screen", viewer.traffic.takeUnsent())
    }
  }

  /// A viewer's new document is told everything that is kept.
  func retellTraffic(_ record: SessionRecord) {
    record.traffic.resend()
    if record.traffic.hasUnsent { talkativeScreens.insert(record.channel.session) }
  }
}
