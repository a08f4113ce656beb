import type { ErrorCode } from '../errors.ts'

/** The code of the 429 once a limit is used up. */
export const rateLimitCodes = {
  'public-reads': 'analytics_rate_limited',
  'share-events': 'analytics_rate_limited',
  'access-codes': 'analytics_rate_limited',
  'access-codes-of-link': 'analytics_rate_limited',
  analytics: 'analytics_rate_limited',
  reanalyses: 'rate_limited',
  uploads: 'rate_limited',
  billing: 'rate_limited',
  invitations: 'rate_limited',
  'idempotency-keys': 'rate_limited',
} as const satisfies Record<string, ErrorCode>

export type LimitName = keyof typeof rateLimitCodes

/** The limits that count a route's requests. The others count wrong access codes and stored responses. */
export type RouteLimit = Exclude<LimitName, 'access-codes' | 'access-codes-of-link' | 'idempotency-keys'>
