import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os, { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { loadCliSettings, loadConfig, loadDataSettings, secretsOf } from './config.ts';
import { configuredProviders } from './models/routing/settings-directory.ts';

/** Each provider of the environment has its key. */
const access = { apiKey: 'k', baseUrl: null };
const loadedWithAll = { providers: { openai: access, anthropic: access, google: access, ollama: { baseUrl: null } } };

const read = (given: Record<string, string>) => () => loadDataSettings(given);

it('needs no home of a user whom the system does not know', () => {
  const { homedir } = os;
  const become = (home: () => string) => {
    Object.assign(os, { homedir: home });
    syncBuiltinESMExports();
  };
  onTestFinished(() => become(homedir));
  become(() => {
    throw new Error('uv_os_homedir returned ENOENT');
  });
  expect(loadCliSettings({}).keyFile).toBe('/.config/rivulet/keys.json');
});

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

  it('refuse a model of a provider that the environment has not, and name those that it has', () => {
    const providers = [...configuredProviders(loadedWithAll).keys()];
    for (const name of providers) expect(read({ RIVULET_MODEL: `${name}:some:model` })).not.toThrow();
    for (const model of ['opnai:gpt-5-mini', 'openai-eu:gpt-5-mini', 'route:1', 'gpt-5-mini', 'openai:'])
      expect(read({ RIVULET_MODEL: model })).toThrow(
        `RIVULET_MODEL: must be provider:model, e.g. openai:gpt-5-mini; providers are ${[...providers].sort().join(', ')}`,
      );
  });

  it.each([
    [{ RIVULET_PORT: '7800' }, 'http://127.0.0.1:7800'],
    [{ RIVULET_HOST: '::1', RIVULET_PORT: '7800' }, 'http://[::1]:7800'],
    [{ RIVULET_HOST: '192.0.2.7' }, 'http://192.0.2.7:7717'],
    [{ RIVULET_HOST: '0.0.0.0', RIVULET_PORT: '7800' }, 'http://127.0.0.1:7800'],
    [{ RIVULET_HOST: '::1', RIVULET_PORT: '0' }, undefined],
    [{}, undefined],
  ])('tell the command line where the server of %j is', (given, url) => {
    expect(loadCliSettings(given).localUrl).toBe(url);
  });

  it('take the proxies of other programs, the lower case first', () => {
    const given = { HTTPS_PROXY: 'http://upper:1', https_proxy: 'lower.example:3128', HTTP_PROXY: 'https://plain:2' };
    const { proxies } = loadDataSettings({ ...given, no_proxy: 'a.example, .b.example 10.0.0.0/8,' });
    expect(proxies.https?.href).toBe('http://lower.example:3128/');
    expect(proxies.http?.href).toBe('https://plain:2/');
    expect(proxies.direct).toEqual(['a.example', '.b.example', '10.0.0.0/8']);
    expect(loadDataSettings({}).proxies).toEqual({ http: null, https: null, direct: [] });
  });

  it.each(['socks5://proxy.example:1080', 'http://', 'proxy name'])('refuse the proxy %s', (proxy) => {
    expect(read({ https_proxy: proxy })).toThrow(/HTTPS_PROXY: must be a URL that starts with http:/);
  });

  it('say of a trainer elsewhere without a secret what is missing, also to commands on the folder', () => {
    expect(read({ RIVULET_TRAINER: 'https://trainer.example' })).toThrow(/RIVULET_TRAINER_SECRET: /);
  });
});

describe('a folder with other things in it', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'rivulet-etc-'));
    for (const name of ['passwd', '.profile']) writeFileSync(join(folder, name), '');
    mkdirSync(join(folder, 'sites'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const load = (given: Record<string, string> = {}) => loadConfig({ RIVULET_DATA: folder, ...given });
  const there = () => readdirSync(folder).sort();

  it('is refused, and nothing is made in it', () => {
    const secret = { RIVULET_SECRET: 's'.repeat(32) };
    const mongo = { MONGODB_URI: 'mongodb://127.0.0.1/rivulet' };
    for (const given of [{}, secret, mongo])
      expect(() => load(given)).toThrow(
        /^RIVULET_DATA: .* has other things in it: passwd\b.*\n.*empty folder.*\.rivulet/s,
      );
    expect(there()).toEqual(['.profile', 'passwd', 'sites']);
    // Neither documents nor a secret are kept in it, so that nothing says whether it was used before.
    expect(() => load({ ...secret, ...mongo })).not.toThrow();
  });

  it.each(['rivulet.db', 'rivulet.store', 'secret', '.rivulet'])('is used where it has %s', (name) => {
    writeFileSync(join(folder, name), 's'.repeat(43));
    expect(() => load()).not.toThrow();
    expect(there()).toContain('passwd');
  });

  it('is none where they are what file systems leave, or what settings name', () => {
    rmSync(join(folder, 'passwd'));
    for (const name of ['lost+found', '@eaDir', 'backups', 'plays', 'sandbox.yaml']) mkdirSync(join(folder, name));
    mkdirSync(join(folder, 'deep', 'copies'), { recursive: true });
    const named = {
      RIVULET_SCENARIOS: join(folder, 'plays'),
      RIVULET_SANDBOX_SETTINGS: join(folder, 'sandbox.yaml'),
      RIVULET_BACKUPS: join(folder, 'deep', 'copies'),
    };
    expect(() => load({ ...named, RIVULET_SCENARIOS: '' })).toThrow(/ has other things in it: plays\.\n/);
    expect(() => load(named)).not.toThrow();
  });
});

