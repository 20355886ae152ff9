import { describe, expect, it } from 'vitest';
import { collectionOf, spaceOf } from './names.ts';

describe('names of collections', () => {
  it.each(['bundled', 'openai:text-embedding-3-small', 'ollama:nomic/embed.v1=5 é'])('hold the space: %s', (model) => {
    const space = { kind: 'memories', model, dimensions: 512 };
    const name = collectionOf('rivulet', space);
    expect(name).toMatch(/^rivulet\.memories\.512\.[A-Za-z0-9_=-]+$/);
    expect(spaceOf('rivulet', name)).toEqual(space);
  });

  it.each(['rivulet', 'rivulet2.memories.512.x', 'rivulet.memories.x.y', 'rivulet.memories.5.y.z', 'other'])(
    'are not %s',
    (name) => {
      expect(spaceOf('rivulet', name)).toBeNull();
    },
  );
});
