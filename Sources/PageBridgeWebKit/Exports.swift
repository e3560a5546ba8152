// Code written for WebKit finds `URLRequest` and the other types of requests without further imports.
@_exported import BridgeProtocol
@_exported import Foundation
@_exported import FoundationNetworking
