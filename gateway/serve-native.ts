import { ApiError } from '#contracts/errors.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { Ports } from '#native-routes/ports.ts'
import { type Answer, errorAnswer } from './answer.ts'
import type { NativeDecision } from './decide.ts'
import { createEffectLedger, type EffectLedger } from './effect-ledger.ts'
import { bufferEvents } from './event-buffer.ts'
import type { Exchange } from './exchange.ts'
import { describeError, type Log } from './log.ts'
import { type NativeParts, runNative } from './native.ts'
import { isDependencyFailure, NativeTimeout, refusalOf } from './refusal-of.ts'

export interface ServeNativeParts extends NativeParts {
  readonly log: Log
  readonly hasCore: boolean
  readonly nativeTimeoutMs: number
}

/** `fall-back`: native surely had no effect, and the core may serve the request instead. */
export type NativeResult = Answer | 'fall-back'

const withDeadline = async <T>(work: Promise<T>, timeoutMs: number): Promise<T> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const expiry = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NativeTimeout(`no answer within ${timeoutMs} ms`)), timeoutMs)
  })
  try {
    return await Promise.race([work, expiry])
  } finally {
    clearTimeout(timer)
  }
}

// Reading twice is harmless, so any failure of a route without effects may be answered by the core. Engagement
// events are recorded after the answer, so those routes count as such until then. A write is given away only
// when what it leans on failed it before it did anything.
const mayFallBack = (decision: NativeDecision, error: unknown, ledger: EffectLedger) => {
  if (decision.kind !== 'native' || ledger.state() !== 'clean') return false
  const { runtime, effects } = rowOf(decision.label)
  if (runtime !== 'native') return false
  if (isDependencyFailure(error)) return true
  const isReading = effects === 'none' || effects === 'events'
  return isReading && !(error instanceof ApiError)
}

const reportFailure = (
  error: unknown,
  refusal: ApiError,
  exchange: Exchange,
  ledger: EffectLedger,
  log: Log,
) => {
  if (refusal === error && refusal.cause === undefined) return
  const unknownOutcome = ledger.state() === 'maybe'
  log.error(
    {
      requestId: exchange.requestId,
      route: exchange.outcome.label,
      answered: refusal.code,
      ...(unknownOutcome ? { outcome: 'outcome_unknown' } : {}),
      failure: describeError(error),
    },
    'native route failed',
  )
}

/** Serves a request natively, whatever happens: the answer is a body of the contract or one of its errors. */
export const serveNative = async (
  decision: NativeDecision,
  exchange: Exchange,
  parts: ServeNativeParts,
  ports: Ports,
): Promise<NativeResult> => {
  const ledger = createEffectLedger()
  const events = bufferEvents(ports.events, parts.log)
  const tracked = {
    ...ports,
    db: ledger.tracked(ports.db),
    effects: ledger.effects,
    events: events.port,
  }
  try {
    const answer = await withDeadline(runNative(decision, exchange, parts, tracked), parts.nativeTimeoutMs)
    // HEAD asks what GET would answer; nobody has been given anything.
    if (exchange.method !== 'HEAD') await events.flush()
    return answer
  } catch (error) {
    ledger.abandon()
    const refusal = refusalOf(error, decision, exchange.path)
    reportFailure(error, refusal, exchange, ledger, parts.log)
    if (parts.hasCore && mayFallBack(decision, error, ledger)) return 'fall-back'
    exchange.outcome.error = refusal.code
    return errorAnswer(refusal)
  }
}
