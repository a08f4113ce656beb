import type { CompletedRequest } from '../request/route-control.ts'

const slowMs = 1000

/**
 * Decides which requests get a log line: all that failed, fell back or took at least a second, and `LOG_REQUESTS_SHARE`
 * of the rest. Successful probes get one only with `LOG_LEVEL=debug`.
 */
export const createLineSelection = (
  { LOG_LEVEL, LOG_REQUESTS_SHARE }: { readonly LOG_LEVEL: string; readonly LOG_REQUESTS_SHARE: number },
  random: () => number = Math.random,
) => {
  const logsProbes = LOG_LEVEL === 'debug'
  return ({ context: { outcome }, status, durationMs }: CompletedRequest): boolean => {
    if (status >= 400 || outcome.error !== undefined || outcome.fallbackReason !== null) return true
    if (outcome.page === 'probe' && !logsProbes) return false
    return durationMs >= slowMs || LOG_REQUESTS_SHARE === 1 || random() < LOG_REQUESTS_SHARE
  }
}
