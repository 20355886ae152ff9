import { expect, it } from 'vitest';
import { requireSigned, toleranceSeconds } from './signature.ts';

// Made by generateTestHeaderString of stripe 23.1.0, with this payload, secret and timestamp.
const header = 't=1767225600,v1=103d82bfee51a45cb0f5fe330005e90544fd9c911dee0167f65164661fdb8c62';
const payload = '{"id":"evt_1","type":"invoice.paid","note":"Grüße 🌊"}';
const secret = 'whsec_9f86d081884c7d659a2feaa0c55ad015';
const at = 1_767_225_600_000;
const signature = header.slice(header.indexOf('v1=') + 3);

const judge = (fields: { header?: string | null; body?: string; key?: string; now?: number } = {}) => {
  const { header: shown = header, body = payload, key = secret, now = at } = fields;
  return () => requireSigned(shown, new TextEncoder().encode(body), key, now);
};
const refused = expect.objectContaining({ code: 'SIGNATURE_INVALID' });

it('believes what the library of Stripe signs, within its time', () => {
  for (const now of [at, at + toleranceSeconds * 1000, at - toleranceSeconds * 1000])
    expect(judge({ now })).not.toThrow();
  expect(judge({ now: at + toleranceSeconds * 1000 + 1 })).toThrow(refused);
  expect(judge({ now: at - toleranceSeconds * 1000 - 1 })).toThrow(refused);
});

it('believes one of several signatures, wherever it stands, and only of the known kind', () => {
  const other = '0'.repeat(64);
  const stamp = header.slice(0, header.indexOf(','));
  expect(judge({ header: `${stamp},v1=${other},v1=${signature}` })).not.toThrow();
  expect(judge({ header: `v1=${signature}, ${stamp}, v0=${other}` })).not.toThrow();
  expect(judge({ header: `${stamp},v0=${signature}` })).toThrow(refused);
  expect(judge({ header: `${stamp},v1=${other}` })).toThrow(refused);
});

it.each<[string, Parameters<typeof judge>[0]]>([
  ['another body', { body: payload.replace('evt_1', 'evt_2') }],
  ['another secret', { key: 'whsec_another' }],
  ['no header', { header: null }],
  ['an empty header', { header: '' }],
  ['no time', { header: `v1=${signature}` }],
  ['another time', { header: header.replace('1767225600', '1767225601') }],
  ['a time that is none', { header: header.replace('1767225600', 'NaN') }],
  ['a time without end', { header: header.replace('1767225600', '9'.repeat(400)) }],
  ['a shorter signature', { header: header.slice(0, -2) }],
  ['a longer signature', { header: `${header}00` }],
  ['a signature that is no hex', { header: header.replace(/v1=../, 'v1=zz') }],
])('refuses %s', (_, fields) => {
  expect(judge(fields)).toThrow(refused);
});
