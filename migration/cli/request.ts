import type * as z from 'zod'
import { describeErrorBody } from '../api/error-body.ts'
import type { Connection } from './connection.ts'
import { CommandError, exitCodes } from './exit-codes.ts'

// A change waits at most two seconds for the instances, and a few more for a database that does not respond.
const requestTimeoutMs = 20_000

const describeFailure = (error: unknown) => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error ? ('code' in cause ? String(cause.code) : cause.message) : String(cause)
}

const toCommandError = (status: number, body: unknown) => {
  const message = describeErrorBody(body)
  return new CommandError(
    status >= 500 ? exitCodes.unreachable : exitCodes.rejected,
    message ?? `the response (status ${status}) did not come from the operator API: check ADMIN_URL`,
    ...(message === null ? [] : [{ body }]),
  )
}

export const requestApi = async <T>(
  { adminUrl, token, advice }: Connection,
  schema: z.ZodType<T>,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> => {
  const response = await fetch(adminUrl + path, {
    method,
    // Following a redirect would send the token to its target.
    redirect: 'error',
    signal: AbortSignal.timeout(requestTimeoutMs),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((error) => {
    throw new CommandError(
      exitCodes.unreachable,
      `cannot reach the gateway at ${adminUrl} (${describeFailure(error)}). ${advice}`,
    )
  })
  const received: unknown = await response.json().catch(() => null)
  if (!response.ok) throw toCommandError(response.status, received)
  const parsed = schema.safeParse(received)
  if (!parsed.success)
    throw new CommandError(
      exitCodes.unreachable,
      `the gateway at ${adminUrl} has a different version of the operator API: use the command from its release`,
    )
  return parsed.data
}