describe('the data folder', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'rivulet-data-'));
    writeFileSync(join(folder, 'file'), '');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  // The secret stands elsewhere as well as in the folder.
  const elsewhere = { RIVULET_SECRET: 'n'.repeat(40) };

  it.each([{}, elsewhere])(
    'is made with those above it, for its owner alone, and nothing stays of the trial',
    (given) => {
      const data = join(folder, 'some', 'where');
      loadConfig({ ...given, RIVULET_DATA: data });
      expect(statSync(data).mode & 0o777).toBe(0o700);
      expect(readdirSync(data)).toEqual('RIVULET_SECRET' in given ? [] : ['secret']);
    },
  );

  it.each([{}, elsewhere])('in whose place or above which a file stands is refused', (given) => {
    for (const data of [join(folder, 'file'), join(folder, 'file', 'below')])
      expect(() => loadConfig({ ...given, RIVULET_DATA: data })).toThrow(
        /RIVULET_DATA: cannot use .*\nSet it to a folder/,
      );
  });

  // In /proc nobody can make a file, the superuser neither.
  it.each([{}, elsewhere])('in which nothing can be made is refused', (given) => {
    expect(() => loadConfig({ ...given, RIVULET_DATA: '/proc' })).toThrow(/RIVULET_DATA: cannot use \/proc: /);
  });
});

describe('the secret', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'rivulet-secret-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const load = (given: Record<string, string> = {}) => loadConfig({ RIVULET_DATA: folder, ...given });

  it('is read by commands where a server has kept it, and made by none of them', () => {
    const { secret } = loadDataSettings({ RIVULET_DATA: join(folder, 'mistyped') });
    expect(secret).toThrow(/RIVULET_DATA: there is no data of Rivulet in .*mistyped\.\nName the folder/);
    expect(existsSync(join(folder, 'mistyped'))).toBe(false);
    expect(loadDataSettings({ RIVULET_DATA: folder }).secret).toThrow('there is no data');
    expect(readdirSync(folder)).toEqual([]);
    const kept = load().secret;
    expect(loadDataSettings({ RIVULET_DATA: folder }).secret()).toBe(kept);
  });

  it('is made once, and kept', () => {
    const { secret } = load();
    expect(secret).toHaveLength(43);
    expect(readFileSync(join(folder, 'secret'), 'utf8')).toBe(secret);
    expect(readdirSync(folder)).toEqual(['secret']);
    expect(load().secret).toBe(secret);
  });

  // As a disk that was full, or a crash in the middle of the write, leaves it.
  it.each(['', 'too-short-to-be-one'])('that is "%s" in its file signs nothing, and is left as it is', (text) => {
    writeFileSync(join(folder, 'secret'), text);
    expect(() => load()).toThrow(/RIVULET_DATA: .*secret holds no secret.*backup/s);
    expect(readFileSync(join(folder, 'secret'), 'utf8')).toBe(text);
    expect(existsSync(join(folder, 'rivulet.db'))).toBe(false);
  });

  it('of before, and that of a trainer, are hidden as the others are', () => {
    const given = {
      RIVULET_SECRET: 'n'.repeat(40),
      RIVULET_PREVIOUS_SECRET: 'o'.repeat(40),
      RIVULET_TRAINER: 'https://trainer.example',
      RIVULET_TRAINER_SECRET: `whsec_${'t'.repeat(32)}`,
    };
    expect(secretsOf(load(given))).toEqual(
      expect.arrayContaining([given.RIVULET_SECRET, given.RIVULET_PREVIOUS_SECRET, given.RIVULET_TRAINER_SECRET]),
    );
  });
});
