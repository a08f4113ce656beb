import type * as z from 'zod'
import { describeErrorBody } from '../api/error-body.ts'
import type { Connection } from './connection.ts'
import { CommandError, exitCodes } from './exit-codes.ts'

// A change waits at most two seconds for the instances, and a few more for a database that does not respond.
const requestTimeoutMs = 20_000

/** Failures of a connection over which the gateway may already have received the request. */
const lossCodes = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

const uncertain = 'The change may or may not have been made: check before you try again.'

const describeFailure = (error: unknown, { adminUrl, advice }: Connection, isChange: boolean) => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const next = isChange ? uncertain : 'Try again.'
  if (!(cause instanceof Error)) return `cannot reach the gateway at ${adminUrl} (${cause}). ${advice}`
  if (cause.name === 'TimeoutError')
    return `the gateway at ${adminUrl} did not respond within ${requestTimeoutMs / 1000} s. ${next}`
  const reason = 'code' in cause ? String(cause.code) : cause.message
  return lossCodes.has(reason)
    ? `the connection to the gateway at ${adminUrl} was lost (${reason}). ${next}`
    : `cannot reach the gateway at ${adminUrl} (${reason}). ${advice}`
}

const describeForeign = (status: number, isChange: boolean) =>
  `the response (status ${status}) did not come from the operator API: check ADMIN_URL${status >= 500 && isChange ? `. ${uncertain}` : ''}`

const toCommandError = (status: number, body: unknown, isChange: boolean) => {
  const message = describeErrorBody(body)
  return new CommandError(
    status >= 500 ? exitCodes.unreachable : exitCodes.rejected,
    message ?? describeForeign(status, isChange),
    ...(message === null ? [] : [{ body }]),
  )
}

const readJson = (response: Response): Promise<unknown> =>
  response.json().catch((error) => {
    if (error instanceof SyntaxError) return null
    throw error
  })

export const requestApi = async <T>(
  connection: Connection,
  schema: z.ZodType<T>,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> => {
  const { adminUrl, token } = connection
  // Posting results again changes nothing.
  const isChange = method !== 'GET' && !path.endsWith('/preview') && path !== '/api/contract-results'
  const exchange = async () => {
    const response = await fetch(adminUrl + path, {
      method,
      // Following a redirect would send the token to its target.
      redirect: 'error',
      signal: AbortSignal.timeout(requestTimeoutMs),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { response, received: await readJson(response) }
  }
  const { response, received } = await exchange().catch((error) => {
    throw new CommandError(exitCodes.unreachable, describeFailure(error, connection, isChange))
  })
  if (!response.ok) throw toCommandError(response.status, received, isChange)
  const parsed = schema.safeParse(received)
  if (!parsed.success)
    throw new CommandError(
      exitCodes.unreachable,
      `the gateway at ${adminUrl} has a different version of the operator API: use the command from its release`,
    )
  return parsed.data
}
