import { expect, test } from 'vitest';
import { createTranscript } from './transcript.ts';

const feed = (limit: number, ...pieces: string[]) => {
  const transcript = createTranscript(limit);
  for (const piece of pieces) transcript.add(Buffer.from(piece));
  return transcript;
};

test('short output is kept whole, characters cut between pieces included', () => {
  const transcript = createTranscript(100);
  const bytes = Buffer.from('größer\n');
  transcript.add(bytes.subarray(0, 3));
  transcript.add(bytes.subarray(3));
  expect(transcript.text()).toBe('größer\n');
  expect(transcript.endsLine()).toBe(true);
  expect(feed(100, 'no end').endsLine()).toBe(false);
  expect(feed(100).endsLine()).toBe(true);
});

test('of long output the beginning and the end are kept, and the gap is counted', () => {
  const text = feed(40, 'begin-----', ...Array(1000).fill('middle'), '-----------------------------end').text();
  expect(text).toMatch(/^begin-----\n\[… 6002 characters left out …\]\n-+end$/);
});
