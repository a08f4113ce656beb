import type { DatabasePort, Ports } from '#native-routes/ports.ts'
import { interceptEffects } from './intercept-effects.ts'

/** Whether a request had an effect: `maybe` while the outcome of a call or a COMMIT is unknown, `done` afterwards. */
type EffectState = 'clean' | 'maybe' | 'done'

/** A handler tried to cause an effect after its request was abandoned. */
class RequestAbandoned extends Error {
  override name = 'RequestAbandoned'
}

export interface EffectTracker {
  state(): EffectState
  /** From now on every effect of this request throws, because the core may serve it. */
  abandon(): void
  /** The ports for the handler of this request. */
  track(ports: Ports): Ports
}

/**
 * Tracks the effects of one native request: its transactions, and the calls that `portAccess` declares effects. The
 * core may serve the request only in the state `clean`, because only then nothing can be applied twice.
 */
export const createEffectTracker = (): EffectTracker => {
  let abandoned = false
  let done = false
  /** Transactions and calls that began and may have had an effect. */
  let uncertain = 0

  const requireNotAbandoned = () => {
    if (abandoned) throw new RequestAbandoned()
  }

  const runEffect = async <T>(call: () => Promise<T>): Promise<T> => {
    requireNotAbandoned()
    uncertain += 1
    const result = await call()
    done = true
    return result
  }

  const trackDatabase = (db: DatabasePort): DatabasePort => ({
    ...db,
    tx: async (work) => {
      requireNotAbandoned()
      let workError: unknown
      try {
        // If BEGIN fails, `work` is not called and nothing is uncertain. The request may be abandoned while the
        // transaction waits for a connection.
        const result = await db.tx(async (tx) => {
          requireNotAbandoned()
          uncertain += 1
          try {
            return await work(tx)
          } catch (error) {
            workError = error
            throw error
          }
        })
        done = true
        return result
      } catch (error) {
        // The driver rethrows the error of `work` only after the server has confirmed the ROLLBACK. After any other
        // error, a lost connection for example, the outcome is unknown.
        if (workError !== undefined && error === workError) uncertain -= 1
        throw error
      }
    },
  })

  return {
    state: () => (done ? 'done' : uncertain > 0 ? 'maybe' : 'clean'),
    abandon: () => {
      abandoned = true
    },
    track: (ports) => ({ ...interceptEffects(ports, runEffect), db: trackDatabase(ports.db) }),
  }
}
