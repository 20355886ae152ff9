// Builds JSON values out of tokens, held to limits: the elements of a file's large lists are handed out one by one.
import { TokenType } from '@streamparser/json';
import { broken } from './broken.ts';
import { limits } from './limits.ts';
import type { Piece, ReadMessage } from './shapes.ts';

/** Lists of a file's object whose elements are read one by one; its other values are read together. */
const streamed = new Set(['conversations', 'messages', 'memories', 'atoms', 'artifacts']);

/** Stands for a value that was too large to be read. */
export const tooLarge = Symbol('too large');

type Dict = Record<string, unknown>;
type Expects = 'value' | 'first-value' | 'key' | 'first-key' | 'colon' | 'next' | 'end';

interface Frame {
  /** Null for the list whose elements are handed out. */
  list: unknown[] | null;
  dict: Dict | null;
  key: string;
  expects: Expects;
  /** Name of the pieces that it hands out; undefined where it is built. */
  hands?: string | null | undefined;
  /** Name of a list or object of a piece itself, whose values may be messages. */
  messages: string | null;
  /** Weight of the piece when it began. */
  began: number;
}

interface Token {
  token: TokenType;
  value?: unknown;
}

/** Reads a value of a list of a conversation as a message; null where it is none. */
export type ReadOne = (list: string, value: Dict) => ReadMessage | null;

/** Bytes of memory that a list, an object, a value and a message take besides their texts, about. */
const weights = { frame: 100, value: 24, message: 300 };
const wide = /[\u0100-\uffff]/;
const weightOf = (value: unknown): number =>
  weights.value + (typeof value === 'string' ? value.length * (wide.test(value) ? 2 : 1) : 0);

/** Takes tokens one by one. Every method: @throws Fault VALIDATION_FAILED for no JSON, and for what is made to hurt. */
export class JsonBuilder {
  readonly #emit: (piece: Piece) => void;
  readonly #readOne: ReadOne;
  readonly #stack: Frame[] = [];
  #isDone = false;
  /** Memory that the piece takes which is being built. */
  #weight = 0;
  #overflown = false;

  constructor(emit: (piece: Piece) => void, readOne: ReadOne = () => null) {
    this.#emit = emit;
    this.#readOne = readOne;
  }

  take({ token, value }: Token): void {
    const frame = this.#stack.at(-1);
    if (frame) this.#measure(token >= TokenType.TRUE ? weightOf(value) : 0);
    if (this.#structure(token, frame)) return;
    const expects = this.#expects(frame);
    const isKey = frame && (expects === 'key' || expects === 'first-key') && token === TokenType.STRING;
    if (isKey) takeKey(frame, value as string);
    else if ((expects === 'value' || expects === 'first-value') && token >= TokenType.TRUE) this.#attach(value);
    else throw broken('A JSON file of the archive is damaged.');
  }

  /** The text has ended, as it may only after a whole value. */
  end(): void {
    if (!this.#isDone) throw broken('A JSON file of the archive is cut off.');
  }

  #expects(frame: Frame | undefined): Expects {
    return frame?.expects ?? (this.#isDone ? 'end' : 'value');
  }

  #structure(token: TokenType, frame: Frame | undefined): boolean {
    const expects = this.#expects(frame);
    const canBegin = expects === 'value' || expects === 'first-value';
    const canEnd = expects === 'next' || expects === 'first-key' || expects === 'first-value';
    if (token === TokenType.LEFT_BRACE && canBegin) this.#open(false);
    else if (token === TokenType.LEFT_BRACKET && canBegin) this.#open(true);
    // After a comma there must be something.
    else if (token === TokenType.RIGHT_BRACE && frame?.dict && canEnd) this.#close();
    else if (token === TokenType.RIGHT_BRACKET && frame?.list && canEnd) this.#close();
    else if (token === TokenType.COLON && frame && expects === 'colon') frame.expects = 'value';
    else if (token === TokenType.COMMA && frame && expects === 'next') frame.expects = frame.dict ? 'key' : 'value';
    else return false;
    return true;
  }

  #open(isList: boolean): void {
    const stack = this.#stack;
    if (stack.length >= limits.jsonDepth)
      throw broken(`A JSON file has more than ${limits.jsonDepth} lists and objects within each other.`);
    const above = stack.at(-1);
    const frame: Frame = {
      ...(isList
        ? { list: [], dict: null, key: '', expects: 'first-value' }
        : { list: null, dict: {} as Dict, key: '', expects: 'first-key' }),
      messages: above?.dict && this.#isPiece(stack.length - 1) ? above.key : null,
      began: this.#weight,
    };
    this.#weight += weights.frame;
    if (!above) frame.hands = isList ? null : '$';
    else if (isList && stack.length === 1 && above.dict && streamed.has(above.key)) {
      frame.hands = above.key;
      this.#between();
    }
    stack.push(frame);
  }

  #close(): void {
    const frame = this.#stack.pop() as Frame;
    const above = this.#stack.at(-1);
    if (!above && frame.dict) this.#emit({ key: '$', value: frame.dict });
    if (above && frame.hands !== undefined) {
      // The elements of the list are out already.
      above.expects = 'next';
      if (above.dict) put(above.dict, above.key, null);
      this.#between();
    } else this.#attach((above && this.#asMessage(frame, above)) ?? frame.dict ?? frame.list);
  }

  /** Whether the object at this place of the stack is a piece as a whole. */
  #isPiece(at: number): boolean {
    const above = this.#stack[at - 1];
    return at === 0 || (above !== undefined && handsOut(above));
  }

  #asMessage({ dict, began }: Frame, { messages }: Frame): ReadMessage | null {
    if (!dict || messages === null || this.#overflown) return null;
    const read = this.#readOne(messages, dict);
    if (read) this.#weight = began + weights.message + weightOf(read.message?.content);
    return read;
  }

  #attach(value: unknown): void {
    const frame = this.#stack.at(-1);
    if (!frame) {
      this.#isDone = true;
      return;
    }
    frame.expects = 'next';
    if (handsOut(frame)) {
      this.#emit({ key: frame.hands ?? null, value: this.#overflown ? tooLarge : value });
      this.#between();
    } else if (this.#overflown) return;
    else if (frame.dict) put(frame.dict, frame.key, value);
    else frame.list?.push(value);
  }

  #between(): void {
    this.#weight = 0;
    this.#overflown = false;
  }

  /** Lets go of what was built of a piece as soon as it is too large. */
  #measure(more: number): void {
    this.#weight += more;
    if (this.#overflown || this.#weight <= limits.pieceWeight) return;
    // An object as a whole has no parts that could be left out.
    if (!this.#stack.some(handsOut))
      throw broken('A JSON file of the archive is one object that is too large to be read.');
    this.#overflown = true;
    for (const frame of this.#stack) {
      if (frame.hands !== undefined) continue;
      if (frame.list) frame.list = [];
      if (frame.dict) frame.dict = {};
    }
  }
}

/** Whether the elements of a list are pieces. */
const handsOut = ({ hands, dict }: Frame): boolean => hands !== undefined && !dict;

/** Plain objects take a tenth of those without a prototype; a name that would change theirs is a name like others. */
function put(dict: Dict, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(dict, name, { value, enumerable: true, writable: true, configurable: true });
  else dict[name] = value;
}

function takeKey(frame: Frame, name: string): void {
  if (frame.dict && Object.hasOwn(frame.dict, name))
    throw broken(`An object of a JSON file has the name "${name.slice(0, 80)}" twice, so what it says is not clear.`);
  frame.key = name;
  frame.expects = 'colon';
}
