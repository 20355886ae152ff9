import { describe, expect, it } from 'vitest';
import { returnUrlOf, withAnswer } from './return-url.ts';

const base = 'https://rivulet.example/agents';

describe('the address that a browser goes on to', () => {
  it('is of this server, or of an origin that may call it', () => {
    const of = (given: string) => returnUrlOf(given, base, ['https://app.example']);
    expect(of('/#/runs')).toBe('https://rivulet.example/agents/#/runs');
    expect(of('https://app.example/in')).toBe('https://app.example/in');
    for (const bad of ['//evil.example', '/\\evil.example', 'https://evil.example', 'https://app.example.evil.example'])
      expect(() => of(bad)).toThrow('returnUrl');
    for (const bad of ['javascript:alert(1)', 'runs', '', 'https://app.example@evil.example', 'data:text/html,x'])
      expect(() => of(bad)).toThrow('returnUrl');
  });

  it('bears the answer where no log of a server sees it', () => {
    expect(withAnswer(`${base}/#/signin`, 'signInCode', 'a&b')).toBe(`${base}/#/signin?signInCode=a%26b`);
    expect(withAnswer(`${base}/#/memory?q=x%20y`, 'n', '1')).toBe(`${base}/#/memory?q=x+y&n=1`);
    expect(withAnswer('https://app.example/in?x=1#top', 'n', '1')).toBe('https://app.example/in?x=1&n=1#top');
  });
});
