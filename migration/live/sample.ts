import type { Label } from '#contracts/route-table.ts'
import { isDecidedByLink, rowOf } from '#contracts/shared/row.ts'
import { authenticate, type Credentials } from '#gateway/pipeline/authenticate.ts'
import { findDependencyFailure } from '#gateway/pipeline/to-api-error.ts'
import type { RequestContext } from '#gateway/request/context.ts'
import type { ReceivedRequest } from '#gateway/request/route-control.ts'
import type { Actor } from '#native-routes/ports.ts'
import { minuteMs } from '#shared/durations.ts'
import { hashAccount } from '../model/gate/account-sample.ts'
import type { ShadowedRequest } from '../shadow/run-shadowed.ts'
import type { ComparedCode } from './compared-routes.ts'

/** A GET whose responses are compared, and the code that the comparison judges. */
export interface Sample {
  readonly label: Label
  /** The code that the comparison judges. For a read after a write, it is the write's code. */
  readonly judged: ComparedCode
  readonly request: ShadowedRequest
  readonly received: ReceivedRequest
  /** Hash of the account or share link; null if there is none. */
  readonly subject: string | null
  readonly requestId: string
}

// Withheld because a shadowed request needs no credentials and the child process must not have any.
const withheld: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization'])

const listHeaders = (headers: readonly string[]) => {
  const named: Record<string, string> = {}
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]?.toLowerCase() ?? ''
    if (!withheld.has(name)) named[name] ??= headers[index + 1] ?? ''
  }
  return named
}

/** Headers that make a response depend on what the client already has. Native and core may treat them differently. */
const conditionalHeaders = ['if-none-match', 'if-modified-since', 'range'] as const

/** Whether both sides must return the same response to this request. */
export const isComparable = (context: RequestContext) =>
  context.method === 'GET' && !conditionalHeaders.some((name) => context.header(name) !== undefined)

/** The token tells a route's clients apart. Only its hash is kept, except while a write is read back. */
export const credentialOf = (context: RequestContext) => context.header('authorization') ?? null

const findActor = async (label: Label, context: RequestContext, credentials: Credentials) => {
  if (context.verifiedToken) return context.verifiedToken.actor
  try {
    const verified = await authenticate(rowOf(label).auth, context.header('authorization'), credentials)
    return verified?.actor ?? null
  } catch (error) {
    // Without the account, native would respond as if there were no token, which says nothing about the route.
    if (findDependencyFailure(error) !== null) throw error
    return null
  }
}

const subjectOf = (secret: string, { params, outcome }: RequestContext, actor: Actor | null) => {
  if (outcome.label === 'unmatched') return null
  const { slug, token } = params
  const id = isDecidedByLink(outcome.label) ? (slug ?? token) : actor?.accountId
  return id === undefined ? null : hashAccount(secret, id)
}

interface SampleOptions {
  readonly credentials: Credentials
  /** `GATEWAY_SECRET`. */
  readonly secret: string
}

/** Rejects while the keys that verify tokens cannot be fetched. */
export const createSampler =
  ({ credentials, secret }: SampleOptions) =>
  async (judged: ComparedCode, context: RequestContext, received: ReceivedRequest): Promise<Sample> => {
    const { path, query, requestId } = context
    const actor = await findActor(judged.label, context, credentials)
    return {
      label: judged.label,
      judged,
      request: { method: 'GET', path, query, headers: listHeaders(received.headers), actor },
      received,
      subject: subjectOf(secret, context, actor),
      requestId,
    }
  }

// The period begins with the first attempt. Attempts that name no route share one limit.
const createAttemptRate = (limit: number, periodMs: number) => {
  const attempts = new Map<Label | null, number>()
  const isExhausted = (label: Label | null = null) => (attempts.get(label) ?? 0) >= limit
  return {
    /** Whether the period's attempts are used up. Fast, because it does not read the clock. */
    isExhausted,
    take(label: Label | null = null) {
      if (isExhausted(label)) return false
      if (attempts.size === 0) setTimeout(() => attempts.clear(), periodMs).unref()
      attempts.set(label, (attempts.get(label) ?? 0) + 1)
      return true
    },
  }
}

/** Without its own attempts, a quiet route would hardly be compared, because busy ones use up the shared attempts. */
export const createRouteRate = (perMinute: number) => createAttemptRate(perMinute, minuteMs)

/** Deciding whether to compare a response takes up to a tenth of a request's time, too long for every request. */
export const createSampleRate = (perSecond: number) => createAttemptRate(perSecond, 1000)
