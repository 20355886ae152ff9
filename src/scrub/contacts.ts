// Finds e-mail addresses and phone numbers.
import { type Finding, finding } from './findings.ts';

const local = /[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]/u;
const domain = /[\p{L}\p{N}.-]/u;
const [longestLocal, longestDomain] = [64, 253];
/** Ends of file names, which also stand after an at sign: `logo@2x.png`. */
const fileEnd = /\.(?:png|jpe?g|gif|svg|webp|css|js|ts|json|md|ya?ml|html?)$/i;
/** Addresses of programs: where Git is reached over SSH. */
const programs = /^(?:git|hg|svn)$/;

/** E-mail addresses: each at sign is looked at once, as far as an address may reach. */
export function emailsIn(text: string): Finding[] {
  const found: Finding[] = [];
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const [start, end] = [beginOfLocal(text, at), endOfDomain(text, at + 1)];
    const [name, host] = [text.slice(start, at), text.slice(at + 1, end)];
    if (name === '' || programs.test(name) || fileEnd.test(host)) continue;
    if (/^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}(?:\p{L}{2,24}|xn--[a-z0-9-]{2,59})$/u.test(host))
      found.push(finding('Email', start, end));
  }
  if (spelledAt.test(text))
    for (const { index, 0: all } of text.matchAll(spelled)) found.push(finding('Email', index, index + all.length));
  return found;
}

function beginOfLocal(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start < longestLocal && local.test(text[start - 1] as string)) start--;
  // What stands before an address in links, texts and markup.
  const name = text.slice(start, at);
  const lead = /^(?:.*[=/&?|`{}'#*]|[.!$%^~-]+)/.exec(name);
  return start + (lead?.[0].length ?? 0);
}

function endOfDomain(text: string, from: number): number {
  let end = from;
  while (end < text.length && end - from < longestDomain && domain.test(text[end] as string)) end++;
  while (end > from && /[.-]/.test(text[end - 1] as string)) end--;
  return end;
}

/** What few texts have, and is found far sooner than what must be around it. */
const spelledAt = /[([] ?at ?[)\]]/i;
/** `anna (at) example (dot) com` */
const spelled =
  /(?<![\w.-])[\w.+-]{1,64} ?[([] ?at ?[)\]] ?[\w-]{1,63}(?:(?: ?[([] ?dot ?[)\]] ?|\.)[\w-]{2,63}){1,4}/gi;

const separated = '(?:[ .\\-/\u00a0]|\\)[ -]?|[ -]?\\()?';
/** With the code of a country: + or 00, at least seven more digits. */
const international = new RegExp(
  `(?<![\\w+.-]|\\d[ -])(?:\\+|00(?=[1-9]\\d?[ ./()-]|\\d{10}))(?:${separated}\\d){7,15}(?![\\w]|[.-]\\d)`,
  'g',
);
/** Of North America: three, three and four digits. */
const american =
  /(?<![\w+.\-/]|\d )(?:1[ .-])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[ .-])[2-9]?\d{2}[ .-]\d{4}(?![\w]|[.-]\d)/g;
/** Within a country: a zero, its area, and groups. */
const national =
  /(?<![\w+.\-/:,]|\d )(?:\(0\d{1,5}\)[ /-]?|0\d{1,5}[ /-])\d{2,9}(?:[ /-]\d{2,8}){0,5}(?![\w]|[.,:-]\d)/g;
/** After a word that says so, however it is written. */
const named =
  /(?<![\p{L}])(?:tel(?:e(?:fon|phone|fono|fone|foonnummer))?|phone|mobile?|mobil(?:e|funk|nummer)?|cell|handy(?:nummer)?|fax|whats ?app|sms|call(?: me)?(?: at| on)?|ring me on|text me (?:at|on)|rufnummer|number is|nummer(?: ist)?|móvil|celular|numéro|電話|电话|手机|telefone?)(?: ?(?:number|no\.?|nummer|#|nr\.?))?(?: (?:is|ist|est|es))?[ \t]{0,3}["']?[.:：=]?[ \t]{0,3}["']?(\+?\(?\d(?:[ ./\-()]{0,2}\d){5,14})(?!\w|[.-]\d)/giu;

export function phonesIn(text: string): Finding[] {
  const found: Finding[] = [];
  for (const pattern of [international, american, national])
    for (const { index, 0: all } of text.matchAll(pattern)) {
      const digits = all.replace(/\D/g, '');
      if (digits.length >= 7 && digits.length <= 17 && !isTime(all))
        found.push(finding('Phone', index, index + all.length));
    }
  for (const { index, 0: all, 1: number } of text.matchAll(named)) {
    const end = index + all.length;
    if ((number ?? '').replace(/\D/g, '').length >= 7 && !isTime(number ?? ''))
      found.push(finding('Phone', end - (number ?? '').length, end));
  }
  return found;
}

/** Dates and times have groups too. */
const isTime = (text: string) =>
  /^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|^0?\d{1,2}[-/. ](?:0?[1-9]|1[0-2])[-/. ](?:19|20)\d{2}\b/.test(text) ||
  /^(?:19|20)\d{2}[-/ ](?:19|20)\d{2}$/.test(text);
