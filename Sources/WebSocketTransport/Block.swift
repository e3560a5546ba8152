import Glibc

/// A piece of memory that holds finished frames on their way out, on loan from a ``BlockPool``.
///
/// The header lies in front of its own bytes. Blocks belong to one thread.
package struct Block {
  /// Bytes that a block holds: more than the largest accepted message with its frame and its wrapper.
  package static let capacity = 96 * 1_024
  /// Room in front of an assembled message for the longest frame header that a server writes.
  package static let frameHeaderRoom = 10

  var next: UnsafeMutablePointer<Block>?
  /// Offset of the first byte that is not yet sent.
  package var start = 0
  /// Offset behind the last byte.
  package var end = 0
  /// Whose bytes these are, where that is kept; see ``SocketState/waitingBytes``.
  var shares: UnsafeMutablePointer<BlockShare>?
  var shareCount = 0
  var shareCapacity = 0
}

/// How many of a block's bytes came from one sender.
struct BlockShare {
  var sender: Socket?
  var bytes: Int
}

extension UnsafeMutablePointer where Pointee == Block {
  private static var headerBytes: Int { 64 }

  static func allocateBlock() -> UnsafeMutablePointer<Block> {
    let raw = UnsafeMutableRawPointer.allocate(byteCount: headerBytes + Block.capacity, alignment: 64)
    let block = raw.bindMemory(to: Block.self, capacity: 1)
    block.initialize(to: Block())
    return block
  }

  func deallocateBlock() {
    pointee.shares?.deallocate()
    UnsafeMutableRawPointer(self).deallocate()
  }

  /// The block's bytes, from offset 0.
  package var bytes: UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(self) + Self.headerBytes
  }

  /// Bytes that still fit behind the end.
  package var room: Int { Block.capacity - pointee.end }

  /// Notes that the sender put that many bytes into the block.
  func addShare(_ sender: Socket, bytes: Int) {
    if pointee.shareCount > 0, let shares = pointee.shares, shares[pointee.shareCount - 1].sender == sender {
      shares[pointee.shareCount - 1].bytes += bytes
      return
    }
    if pointee.shareCount == pointee.shareCapacity {
      let capacity = Swift.max(64, pointee.shareCapacity * 2)
      let grown = UnsafeMutablePointer<BlockShare>.allocate(capacity: capacity)
      if let old = pointee.shares {
        grown.moveInitialize(from: old, count: pointee.shareCount)
        old.deallocate()
      }
      pointee.shares = grown
      pointee.shareCapacity = capacity
    }
    pointee.shares.unsafelyUnwrapped.advanced(by: pointee.shareCount)
      .initialize(to: BlockShare(sender: sender, bytes: bytes))
    pointee.shareCount += 1
  }
}

/// Blocks that nobody uses at the moment; the one given back last is lent first, since it is still in the cache.
struct BlockPool {
  /// How many unused blocks are kept; more are given back to the system.
  static let maxSpareBlocks = 64

  private var spare: UnsafeMutablePointer<Block>?
  private var spareCount = 0
  /// Blocks on loan.
  private(set) var lentCount = 0

  mutating func lend() -> UnsafeMutablePointer<Block> {
    lentCount += 1
    guard let block = spare else { return .allocateBlock() }
    spare = block.pointee.next
    spareCount -= 1
    block.pointee.next = nil
    return block
  }

  mutating func takeBack(_ block: UnsafeMutablePointer<Block>) {
    lentCount -= 1
    guard spareCount < Self.maxSpareBlocks else {
      block.deallocateBlock()
      return
    }
    block.pointee.start = 0
    block.pointee.end = 0
    block.pointee.shareCount = 0
    block.pointee.next = spare
    spare = block
    spareCount += 1
  }

  mutating func deallocate() {
    while let block = spare {
      spare = block.pointee.next
      block.deallocateBlock()
    }
    spareCount = 0
  }
}
