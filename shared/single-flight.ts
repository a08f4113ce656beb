import { runOutsideTraces } from './tracing/trace.ts'

/** The call belongs to no caller's trace. */
export const createSingleFlight = <R>() => {
  const running = new Map<string, Promise<R>>()
  return (key: string, call: () => Promise<R>): Promise<R> => {
    const shared = running.get(key) ?? runOutsideTraces(call).finally(() => running.delete(key))
    running.set(key, shared)
    return shared
  }
}
