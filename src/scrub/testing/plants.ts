// Secrets and personal data as they stand in texts, drawn anew for each seed: all made up, each with valid check digits.

export type Draw = () => number;

const lower = 'abcdefghijklmnopqrstuvwxyz';
const upper = lower.toUpperCase();
const digits = '0123456789';
const word = lower + upper + digits;

export function drawing(draw: Draw) {
  const below = (count: number) => Math.floor(draw() * count);
  const one = <T>(from: ArrayLike<T>): T => from[below(from.length)] as T;
  const some = (from: string, count: number) => Array.from({ length: count }, () => one(from)).join('');
  return { below, one, some, between: (least: number, most: number) => least + below(most - least + 1) };
}
type Drawing = ReturnType<typeof drawing>;

export interface Plant {
  kind: string;
  text: string;
  /** What of the text must not stay; all of it unless said. */
  secret?: string;
}

type Maker = (d: Drawing) => string;

const tokens: Record<string, Maker> = {
  openai: (d) => `sk-proj-${d.some(`${word}_-`, 74)}T3BlbkFJ${d.some(word, 60)}`,
  openaiOld: (d) => `sk-${d.some(word, 48)}`,
  anthropic: (d) => `sk-ant-api03-${d.some(`${word}_-`, 93)}AA`,
  openrouter: (d) => `sk-or-v1-${d.some('0123456789abcdef', 64)}`,
  deepseek: (d) => `sk-${d.some('0123456789abcdef', 32)}`,
  google: (d) => `AIzaSy${d.some(`${word}_-`, 33)}`,
  github: (d) => `${d.one(['ghp', 'gho', 'ghu', 'ghs', 'ghr'])}_${d.some(word, 36)}`,
  githubFine: (d) => `github_pat_${d.some(word, 22)}_${d.some(word, 59)}`,
  gitlab: (d) => `glpat-${d.some(`${word}_-`, 20)}`,
  aws: (d) => `${d.one(['AKIA', 'ASIA'])}${d.some(`${upper}234567`, 16)}`,
  slackBot: (d) => `xoxb-${d.some(digits, 12)}-${d.some(digits, 12)}-${d.some(word, 24)}`,
  slackUser: (d) =>
    `xoxp-${d.some(digits, 11)}-${d.some(digits, 11)}-${d.some(digits, 12)}-${d.some('0123456789abcdef', 32)}`,
  slackHook: (d) => `https://hooks.slack.com/services/T${d.some(upper, 8)}/B${d.some(upper, 8)}/${d.some(word, 24)}`,
  stripe: (d) => `${d.one(['sk', 'rk'])}_${d.one(['live', 'test'])}_${d.some(word, d.one([24, 99]))}`,
  sendgrid: (d) => `SG.${d.some(`${word}_-`, 22)}.${d.some(`${word}_-`, 43)}`,
  twilio: (d) => `SK${d.some('0123456789abcdef', 32)}`,
  telegram: (d) => `${d.between(100000000, 9999999999)}:AA${d.some(`${word}_-`, 33)}`,
  discord: (d) => `M${d.some(word, 23)}.${d.some(word, 6)}.${d.some(`${word}_-`, 27)}`,
  npm: (d) => `npm_${d.some(word, 36)}`,
  pypi: (d) => `pypi-AgEIcHlwaS5vcmc${d.some(`${word}_-`, 140)}`,
  huggingface: (d) => `hf_${d.some(word, 34)}`,
  groq: (d) => `gsk_${d.some(word, 52)}`,
  xai: (d) => `xai-${d.some(word, 80)}`,
  digitalocean: (d) => `dop_v1_${d.some('0123456789abcdef', 64)}`,
  shopify: (d) => `shpat_${d.some('0123456789abcdef', 32)}`,
  mailgun: (d) => `key-${d.some('0123456789abcdef', 32)}`,
  mailchimp: (d) => `${d.some('0123456789abcdef', 32)}-us${d.between(1, 21)}`,
  databricks: (d) => `dapi${d.some('0123456789abcdef', 32)}`,
  vault: (d) => `hvs.${d.some(`${word}_-`, 90)}`,
  notion: (d) => `ntn_${d.some(word, 46)}`,
  linear: (d) => `lin_api_${d.some(word, 40)}`,
  azureClient: (d) => `${d.some(word, 3)}8Q~${d.some(word, 34)}`,
  webhook: (d) => `whsec_${d.some(word, 32)}`,
  rivulet: (d) => `rvt_${d.some(word, 43)}`,
};

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

