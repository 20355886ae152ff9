import { describe, expect, it } from 'vitest';
import { isGrave, optionsOf, recommendedOf } from './options.ts';

const asked = (options: unknown, supervisorRecommendation: string | null = null) => ({
  optionsJson: JSON.stringify(options),
  supervisorRecommendation,
  urgencyId: 'Normal' as const,
  situation: 'How shall it go on?',
});
const recommended = (options: unknown, advice: string) => {
  const escalation = asked(options, advice);
  return recommendedOf(escalation, optionsOf(escalation));
};

describe('options of an escalation', () => {
  it('are texts, objects, or labels by key', () => {
    expect(optionsOf(asked(['Left', 'Right'])).map(({ key }) => key)).toEqual(['Left', 'Right']);
    expect(optionsOf(asked({ options: [{ id: 'a', title: 'All', detail: 'of it' }] }))).toEqual([
      { key: 'a', label: 'All', detail: 'of it', irreversible: false },
    ]);
    expect(optionsOf(asked({ go: 'Continue', stop: 'Stop here' })).map(({ label }) => label)).toEqual([
      'Continue',
      'Stop here',
    ]);
    expect(optionsOf({ ...asked([]), optionsJson: 'not JSON' })).toEqual([]);
  });

  it('are recommended by their own words, whatever their place', () => {
    const options = ['Run it now', 'Back up first'];
    expect(recommended(options, 'Back up first')).toBe('Back up first');
    expect(recommended(options, 'back up first, since the table is large')).toBe('Back up first');
    expect(recommended(options, 'I would rather back up first.')).toBe('Back up first');
    expect(recommended([{ key: 'b', label: 'Back up first' }], 'b')).toBe('b');
  });

  it('are not recommended where nobody can tell which one is meant', () => {
    expect(recommended(['Run it now', 'Back up first'], 'Ask somebody else')).toBeNull();
    expect(recommended(['Now', 'Later'], 'Not now but later')).toBeNull();
    expect(recommended(['Run'], 'Running is fine')).toBeNull();
  });

  it('are asked about once more when they are critical or beyond undoing', () => {
    const [drop = null, keep = null] = optionsOf(asked([{ key: 'drop', irreversible: true }, { key: 'keep' }]));
    expect([isGrave(asked([]), drop), isGrave(asked([]), keep)]).toEqual([true, false]);
    expect(isGrave({ ...asked([]), urgencyId: 'Critical' }, keep)).toBe(true);
    expect(isGrave(asked([]), optionsOf(asked(['Delete it (cannot be undone)']))[0] ?? null)).toBe(true);
  });
});
