import Foundation

extension LoadReport {
  /// The report as one page that needs nothing else: figures, the histogram of round trips, and what each second saw.
  public var html: String {
    """
    <!doctype html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>PageBridge load: \(mode), \(pages) pages</title>
    <style>\(LoadReportStyle.css)</style>
    <main>
    <header>
    <h1>\(mode) <small>\(LoadFormat.grouped(pages)) pages on \(LoadFormat.grouped(hosts)) host\(hosts == 1 ? "" : "s"), \
    \(LoadFormat.number(seconds, 1)) s</small></h1>
    <p class="\(isClean ? "good" : "bad")">\(verdict)</p>
    </header>
    <section class="figures">\(figures)</section>
    \(roundTripSection)
    \(timeSection("Messages a second", samples.map(\.messagesPerSecond), LoadFormat.count))
    \(timeSection("Round trip, p50 and p99", samples.map(\.p50Microseconds), LoadFormat.time, second: samples.map(\.p99Microseconds)))
    \(usageSections)
    </main>
    </html>

    """
  }

  private var verdict: String {
    isClean
      ? "Every message arrived once, in order and intact."
        + (isInterrupted ? " The run was interrupted." : "")
      : "Messages did not arrive as they were sent."
  }

  private var figures: String {
    var figures: [(name: String, value: String)] = [
      ("messages", LoadFormat.grouped(messages)), ("a second", LoadFormat.count(messagesPerSecond)),
    ]
    if roundTrip.count > 0 {
      figures += [
        ("p50", LoadFormat.time(roundTrip.p50)), ("p90", LoadFormat.time(roundTrip.p90)),
        ("p99", LoadFormat.time(roundTrip.p99)), ("p99.9", LoadFormat.time(roundTrip.p999)),
        ("max", LoadFormat.time(roundTrip.max)),
      ]
    }
    figures += [
      ("lost", String(lost)), ("doubled", String(doubled)), ("reordered", String(reordered)),
      ("corrupted", String(corrupted)), ("disconnects", String(disconnects)),
    ]
    if cuts > 0 { figures += [("cuts", LoadFormat.grouped(cuts)), ("resumed", LoadFormat.grouped(resumes))] }
    if replacedPages > 0 { figures.append(("pages replaced", LoadFormat.grouped(replacedPages))) }
    if skipped > 0 { figures.append(("skipped", LoadFormat.grouped(skipped))) }
    figures.append(("connected in", "\(LoadFormat.number(connectSeconds, 2)) s"))
    if let usage {
      figures += [
        ("processor time a message", "\(LoadFormat.number(usage.cpuMicrosecondsPerMessage, 2)) us"),
        ("resident, at most", LoadFormat.bytes(Double(usage.residentBytesMaximum))),
      ]
    }
    return figures.map { "<div><b>\($0.value)</b><span>\($0.name)</span></div>" }.joined()
  }

  private var roundTripSection: String {
    guard roundTrip.count > 0 else { return "" }
    let marks = [("p50", roundTrip.p50), ("p99", roundTrip.p99), ("p99.9", roundTrip.p999)]
    return "<section><h2>Round trips</h2>" + LoadChart.histogram(histogram, marks: marks) + "</section>"
  }

  private var usageSections: String {
    guard usage != nil else { return "" }
    return timeSection(
      "Processor of the watched process, cores", samples.map { $0.cpu ?? 0 }, { LoadFormat.number($0, 2) })
      + timeSection(
        "Resident memory of the watched process", samples.map { Double($0.residentBytes ?? 0) },
        LoadFormat.bytes)
  }

  private func timeSection(
    _ title: String, _ values: [Double], _ format: (Double) -> String, second: [Double] = []
  ) -> String {
    guard values.count > 1, (values + second).contains(where: { $0 > 0 }) else { return "" }
    let chart = LoadChart.lines(
      seconds: samples.map(\.second), second.isEmpty ? [values] : [values, second], format)
    return "<section><h2>\(title)</h2>\(chart)</section>"
  }
}

/// Charts as inline SVG.
enum LoadChart {
  private static let width = 920.0
  private static let height = 220.0
  private static let left = 72.0
  private static let bottom = 28.0
  private static let top = 24.0

