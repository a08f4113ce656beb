import { hash, timingSafeEqual } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import { ApiError } from '#contracts/errors.ts'
import { parseBearerToken } from '#gateway/pipeline/authenticate.ts'
import type { OperatorSetting } from '#gateway/settings/operators.ts'
import { clientNetworkOf } from '#proxy/headers/client-origin.ts'
import { formatCommand } from '#shared/format-command.ts'
import type { AttemptLimit } from './attempt-limit.ts'
import type { Operator, OperatorEnv, TokenEnv } from './operator-options.ts'

type TokenMiddleware = MiddlewareHandler<TokenEnv>

/**
 * Finds an operator by the SHA-256 of a token. Compares it with every operator's hash in constant time, so timing
 * reveals neither how much of a hash matches nor whose it is.
 */
export const createOperatorLookup =
  (listOperators: () => readonly OperatorSetting[]) =>
  (token: string): Operator | null => {
    const digest = hash('sha256', token, 'buffer')
    const [match] = listOperators().filter(({ tokenHash }) =>
      timingSafeEqual(Buffer.from(tokenHash, 'hex'), digest),
    )
    return match ? { name: match.name, role: match.role } : null
  }

const requireAttempt = (attempts: AttemptLimit, client: string) => {
  const retryAfterS = attempts.findRetryAfterS(client)
  if (retryAfterS === 0) return
  throw new ApiError(
    'operator_attempts_exceeded',
    { message: `Too many wrong operator tokens from this address. Try again in ${retryAfterS} s.` },
    { headers: { 'retry-after': String(retryAfterS) } },
  )
}

export const authenticateOperator =
  (findOperator: (token: string) => Operator | null, attempts: AttemptLimit): TokenMiddleware =>
  async ({ env: { context }, set }, next) => {
    const token = parseBearerToken(context.header('authorization'))
    const operator = token === null ? null : findOperator(token)
    // A request without a token is not an attempt to guess one.
    if (token !== null && operator === null) {
      const client = clientNetworkOf(context.clientAddress())
      requireAttempt(attempts, client)
      attempts.recordFailure(client, token)
    }
    if (operator === null)
      throw new ApiError('operator_token_required', {
        message: `Send "Authorization: Bearer" with the token of an operator listed in OPERATORS; ${formatCommand('routes', 'operator', 'NAME')} creates one.`,
      })
    set('operator', operator)
    await next()
  }

/** Gives the request its body, as read by the edge, because only the edge may read bodies. */
export const bufferBody: TokenMiddleware = async ({ env: { context }, req }, next) => {
  if (context.method !== 'GET' && context.method !== 'HEAD') {
    const { url, method, headers } = req.raw
    const body = new TextDecoder().decode(await context.readBody())
    req.raw = new Request(url, { method, headers, body })
  }
  await next()
}

const rolesThatMay = { read: ['read', 'write'], change: ['write'], report: ['contract', 'write'] } as const

type Action = keyof typeof rolesThatMay

const listRoles = (action: Action): readonly string[] => rolesThatMay[action]

export const isAllowed = ({ role }: Operator, action: Action) => listRoles(action).includes(role)

export const requireRole =
  (action: Action): MiddlewareHandler<OperatorEnv> =>
  async ({ get }, next) => {
    const operator = get('operator')
    if (!isAllowed(operator, action))
      throw new ApiError('operator_role_insufficient', {
        message: `${operator.name} has the role ${operator.role}; this needs ${listRoles(action).join(' or ')}.`,
      })
    await next()
  }
