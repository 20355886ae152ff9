// Operations on support requests.
import { z } from 'zod';
import { MessagePriority, SupportCategory } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { boolean, email, fields, int64, string } from '../../contract/types.ts';
import { SupportRequestDto } from './dto.ts';

export const support = group(
  'Support',
  { base: '/api/support', doc: 'Help from who runs the server, with what they need to find the cause.' },
  {
    create: op.post('/requests', {
      doc: 'File a support request, with a redacted bundle of diagnostics unless includeDiagnostics is false. The bundle holds what the caller may see: versions and health; with LogsRead the newest log lines; for who operates the server also settings without secrets, counts, migrations, nodes and metrics.',
      needs: 'self',
      byAnyKey: true,
      body: fields({
        subject: string.trim().min(1).max(200),
        description: string.trim().min(1).max(20_000),
        category: SupportCategory.nullish(),
        priority: MessagePriority.nullish(),
        includeDiagnostics: boolean.nullish(),
        /** What it is about; its lines of the log come first. */
        runId: int64.nullish(),
        requestId: string.max(200).nullish(),
        contactEmail: email.nullish(),
      }),
      data: SupportRequestDto,
    }),
    diagnostics: op.get('/requests/{id}/diagnostics', {
      doc: 'Download the bundle of a support request as a ZIP: for who filed it, and for those with SystemRead. It is kept for 30 days.',
      needs: 'self',
      byAnyKey: true,
      data: z.string(),
      reply: 'file',
      mediaType: 'application/zip',
    }),
  },
);
