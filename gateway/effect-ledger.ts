import type { DatabasePort, EffectPort } from '#native-routes/ports.ts'

/** Whether an effect of one request may have escaped: `maybe` while nobody can tell, `done` once it surely has. */
export type EffectState = 'clean' | 'maybe' | 'done'

/** A handler whose request was given to somebody else tried to have an effect after all. */
export class RequestAbandoned extends Error {
  override name = 'RequestAbandoned'
}

export interface EffectLedger {
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
export const createEffectLedger = (): EffectLedger => {
  let state: EffectState = 'clean'
  let abandoned = false

  const refuseWhenAbandoned = () => {
    if (abandoned) throw new RequestAbandoned()
  }

  return {
    state: () => state,
    abandon: () => {
      abandoned = true
    },

    effects: {
      external: async (call) => {
        refuseWhenAbandoned()
        state = state === 'done' ? 'done' : 'maybe'
        const result = await call()
        state = 'done'
        return result
      },
    },

    tracked: (db) => ({
      read: db.read,
      tx: async (work) => {
        refuseWhenAbandoned()
        const before = state
        if (state === 'clean') state = 'maybe'
        let refusal: unknown
        try {
          const result = await db.tx(async (tx) => {
            try {
              return await work(tx)
            } catch (error) {
              refusal = error
              throw error
            }
          })
          state = 'done'
          return result
        } catch (error) {
          // The driver rethrows what `work` threw only after the server has confirmed the ROLLBACK; any other
          // error leaves the outcome open. So does an outside call made in the meantime.
          if (refusal !== undefined && error === refusal && state === 'maybe') state = before
          throw error
        }
      },
    }),
  }
}
