/// A photo of a document.
public struct DocumentCaptureResult: Hashable, Sendable {
  /// The picture, in base64.
  public var imageData: String
  /// In pixels.
  public var width: Int
  /// In pixels.
  public var height: Int
  /// Such as `image/jpeg`.
  public var mimeType: String

  /// Makes a result.
  public init(imageData: String, width: Int, height: Int, mimeType: String) {
    self.imageData = imageData
    self.width = width
    self.height = height
    self.mimeType = mimeType
  }

  var data: [String: JSONValue] {
    [
      "imageData": .string(imageData), "width": .number(Double(width)), "height": .number(Double(height)),
      "mimeType": .string(mimeType),
    ]
  }
}

/// A photo of a face.
public struct SelfieCaptureResult: Hashable, Sendable {
  /// A picture to show, in base64.
  public var previewImageData: String
  /// In pixels.
  public var width: Int
  /// In pixels.
  public var height: Int
  /// Such as `image/jpeg`.
  public var mimeType: String
  /// What the service takes that must not be read on the way, in base64; nil for none.
  public var encryptedBlob: String?
  /// What the service takes as it is, in base64; nil for none.
  public var unencryptedBlob: String?

  /// Makes a result.
  public init(
    previewImageData: String, width: Int, height: Int, mimeType: String, encryptedBlob: String? = nil,
    unencryptedBlob: String? = nil
  ) {
    self.previewImageData = previewImageData
    self.width = width
    self.height = height
    self.mimeType = mimeType
    self.encryptedBlob = encryptedBlob
    self.unencryptedBlob = unencryptedBlob
  }

  var data: [String: JSONValue] {
    var data: [String: JSONValue] = [
      "previewImageData": .string(previewImageData), "width": .number(Double(width)),
      "height": .number(Double(height)), "mimeType": .string(mimeType),
    ]
    if let encryptedBlob { data["encryptedBlob"] = .string(encryptedBlob) }
    if let unencryptedBlob { data["unencryptedBlob"] = .string(unencryptedBlob) }
    return data
  }
}

/// How a capture ended.
public enum CaptureResult: Hashable, Sendable {
  /// A picture of a document was taken.
  case document(DocumentCaptureResult)
  /// A picture of the user's face was taken.
  case selfie(SelfieCaptureResult)
  /// The user did not want to, or the screen was dismissed.
  case cancelled(reason: String)
  /// It could not be done: a refused permission, for instance.
  case failed(BridgeError)
}
