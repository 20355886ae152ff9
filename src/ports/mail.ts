// Mail to people, as services see it: plain text to one address.
export interface Mail {
  to: string;
  subject: string;
  text: string;
}

export interface Mailer {
  /** Rejects where the mail could not be handed over. */
  send(mail: Mail): Promise<void>;
  /** Where mails go, for the operator: a folder or a server. */
  readonly where: string;
  close(): Promise<void>;
}
