import { describe, expect, it } from 'vitest';
import { requirePublicHttps } from './public-url.ts';

const resolve = async (host: string) =>
  ({ 'code.example': ['93.184.215.14'], 'inside.example': ['10.0.0.7'], 'both.example': ['93.184.215.14', '::1'] })[
    host
  ] ?? [];
const check = (url: string) => requirePublicHttps(url, resolve);

describe('a URL that the server calls for others', () => {
  it('is pinned to the address that was checked', async () => {
    expect(await check('https://code.example/a.git')).toEqual({
      url: 'https://code.example/a.git',
      host: 'code.example',
      port: 443,
      address: '93.184.215.14',
    });
  });

  it.each([
    'http://code.example/a.git',
    'file:///etc/passwd',
    'ssh://git@code.example/a',
    'ext::sh -c id',
    'https://user:word@code.example/a',
    'https://unknown.example/a',
    '--upload-pack=id',
  ])('is refused: %s', (url) => expect(check(url)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' }));

  it.each([
    'https://inside.example/a',
    'https://both.example/a',
    'https://127.0.0.1/a',
    'https://[::1]/a',
    'https://[::ffff:10.0.0.1]/a',
    'https://169.254.169.254/latest',
    'https://2130706433/a',
  ])('does not lead inside: %s', (url) => expect(check(url)).rejects.toMatchObject({ code: 'FORBIDDEN' }));
});
