// Limits of archives: generous for what people have, and far below what would hurt the server.

export const limits = {
  /** Files of an archive with those of the archives in it. */
  entries: 100_000,
  /** Characters of a name of a file, its folders with it. */
  nameLength: 4096,
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
  /** Bytes of memory that one conversation of a file may take while it is read, about; a larger one is skipped. */
  pieceWeight: 64 * 1024 * 1024,
  /** Elements of a page within each other, and characters between two of them or in one cell. */
  htmlDepth: 500,
  htmlTextLength: 1_000_000,
  /** Bytes of one row of a table. */
  rowBytes: 4 * 1024 * 1024,
  /** Characters of one message. */
  messageLength: 200_000,
  /** Characters that the messages of one conversation may have together. */
  conversationLength: 24_000_000,
  titleLength: 300,
} as const;