function pem(d: Drawing): string {
  const kind = d.one(['RSA ', 'EC ', '', 'OPENSSH ', 'ENCRYPTED ', 'DSA ']);
  const lines = Array.from({ length: d.between(3, 20) }, () => d.some(`${word}+/`, 64));
  return `-----BEGIN ${kind}PRIVATE KEY-----\n${lines.join('\n')}\n-----END ${kind}PRIVATE KEY-----`;
}

const secrets: Record<string, (d: Drawing) => Plant> = {
  jwt: (d) =>
    whole(
      'jwt',
      `${base64url({ alg: 'HS256', typ: 'JWT' })}.${base64url({ sub: d.some(digits, 8), iat: d.between(1e9, 2e9) })}.${d.some(`${word}_-`, 43)}`,
    ),
  pem: (d) => whole('pem', pem(d)),
  pgp: (d) =>
    whole(
      'pgp',
      `-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n${d.some(`${word}+/`, 64)}\n=${d.some(word, 4)}\n-----END PGP PRIVATE KEY BLOCK-----`,
    ),
  database: (d) => {
    const password = d.some(`${word}!%._~-`, d.between(8, 24));
    const scheme = d.one([
      'postgres',
      'postgresql',
      'mysql',
      'mongodb',
      'mongodb+srv',
      'redis',
      'amqp',
      'https',
      'smtp',
    ]);
    return {
      kind: 'database',
      text: `${scheme}://${d.some(lower, 6)}:${password}@db.${d.some(lower, 6)}.internal/main`,
      secret: password,
    };
  },
  storage: (d) => {
    const key = `${d.some(`${word}+/`, 86)}==`;
    return {
      kind: 'storage',
      text: `DefaultEndpointsProtocol=https;AccountName=${d.some(lower, 8)};AccountKey=${key};EndpointSuffix=core.windows.net`,
      secret: key,
    };
  },
  password: (d) => {
    const password = passwordOf(d);
    const text = d.one([
      `password=${password}`,
      `PASSWORD="${password}"`,
      `DB_PASSWORD=${password}`,
      `"password": "${password}"`,
      `{"passwd":"${password}"}`,
      `password: ${password}`,
      `pwd = '${password}'`,
      `my password is ${password}`,
      `Mein Passwort ist ${password}`,
      `Das Passwort lautet: ${password}`,
      `Password: ${password}`,
      `admin_password: '${password}'`,
      `la contraseña es ${password}`,
      `mot de passe : ${password}`,
      `export PGPASSWORD=${password}`,
      `密码：${password}`,
      `Server=tcp:db,1433;User ID=sa;Password=${password};Encrypt=true`,
      `{\\"password\\": \\"${password}\\"}`,
      `spring.datasource.password=${password}`,
    ]);
    return { kind: 'password', text, secret: password };
  },
  key: (d) => {
    const key = d.one([
      d.some(word, d.between(20, 40)),
      d.some('0123456789abcdef', d.one([32, 40, 64])),
      d.some(`${word}+/`, 40),
    ]);
    const text = d.one([
      `API_KEY=${key}`,
      `api_key: ${key}`,
      `"apiKey": "${key}"`,
      `const apiKey = '${key}';`,
      `client_secret=${key}`,
      `AWS_SECRET_ACCESS_KEY=${key}`,
      `aws_secret_access_key = ${key}`,
      `access_token=${key}`,
      `https://api.service.io/v1?api_key=${key}&page=2`,
      `SECRET_KEY = "${key}"`,
      `X-Api-Key: ${key}`,
      `"refresh_token":"${key}"`,
      `MISTRAL_API_KEY=${key}`,
      `DD_API_KEY: "${key}"`,
      `the api key is ${key}`,
      `token: ${key}`,
    ]);
    return { kind: 'key', text, secret: key };
  },
  bearer: (d) => {
    const key = d.some(`${word}_-`, d.between(24, 60));
    return { kind: 'bearer', text: `Authorization: Bearer ${key}`, secret: key };
  },
  basic: (d) => {
    const key = Buffer.from(`${d.some(lower, 6)}:${passwordOf(d)}`).toString('base64');
    return { kind: 'basic', text: `Authorization: Basic ${key}`, secret: key };
  },
  curl: (d) => {
    const password = passwordOf(d);
    return { kind: 'curl', text: `curl -u ${d.some(lower, 6)}:${password} https://x.internal/`, secret: password };
  },
  unknown: (d) => whole('unknown', `${d.some(word, d.between(32, 64))}7Qz`),
};

