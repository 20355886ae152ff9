// Limits of archives: generous for what people have, and far below what would hurt the server.

export const limits = {
  /** Files of an archive with those of the archives in it. */
  entries: 100_000,
  /** Archives in archives: providers split exports into several, in one more. */
  nesting: 1,
  /** Bytes that an archive may unpack to, media with it. */
  totalBytes: 12 * 1024 ** 3,
  /** Bytes that are unpacked and read. */
  readBytes: 6 * 1024 ** 3,
  /** Times that a file may be larger than it is packed, from `ratioFromBytes` on. Texts reach 10 to 30. */
  ratio: 200,
  ratioFromBytes: 16 * 1024 * 1024,
  /** Lists and objects within each other. */
  jsonDepth: 100,
  /** Bytes of one text of a JSON file. */
  jsonTextBytes: 16 * 1024 * 1024,
  /** Bytes of one conversation in a JSON file; a larger one is skipped. */
  pieceBytes: 48 * 1024 * 1024,
  /** Characters of one message. */
  messageLength: 200_000,
  /** Characters that the messages of one conversation may have together. */
  conversationLength: 24_000_000,
  titleLength: 300,
} as const;
