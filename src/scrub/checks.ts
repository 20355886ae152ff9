// Check digits and randomness: what tells a number or a token from text that only looks like one.

/** Luhn's check of a number's digits (ISO/IEC 7812-1). */
export function hasLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at]);
    const doubled = at % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** Check digits of ISO 7064, MOD 97-10, as IBANs have them; letters count from 10. */
export function hasMod97(iban: string): boolean {
  let rest = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

/** Bits of information that a character of the text has, by Shannon. */
export function bitsPerCharacter(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

const classOf = (character: string): number => {
  if (character >= '0' && character <= '9') return 0;
  if (character >= 'a' && character <= 'z') return 1;
  return character >= 'A' && character <= 'Z' ? 2 : 3;
};

/** How often lower case, upper case and digits take turns, of 1; in random letters and digits about two thirds. */
export function turnsOf(text: string): number {
  let turns = 0;
  for (let at = 1; at < text.length; at++) if (classOf(text[at] as string) !== classOf(text[at - 1] as string)) turns++;
  return text.length < 2 ? 0 : turns / (text.length - 1);
}

/** Whether characters of a token look drawn by lot and not put together from words: digits among letters. */
export function looksDrawn(text: string): boolean {
  const digits = text.replace(/\D/g, '').length;
  if (digits === 0) return turnsOf(text) > 0.35 && bitsPerCharacter(text) > 3;
  // A word or two with a year or a version behind are no token.
  return turnsOf(text) > 0.18 && bitsPerCharacter(text) > Math.min(3, Math.log2(text.length) * 0.65);
}
