// Limits that both adapters keep.

/** Bytes that wait for a WebSocket's client before it counts as slow. */
export const highWaterBytes = 64 * 1024;
/** Bytes that may wait at all; a writer that goes on regardless loses its socket. */
export const maxBufferedBytes = 16 * 1024 * 1024;
/** Answers above this many bytes are sent in slices, as fast as the client reads. */
export const largeBytes = 128 * 1024;
/** Bytes that may wait for all clients together. */
export const waitingBytes = 64 * 1024 * 1024;
/** Milliseconds after which a client that takes nothing of what waits for it is cut. */
export const stallMs = 30_000;
/** Milliseconds that a client gets to close a connection which the server has ended. */
export const lingerMs = 5000;
/** Bytes of a request head. */
export const maxHeadBytes = 16 * 1024;
/** Milliseconds for a request head to arrive. */
export const headDeadlineMs = 10_000;
/** Seconds without any frame after which a WebSocket is given up; heartbeats of the stream layer come far sooner. */
export const socketIdleSeconds = 120;
