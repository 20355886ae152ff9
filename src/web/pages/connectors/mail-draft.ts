// What the form of a mail connector holds, as text, and the credentials that it stands for.

/** TLS from the first byte, TLS after a greeting, or none. */
export type Security = 'tls' | 'starttls' | 'none';

export const usualPorts = {
  imap: { tls: 993, starttls: 143, none: 143 },
  smtp: { tls: 465, starttls: 587, none: 25 },
} as const;

export const noMail = {
  ...{ imapHost: '', imapPort: '', imapSecurity: 'tls' as Security },
  ...{ smtpHost: '', smtpPort: '', smtpSecurity: 'tls' as Security },
  ...{ username: '', from: '' },
};
export type MailPlace = typeof noMail;

/** The JSON object of texts that the server takes: what is empty or usual is left out. */
export function mailCredentials(place: MailPlace, password: string): string {
  const serverOf = (kind: 'imap' | 'smtp') => {
    const [host, port, security] = [place[`${kind}Host`].trim(), place[`${kind}Port`].trim(), place[`${kind}Security`]];
    if (host === '') return {};
    return {
      [`${kind}Host`]: host,
      ...(port && { [`${kind}Port`]: port }),
      ...(security !== 'tls' && { [`${kind}Security`]: security }),
    };
  };
  const [username, from] = [place.username.trim(), place.from.trim()];
  return JSON.stringify({ ...serverOf('imap'), ...serverOf('smtp'), username, password, ...(from && { from }) });
}