const whole = (kind: string, text: string): Plant => ({ kind, text });
const passwordOf = (d: Drawing) =>
  d.one([
    () =>
      `${d.one(['Sommer', 'winter', 'Tiger', 'hunter', 'Letmein', 'qwertz'])}${d.between(2, 2031)}${d.one(['!', '', '#', '$'])}`,
    () => `${d.some(word, d.between(8, 20))}${d.some(digits, 1)}`,
    () => `${d.some(lower, 5)}${d.one('!@#$%^*')}${d.some(word, 5)}${d.some(digits, 1)}`,
  ])();

/** The digit that makes the number pass Luhn's check. */
function withLuhn(body: string): string {
  for (const last of digits) {
    let sum = 0;
    const all = body + last;
    for (let at = 0; at < all.length; at++) {
      const digit = Number(all[all.length - 1 - at]) * (at % 2 === 1 ? 2 : 1);
      sum += digit > 9 ? digit - 9 : digit;
    }
    if (sum % 10 === 0) return all;
  }
  return body;
}

function iban(d: Drawing): string {
  const [country, length, bank] = d.one([
    ['DE', 22, ''],
    ['AT', 20, ''],
    ['FR', 27, ''],
    ['ES', 24, ''],
    ['GB', 22, 'WEST'],
    ['NL', 18, 'ABNA'],
    ['CH', 21, ''],
    ['IT', 27, 'X'],
    ['BE', 16, ''],
  ] as const);
  const account = bank + d.some(digits, length - 4 - bank.length);
  const spelled = [...`${account}${country}00`].map((character) => Number.parseInt(character, 36)).join('');
  const check = String(98n - (BigInt(spelled) % 97n)).padStart(2, '0');
  const written = `${country}${check}${account}`;
  return d.one([written, written.replace(/(.{4})(?=.)/g, '$1 ')]);
}

function cpf(d: Drawing): string {
  const body = d.some(digits, 9);
  const check = (known: string) => {
    const sum = [...known].reduce((total, digit, at) => total + Number(digit) * (known.length + 1 - at), 0);
    return String(((sum * 10) % 11) % 10);
  };
  const first = check(body);
  return `${body}${first}${check(body + first)}`.replace(/(...)(...)(...)(..)/, '$1.$2.$3-$4');
}

