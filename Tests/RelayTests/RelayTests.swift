import Testing

/// Tests of a whole relay by sockets.
///
/// They wait by blocking their thread, so they run one after the other.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct RelayTests {}
