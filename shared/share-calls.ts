/** Shares one running call among all callers with the same key. */
export const shareCalls = <R>() => {
  const running = new Map<string, Promise<R>>()
  return (key: string, call: () => Promise<R>): Promise<R> => {
    const shared = running.get(key) ?? call().finally(() => running.delete(key))
    running.set(key, shared)
    return shared
  }
}
