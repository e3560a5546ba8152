import PageBridgeTesting
import Testing

@testable import PageBridgeWebKit

@MainActor
@Suite struct DeliveryStateTests {
  @Test func nothingIsUnderWayOnceAllIsAcknowledged() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    page.post("x", to: "log")
    await fixture.relay.settle()
    fixture.relay.advance(by: .seconds(1))
    await fixture.relay.settle()
    let state = await fixture.view.deliveryState
    #expect(state.held == 0 && state.inFlight == 0 && state.waiting == 0 && state.bytes == 0)
    #expect(state.oldestUnacknowledged == nil)
    #expect(state.resumes == 0 && state.gaps == 0 && state.doubles == 0 && state.redeliveries == 0)
  }

  @Test func whatWaitsForACutPageIsToldAndSoIsItsReturn() async throws {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    page.onEvaluate { _ in 1 }
    // The page acknowledges what it was told at its start.
    await fixture.relay.settle()
    fixture.relay.advance(by: .seconds(1))
    await fixture.relay.settle()
    page.cut()
    await fixture.relay.settle()
    var value: Int?
    fixture.view.evaluateJavaScript("1") { result, _ in value = result as? Int }
    let away = await fixture.view.deliveryState
    #expect(away.waiting == 1)
    #expect(away.held == 1)
    #expect(away.bytes > 0)
    #expect(away.inFlight == 0)
    #expect(try #require(away.oldestUnacknowledged) >= .zero)
    page.open()
    await fixture.relay.settle()
    #expect(value == 1)
    let back = await fixture.view.deliveryState
    #expect(back.waiting == 0 && back.resumes == 1)
  }

  @Test func aViewWhoseSessionIsOverHasNothingUnderWay() async {
    let fixture = Fixture()
    await fixture.start()
    _ = await fixture.open()
    let view = fixture.view
    await fixture.host.stop()
    #expect(await view.deliveryState == DeliveryState())
  }
}
