// Mail to people, as services see it: plain text to one address.
export interface Mail {
  to: string;
  subject: string;
  text: string;
  /** Its own id, `<…@…>`: the same for the same mail, however often it is sent. */
  messageId?: string;
  /** The mail that it answers, by its id. */
  inReplyTo?: string | null;
}

export interface Mailer {
  /** Rejects where the mail could not be handed over. */
  send(mail: Mail): Promise<void>;
  /** Where mails go, for the operator: a folder or a server. */
  readonly where: string;
  close(): Promise<void>;
}
