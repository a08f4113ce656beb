import type { Client } from 'undici'
import { createCoreConnector } from '../node-streams/core-connection.ts'

/** How every connection to the core is used. The caller limits each wait, as undici's own timers are half a second off. */
export const createCoreClientOptions = (connectTimeoutMs: number): Client.Options => ({
  pipelining: 1,
  connect: createCoreConnector(connectTimeoutMs),
  maxHeaderSize: 65_536,
  headersTimeout: 0,
  bodyTimeout: 0,
  // Shorter than the five seconds after which common servers close an idle connection, so that no request is sent on
  // a connection that is being closed.
  keepAliveTimeout: 4000,
  keepAliveTimeoutThreshold: 1000,
  allowH2: false,
})
