import Foundation
import Synchronization
import Testing

@testable import WebSocketTransport

@Suite(.serialized) struct LibraryLogTests {
  @Test func theLibrarysLogCallsEndInThisProgram() throws {
    let path = try #require(libraryPath)
    let library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD)
    defer { if let library { dlclose(library) } }
    let librarys = try #require(dlsym(library, "_lws_log"))
    let found = try #require(dlsym(nil, "_lws_log"))
    #expect(found != librarys)
  }

  @Test func errorsAreToldAndFurtherLevelsAreNot() throws {
    LibraryLog.start()
    let lines = Mutex<[String]>([])
    LibraryLog.receive { line in lines.withLock { $0.append(line) } }
    defer { LibraryLog.receive(nil) }
    // As the library calls it; a text without conversions needs no arguments.
    typealias Log = @convention(c) (CInt, UnsafePointer<CChar>) -> Void
    let log = unsafeBitCast(try #require(dlsym(nil, "_lws_log")), to: Log.self)
    let (error, notice): (CInt, CInt) = (1, 4)
    log(error, "told\n")
    log(notice, "not told\n")
    #expect(lines.withLock { $0.filter { $0.hasSuffix("told") } } == ["told"])
  }

  /// The file of libwebsockets in this process.
  private var libraryPath: String? {
    // The system gives it in pieces.
    let maps = String(
      decoding: (try? FileHandle(forReadingAtPath: "/proc/self/maps")?.readToEnd()) ?? Data(), as: UTF8.self)
    let line = maps.split(separator: "\n").first { $0.contains("/libwebsockets.so") }
    return line?.split(separator: " ", omittingEmptySubsequences: true).last.map(String.init)
  }
}
