// `npm run admin:link`: prints a sign-in link for the administrator, for who has lost the key or the first link.
import { createSignInLinks, linkMinutes } from './auth/sign-in-links.ts';
import { ConfigError, loadConfig } from './config.ts';
import { systemClock } from './kernel/clock.ts';
import { localUrl } from './kernel/local-url.ts';

try {
  const { secret, host, port, dataDir } = loadConfig();
  const token = createSignInLinks({ secret, clock: systemClock }).make();
  const lines = [
    '',
    `  Sign in once, within ${linkMinutes} minutes, while the server of ${dataDir} is running:`,
    '',
    `  ${localUrl(host, port)}/#/signin?token=${token}`,
    '',
  ];
  console.log(lines.join('\n'));
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exitCode = 1;
}
