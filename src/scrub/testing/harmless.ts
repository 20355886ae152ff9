// Texts of people and programs without a secret in them, with what looks like one: ids, digests, dates, prices, code.
import { randomUUID } from 'node:crypto';
import { type Draw, drawing } from './plants.ts';

const hex = '0123456789abcdef';
const digits = '0123456789';

/** So many turns, drawn from sentences that are filled with numbers and names. */
export function harmlessTurns(draw: Draw, count: number): string[] {
  const d = drawing(draw);
  const two = (most: number) => String(d.between(1, most)).padStart(2, '0');
  const day = () => `${d.between(1950, 2040)}-${two(12)}-${two(28)}`;
  const number = () => d.between(1, 10 ** d.between(1, 9)).toLocaleString('en-US');
  const sentences: readonly (() => string)[] = [
    () => `We met on ${day()} at ${two(23)}:${two(59)} and stayed for ${d.between(1, 9)} hours.`,
    () =>
      `The order ${d.some(digits, 10)} costs ${number()}.${two(99)} EUR, delivered on ${two(28)}.${two(12)}.${d.between(1990, 2030)}.`,
    () => `Commit ${d.some(hex, 40)} broke the build; ${d.some(hex, 7)} mends it.`,
    () => `The run ${randomUUID()} ended after ${number()} ms with ${number()} tokens.`,
    () =>
      `Upgrade from ${d.between(0, 30)}.${d.between(0, 30)}.${d.between(0, 300)} to ${d.between(0, 30)}.${d.between(0, 30)}.0-rc.${d.between(1, 9)}.`,
    () =>
      `Ping 192.168.${d.below(255)}.${d.below(255)} and look at http://localhost:${d.between(1024, 65535)}/status?page=${d.below(99)}.`,
    () => 'I forgot my password. Where can I reset it? The password must have at least 10 characters.',
    () => 'const token = req.headers.authorization; if (!token) throw new Error("no token");',
    () => 'interface Login { email: string; password: string; apiKey?: string | null }',
    () => `Set OPENAI_API_KEY=<your key> and DB_PASSWORD=\${DB_PASSWORD} before you start.`,
    () => 'password: "********", api_key: "YOUR_API_KEY", secret: process.env.SECRET',
    () => `The token budget is ${number()} tokens; the secret of good bread is time.`,
    () => `Population: ${number()}. Area: ${number()} km². Height: ${d.between(1, 9000)} m.`,
    () =>
      `ISBN 978-3-16-1484${d.some(digits, 2)}-0, pages ${d.between(1, 99)}-${d.between(100, 999)}, chapter ${d.below(20)}.`,
    () => `integrity sha512-${Buffer.from(d.some(hex, 86)).toString('base64')}`,
    () => `src/groups/${d.some('abcdefgh', 8)}/service.ts:${d.between(1, 400)}:${d.between(1, 120)} is too long.`,
    () =>
      `Train ICE ${d.between(100, 999)} leaves at ${two(23)}:${two(59)} from platform ${d.between(1, 24)}, seat ${d.between(1, 120)}.`,
    () => `Error 0x${d.some(hex, 8)} at 0x${d.some(hex, 16)}: ${number()} bytes lost.`,
    () => `data:image/png;base64,iVBORw0KGgo${d.some('ABCDefgh1234', 60)}`,
    () =>
      `Es waren ${d.between(2, 99)} Leute da, ${d.between(1, 50)} % mehr als ${d.between(1990, 2026)}/${d.between(10, 99)}.`,
    () =>
      `Rate 1:${d.between(2, 40)}, score ${d.between(0, 9)}-${d.between(0, 9)}, ratio ${draw().toFixed(6)}, exponent 1e-${d.below(12)}.`,
    () =>
      `Unix time ${d.between(1_500_000_000, 1_900_000_000)}, in ms ${d.between(1_500_000_000, 1_900_000_000)}${d.some(digits, 3)}.`,
    () => 'Clone git@github.com:rivulet/rivulet.git and look at @types/node@20.19.43 or logo@2x.png.',
    () => 'Whoever has the key to the cellar, please bring it back; the spare one is at the reception.',
    () =>
      `Temperature: ${d.between(-20, 40)} °C, pressure ${d.between(960, 1040)} hPa, wind ${d.between(0, 120)} km/h.`,
    () => '我昨天去了上海，买了三本书，一共花了一百二十块钱。',
  ];
  return Array.from({ length: count }, () => `${d.one(sentences)()} ${d.one(sentences)()}`);
}
