import { runOutsideTraces } from './tracing/trace.ts'

/** Shares one running call among all callers with the same key; it belongs to the trace of none. */
export const shareCalls = <R>() => {
  const running = new Map<string, Promise<R>>()
  return (key: string, call: () => Promise<R>): Promise<R> => {
    const shared = running.get(key) ?? runOutsideTraces(call).finally(() => running.delete(key))
    running.set(key, shared)
    return shared
  }
}
