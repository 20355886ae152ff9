// The one shape of every JSON answer, and problem+json for those who ask for it.
import { JsonText } from '../contract/replies.ts';
import type { Fault } from '../kernel/fault.ts';

/** Text of a successful answer; the request id needs no escaping. */
export function successText(data: unknown, requestId: string, unreadMessages: number): string {
  const count = data instanceof JsonText ? data.count : countOf(data);
  const text = data instanceof JsonText ? data.text : (JSON.stringify(data) ?? 'null');
  return `{"ok":true,"requestId":"${requestId}","data":${text},"error":null,"errorCode":null,"count":${count},"hint":null,"unreadMessages":${unreadMessages}}`;
}

export function failureText(fault: Fault, requestId: string, unreadMessages: number): string {
  return JSON.stringify({
    ok: false,
    requestId,
    data: null,
    error: fault.message,
    errorCode: fault.code,
    count: null,
    hint: fault.hint,
    unreadMessages,
  });
}

/** RFC 9457. */
export function problemText(fault: Fault, requestId: string, path: string): string {
  return JSON.stringify({
    type: `urn:rivulet:error:${fault.code}`,
    title: fault.message,
    status: fault.status,
    detail: fault.hint ?? fault.message,
    instance: path,
    code: fault.code,
    requestId,
  });
}

/** Items of a list or page; null for anything else. */
function countOf(data: unknown): number | null {
  if (Array.isArray(data)) return data.length;
  if (typeof data === 'object' && data !== null && 'items' in data && Array.isArray(data.items))
    return data.items.length;
  return null;
}
