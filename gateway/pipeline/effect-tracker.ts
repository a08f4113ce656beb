import type { DatabasePort, EffectPort } from '#native-routes/ports.ts'

/** Whether an effect of one request may have escaped: `maybe` while nobody can tell, `done` once one surely has. */
type EffectState = 'clean' | 'maybe' | 'done'

/** A handler whose request was given to somebody else tried to have an effect after all. */
class RequestAbandoned extends Error {
  override name = 'RequestAbandoned'
}

export interface EffectTracker {
  state(): EffectState
  /** From now on this request can have no effect: whoever still runs on its behalf is stopped at the ports. */
  abandon(): void
  readonly effects: EffectPort
  tracked(db: DatabasePort): DatabasePort
}

/**
 * Follows the effects of one native request through the only two doors that lead to any. Only while it says
 * `clean` may the request be sent to the core as well, for only then is it certain that nothing is applied twice.
 */
export const createEffectTracker = (): EffectTracker => {
  let abandoned = false
  let done = false
  /** Transactions and calls that have begun and of which it is not known that they came to nothing. */
  let uncertain = 0

  const refuseWhenAbandoned = () => {
    if (abandoned) throw new RequestAbandoned()
  }

  return {
    state: () => (done ? 'done' : uncertain > 0 ? 'maybe' : 'clean'),
    abandon: () => {
      abandoned = true
    },

    effects: {
      external: async (call) => {
        refuseWhenAbandoned()
        uncertain += 1
        const result = await call()
        done = true
        return result
      },
    },

    tracked: (db) => ({
      read: db.read,
      tx: async (work) => {
        refuseWhenAbandoned()
        let refusal: unknown
        try {
          // Where not even BEGIN succeeds, `work` is never called and nothing becomes uncertain. While it waited for
          // a connection the request may have been given away.
          const result = await db.tx(async (tx) => {
            refuseWhenAbandoned()
            uncertain += 1
            try {
              return await work(tx)
            } catch (error) {
              refusal = error
              throw error
            }
          })
          done = true
          return result
        } catch (error) {
          // The driver rethrows what `work` threw only after the server has confirmed the ROLLBACK; any other
          // error, the connection's for one, leaves the outcome open.
          if (refusal !== undefined && error === refusal) uncertain -= 1
          throw error
        }
      },
    }),
  }
}
