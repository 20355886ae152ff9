// A curl of a document that sends JSON says so: without the header curl calls it a form, which the server refuses.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { filesIn, root } from '../support/sources.ts';

const documents = [...filesIn(['docs', 'examples', 'clients'], /\.md$/), 'README.md', 'CONTRIBUTING.md'];

/** Each call of curl in the blocks of code: up to the next one, or to the end of its block. */
const curlsIn = (text: string) =>
  [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].flatMap(([, code = '']) =>
    code.split(/^(?= *curl )/m).filter((part) => /^ *curl /.test(part)),
  );

it('every curl that sends JSON says so', () => {
  const sending = documents.flatMap((path) =>
    curlsIn(readFileSync(join(root, path), 'utf8'))
      .filter((curl) => /-d '\s*\{/.test(curl))
      .map((curl) => ({
        where: `${path}: ${curl.split('\n', 1)[0]}`,
        says: /content-type: application\/json/i.test(curl),
      })),
  );
  expect(sending.length).toBeGreaterThan(5);
  expect(sending.filter(({ says }) => !says).map(({ where }) => where)).toEqual([]);
});
