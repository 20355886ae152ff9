// What archives of all providers are read into: conversations, and items that are worth a memory or a fact.
import type { ImportItemKind, ImportSourceProvider, LinkType, MemoryType, Provenance } from '../contract/enums.ts';

export interface ParsedMessage {
  /** `user`, `assistant`, `tool` or `system`. */
  role: string;
  content: string;
  modelId: string | null;
  sentAt: Date | null;
  /** All that our own format says of it, for a chat that is restored. */
  whole?: Readonly<Record<string, unknown>>;
}

export interface ParsedConversation {
  kind: 'conversation';
  /** Its id with the provider; the same conversation of a later export has it again. */
  sourceId: string;
  title: string | null;
  messages: readonly ParsedMessage[];
  /** False for what was left behind, such as the branches that an edit makes: a person has to include it. */
  wanted: boolean;
  startedAt: Date | null;
  endedAt: Date | null;
  /** What our own format says of the chat besides its messages. */
  session?: Readonly<Record<string, unknown>>;
}

/** A text about the person or their work that stands by itself: a memory or a fact. */
export interface ParsedItem {
  kind: ImportItemKind;
  /** Of facts. */
  key: string | null;
  title: string | null;
  content: string;
  category: string | null;
  /** 1 to 10. */
  importance: number;
  /** 0 to 1. */
  confidence: number;
  /** Of facts. */
  isCritical?: boolean;
  /** Its id in the document, by which links name it. */
  ref?: string;
  carried?: CarriedMemory;
  /** What our own format says it is, for who restores it as that: a rule, a document, a hint … */
  whole?: Whole;
  /** The document is no memory; only a restore brings it back. */
  restoreOnly?: boolean;
}

/** An entry of our own portable format, as it stands there. */
export interface Whole {
  kind: string;
  data: Readonly<Record<string, unknown>>;
}

/** What our own portable format says of a memory besides its text. */
export interface CarriedMemory {
  type: MemoryType;
  provenance: Provenance;
  isPinned: boolean;
  isShared: boolean;
  tags: string[];
  /** The conversation belongs to no project. */
  isOutside: boolean;
  /** The key of its project. */
  project: string | null;
  accessCount: number;
  readByOthersCount: number;
  lastAccessedAt: Date | null;
  isArchived: boolean;
  archivedReason: string | null;
}

/** A link between two memories of the document, by their ids there. */
export interface ParsedLink {
  kind: 'link';
  from: string;
  to: string;
  type: LinkType;
  strength: number;
  coActivationCount: number;
}

/** Something that was not read, and why. */
export interface Skipped {
  kind: 'skipped';
  reason: string;
  where: string;
}

export type Parsed = ParsedConversation | ParsedItem | ParsedLink | Skipped;

/** A part of a file: an element of its list, a value of its object by its name, or the object itself at its end. */
export interface Piece {
  /** Name of the list in the file's object; null for elements of a file that is a list; `$` for the object's other values. */
  key: string | null;
  value: unknown;
}

/** One file while it is read. */
export interface FileReading {
  read(piece: Piece): Iterable<Parsed>;
  /** What is known only when the whole file was seen. */
  end?(): Iterable<Parsed>;
}

/**
 * A message that was read as soon as its JSON had ended, while its conversation still comes: what JSON says of a message
 * takes several times the memory of what is kept of it.
 */
export class ReadMessage {
  readonly format: string;
  readonly id: string | null;
  readonly parentId: string | null;
  readonly message: ParsedMessage | null;
  /** What else the provider says there. */
  readonly items: readonly ParsedItem[];

  constructor(
    format: string,
    of: Pick<ReadMessage, 'id' | 'parentId' | 'message'> & { items?: readonly ParsedItem[] },
  ) {
    this.format = format;
    this.id = of.id;
    this.parentId = of.parentId;
    this.message = of.message;
    this.items = of.items ?? [];
  }
}

/** A provider's format: which pieces are its own, and what they say. */
export interface Format {
  provider: ImportSourceProvider;
  /** As `detectedFormat` shows it, e.g. `chatgpt-json`. */
  name: string;
  takes(piece: Piece): boolean;
  open(file: { name: string }): FileReading;
  /** How messages of its conversations are read one by one; null for what is not surely its own. */
  messages?: { list: string; read(value: Readonly<Record<string, unknown>>): ReadMessage | null };
}
