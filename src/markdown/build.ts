// Puts the tokens of a text together as its tree, within the limits; what is not allowed leaves its words.
import type { Token } from 'markdown-it';
import { splitAddresses } from './addresses.ts';
import * as limits from './limits.ts';
import { isSafe, isTag } from './limits.ts';
import { anchorOf, type Element, type Node, plainCode, wordsOf } from './nodes.ts';

export interface TreeOptions {
  /** Where a link of the text leads; null shows its words alone. Links stay as they are without it. */
  link?: ((href: string) => string | null) | undefined;
  /** Gives headings an `id` that `anchorOf` tells; links within the text to them are for `link` to lead there. */
  anchors?: boolean | undefined;
}

interface Frame {
  children: Node[];
  /** Null for what is not shown as an element: its words go to whatever is around it. */
  element: Element | null;
}

class TooMuch extends Error {}

/** Null where the limits are passed. */
export function build(tokens: readonly Token[] | null, length: number, options: TreeOptions): Node[] | null {
  if (!tokens) return null;
  try {
    const builder = new Builder(length, options);
    builder.take(tokens);
    return builder.root;
  } catch (error) {
    if (error instanceof TooMuch) return null;
    throw error;
  }
}

/** The file that a fence names beside its language. */
const fileOf = (info: string): string =>
  /\b(?:title|file(?:name)?)="?([^"\s]{1,100})/.exec(info)?.[1] ??
  /[\s:]([\w./@-]{1,90}\.\w{1,8})\s*$/.exec(info)?.[1] ??
  '';

/** Puts tokens together, within the limits. */
class Builder {
  readonly root: Node[] = [];
  readonly #frames: Frame[] = [{ children: this.root, element: null }];
  readonly #options: TreeOptions;
  readonly #ids = new Map<string, number>();
  #elements = 0;
  #depth = 0;
  #links = 0;
  #formulas = 0;
  #diagrams = 0;
  #coloured = 0;
  #addresses: number;

  constructor(length: number, options: TreeOptions) {
    this.#options = options;
    this.#addresses = limits.longestAddress + length * limits.addressGrowth;
  }

  take(tokens: readonly Token[]): void {
    for (const token of tokens) this.#takeOne(token);
  }

