// Finds what is named a password, key or secret where it is given: `PASSWORD=…`, `"apiKey": "…"`, `my password is …`.
import { bitsPerCharacter, turnsOf } from './checks.ts';
import { type Finding, finding } from './findings.ts';

/** Names of passwords in some languages; what is given to them may be a word. */
const passwords =
  'pass(?:word|wort|wd|phrase|code|key)|pwd|passw|kennwort|contraseña|contrasena|mot de passe|senha|wachtwoord|lösenord|hasło|пароль|密码|密碼|パスワード|비밀번호';
/** Names of what programs identify themselves with; drawn by lot. */
const keys =
  '(?:api|access|secret|private|master|signing|encryption|account|auth|shared|subscription|client|session|refresh|bearer|bot|service|consumer|webhook|app|deploy|license|admin|storage|server)[ _.-]?(?:access[ _.-]?)?(?:key|secret|token|credential)|secret(?:[ _-]?key)?|token|credentials?|(?:x-)?api-?key|authkey|SharedAccessKey|SharedAccessSignature|AccountKey|PIN(?: code)?';
const name = new RegExp(`(?<![A-Za-z]{3}(?=pwd))(?:(${passwords})|(${keys}))`, 'gi');

/** The rest of the name, the end of its quotes and its type: `_PROD`, `Hash`, `" as JSON`. */
const tail = /[A-Za-z0-9_-]{0,32}(?:\\{0,7}["'`*)\]]){0,3}\??/y;
const sign =
  /[ \t]{0,4}(=>|:=|==?|[:：])[ \t]{0,4}|\n?[ \t]{1,4}(?:is now|is|was|ist|lautet|es|est|è|é|ist jetzt)[ \t]{0,2}[:：]?[ \t]{1,4}|[ \t]{0,2}(?:是|为|は)[ \t]{0,2}/y;
const opening = /(?:\\{0,7}["'`]|\*\*|「|“|„|«){0,2}/y;

/** What no secret is: names of types, gaps to fill in, calls and variables of programs. */
const nothing =
  /^(?:x{3,}|\*+|•+|\.{2,}|…|-+|_+|[<[{(|].*|.*[>\]})]|\$.*|%\w+%|@\w+|(?:my|your|the|a|an|some|new|old|any|no|test|sample|dummy|fake|demo)(?:[-_ ].*)?|change[-_ ]?me.*|example.*|placeholder.*|redacted|hidden|secret|passwor[dt]|passwd|token|key|null|nil|none|undefined|true|false|string|number|boolean|integer|required|optional|needed|missing|invalid|wrong|expired|unknown|empty|process\.env.*|os\.environ.*|env[.(].*|import\.meta.*|self\..*|this\..*|req\..*|config\..*|args?\..*|params?\..*|https?:\/\/.*|\d{1,3}(?:[a-z]{1,3})?|sha-?\d+.*|hs\d+|rs\d+|utf-?8|base-?64|v\d+|oauth-?2.*)$/i;

const longestValue = 256;

export function assignmentsIn(text: string): Finding[] {
  const found: Finding[] = [];
  for (const match of text.matchAll(name)) {
    const value = valueAfter(text, match.index + match[0].length);
    if (!value) continue;
    const isPassword = match[1] !== undefined;
    if (isPassword ? isPasswordLike(value) : isKeyLike(value, match[0]))
      found.push(finding(isPassword ? 'Password' : 'Credential', value.start, value.end));
  }
  return found;
}

interface Value {
  text: string;
  start: number;
  end: number;
  quoted: boolean;
  /** Said in a sentence, or after `: `, where words follow too. */
  loose: boolean;
  said: boolean;
}

function valueAfter(text: string, from: number): Value | null {
  const afterName = take(tail, text, from);
  const given = take(sign, text, afterName);
  if (given === afterName) return null;
  const start = take(opening, text, given);
  const quoted = start > given;
  const quote = quoted ? (text[start - 1] as string) : '';
  const stop = quoted ? endOfQuoted(text, start, quote) : endOfRun(text, start);
  const signed = text.slice(afterName, given);
  const said = !/[=:：是为は]/.test(signed);
  return { text: text.slice(start, stop), start, end: stop, quoted, loose: /\s$/.test(signed), said };
}

function take(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

const closing: Readonly<Record<string, string>> = { '「': '」', '“': '”', '„': '“', '«': '»' };

function endOfQuoted(text: string, start: number, quote: string): number {
  const end = closing[quote] ?? quote;
  for (let at = start; at < Math.min(text.length, start + longestValue); at++) {
    if (text[at] === '\n') return at;
    if (text[at] === end) return at - (/\\{0,7}$/.exec(text.slice(Math.max(start, at - 7), at))?.[0].length ?? 0);
  }
  return Math.min(text.length, start + longestValue);
}

function endOfRun(text: string, start: number): number {
  let end = start;
  while (end < text.length && end < start + longestValue && !/[\s"'`<>，。、；]/.test(text[end] as string)) end++;
  // Of an address only up to its next field; of a sentence not its mark.
  const run = text.slice(start, end);
  const field = run.search(/[&;]/);
  if (field > 0) end = start + field;
  while (end > start && /[.,;:)\]}…\\]/.test(text[end - 1] as string)) end--;
  return end;
}

const hasLetter = (text: string) => /\p{L}/u.test(text);
const hasDigit = (text: string) => /\d/.test(text);
const hasMark = (text: string) => /[!@#$%^&*+=~?|\\]/.test(text);
/** Programs: calls, members, and indexes. */
const isCode = (text: string) =>
  /^[\w$]+(?:\(|\.[a-z_$]|\[|\?\.|::|->)/i.test(text) || /^!?[a-z]+[A-Z]\w*[,;)]/.test(text);
const isDate = (text: string) => /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}/.test(text);

function isPasswordLike({ text, quoted, loose, said }: Value): boolean {
  if (text.length < 4 || nothing.test(text) || isDate(text)) return false;
  if (quoted) {
    const words = text.trim().split(/\s+/);
    if (words.length > 1)
      return words.length <= 8 && words.length >= 4 ? isPhrase(text) : hasDigit(text) && words.length <= 4;
    return !isCode(text) && (hasDigit(text) || hasMark(text) || text.length >= 6);
  }
  if (isCode(text)) return false;
  if (said)
    return text.length >= 6 && hasLetter(text) && (hasDigit(text) || hasMark(text)) && !/^[a-z]+-\d+$/i.test(text);
  // `: ` and ` = ` stand in sentences and programs too.
  if (loose) return hasDigit(text) || (hasMark(text) && hasLetter(text));
  return text.length >= 6 || (hasDigit(text) && hasLetter(text));
}

/** Words drawn by lot, all in lower case and without marks of a sentence. */
const isPhrase = (text: string) =>
  /^[a-z]{3,10}(?:[ -][a-z]{3,10}){3,7}$/.test(text) && !/\b(?:the|that|with|for|and|your|this|must|is)\b/.test(text);

function isKeyLike({ text, quoted, loose, said }: Value, called: string): boolean {
  if (/^pin/i.test(called)) return /^\d{4,8}$/.test(text);
  if (text.length < 8 || /\s/.test(text) || nothing.test(text) || isDate(text) || isCode(text)) return false;
  const drawn = hasDigit(text) && hasLetter(text) && bitsPerCharacter(text) > 2.5 && !isName(text);
  if (said) return drawn && text.length >= 12;
  if (quoted || !loose) return drawn || (text.length >= 16 && turnsOf(text) > 0.3);
  return drawn && text.length >= 10;
}

/** Words with marks between them, and a number at most: names of models, files, keys of settings. */
const isName = (text: string) =>
  /^[a-z]*\d{0,4}(?:[-_./:][a-z]+\d{0,4}|[-_./:]\d{1,4}){0,12}$/i.test(text) &&
  turnsOf(text.replace(/[-_./:]/g, '')) < 0.3;
