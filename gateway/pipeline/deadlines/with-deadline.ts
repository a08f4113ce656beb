import type { RequestContext } from '../../request/context.ts'
import type { ReadBody } from '../run-route.ts'
import { NativeTimeout } from '../to-api-error.ts'

interface Deadline {
  readonly timeoutMs: number
  /** The timeout of the whole body. */
  readonly bodyTimeoutMs: number
  /** Called when the deadline has passed. */
  readonly onExpired?: ((error: NativeTimeout) => void) | undefined
}

/**
 * Rejects with `NativeTimeout` unless `work` ends in time. The deadline is paused while the client sends its body, which
 * has its own timeout: a slow client must not count as a failure of native.
 */
export const withDeadline = <T>(
  context: RequestContext,
  { timeoutMs, bodyTimeoutMs, onExpired }: Deadline,
  work: (readBody: ReadBody) => Promise<T>,
): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    const expire = () => {
      const error = new NativeTimeout(`no result within ${timeoutMs} ms`)
      onExpired?.(error)
      reject(error)
    }
    let timer = setTimeout(expire, timeoutMs)
    const readBody = async () => {
      clearTimeout(timer)
      const startedAt = context.durationMs()
      try {
        return await context.readBody(bodyTimeoutMs)
      } finally {
        context.outcome.bodyMs += context.durationMs() - startedAt
        timer = setTimeout(expire, timeoutMs)
      }
    }
    work(readBody).then(
      (result) => {
        clearTimeout(timer)
        resolve(result)
      },
      (error) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