  #takeOne(token: Token): void {
    const { type, content, nesting } = token;
    switch (type) {
      case 'inline':
        this.#line(token);
        break;
      case 'image':
        this.#image(content || 'image', token.attrGet('src'));
        break;
      case 'softbreak':
        this.#words('\n');
        break;
      case 'fence':
      case 'code_block':
        this.#code(token);
        break;
      case 'code_inline':
        this.#push(plainCode('code', content));
        break;
      case 'formula_block':
      case 'formula_inline':
        this.#formula(content, type === 'formula_block');
        break;
      default:
        if (nesting !== 0) nesting > 0 ? this.#open(token) : this.#close();
        else if (isTag(token.tag)) this.#push({ tag: token.tag, children: [] });
        // Words, and whatever is no part of this: shown as it is written.
        else this.#links > 0 ? this.#words(content) : this.#addressesIn(content);
    }
  }

  get #top(): Node[] {
    return (this.#frames.at(-1) as Frame).children;
  }

  #push(node: Exclude<Node, string>): void {
    if (++this.#elements > limits.mostElements) throw new TooMuch();
    this.#top.push(node);
  }

  #words(text: string): void {
    const top = this.#top;
    const last = top.at(-1);
    if (typeof last === 'string') top[top.length - 1] = last + text;
    else if (text !== '') top.push(text);
  }

  #open(token: Token): void {
    const element = token.hidden || this.#depth >= limits.deepest ? null : this.#elementOf(token);
    this.#enter(element);
  }

  #enter(element: Element | null): void {
    if (element) {
      this.#push(element);
      this.#depth++;
      if (element.tag === 'a') this.#links++;
    }
    this.#frames.push({ children: element?.children ?? this.#top, element });
  }

  #close(): void {
    const { element } = this.#frames.pop() as Frame;
    if (!element) return;
    this.#depth--;
    if (element.tag === 'a') this.#links--;
    if (this.#options.anchors && /^h[1-6]$/.test(element.tag)) element.id = this.#idOf(wordsOf(element.children));
  }

  #elementOf(token: Token): Element | null {
    const { tag } = token;
    if (!isTag(tag)) return null;
    if (tag === 'a') return this.#linkTo(token.attrGet('href'));
    const element: Element = { tag, children: [] };
    const start = Number(token.attrGet('start') ?? 1);
    if (tag === 'ol' && start !== 1) element.start = start;
    const [, align] = /^text-align:(left|right|center)$/.exec(String(token.attrGet('style'))) ?? [];
    if (align) element.align = align as 'left';
    return element;
  }

  /** Null for an address that leads nowhere; its words stay. */
  #linkTo(address: unknown): Element | null {
    const href = this.#options.link ? this.#options.link(String(address ?? '')) : String(address ?? '');
    if (href === null || !isSafe(href)) return null;
    this.#addresses -= href.length;
    return this.#addresses < 0 ? null : { tag: 'a', href, children: [] };
  }

  #image(words: string, src: unknown): void {
    const element = this.#links > 0 ? null : this.#linkTo(src);
    if (element) element.isImage = true;
    this.#enter(element);
    this.#words(words);
    this.#close();
  }

  /** Addresses that stand as such become links. */
  #addressesIn(text: string): void {
    for (const { words, href } of splitAddresses(text)) {
      this.#enter(href === null ? null : this.#linkTo(href));
      this.#words(words);
      this.#close();
    }
  }

  #line({ children }: Token): void {
    const [first] = children ?? [];
    const item = this.#begunItem();
    const [sign] = (item && first?.type === 'text' && /^\[[ xX]\](?=\s)/.exec(first.content)) || [];
    if (item && first && sign) {
      item.isDone = sign !== '[ ]';
      first.content = first.content.slice(sign.length + 1);
    }
    this.take(children ?? []);
  }

  /** The item of a list that the next words are the first of. */
  #begunItem(): Element | null {
    const open = this.#frames.flatMap(({ element }) => element ?? []);
    const last = open.at(-1);
    if (!last || last.children.length > 0) return null;
    const item = last.tag === 'p' ? open.at(-2) : last;
    return item?.tag === 'li' && item.children.every((child) => child === last) ? item : null;
  }

  #code({ type, info, content, map }: Token): void {
    const text = content.replace(/\n$/, '');
    const [language = ''] = /^[\w+#.-]{1,40}/.exec(info.trim()) ?? [];
    const lines = map ? map[1] - map[0] : 0;
    // A fence with its end has two lines more than its code: what is still being written is no diagram yet.
    const isWhole = type === 'fence' && /(^|\n)$/.test(content) && lines === content.split('\n').length + 1;
    const isDiagram = language === 'mermaid' && isWhole && this.#diagrams++ < limits.mostDiagrams;
    const isShort = language !== '' && limits.mayColour(text);
    if (isShort) this.#coloured += text.length;
    const isColoured = isShort && this.#coloured <= limits.mostColoured;
    const file = fileOf(info);
    this.#push({ tag: 'pre', text, language, ...(file && { file }), isColoured, isDiagram });
  }

  #formula(text: string, isBlock: boolean): void {
    if (this.#formulas++ < limits.mostFormulas) this.#push({ tag: 'math', text, isBlock });
    else this.#push(plainCode('code', text));
  }

  /** Two headings of one name get ids of their own. */
  #idOf(words: string): string {
    const id = anchorOf(words);
    const count = this.#ids.get(id) ?? 0;
    this.#ids.set(id, count + 1);
    return count === 0 ? id : `${id}-${count}`;
  }
}