const personal: Record<string, (d: Drawing) => Plant> = {
  email: (d) =>
    whole(
      'email',
      `${d.one(['anna', 'j.doe', 'max_m', 'müller', 'o+tag', 'x'])}${d.below(99)}@${d.one(['example.com', 'mail.example.org', 'firma.de', 'uni-bonn.de', 'xn--bcher-kva.example', 'gmail.com', 'sub.co.uk'])}`,
    ),
  card: (d) => {
    const number = withLuhn(
      d.one([
        `4${d.some(digits, 14)}`,
        `5${d.between(1, 5)}${d.some(digits, 13)}`,
        `37${d.some(digits, 12)}`,
        `6011${d.some(digits, 11)}`,
        `2${d.between(300, 600)}${d.some(digits, 11)}`,
      ]),
    );
    const written =
      number.length === 15
        ? number.replace(/(.{4})(.{6})(.*)/, '$1 $2 $3')
        : number.replace(/(.{4})(?=.)/g, `$1${d.one([' ', '-'])}`);
    return whole(
      'card',
      d.one([number, /^(?:.{4} ){3}.{4}$|^(?:.{4}-){3}.{4}$|^.{4} .{6} .*$/.test(written) ? written : number]),
    );
  },
  iban: (d) => whole('iban', iban(d)),
  phone: (d) =>
    whole(
      'phone',
      d.one([
        () => `+49 ${d.one(['171', '1522', '30', '89'])} ${d.some(digits, 7)}`,
        () => `+49${d.one(['171', '160'])}${d.some(digits, 8)}`,
        () => `+1 ${d.between(201, 989)}-${d.between(200, 999)}-${d.some(digits, 4)}`,
        () => `(${d.between(201, 989)}) ${d.between(200, 999)}-${d.some(digits, 4)}`,
        () => `${d.between(201, 989)}-${d.between(200, 999)}-${d.some(digits, 4)}`,
        () => `+44 7${d.some(digits, 3)} ${d.some(digits, 6)}`,
        () => `07${d.some(digits, 3)} ${d.some(digits, 6)}`,
        () => `0${d.one(['171', '160', '1522'])} ${d.some(digits, 7)}`,
        () => `0${d.one(['171', '30', '221'])}/${d.some(digits, 7)}`,
        () => `+33 6 ${Array.from({ length: 4 }, () => d.some(digits, 2)).join(' ')}`,
        () => `06 ${Array.from({ length: 4 }, () => d.some(digits, 2)).join(' ')}`,
        () => `+81-3-${d.some(digits, 4)}-${d.some(digits, 4)}`,
        () => `+91 9${d.some(digits, 4)} ${d.some(digits, 5)}`,
        () => `+43 (0)664 ${d.some(digits, 7)}`,
        () => `0049 171 ${d.some(digits, 7)}`,
        () => `+1.${d.between(201, 989)}.${d.between(200, 999)}.${d.some(digits, 4)}`,
      ])(),
    ),
  ssn: (d) => whole('ssn', `${d.between(101, 665)}-${d.between(10, 99)}-${d.between(1000, 9999)}`),
  nino: (d) => whole('nino', `AB${d.one([' ', ''])}${d.some(digits, 2)} ${d.some(digits, 2)} ${d.some(digits, 2)} C`),
  cpf: (d) => whole('cpf', cpf(d)),
};

const frames: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `Here it is: ${text}`,
  (text) => `Please use ${text} for the deployment and tell nobody.`,
  (text) => `Kannst du mir helfen? ${text}\nDanke!`,
  (text) => `{"note": ${JSON.stringify(text)}}`,
  (text) => JSON.stringify({ log: `a line\n${text}\nanother line` }),
  (text) => `- first\n- ${text}\n- last`,
  (text) => `\`\`\`\n${text}\n\`\`\``,
  (text) => `(${text})`,
  (text) => `我的资料：${text}，谢谢`,
  (text) => `<td>${text}</td>`,
  (text) => `${'Some words before it. '.repeat(40)}${text}${' And some after it.'.repeat(40)}`,
];

const makers: readonly ((d: Drawing) => Plant)[] = [
  ...Object.entries(tokens).map(
    ([kind, make]) =>
      (d: Drawing) =>
        whole(kind, make(d)),
  ),
  ...Object.values(secrets),
  ...Object.values(personal),
];

/** So many texts of each kind, with what is planted in each. */
export function plantsOf(draw: Draw, each: number): (Plant & { turn: string })[] {
  const d = drawing(draw);
  return makers.flatMap((make) =>
    Array.from({ length: each }, () => {
      const plant = make(d);
      return { ...plant, turn: d.one(frames)(plant.text) };
    }),
  );
}
