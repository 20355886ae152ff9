import { describe, expect, it } from 'vitest';
import { loadDataSettings } from './config.ts';

const read = (given: Record<string, string>) => () => loadDataSettings(given);

describe('settings', () => {
  it.each(['http://app.example:8080', 'https://a.example, https://b.example', 'capacitor://localhost', 'null'])(
    'take %s for origins',
    (origins) => {
      expect(read({ RIVULET_CORS_ORIGINS: origins })).not.toThrow();
    },
  );

  // None of these is what a browser sends as its origin, so that none of them would permit anything.
  it.each(['app.example', '*', 'https://app.example/', 'https://App.example', 'https://app.example:443', 'a b'])(
    'refuse %s as an origin',
    (origins) => {
      expect(read({ RIVULET_CORS_ORIGINS: `https://good.example,${origins}` })).toThrow(
        /RIVULET_CORS_ORIGINS: must be/,
      );
    },
  );

  it('say of a trainer elsewhere without a secret what is missing, also to commands on the folder', () => {
    expect(read({ RIVULET_TRAINER: 'https://trainer.example' })).toThrow(/RIVULET_TRAINER_SECRET: /);
  });
});
