import type { GatewayResponse } from '#gateway/request/response.ts'
import type { CopiedResponse } from '../shadow/comparison-tasks.ts'

/** The same limit as for copies of the core's responses, because nothing longer could be compared. */
export const maxBodyBytes = 65_536

export const isTooLong = ({ body = '' }: GatewayResponse) =>
  (typeof body === 'string' ? body.length : body.reduce((sum, { length }) => sum + length, 0)) > maxBodyBytes

export const copyNative = ({ status, headers, body = '' }: GatewayResponse): CopiedResponse => ({
  status,
  // Every response that the gateway sends has this header.
  headers: Object.entries({ ...headers, 'cache-control': 'no-store' }).flat(),
  body: typeof body === 'string' ? Buffer.from(body) : Buffer.concat(body),
})
