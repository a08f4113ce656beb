import { ApiError, type ErrorCode } from '#contracts/errors.ts'
import type { LimitName, LimitStatus } from './ports.ts'

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
} as const satisfies Record<LimitName, ErrorCode>

export class RateLimitExceeded extends ApiError<(typeof rateLimitCodes)[LimitName]> {
  readonly limitStatus: LimitStatus
  constructor(limitStatus: LimitStatus) {
    const { limit, resetsInS } = limitStatus
    super(
      rateLimitCodes[limit],
      {},
      { headers: { 'retry-after': String(Math.max(1, Math.ceil(resetsInS))) } },
    )
    this.limitStatus = limitStatus
  }
}
