/** A shadowed handler tried to change something. */
export class ShadowEffectError extends Error {
  override name = 'ShadowEffectError'
}

/** The response depends on a provider that a shadowed request must not call. */
class NotComparableError extends Error {
  override name = 'NotComparable'
}

export type ShadowError = ShadowEffectError | NotComparableError

/** Creates methods that throw. `onError` learns of each error, because a handler may catch it. */
export const createRejections = (onError: (error: ShadowError) => void) => {
  const reject = (error: ShadowError): never => {
    onError(error)
    throw error
  }
  return {
    rejectEffect: (method: string) => async (): Promise<never> =>
      reject(new ShadowEffectError(`a shadowed request must not call ${method}`)),
    rejectProvider: (method: string) => async (): Promise<never> =>
      reject(new NotComparableError(`a shadowed request does not call ${method}`)),
  }
}
