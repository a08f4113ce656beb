import type { GatewayResponse } from '#gateway/request/response.ts'
import type { CopiedResponse } from './shadow/comparison-tasks.ts'

/** As of copies of the core: a longer body cannot be compared with what it would be asked for. */
export const maxBodyBytes = 65_536

export const isTooLong = ({ body = '' }: GatewayResponse) =>
  (typeof body === 'string' ? body.length : body.reduce((sum, { length }) => sum + length, 0)) > maxBodyBytes

/** Copies a response of native as the core's would be copied. */
export const copyNative = ({ status, headers, body = '' }: GatewayResponse): CopiedResponse => ({
  status,
  // As every response of the gateway has it.
  headers: Object.entries({ ...headers, 'cache-control': 'no-store' }).flat(),
  body: typeof body === 'string' ? Buffer.from(body) : Buffer.concat(body),
})