  /// Counts over the logarithm of the time.
  static func histogram(
    _ buckets: [LoadReport.Bucket], marks: [(name: String, microseconds: Double)]
  ) -> String {
    guard let first = buckets.first, let last = buckets.last else { return "" }
    let low = log10(max(first.microseconds * 0.9, 0.1))
    let high = max(log10(last.microseconds * 1.1), low + 0.1)
    func x(_ microseconds: Double) -> Double {
      left + (log10(max(microseconds, 0.1)) - low) / (high - low) * (width - left - 8)
    }
    // Neighbouring buckets are joined to columns of some pixels.
    let columnWidth = 6.0
    var columns: [Int: UInt64] = [:]
    for bucket in buckets {
      columns[Int((x(bucket.microseconds) - left) / columnWidth), default: 0] += bucket.count
    }
    let most = Double(columns.values.max() ?? 1)
    var body = axis(most) { LoadFormat.count($0) }
    for (column, count) in columns.sorted(by: { $0.key < $1.key }) {
      let size = max(1, Double(count) / most * (height - bottom - top))
      body +=
        "<rect class=\"bar\" x=\"\(text(left + Double(column) * columnWidth))\" y=\"\(text(height - bottom - size))\""
        + " width=\"\(text(columnWidth - 1))\" height=\"\(text(size))\"><title>\(LoadFormat.grouped(count))</title></rect>"
    }
    for power in Int(low.rounded(.up))...max(Int(low.rounded(.up)), Int(high.rounded(.down))) {
      let place = x(pow(10, Double(power)))
      body += label(place, height - 8, LoadFormat.time(pow(10, Double(power))))
    }
    for (index, mark) in marks.enumerated() {
      let place = text(x(mark.microseconds))
      body +=
        "<line class=\"mark\" x1=\"\(place)\" x2=\"\(place)\" y1=\"\(text(top))\" y2=\"\(text(height - bottom))\"/>"
      body += label(x(mark.microseconds), index % 2 == 0 ? 11 : 21, mark.name)
    }
    return svg(body)
  }

  /// One or two lines over the seconds of a run.
  static func lines(seconds: [Double], _ series: [[Double]], _ format: (Double) -> String) -> String {
    let most = max(series.joined().max() ?? 1, 1e-9)
    let end = max(seconds.last ?? 1, 1e-9)
    var body = axis(most, format)
    for (index, values) in series.enumerated() {
      let points = zip(seconds, values).map { second, value in
        let x = left + second / end * (width - left - 8)
        let y = height - bottom - value / most * (height - bottom - top)
        return "\(text(x)),\(text(y))"
      }
      body += "<polyline class=\"line\(index)\" points=\"\(points.joined(separator: " "))\"/>"
    }
    for share in [0.0, 0.5, 1.0] {
      body += label(left + share * (width - left - 24), height - 8, "\(LoadFormat.number(end * share, 0)) s")
    }
    return svg(body)
  }

  private static func axis(_ most: Double, _ format: (Double) -> String) -> String {
    [0.0, 0.5, 1.0].map { share in
      let y = height - bottom - share * (height - bottom - top)
      return
        "<line class=\"grid\" x1=\"\(text(left))\" x2=\"\(text(width - 8))\" y1=\"\(text(y))\" y2=\"\(text(y))\"/>"
        + "<text class=\"value\" x=\"\(text(left - 8))\" y=\"\(text(y + 4))\">\(format(most * share))</text>"
    }.joined()
  }

  private static func label(_ x: Double, _ y: Double, _ name: String) -> String {
    "<text class=\"label\" x=\"\(text(x))\" y=\"\(text(y))\">\(name)</text>"
  }

  private static func svg(_ body: String) -> String {
    "<svg viewBox=\"0 0 \(text(width)) \(text(height))\" role=\"img\">\(body)</svg>"
  }

  private static func text(_ value: Double) -> String { LoadFormat.number(value, 1) }
}

/// How a report looks.
enum LoadReportStyle {
  static let css = """
    :root{color-scheme:light dark;--ink:#1c1e21;--dim:#5c6370;--line:#d9dce1;--ground:#f6f7f9;--card:#fff;--accent:#2f6fde;\
    --second:#b4541f;--good:#1a7f4b;--bad:#b3261e}
    @media(prefers-color-scheme:dark){:root{--ink:#e8eaed;--dim:#a0a7b4;--line:#363b44;--ground:#15171b;--card:#1e2126;\
    --accent:#7aa7f7;--second:#e59563;--good:#5fc68f;--bad:#f2837b}}
    body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
    main{max-width:984px;margin:0 auto;padding:32px 16px}
    h1{font-size:28px;margin:0}h1 small{font-size:16px;font-weight:400;color:var(--dim)}
    h2{font-size:15px;margin:0 0 8px}
    .good{color:var(--good)}.bad{color:var(--bad)}header p{margin:8px 0 24px;font-weight:600}
    section{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:16px;margin:0 0 16px}
    .figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(128px,1fr));gap:16px}
    .figures b{display:block;font-size:20px;font-variant-numeric:tabular-nums}.figures span{color:var(--dim);font-size:13px}
    svg{width:100%;height:auto;display:block}text{fill:var(--dim);font-size:12px}
    .value{text-anchor:end}.label{text-anchor:middle}.grid{stroke:var(--line)}.bar{fill:var(--accent)}
    .mark{stroke:var(--second);stroke-dasharray:4 4}
    polyline{fill:none;stroke-width:2;stroke-linejoin:round}.line0{stroke:var(--accent)}.line1{stroke:var(--second)}
    """
}
