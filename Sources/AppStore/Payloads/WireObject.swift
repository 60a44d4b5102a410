/// An object of Apple's, read by the names of its members. ``PayloadDecoder`` reads it without building anything in between.
protocol WireObject: Codable {}
